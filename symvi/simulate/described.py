"""Run-time parameters by the names of the description: which of them a text leaves free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symvi.mechanism import Mechanism
from symvi.numbers.settings import Described, described_numbers
from symvi.simulate.plan import plan_of
from symvi.simulate.run_parameters import settable

if TYPE_CHECKING:
    from symvi.program.program import Program


def described(mechanism: Mechanism, known: Mapping[str, object], baked: Mapping[str, Mapping]) -> dict[str, Described]:
    """The parameters that can be set, by name: gravity, arm.mass, elbow.parent_anchor, spring.stiffness, track.radius.

    known: the solver's own names. baked: name -> entries that its text has baked in; where that is every entry,
    nothing can be set.
    """
    found = {}
    for name, parameter in described_numbers(mechanism):
        own = parameter.numbers(parameter.value)
        free = any(len(baked.get(each, ())) < len(values) for each, values in own.items())
        if free and all(each in known for each in own):
            found[name] = parameter
    return found


def settable_values(mechanism: Mechanism, program: Program) -> dict[str, object]:
    """What a run can be given, for a reader: the parameters with their values, and the names of the inputs."""
    plan = plan_of(program)
    found = described(mechanism, settable(mechanism, plan), plan.notes["baked"])
    shown = {name: parameter.shown for name, parameter in found.items()}
    return {"parameters": shown, "inputs": list(plan.inputs)}
