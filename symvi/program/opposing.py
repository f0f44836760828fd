"""The mass that may oppose a joint's coordinate at most: of all that hangs together there, as it stands at a knot.

Where something else holds the bodies of a joint, the mass along its coordinate depends on all that hangs there. No
force moves a coordinate less than it would with all other joints locked: then only one side of the joint moves, and

    m <= M                            along a translation, M the mass of all these bodies
    m <= sum (tr J_i + m_i r_i²)      about a rotation, r_i from the child's anchor, which lies on the axis

So much decides whether a spring is overdamped beyond doubt (physics/laws.py). The sums are taken once a step, over all
bodies that joints, couplings and point springs hold together, from an origin that moves along with the first of them.
Nothing bounds the mass where loops, gears, drivers or contacts hold both sides of a joint.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from symvi.mechanism import Joint, Mechanism
from symvi.program.body import BODY, INERTIA, OWN
from symvi.program.common import single
from symvi.program.kernel import Kernel, Port
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar

WORLD = "world"
WHOLE = Port("whole", "whole")  # a part of the mechanism that hangs together
ORIGIN = ("origin", 3, "position of the first body, where sums start", "m")
ALL = ("all", 5, "mass, its first moment and its second one about there, of all bodies", "kg, kg m, kg m²")


def is_bounded(mechanism: Mechanism, joint: Joint) -> bool:
    """Whether one side of a joint is a tree that nothing else holds."""
    held = _held(mechanism) | {WORLD}
    return any(
        _is_free(mechanism, joint, *ends, held) for ends in ((joint.child, joint.parent), (joint.parent, joint.child))
    )


def _is_free(mechanism: Mechanism, joint: Joint, body: str, other: str, held: set[str]) -> bool:
    seen, waiting = {body}, deque([(body, joint.name)])
    while waiting:
        name, through = waiting.popleft()
        if name in held or name == other:
            return False
        for beyond in mechanism.joints:
            if beyond.name != through and name in (beyond.parent, beyond.child):
                far = beyond.child if beyond.parent == name else beyond.parent
                if far in seen:
                    return False  # a loop
                seen.add(far)
                waiting.append((far, beyond.name))
    return True


def _held(mechanism: Mechanism) -> set[str]:
    """Bodies that gears, drivers or contacts hold."""
    ends = {joint.name: {joint.parent, joint.child} for joint in mechanism.joints}
    found = {name for contact in mechanism.contacts for name in (contact.parent, contact.child)}
    found |= {name for gear in mechanism.couplings for joint in gear.joints for name in ends[joint]}
    return found | {name for driver in mechanism.drivers for name in ends[driver.joint]}


def clearing(records: Records) -> Kernel:
    """Sums over bodies start at zero, and at the first of them."""

    def build(trace: Trace) -> None:
        trace.write(WHOLE.kind, ORIGIN[0], trace.read(BODY, "state", "x", 3), *ORIGIN[2:], rate=Rate.STEP)
        trace.write(WHOLE.kind, ALL[0], [trace.graph.constant(0)] * ALL[1], *ALL[2:], rate=Rate.STEP)

    return single(records, "clear_whole", "where sums over bodies start", (WHOLE, OWN), WHOLE.kind, build)


def gathering(records: Records, baked: Sequence) -> Kernel:
    """A body's part of the sums. baked: the entries of inertia that are zero in the whole mechanism."""

    def build(trace: Trace) -> None:
        trace.note("M += m,  S += m d,  I += m d² + tr J", "d from the origin of the sums")
        (mass,) = trace.read(BODY, "parameters", "mass")
        inertia = trace.read(BODY, "parameters", INERTIA[0], 6, *INERTIA[2:], baked=baked)
        d = _from_origin(trace, trace.read(BODY, "state", "x", 3))
        second = mass * _dot(d, d) + (inertia[0] + inertia[1] + inertia[2])
        trace.add_to(WHOLE.kind, ALL[0], [mass, *(mass * x for x in d), second], rate=Rate.STEP)

    return single(
        records,
        "sum_body",
        "a body's part of the sums over all that hangs together with it",
        (WHOLE, OWN),
        WHOLE.kind,
        build,
    )


def most_along(trace: Trace, place: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """What opposes a translation at most, and a rotation about an axis through a place in the world [kg, kg m²]."""
    trace.note("m <= M,  m <= I - 2 d·S + d² M", "all other joints locked")
    mass, *first, second = trace.read(WHOLE.kind, "work", ALL[0], ALL[1], *ALL[2:], rate=Rate.STEP)
    d = _from_origin(trace, place)
    return mass, second - 2 * _dot(d, first) + _dot(d, d) * mass


def _from_origin(trace: Trace, place: Sequence[Scalar]) -> list[Scalar]:
    origin = trace.read(WHOLE.kind, "work", ORIGIN[0], ORIGIN[1], *ORIGIN[2:], rate=Rate.STEP)
    return [x - o for x, o in zip(place, origin, strict=True)]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
