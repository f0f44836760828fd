"""Derive every formula that symvi declares and write them beside this file, for installations to begin with.

python3 -m symvi.physics.deriving, whenever the source of this package has changed; a stale file is passed over, and
costs only the time of deriving.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import sympy

from symvi.physics import store
from symvi.physics.formula import Formula
from symvi.physics.lowering import lower
from symvi.physics.pyramid import pyramid

DIRECTIONS = (4, 6, 8)  # of linear cones of friction; those of others are derived where they are used


def declared() -> dict[str, Formula]:
    """The formulas of this package, by what they are stored as."""
    return {formula.stored_as: formula for formula in sorted(_found(), key=lambda formula: formula.name)}


def derived_text() -> str:
    """What the file holds: a digest of the source, and each formula's code on a line of its own."""
    codes = {name: lower(formula).to_json() for name, formula in declared().items()}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(code)}" for name, code in codes.items())
    head = {"sympy": sympy.__version__, "sources": store.sources()}
    said = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    return f'{{\n{said} "formulas": {{\n{lines}\n }}\n}}\n'


def _found() -> Iterator[Formula]:
    here = Path(__file__).parent
    for module in walk_packages([str(here)], store.SOURCE):
        if module.name != __spec__.name:
            yield from (item for item in vars(import_module(module.name)).values() if isinstance(item, Formula))
    for directions in DIRECTIONS:
        cone = pyramid(directions)
        yield from (getattr(cone, field.name) for field in fields(cone))


if __name__ == "__main__":
    store.SHIPPED.write_text(derived_text(), encoding="utf-8", newline="\n")
