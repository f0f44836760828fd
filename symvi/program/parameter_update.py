"""Kernels by which parameters follow others in generated text: Python's own formulas, traced.

They belong to no phase. The text's control (templates/c/update_parameters.c.jinja) calls them record by record, in
loops of its own, and compares what they compute:
    judge_body   pivots of how a body's mass is spread: all positive for the inertia of a body alone (inertia.py)
    weigh_body   what the residual of a body is weighed by (numbers/derived_parameters.py)
    gather_body  the mass of a body, added to that of its part and of the whole
    pull_common  what contacts work against
    effective_mass_body    the unit of complementarity of what acts on a body (numbers/complementarity_scale.py)
What they leave to one another lies in records of their own, one at a time, which need no place in the work memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from symvi.kernels.body_kernels import BODY, INERTIA
from symvi.kernels.common import COMMON, GRAVITY, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.mechanism.inertia import RELATIVE_TOLERANCE, spread_pivots
from symvi.numbers.complementarity_scale import LIGHTEST, effective_mass_of, strength, total_mass
from symvi.numbers.derived_parameters import merit_inertia
from symvi.program.program import Program
from symvi.scalar import Scalar

SPREAD, PART, UNIT = "spread", "part", "unit"
SCRATCH = {
    SPREAD: "how the mass of a body is spread along its axes",
    PART: "bodies that joints hold together",
    UNIT: "what is small for a contact, limit or dry friction",
}
ROUND_OFF = {"double": RELATIVE_TOLERANCE, "float": 1e-5}  # of the trace: by so much a sum of two moments may be short
WHOLE, OWN, ITS_PART, ITS_SPREAD, ITS_UNIT = (Port(kind, kind) for kind in (COMMON, BODY, PART, SPREAD, UNIT))


class UpdateKernels(NamedTuple):
    """The kernels by name, and the records of the program with those that the kernels keep beside them."""

    kernels: dict[str, Kernel]
    records: Records


def update_kernels(program: Program, real: str) -> UpdateKernels:
    """What lets the parameters of a program follow. real: "double" or "float"."""
    records = Records({place: dict(fields) for place, fields in program.records.fields.items()})
    kernels = [_weigh(records, program)]
    if None in program.baked[BODY, INERTIA[0]]:  # else all are point masses, and the text has that as a constant
        kernels.insert(0, _judge(records, program, real))
    if program.notes["inequalities"]:
        kernels += [_gather(records), _pull(records), _effective_mass(records)]
    return UpdateKernels({kernel.name: kernel for kernel in kernels}, records)


def squares(program: Program) -> tuple[float, ...]:
    """The square of the least radius at which the mass of every body counts [m²], or one for all bodies."""
    found = tuple(radius**2 for radius in program.notes["derived"]["radii"])
    return found[:1] if len(set(found)) == 1 else found


def _judge(records: Records, program: Program, real: str) -> Kernel:
    def build(trace: Trace) -> None:
        trace.note("P = tr(J)/2 1 - J = ∫ r rᵀ dm has no negative eigenvalue", "moments a <= b <= c: c <= a + b")
        pivots = list(spread_pivots(_inertia(trace, program), Fraction(str(ROUND_OFF[real]))))
        trace.write(SPREAD, "pivots", pivots, "pivots of P, with round-off added", "kg m²")

    return single(records, "judge_body", "whether a body can have its inertia", (OWN, ITS_SPREAD), BODY, build)


def _weigh(records: Records, program: Program) -> Kernel:
    def build(trace: Trace) -> None:
        trace.note("size = max(Jxx, Jyy, Jzz, m r²)", "angular velocities that may be left")
        size = merit_inertia(_mass(trace), _inertia(trace, program), _square(trace, program))
        trace.write(BODY, "size", [size], store="parameters")

    return single(records, "weigh_body", "what the residual of a body is weighed by", (OWN, ITS_SPREAD), BODY, build)


def _gather(records: Records) -> Kernel:
    def build(trace: Trace) -> None:
        mass = _mass(trace)
        (part,) = trace.read(PART, "work", "mass", 1, "mass of all its bodies", "kg")
        (whole,) = trace.read(COMMON, "parameters", "mass")
        sums = [total_mass((before, mass)) for before in (part, whole)]
        for name, value in zip(("part_with_body", "whole_with_body"), sums, strict=True):
            trace.graph.name(value, name)
        trace.write(PART, "mass", sums[:1])
        trace.write(COMMON, "mass", sums[1:], store="parameters")

    summary = "masses of a part and of the whole: one body more"
    return single(records, "gather_body", summary, (WHOLE, OWN, ITS_PART), BODY, build)


def _pull(records: Records) -> Kernel:
    def build(trace: Trace) -> None:
        gravity = trace.read(COMMON, "parameters", *GRAVITY)
        trace.note("|g|", "what contacts work against")
        trace.write(COMMON, "acceleration", [strength(gravity)], store="parameters")

    return single(records, "pull_common", "the acceleration of gravity", (WHOLE,), COMMON, build)


def _effective_mass(records: Records) -> Kernel:
    def build(trace: Trace) -> None:
        (part,) = trace.read(PART, "work", "mass")
        (contacts,) = trace.read(UNIT, "work", "contacts", 1, "contacts of the part, at least 1")
        trace.note("m_eff = min(M, 100 m), share = m_eff/n", "the body's own weight holds it in a heavy machine")
        found = effective_mass_of(_mass(trace), part, contacts, trace.graph.constant(LIGHTEST))
        trace.write(UNIT, "effective_mass", [found.effective_mass], "mass whose weight counts", "kg")
        trace.write(UNIT, "share", [found.share], "of a contact", "kg")

    summary = "the unit of complementarity of what acts on a body"
    return single(records, "effective_mass_body", summary, (OWN, ITS_PART, ITS_UNIT), BODY, build)


def _mass(trace: Trace) -> Scalar:
    return trace.read(BODY, "parameters", "mass")[0]


def _square(trace: Trace, program: Program) -> Scalar:
    """The square of the least radius of a body's mass: a constant, where it is the same for all bodies."""
    known = squares(program)
    if len(known) == 1:
        return trace.graph.constant(Fraction(known[0]))
    return trace.read(SPREAD, "work", "square", 1, "square of the least radius of the mass", "m²")[0]


def _inertia(trace: Trace, program: Program) -> Sequence[Scalar]:
    """The inertia of a body; what the text has as a constant is one here too."""
    return trace.read(BODY, "parameters", *INERTIA, baked=program.baked[BODY, INERTIA[0]])
