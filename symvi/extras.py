"""The command that adds an optional part of symvi to the interpreter that runs. Standard library only."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["install_command", "quoted"]

DESCRIPTION = Path(__file__).parent.parent / "pyproject.toml"  # of a checkout; an installed symvi has none


@cache
def install_command(extra: str) -> str:
    """What to type for an extra, in a shell of the system that runs.

    An installed symvi is named with the extra. A checkout is not installed: as a package, symvi would stand in its
    place and stay as it was that day. So there the packages of the extra are named themselves.
    """
    packages = _packages_of_checkout(extra) or [f"symvi[{extra}]"]
    python = sys.executable or "python"
    if find_spec("pip"):
        words = [python, "-m", "pip", "install"]
    else:  # environments that uv makes have no pip
        words = ["uv", "pip", "install", "--python", python]
    return " ".join(quoted(word) for word in (*words, *packages))


def _packages_of_checkout(extra: str) -> list[str]:
    """The requirements of an extra, as a checkout's pyproject.toml names them; none where symvi is installed."""
    import tomllib

    try:
        project = tomllib.loads(DESCRIPTION.read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return []
    return project.get("optional-dependencies", {}).get(extra, []) if project.get("name") == "symvi" else []


def quoted(word: str) -> str:
    """A word as the shell takes it: in quotes where it has more than letters and signs of paths."""
    if re.fullmatch(r"[\w@%+:,./~\\-]+" if os.name == "nt" else r"[\w@%+:,./-]+", word, re.ASCII):
        return word
    return f'"{word}"' if os.name == "nt" else "'" + word.replace("'", "'\"'\"'") + "'"
