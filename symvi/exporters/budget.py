"""Budgets of memory: an export that does not fit is refused, and what would fit is named.

Text (machine code and constants) and stack are those on the smallest board that computes in the precision in hardware,
compiled for size. RAM is the six structs and the stack of the entry point that needs most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symvi.errors import SymviError
from symvi.exporters.memory import struct_bytes
from symvi.exporters.request import Request
from symvi.exporters.text import ExportedText, exported_text
from symvi.program.program import Program

__all__ = ["check_budget"]

BOARD_OF = {"float": "cortex-m4f", "double": "cortex-m7"}
LAYOUTS = ("inline", "unrolled", "looped")
STACK = "stack of the deepest entry point"
FEWER = "a description with fewer bodies, loops or contacts needs less"


class OverBudget(SymviError):
    """An export needs more memory than it may. found: bytes by what was asked for, and what would fit."""

    def __init__(self, message: str, found: dict[str, Any]):
        self.found = found
        super().__init__(message)


def check_budget(request: Request, program: Program, text: ExportedText) -> None:
    """Raises OverBudget where the exported text does not keep to the budgets; SymviError where nobody can tell."""
    budgets = {"text": request.most_text, "ram": request.most_ram}
    budgets = {what: most for what, most in budgets.items() if most is not None}
    if not budgets:
        return
    needs, parts = _needs(text, budgets)
    problems = [
        f"{needs[what]} B of {_title(what)}{parts.get(what, '')}, {most} allowed"
        for what, most in budgets.items()
        if needs[what] > most
    ]
    if problems:
        others = list(_others(request, program, text, budgets))
        remedy = _remedy(others, budgets, _excess(needs, budgets))
        message = f"'{request.mechanism.name}', {_named(text)}, needs {' and '.join(problems)}; {remedy}"
        raise OverBudget(message, {**needs, "alternatives": others})


def _needs(text: ExportedText, budgets: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
    """Bytes of what has a budget, and of what they consist. Raises SymviError where they cannot be known."""
    from symvi.exporters.measure import compiled_sizes

    sizes = compiled_sizes(text.sources.files, BOARD_OF[text.sources.real])
    for what, name in (("text", "text"), ("ram", STACK)):
        if what in budgets and "not measured" in sizes[name]:
            raise SymviError(f"--max-{what} cannot be checked: {sizes[name]['not measured']}")
    needs, parts = {}, {}
    if "text" in budgets:
        needs["text"] = sizes["text"]["value"]
    if "ram" in budgets:
        structs, stack = sum(struct_bytes(text).values()), sizes[STACK]
        needs["ram"] = structs + stack["value"]
        deepest = f"{text.sources.name}_{stack['of']}"
        parts["ram"] = f" ({structs} of structs and {stack['value']} of stack, which {deepest} needs)"
    return needs, parts


def _title(what: str) -> str:
    return {"text": "text", "ram": "RAM"}[what]


def _excess(needs: Mapping[str, int], budgets: Mapping[str, int]) -> float:
    """How many times over its budget the memory is of which that is true most."""
    return max(needs[what] / most for what, most in budgets.items())


def _named(text: ExportedText) -> str:
    return f"{text.sources.real}, {text.sources.layout}"


def _others(
    request: Request, program: Program, text: ExportedText, budgets: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """The same mechanism in the other precisions and layouts, with what they need."""
    for real in ("float", "double"):
        for layout in LAYOUTS:
            if (real, layout) == (text.sources.real, text.sources.layout):
                continue
            try:
                other = exported_text(program, request, layout, real)
            except SymviError:  # too large to be written out
                continue
            needs, _ = _needs(other, budgets)
            yield {"real": real, "layout": layout, **needs, "fits": _excess(needs, budgets) <= 1}


def _remedy(others: list[dict[str, Any]], budgets: Mapping[str, int], excess: float) -> str:
    """What fits; else what comes nearer to fitting than what was asked for."""
    fitting = [other for other in others if other["fits"]]
    if fitting:
        return "these fit: " + "; ".join(map(_shown, fitting))
    nearest = min(others, key=lambda other: _excess(other, budgets))
    if _excess(nearest, budgets) >= excess:
        return f"no other --real or --layout comes nearer to that; {FEWER}"
    return f"nothing fits, the nearest is {_shown(nearest)}; {FEWER}"


def _shown(other: dict[str, Any]) -> str:
    needs = ", ".join(f"{other[what]} B of {_title(what)}" for what in ("text", "ram") if what in other)
    return f"--real {other['real']} --layout {other['layout']} ({needs})"
