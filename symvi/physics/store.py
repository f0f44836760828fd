"""Derived formulas on disk, so that SymPy runs once per version of the mathematics and not once per process.

The folder's name holds a digest of every source file of this package and the version of SymPy: change the mathematics
and everything is derived again. A file is written under another name and renamed, so a killed process leaves nothing
half-written.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path


@cache
def folder() -> Path | None:
    """The folder of this version's formulas; None where none can be written (they are then derived anew)."""
    digest = hashlib.sha256(f"sympy {version('sympy')}".encode())
    here = Path(__file__).parent
    for source in sorted(here.rglob("*.py")):
        digest.update(source.relative_to(here).as_posix().encode() + b"\0" + source.read_bytes())
    root = Path(os.environ.get("SYMVI_CACHE") or user_cache_path("symvi"))
    path = root / f"formulas-{digest.hexdigest()[:20]}"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return path


def load(key: str) -> str | None:
    """The stored text of a formula, or None."""
    path = folder()
    if path is None:
        return None
    try:
        return (path / f"{_file_name(key)}.json").read_text(encoding="utf-8")
    except OSError:
        return None


def save(key: str, text: str) -> None:
    """Store a formula's text; a folder that cannot be written is no error, the formula is derived again next time."""
    path = folder()
    if path is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=path)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path / f"{_file_name(key)}.json")
    except OSError:
        return


def _file_name(key: str) -> str:
    return key if key.isidentifier() and len(key) < 80 else hashlib.sha256(key.encode()).hexdigest()[:40]
