"""Derivatives of steps: compiled quickly, since every compiler makes the same bits."""

from tests.support.quick import compiled_quickly  # noqa: F401
