"""Formats that mechanisms are imported from: what symvi knows of each, one record for each.

The records of symvi's own stand with their readers (urdf.py, mjcf.py, trep.py); one from outside joins them by
`register_format` and is worth the same, in every command that reads a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symvi.errors import ArgumentError
from symvi.importers.meshes import Folders
from symvi.importers.options import Options
from symvi.importers.report import Findings
from symvi.importers.tree import Tree
from symvi.registry import REGISTRIES, Registry

__all__ = ["FORMATS", "Format", "OWN_FORM", "endings", "register_format"]

OWN_FORM = (".toml", ".json")  # of symvi's own files, which are no import


def _never(content: bytes) -> bool:
    return False


@dataclass(frozen=True)
class Format:
    """Everything that symvi knows of a format.

    name: of the format, in small letters.
    read: (document, findings, options, folders) -> the Tree of a file (importers/tree.py). What is wrong is put into
        findings, or raised as MechanismError. document: the root Element of a document of XML (importers/xml.py), and
        what `parse` made of any other.
    moves: what to do about a file in which nothing moves, as the end of a sentence.
    endings: of its files, in small letters with their dot; several formats of XML may have one in common.
    tag: of the root element, by which formats of XML are told apart; empty: it is no XML, and has `parse`.
    parse: (content, findings, options) -> what `read` takes, for a format that is no XML.
    is_content: (content) -> whether a file whose ending no format has is one of these.
    hanging: how its files say themselves what hangs on the world, as a sentence against `base`; empty: `base` says it.
    stands: what else would make contacts where the world holds what has shapes, as the end of a sentence.
    """

    name: str
    read: Callable[[Any, Findings, Options, Folders], Tree]
    moves: str
    endings: tuple[str, ...]
    tag: str = ""
    parse: Callable[[bytes, Findings, Options], Any] | None = None
    is_content: Callable[[bytes], bool] = _never
    hanging: str = ""
    stands: str = ""

    def problems(self) -> list[str]:
        """What is wrong with the record."""
        found = []
        if not callable(self.read):
            found.append(f"read is {self.read!r}, but must be a function")
        if not isinstance(self.endings, tuple) or not all(_is_ending(ending) for ending in self.endings):
            found.append(f"endings is {self.endings!r}, but must be a tuple of small letters like ('.sdf',)")
        elif own := [ending for ending in self.endings if ending in OWN_FORM]:
            found.append(f"endings has {own[0]!r}, which is that of symvi's own files")
        if bool(self.tag) == (self.parse is not None):
            found.append("give tag, the root element of its XML, or parse, of anything else: one of the two")
        for other in FORMATS.values():
            if self.tag and other.tag == self.tag:
                found.append(f"tag '{self.tag}' is that of format '{other.name}'")
            if not (self.tag and other.tag):  # of XML, the root element tells
                taken = [ending for ending in other.endings if ending in self.endings]
                found += [f"ending '{ending}' is that of format '{other.name}'" for ending in taken]
        return found


def _is_ending(ending: object) -> bool:
    return isinstance(ending, str) and len(ending) > 1 and ending.startswith(".") and ending == ending.lower()


FORMATS: Registry[Format] = Registry("format")
REGISTRIES.append(FORMATS)


def register_format(record: Format) -> Format:
    """Make a format known: files of it may be loaded from now on.

    Raises ArgumentError if its name, its endings or its root element are taken, or if the record is wrong.
    """
    if not isinstance(record, Format):
        raise ArgumentError(f"register_format was given {record!r}; give a symvi.Format")
    if record.name not in FORMATS:  # one that is taken is told by the registry
        for problem in record.problems():
            raise ArgumentError(f"format '{record.name}': {problem}")
    return FORMATS.register(record)


def endings() -> tuple[str, ...]:
    """Of all formats, symvi's own form first."""
    return *OWN_FORM, *dict.fromkeys(ending for record in FORMATS.values() for ending in record.endings)
