"""Numbers of a program that follow from the precision of its text.

A program is composed for doubles. In float the guards of loops, and what counts as an opened loop, are larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symvi.program.extent import OPENING
from symvi.program.program import Program

COARSER = 1e5  # factor on guards, which lie four digits above round-off in double and just above it in float

Numbers = Mapping[str, tuple[float, ...]]


def in_precision(program: Program, real: str) -> Program:
    """The program with the parameters that its text has in "double" or "float"."""
    if real == "double":
        return program
    return replace(program, parameters={node: _in_float(numbers) for node, numbers in program.parameters.items()})


def _in_float(numbers: Numbers) -> Numbers:
    changed = dict(numbers)
    if "guard" in numbers:
        changed["guard"] = tuple(COARSER * guard for guard in numbers["guard"])
    if "limit" in numbers and "extent" in numbers:
        changed["limit"] = (max(numbers["limit"][0], OPENING["float"] * numbers["extent"][0]),)
    return changed
