"""Derived formulas on disk, so that SymPy runs once per version of the mathematics and not once per process.

The folder's name holds a digest of every source file of this package and the version of SymPy: change the mathematics
and everything is derived again. A file that is not as it was written is derived again too (symvi.cache).
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from symvi.cache import keep, kept, subfolder
from symvi.errors import CompilerError

SOURCE = f"{__package__}."  # formulas that modules with this beginning declare are what the digest stands for


@cache
def folder() -> Path | None:
    """The folder of this version's formulas; None where none can be written (they are then derived anew)."""
    digest = hashlib.sha256(f"sympy {version('sympy')}".encode())
    here = Path(__file__).parent
    for source in sorted(here.rglob("*.py")):
        digest.update(source.relative_to(here).as_posix().encode() + b"\0" + source.read_bytes())
    try:
        return subfolder(f"formulas-{digest.hexdigest()[:20]}")
    except (OSError, CompilerError):
        return None


def load(key: str) -> str | None:
    """The stored text of a formula, or None."""
    path = folder()
    if path is None:
        return None
    found = kept(path / f"{_file_name(key)}.json")
    return None if found is None else found.decode("utf-8")


def save(key: str, text: str) -> None:
    """Store a formula's text; a folder that cannot be written is no error, the formula is derived again next time."""
    path = folder()
    if path is not None:
        keep(path / f"{_file_name(key)}.json", text.encode("utf-8"))


def _file_name(key: str) -> str:
    return key if key.isidentifier() and len(key) < 80 else hashlib.sha256(key.encode()).hexdigest()[:40]
