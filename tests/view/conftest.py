"""Every test here compiles quickly."""

from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
