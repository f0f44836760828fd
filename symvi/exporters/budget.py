"""Budgets of memory: an export that does not fit is refused, and what would fit is named.

Text (machine code and constants) is that on the smallest board that computes in the precision in hardware, compiled for
size. RAM is the six structs and the stack of a step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.errors import SymviError
from symvi.exporters.memory import struct_bytes
from symvi.exporters.request import Request
from symvi.exporters.text import ExportedText, exported_text
from symvi.program.program import Program

__all__ = ["check_budget"]

BOARD_OF = {"float": "cortex-m4f", "double": "cortex-m7"}
LAYOUTS = ("inline", "unrolled", "looped")
STACK = ("stack painted", "stack usage")
Figures = dict[str, dict[str, dict[str, Any]]]


class OverBudget(SymviError):
    """An export needs more memory than it may. found: bytes by what was asked for, and what would fit."""

    def __init__(self, message: str, found: dict[str, Any]):
        self.found = found
        super().__init__(message)


def check_budget(request: Request, program: Program, text: ExportedText, figures: Figures) -> None:
    """Raises OverBudget where the exported text does not keep to the budgets; SymviError where nobody can tell.

    figures: of boards, as they were measured; nothing where nothing was.
    """
    problems, found = [], {}
    if request.most_text is not None:
        size = found["text"] = _text(text)
        if size > request.most_text:
            problems.append(f"{size} B of text, {request.most_text} allowed")
    if request.most_ram is not None:
        stack = _stack(figures, text.sources.real)
        structs = sum(struct_bytes(text).values())
        found["ram"] = structs + stack
        if found["ram"] > request.most_ram:
            parts = (
                f"{structs} of structs and {stack} of stack" if stack else f"{structs} of structs; stack not measured"
            )
            problems.append(f"{found['ram']} B of RAM ({parts}), {request.most_ram} allowed")
    if problems:
        stack = found.get("ram", 0) - sum(struct_bytes(text).values()) if "ram" in found else 0
        others = list(_others(request, program, text, stack))
        message = f"'{request.mechanism.name}', {_named(text)}, needs {' and '.join(problems)}; {_remedy(others)}"
        raise OverBudget(message, {**found, "alternatives": others})


def _text(text: ExportedText) -> int:
    from symvi.exporters.measure import text_size

    board = BOARD_OF[text.sources.real]
    figure = text_size(text.sources.files, board)
    if "not measured" in figure:
        raise SymviError(f"--max-text cannot be checked: {figure['not measured']}")
    return figure["value"]


def _stack(figures: Figures, real: str) -> int:
    found = figures.get(BOARD_OF[real], {})
    return max((found[name]["value"] for name in STACK if "value" in found.get(name, {})), default=0)


def _named(text: ExportedText) -> str:
    return f"{text.sources.real}, {text.sources.layout}"


def _others(request: Request, program: Program, text: ExportedText, stack: int) -> Iterator[dict[str, Any]]:
    """The same mechanism in the other precisions and layouts, with what they need.

    stack: that of the text that was measured; of others it is estimated by the size of their reals.
    """
    mine = struct_bytes(text)
    for real in ("float", "double"):
        for layout in LAYOUTS:
            if (real, layout) == (text.sources.real, text.sources.layout):
                continue
            try:
                other = exported_text(program, request, layout, real)
            except SymviError:  # too large to be written out
                continue
            structs = sum(struct_bytes(other).values())
            ram = structs + stack * struct_bytes(other)["work"] // mine["work"]
            size = None if request.most_text is None else _text(other)
            fits = (size is None or size <= request.most_text) and (request.most_ram is None or ram <= request.most_ram)
            yield {"real": real, "layout": layout, "text": size, "ram": ram, "fits": fits}


def _remedy(others: list[dict[str, Any]]) -> str:
    fitting = [other for other in others if other["fits"]]
    if fitting:
        return "these fit: " + "; ".join(map(_shown, fitting))
    smallest = min(others, key=lambda other: (other["text"] or 0, other["ram"]))
    fewer = "a description with fewer bodies, loops or contacts needs less"
    return f"nothing fits, the nearest is {_shown(smallest)}; {fewer}"


def _shown(other: dict[str, Any]) -> str:
    text = "" if other["text"] is None else f"{other['text']} B of text, "
    return f"--real {other['real']} --layout {other['layout']} ({text}{other['ram']} B of RAM)"
