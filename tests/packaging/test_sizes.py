"""Nothing in the package is too long to be read at once: classes by their lines, functions by their branches (ruff)."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
MOST_LINES = 250
# Longer ones that wait to be taken apart: there are none, and none may join them.
LONG: set[str] = set()


def long_classes(text: str, most: int) -> Iterator[str]:
    """The names of classes with more lines, wherever they stand in a file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno + 1 > most:
            yield node.name


def test_no_class_is_longer_than_can_be_read_at_once() -> None:
    found = {
        f"{path.relative_to(REPOSITORY).as_posix()} {name}"
        for path in (REPOSITORY / "symvi").rglob("*.py")
        for name in long_classes(path.read_text(encoding="utf-8"), MOST_LINES)
    }
    assert found == LONG


def test_a_long_class_is_found_inside_a_function_too() -> None:
    text = "def f():\n    class Long:\n        a = 1\n        b = 2\n\n\nclass Short:\n    a = 1\n"
    assert list(long_classes(text, 2)) == ["Long"]


def test_ruff_counts_the_branches_of_functions() -> None:
    """tests/types runs `ruff check` with these settings."""
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert "C901" in settings["select"] and settings["mccabe"]["max-complexity"] <= 15
