"""What every node shares: the step, gravity, and the switches that make one set of kernels serve every entry point.

The same residual serves the step, the start and the knots, by three numbers:
    impulse   time that forces act in this residual: half of the step before and half of this one (discrete Legendre
              transforms of both meet at the knot), at a knot only the half before it, 0 in a projection
    carry     1 where the momentum of the step before enters, 0 in a projection
    closure   1/h where rows must close at the second knot, 0 where only their rate of change must vanish
"""

from __future__ import annotations

from symvi.kernels.kernel import Kernel, Port, over_graph
from symvi.kernels.tracing import Trace
from symvi.scalar import Rate, Scalar

COMMON = "common"
LINK = "link"  # the blocks of the Newton matrix between two bodies
JOINT = "joint"  # the joint that takes a law along its coordinates
SLOPES = "slopes"  # increments of impulses between two bodies that are bordered
SHARED = Port(COMMON, COMMON)
GRAVITY = ("gravity", 3, "acceleration of gravity, world axes", "m/s²")


def slopes_of(kind: str) -> str:
    """The type of the records that hold bordered rows of laws of a type."""
    return f"{kind}_slopes"


def step(trace: Trace) -> Scalar:
    """The length of the step that is set up: the caller's, or an equal part of it."""
    meaning = "length of the step, or of its parts"
    return trace.read(COMMON, "work", "step", 1, meaning, "s", rate=Rate.PARAMETER)[0]


def half_step(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "half", 1, "half of the step", "s", rate=Rate.PARAMETER)[0]


def inverse_step(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "inverse", 1, "1/step", "1/s", rate=Rate.PARAMETER)[0]


def impulse(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "impulse", 1, "time that forces act in this residual", "s", rate=Rate.STEP)[0]


def carry(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "carry", 1, "share of the old momentum in this residual", rate=Rate.STEP)[0]


def closure(trace: Trace) -> Scalar:
    return trace.read(
        COMMON, "work", "closure", 1, "1/h where rows must close, 0 where their rate must vanish", "1/s", rate=Rate.STEP
    )[0]


def within(trace: Trace) -> Scalar:
    """The time that laws within a step act: the step where rows close and momenta enter, and otherwise none."""
    h = step(trace)
    return (carry(trace) * (closure(trace) * h)) * h


def elapsed(trace: Trace) -> Scalar:
    meaning = "time that forces acted in the parts of the step so far"
    return trace.read(COMMON, "work", "elapsed", 1, meaning, "s", rate=Rate.ITERATION)[0]


def setup_common(records) -> Kernel:
    """Numbers that follow from the step alone."""
    trace = Trace(records, (SHARED,), COMMON, "numbers that follow from the step")
    records.declare(COMMON, "parameters", "h", 1, "time step", "s")
    h = step(trace)
    trace.read(COMMON, "parameters", *GRAVITY)
    for switch in (impulse, carry, closure, elapsed):
        switch(trace)
    records.declare(COMMON, "parameters", "limit", 1, "largest opening of a dropped row", "m, rad")
    records.declare(COMMON, "parameters", "extent", 1, "size of the mechanism, to compare openings with", "m")
    records.declare(
        COMMON, "state", "before", 1, "length of the last step, or of its last part; 0 at a knot's start", "s"
    )
    records.declare(COMMON, "state", "earlier", 1, "length of the step or part before that", "s")
    records.declare(
        COMMON, "state", "level", 1, "0 until a step fails; then 1 more than the halvings of the next, rounded up"
    )
    for name, meaning in (
        ("parts", "equal parts that the step was taken in"),
        ("missed", "squares of what velocities miss of where their last change led, by mass"),
        ("moved", "squares of the velocities, by mass"),
        ("rough", "the largest ratio of these two in the parts of a step"),
        ("merit", "sum of squares of the residual, in (m/s)² and (rad/s)²"),
        ("length", "share of the increment that is taken"),
        ("kinetic", "kinetic energy"),
        ("potential", "potential energy"),
    ):
        records.declare(COMMON, "work", name, 1, meaning)
    records.declare(COMMON, "work", "momentum", 3, "linear momentum", "kg m/s")
    records.declare(COMMON, "work", "angular_momentum", 3, "angular momentum about the world's origin", "kg m²/s")
    trace.write(COMMON, "half", [h / 2], "half of the step", "s")
    trace.write(COMMON, "inverse", [1 / h], "1/step", "1/s")
    return trace.kernels(COMMON)["setup"]


def single(records, name: str, summary: str, ports: tuple[Port, ...], own: str, build) -> Kernel:
    """A kernel that is all of one part: `build(trace)` writes its outputs at any rate."""
    trace = Trace(records, ports, own, summary)
    build(trace)
    return whole(trace, name, summary)


def whole(trace: Trace, name: str, summary: str) -> Kernel:
    """The kernel of everything that a trace writes, in one part, with the ports that it uses."""
    outputs = tuple((location, value) for _, location, value in trace.writes)
    return over_graph(name, summary, trace.ports, trace.graph, outputs)
