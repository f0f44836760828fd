"""Whether steps with a fixed number of iterations take the same time, whatever their numbers are, and if not, why."""

from __future__ import annotations

from symvi.exporters.text import ExportedText

__all__ = ["uneven"]

# phases that are no part of a step
_STARTS = ("start_momenta", "start_momenta_of_chord", "start_momenta_of_turn")
_ELSEWHERE = frozenset(("setup", "react", "displace", *_STARTS, "energy", "couple", "place", "measure"))
_STRAIGHT = frozenset(("add", "sub", "mul", "div", "sqrt", "min", "max"))
_TITLES = {"angle": "angles", "atan2": "angles", "sin": "sines and cosines", "cos": "sines and cosines"}
_OTHERS = "functions of expressions"


def uneven(text: ExportedText) -> list[str]:
    """What takes more work with some numbers than with others, within one iteration or beside it; nothing: nothing."""
    contacts = ["contacts"] if text.plan.contacts else []
    stops = ["limits and dry friction"] if text.plan.stops else []
    phases = text.program.phases
    calls = [call for phase in sorted(phases) if phase not in _ELSEWHERE for call in phases[phase]]
    used = {
        name
        for kernel in {call.kernel.name: call.kernel for call in calls}.values()
        for name in kernel.operation_count()
    }
    functions = {_TITLES.get(name, _OTHERS) for name in used - _STRAIGHT}
    return [*contacts, *stops, *sorted(functions)]
