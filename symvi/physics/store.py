"""Derived formulas on disk, so that SymPy runs once per version of the mathematics and not once per process.

Two places keep them. Those that symvi declares lie in derived.json beside this file, so that a fresh installation never
waits for SymPy; `python3 -m symvi.physics.deriving` writes it, and a test derives all of it again. The others lie in
the user's cache. Both go with a digest of every source file of this package, the cache with the version of SymPy too:
change the mathematics and everything is derived again. A file of the cache that is not as it was written is derived
again as well (symvi.cache).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from symvi.cache import keep, kept, subfolder
from symvi.errors import CompilerError

SHIPPED = Path(__file__).with_name("derived.json")
SOURCE = f"{__package__}."  # formulas that modules with this beginning declare are what the digest stands for


@cache
def folder() -> Path | None:
    """The folder of this version's formulas; None where none can be written (they are then derived anew)."""
    digest = hashlib.sha256(f"sympy {version('sympy')} {sources()}".encode())
    try:
        return subfolder(f"formulas-{digest.hexdigest()[:20]}")
    except (OSError, CompilerError):
        return None


@cache
def sources() -> str:
    """A digest of this package's own source: what formulas that it declares follow from."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for source in sorted(here.rglob("*.py")):
        text = source.read_bytes().replace(b"\r\n", b"\n")
        digest.update(source.relative_to(here).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()


@cache
def shipped() -> Mapping[str, str]:
    """The formulas that came with this version of the source, by what they are stored as; none for another version."""
    try:
        found = json.loads(SHIPPED.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a checkout in which nobody has derived them
        return {}
    return found["formulas"] if found["sources"] == sources() else {}


def load(key: str) -> str | None:
    """The stored text of a formula, or None."""
    if key in shipped():
        return shipped()[key]
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
