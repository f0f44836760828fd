"""What `import symvi` offers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import symvi

NAMES = sorted(set(symvi.__all__) - {"__version__"})


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_found(name: str) -> None:
    assert getattr(symvi, name).__name__ == name


def test_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="Mechanis"):
        symvi.Mechanis  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    """The lines under TYPE_CHECKING, __all__ and the table of homes are three lists of the same names."""
    tree = ast.parse(Path(symvi.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == symvi._HOME_OF
    assert sorted(seen) == NAMES
    assert set(symvi.__all__) <= set(dir(symvi))
