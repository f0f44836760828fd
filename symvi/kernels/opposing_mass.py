"""The mass that may oppose a joint's coordinate at most: of what hangs on a side of it, as that stands at a knot.

Where something else holds the bodies of a joint, the mass along its coordinate depends on all that hangs there. No
force moves a coordinate less than it would with all other joints locked: then a side of the joint moves as one body,

    m <= M                            along a translation, M the mass of the side
    m <= sum (tr J_i + m_i r_i²)      about a rotation, r_i from the child's anchor, which lies on the axis

and where both sides are free of the world, m <= 1/(1/m_a + 1/m_b). So much decides whether a spring is overdamped
beyond doubt (physics/laws.py). Sums of a side are those of its body and of the sides beyond its other joints, taken
once a step. Loops, gears, drivers, contacts and point springs leave a side without a bound: it opposes as much as it
likes.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels.body_kernels import BODY, INERTIA, OWN
from symvi.kernels.common import single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.scalar import Rate, Scalar

SIDE = Port("side", "side")  # a body, and all that hangs on it beside a joint
BEYOND = Port("beyond", "side")  # the side of another joint there
SIDES = {"child": Port("side_of_child", "side"), "parent": Port("side_of_parent", "side")}
ORIGIN = ("origin", 3, "position of the side's body, where its sums start", "m")
SUMS = ("sums", 5, "mass, its first moment and its second one about there", "kg, kg m, kg m²")


def beginning(records: Records, baked: Sequence) -> Kernel:
    """The sums of a side's body. baked: the entries of inertia that are zero in the whole mechanism."""

    def build(trace: Trace) -> None:
        trace.note("M = m,  S = 0,  I = tr J", "about the body's own centre of mass")
        (mass,), zero = trace.read(BODY, "parameters", "mass"), trace.graph.constant(0)
        inertia = trace.read(BODY, "parameters", INERTIA[0], 6, *INERTIA[2:], baked=baked)
        spread = inertia[0] + inertia[1] + inertia[2]
        trace.write(SIDE.label, ORIGIN[0], trace.read(BODY, "state", "x", 3), *ORIGIN[2:], rate=Rate.STEP)
        trace.write(SIDE.label, SUMS[0], [mass, zero, zero, zero, spread], *SUMS[2:], rate=Rate.STEP)

    return single(records, "begin_side", "the sums of a side's body", (SIDE, OWN), SIDE.label, build)


def joining(records: Records) -> Kernel:
    """The sums of a side beyond, added to those of the side that it hangs on."""

    def build(trace: Trace) -> None:
        trace.note("M += M',  S += S' + M' d,  I += I' + 2 d·S' + d² M'", "d from one origin to the other")
        mass, *first, second = _sums(trace, BEYOND.label)
        d = _from_origin(trace, SIDE.label, _origin(trace, BEYOND.label))
        moved = [s + mass * x for s, x in zip(first, d, strict=True)]
        more = second + 2 * _dot(d, first) + _dot(d, d) * mass
        trace.add_to(SIDE.label, SUMS[0], [mass, *moved, more], rate=Rate.STEP)

    return single(records, "join_side", "what hangs on a side", (SIDE, BEYOND), SIDE.label, build)


def most_along(trace: Trace, ends: Sequence[str], place: Sequence[Scalar], pitch: Scalar | None) -> dict[str, Scalar]:
    """What opposes a translation, a rotation about an axis through a place in the world, and a screw [kg, kg m²].

    ends: the free sides. pitch: of the screw.
    """
    trace.note("m <= M,  m <= I - 2 d·S + d² M", "all other joints locked")
    found: dict[str, list[Scalar]] = {"translation": [], "rotation": [], "screw": []}
    for end in ends:
        label = SIDES[end].label
        mass, *first, second = _sums(trace, label)
        d = _from_origin(trace, label, place)
        moment = second - 2 * _dot(d, first) + _dot(d, d) * mass
        found["translation"].append(mass)
        found["rotation"].append(moment)
        found["screw"].append(moment if pitch is None else moment + pitch * pitch * mass)
    return {
        kind: masses[0] if len(masses) == 1 else 1 / (1 / masses[0] + 1 / masses[1]) for kind, masses in found.items()
    }


def _sums(trace: Trace, label: str) -> list[Scalar]:
    return trace.read(label, "work", SUMS[0], SUMS[1], *SUMS[2:], rate=Rate.STEP)


def _origin(trace: Trace, label: str) -> list[Scalar]:
    return trace.read(label, "work", ORIGIN[0], ORIGIN[1], *ORIGIN[2:], rate=Rate.STEP)


def _from_origin(trace: Trace, label: str, place: Sequence[Scalar]) -> list[Scalar]:
    return [x - o for x, o in zip(place, _origin(trace, label), strict=True)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
