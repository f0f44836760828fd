"""What can be exported to: a table, name -> module. A target is one new file and one new line here.

A target's module has `write(request, folder) -> manifest`: it writes its files into an empty folder, manifest.json
among them, and returns what that says. It raises SymviError for what it cannot export; the folder is then thrown away.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from symvi.errors import SymviError
from symvi.mechanism.names import did_you_mean, shown

__all__ = ["TARGETS", "target"]

TARGETS = {"c": "symvi.exporters.c"}


def target(name: object) -> ModuleType:
    """The module of a target. Raises SymviError with the nearest known one."""
    if not isinstance(name, str) or name not in TARGETS:
        raise SymviError(f"target {shown(name)}: nothing of that name can be exported to; {_remedy(name)}")
    return import_module(TARGETS[name])


def _remedy(name: object) -> str:
    return did_you_mean(name if isinstance(name, str) else "", TARGETS)
