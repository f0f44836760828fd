"""The kernels of a rigid body: its share of the residual and of the Newton matrix, its update, its energy."""

from __future__ import annotations

from fractions import Fraction

from symvi.kernels import common
from symvi.kernels.common import COMMON, SHARED
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import body as dynamics
from symvi.physics import kinematics
from symvi.physics.formula import Formula
from symvi.scalar import Rate, Scalar

BODY = "body"
OWN = Port(BODY, BODY)
SIZE = 6
POSITION = ("x", 3, "position of the centre of mass", "m")
ORIENTATION = ("q", 4, "orientation, body to world", "1")
MOMENTUM = ("p", 3, "linear momentum carried to this knot", "kg m/s")
ANGULAR_MOMENTUM = ("l", 3, "angular momentum carried to this knot, world axes", "kg m²/s")
VELOCITY = ("v", 3, "velocity over the last step", "m/s")
RATE = ("w", 3, "angular velocity over the last step, world axes", "rad/s")
SIZE_OF_INERTIA = "largest diagonal entry of the inertia, at least the mass times (1 mm)²"
# BM20 divides the balance of forces by the step, the balance of torques by half of it; so does BSMH23.
RESIDUAL = ("f = [p - p0; l - l0] - e", "BM20 (29), (32), BSMH23 (10), (16), times h and h/2")
INERTIA = ("inertia", 6, "xx, yy, zz, xy, xz, yz about the centre of mass, body axes", "kg m²")


def body_kernels(
    records: Records, baked_inertia: tuple[Fraction | None, ...], block: Block, held: bool, led: bool = False
) -> dict[str, Kernel]:
    """Every kernel of the node type `body`, by phase.

    baked_inertia: entries that are zero in the whole mechanism. block: which entries of the diagonal block are to be
    stored. held: whether contacts, limits or dry friction may hold it still under laws between the knots. led: its
    motion is that of joint coordinates (sweep.py), which move it and place it.
    """
    declare(records)
    trace = Trace(records, (SHARED, OWN), BODY, "a rigid body: momentum balance over one step")
    mass = trace.read(BODY, "parameters", "mass", 1, "mass", "kg")
    inertia = trace.read(BODY, "parameters", *INERTIA[:1], 6, *INERTIA[2:], baked=baked_inertia)
    rotation = use(trace, kinematics.rotation_matrix, q=trace.read(BODY, "state", *ORIENTATION))["R"]
    world_inertia = use(trace, dynamics.world_inertia, R=rotation, j=inertia)["J"]
    x, gravity = trace.read(BODY, "state", *POSITION), trace.read(COMMON, "parameters", *common.GRAVITY)
    pull = use(trace, dynamics.weight, m=mass, g=gravity, x=x)["f"]
    time = common.impulse(trace)
    trace.write(BODY, "r", rotation, "rotation, body to world, at the first knot", rate=Rate.STEP)
    trace.write(BODY, "j", world_inertia, "inertia in world axes", "kg m²", rate=Rate.STEP)
    trace.write(
        BODY,
        "e",
        [time * f for f in pull] + [trace.graph.constant(0)] * 3,
        "impulse of explicit forces",
        "N s, N m s",
        rate=Rate.STEP,
    )
    v = trace.read(BODY, "work", "v", 3, "velocity over this step", "m/s")
    w = trace.read(BODY, "work", "w", 3, "angular velocity over this step, world axes", "rad/s")
    half = common.half_step(trace)
    meanings = {output.name: output.meaning for output in kinematics.half_turn.outputs}
    if led:
        q1 = trace.read(BODY, "state", *ORIENTATION)
        trace.write(BODY, "q1", q1, "orientation at the first knot", rate=Rate.STEP)
        turn = {name: trace.read(BODY, "work", name, size, meanings[name]) for name, size in (("a", 3), ("c", 1))}
    else:
        turn = half_turn(trace, w)
        for name in ("a", "c", "quotient"):
            trace.write(BODY, name, turn[name], meanings[name])
    momentum = use(trace, dynamics.linear_momentum, m=mass, v=v)["p"]
    motion = use(trace, dynamics.angular_momentum, c=turn["c"], a=turn["a"], w=w, J=world_inertia)
    angular_momentum = motion["l"]
    explicit = trace.read(
        BODY, "work", "e", 6
    )  # read by every iteration: forces add to it after this kernel's own part
    carry = common.carry(trace)
    trace.note(*RESIDUAL)
    carried = [
        *trace.named("p0", [carry * value for value in trace.read(BODY, "state", *MOMENTUM)]),
        *trace.named("l0", [carry * value for value in trace.read(BODY, "state", *ANGULAR_MOMENTUM)]),
    ]
    trace.write(BODY, "l", angular_momentum, "angular momentum of this step, world axes", "kg m²/s")
    trace.write(BODY, "jw", motion["Jw"], "inertia times angular velocity, world axes", "kg m²/s")
    trace.note(*RESIDUAL)
    given = [old + force for old, force in zip(carried, explicit, strict=True)]
    trace.write(
        BODY,
        "f",
        [new - old for new, old in zip(momentum + angular_momentum, given, strict=True)],
        "residual, an impulse",
        "N s, N m s",
    )
    gradient = use(
        trace, dynamics.angular_momentum_gradient, c=turn["c"], a=turn["a"], half=[half], J=world_inertia, **motion
    )["D"]
    entries = zip(block.entries, diagonal(trace, mass[0], gradient), strict=True)
    stored = [None if entry.is_zero else value for entry, value in entries]
    trace.write(BODY, "D", stored, "diagonal block of the Newton matrix, then its factors", rate=Rate.MATRIX)
    if led:
        trace.read(BODY, "parameters", "size", 1, SIZE_OF_INERTIA, "kg m²")
    else:
        meaning = "makes squares of velocities of squares of the residual"
        trace.write(BODY, "weight", merit_weights(trace, mass[0]), meaning)
    kernels = dict(trace.kernels(BODY))
    own = (_begin, _rest, _take_velocity, _displace, _advance, _shorten_step)  # which move it and place it
    for build in (
        *((_merit,) if not led else ()),
        *(own if not led else ()),
        _start_momenta,
        _start_momenta_of_chord,
        _start_momenta_of_turn,
        _finish_led if led else _finish,
        _compare,
        _energy,
        *((_differ,) if held else ()),
    ):
        phase = build.__name__[1:].removesuffix("_led")
        kernels[phase] = common.single(records, f"{phase}_{BODY}", build.__doc__ or "", (SHARED, OWN), BODY, build)
    return kernels


def declare(records: Records) -> None:
    """The state of a body, in a fixed order."""
    for name, size, meaning, unit in (POSITION, ORIENTATION, MOMENTUM, ANGULAR_MOMENTUM, VELOCITY, RATE):
        records.declare(BODY, "state", name, size, meaning, unit)
    records.declare(BODY, "state", "v_old", 3, "velocity over the step before", "m/s")
    records.declare(BODY, "state", "w_old", 3, "angular velocity over the step before, world axes", "rad/s")


def use(trace: Trace, formula: Formula, _of: str = "", _mark: str = "", /, **values) -> dict[str, list[Scalar]]:
    """Apply a formula in a trace, which remembers what it computed by it.

    _of: of what, for the comment above it. _mark: what tells the names of its results from others'.
    """
    with trace.computing(formula.equation, formula.source, _of):
        return formula(trace.graph, _mark, **values)


def half_turn(trace: Trace, w: list[Scalar]) -> dict[str, list[Scalar]]:
    """The step's turn at the angular velocity w."""
    return use(trace, kinematics.half_turn, half=[common.half_step(trace)], inverse=[common.inverse_step(trace)], w=w)


def merit_weights(trace: Trace, mass: Scalar) -> list[Scalar]:
    size = trace.read(BODY, "parameters", "size", 1, SIZE_OF_INERTIA, "kg m²")[0]
    return [1 / (mass * mass), 1 / (size * size)]


def diagonal(trace: Trace, mass: Scalar, rotational: list[Scalar]) -> list[Scalar]:
    zero = trace.graph.constant(0)
    rows = [[mass if i == j else zero for j in range(6)] for i in range(3)]
    rows += [[zero] * 3 + rotational[3 * i : 3 * i + 3] for i in range(3)]
    return [entry for row in rows for entry in row]


def diagonal_block() -> Block:
    """The pattern of a body's own diagonal block: a multiple of the identity and a full 3 x 3 block."""
    pattern = sum(1 << (6 * i + i) for i in range(3)) | sum(1 << (6 * i + j) for i in range(3, 6) for j in range(3, 6))
    return Block.dense(6, 6, "D", pattern)


def _merit(trace: Trace) -> None:
    """add a body's residual, as velocities, to the merit"""
    linear, angular = trace.read(BODY, "work", "weight", 2)
    f = trace.read(BODY, "work", "f", 6)
    trace.add_to(COMMON, "merit", [linear * _squares(f[:3]) + angular * _squares(f[3:])], rate=Rate.ITERATION)


def _squares(values: list[Scalar]) -> Scalar:
    return values[0] * values[0] + values[1] * values[1] + values[2] * values[2]


def _begin(trace: Trace) -> None:
    """start from the last velocities, carried on by `length` times their last change"""
    share = trace.read(COMMON, "work", "length")[0]
    for name in ("v", "w"):
        last = trace.read(BODY, "state", name, 3)
        before = trace.read(BODY, "state", f"{name}_old", 3)
        start = [x + share * (x - y) for x, y in zip(last, before, strict=True)]
        trace.write(BODY, name, start)
    half = common.half_step(trace)
    trace.write(BODY, "turn", [_squares([half * w for w in start])], "a·a, below 1 inside the domain of the half turn")


def _compare(trace: Trace) -> None:
    """add what a body's velocities miss of the last ones, carried on by `length` times their last change"""
    share = trace.read(COMMON, "work", "length")[0]
    mass, size = (trace.read(BODY, "parameters", name)[0] for name in ("mass", "size"))
    missed = moved = trace.graph.constant(0)
    for name, weight in (("v", trace.graph.constant(1)), ("w", size / mass)):
        last = trace.read(BODY, "state", name, 3)
        before = trace.read(BODY, "state", f"{name}_old", 3)
        now = trace.read(BODY, "work", name, 3)
        away = [v - (x + share * (x - y)) for v, x, y in zip(now, last, before, strict=True)]
        missed, moved = missed + weight * _squares(away), moved + weight * _squares(now)
    trace.add_to(COMMON, "missed", [missed], rate=Rate.ITERATION)
    trace.add_to(COMMON, "moved", [moved], rate=Rate.ITERATION)


def _rest(trace: Trace) -> None:
    """no motion: the residual there is linear in the knot's velocities"""
    zero = [trace.graph.constant(0)] * 3
    trace.write(BODY, "v", zero)
    trace.write(BODY, "w", zero)
    trace.write(BODY, "turn", zero[:1])


def _take_velocity(trace: Trace) -> None:
    """take the solved velocities as they are"""
    s = trace.read(BODY, "work", "s", 6)
    trace.write(BODY, "v", [-value for value in s[:3]])
    trace.write(BODY, "w", [-value for value in s[3:]])
    half = common.half_step(trace)
    trace.write(BODY, "turn", [_squares([half * w for w in s[3:]])])


def _displace(trace: Trace) -> None:
    """move the placement in the state by `length` of a step at the settled velocities"""
    length = trace.read(COMMON, "work", "length")[0]
    v = [length * x for x in trace.read(BODY, "work", "v", 3)]
    w = [length * x for x in trace.read(BODY, "work", "w", 3)]
    turn = half_turn(trace, w)
    q = trace.read(BODY, "state", "q", 4)
    x, h = trace.read(BODY, "state", "x", 3), common.step(trace)
    trace.write(BODY, "x", [a + h * b for a, b in zip(x, v, strict=True)], store="state")
    trace.write(BODY, "q", _turned(trace, turn["c"], turn["a"], q), store="state")


def _turned(trace: Trace, c: list[Scalar], a: list[Scalar], q: list[Scalar]) -> list[Scalar]:
    """An orientation after a turn, of unit length for ever."""
    return of_unit_length(trace, use(trace, kinematics.turned, c=c, a=a, q=q)["q2"])


def of_unit_length(trace: Trace, q: list[Scalar]) -> list[Scalar]:
    """An orientation without the round-off that its length has gathered."""
    return use(trace, kinematics.of_unit_length, p=q)["q"]


def _start_momenta(trace: Trace) -> None:
    """momenta of a start from the knot's own velocities (discrete Legendre transform)"""
    zero = [trace.graph.constant(0)] * 3
    _momenta(trace, [trace.graph.constant(1)], zero, trace.read(BODY, "state", "w", 3))


def _start_momenta_of_chord(trace: Trace) -> None:
    """momenta of a start from velocities over the step before, the papers' start"""
    w = trace.read(BODY, "state", "w", 3)
    turn = half_turn(trace, w)
    _momenta(trace, turn["c"], [-a for a in turn["a"]], w)


def _start_momenta_of_turn(trace: Trace) -> None:
    """momenta of a start from the knot's rates of turn, which the motion has then (discrete Legendre transform)"""
    turning = trace.read(BODY, "state", "w", 3)
    w = use(trace, dynamics.rate_of_momentum, h=[common.step(trace)], w=turning)["w"]
    trace.write(BODY, "w", w, store="state")
    _momenta(trace, [trace.graph.constant(1)], [trace.graph.constant(0)] * 3, w)


def _momenta(trace: Trace, c: list[Scalar], a: list[Scalar], w: list[Scalar]) -> None:
    v = trace.read(BODY, "state", "v", 3)
    mass, j = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
    trace.write(BODY, "p", use(trace, dynamics.linear_momentum, m=mass, v=v)["p"], store="state")
    trace.write(BODY, "l", use(trace, dynamics.angular_momentum, c=c, a=a, w=w, J=j)["l"], store="state")
    trace.write(BODY, "v_old", v, store="state")
    trace.write(BODY, "w_old", w, store="state")


def _advance(trace: Trace) -> None:
    """turn the solved increment into a change of velocity, keep the base, and take `length` of it"""
    s = trace.read(
        BODY, "work", "s", 6, "solved increment: velocity, rotation vector at the second knot over h", "m/s, rad/s"
    )
    c, a = trace.read(BODY, "work", "c"), trace.read(BODY, "work", "a", 3)
    change = s[:3] + use(trace, kinematics.velocity_change, c=c, a=a, s=s[3:])["dw"]
    trace.write(BODY, "s", change)
    base = trace.read(BODY, "work", "v", 3) + trace.read(BODY, "work", "w", 3)
    trace.write(BODY, "base", base, "velocities that the increment starts from", "m/s, rad/s")
    _move(trace, base, change)


def _shorten_step(trace: Trace) -> None:
    """take another `length` of the same increment"""
    base = trace.read(BODY, "work", "base", 6)
    _move(trace, base, trace.read(BODY, "work", "s", 6))


def _move(trace: Trace, base: list[Scalar], change: list[Scalar]) -> None:
    length = trace.read(COMMON, "work", "length")[0]
    moved = [b - length * d for b, d in zip(base, change, strict=True)]
    trace.write(BODY, "v", moved[:3])
    trace.write(BODY, "w", moved[3:])
    half = common.half_step(trace)
    a = [half * w for w in moved[3:]]
    trace.write(BODY, "turn", [_squares(a)], "a·a, below 1 inside the domain of the half turn")


def _finish(trace: Trace) -> None:
    """write the second knot into the state: positions, momenta, and velocities for the next start"""
    _hand_on(trace, placed=True)


def _finish_led(trace: Trace) -> None:
    """write momenta of the second knot into the state, and velocities for the next start"""
    _hand_on(trace, placed=False)


def _hand_on(trace: Trace, placed: bool) -> None:
    h = common.step(trace)
    v, w = trace.read(BODY, "work", "v", 3), trace.read(BODY, "work", "w", 3)
    mass = trace.read(BODY, "parameters", "mass")
    if placed:
        c, a = trace.read(BODY, "work", "c"), trace.read(BODY, "work", "a", 3)
        turned = _turned(trace, c, a, trace.read(BODY, "state", "q", 4))
        x = trace.read(BODY, "state", "x", 3)
    for name in ("v", "w"):
        trace.write(BODY, f"{name}_old", trace.read(BODY, "state", name, 3), store="state")
    if placed:
        trace.write(BODY, "x", [a + h * b for a, b in zip(x, v, strict=True)], store="state")
        trace.write(BODY, "q", turned, store="state")
    trace.write(BODY, "p", use(trace, dynamics.linear_momentum, m=mass, v=v)["p"], store="state")
    trace.write(BODY, "l", trace.read(BODY, "work", "l", 3), store="state")
    trace.write(BODY, "v", v, store="state")
    trace.write(BODY, "w", w, store="state")


def _differ(trace: Trace) -> None:
    """put what the knot's momenta miss of the mean of both steps there, `length` of the later one, into the residual"""
    trace.note("f = (1 - n) [m v_-; l_-] + n [m v; l] - [p0; l0] - n impulses", "derived in inequality.py")
    later, one = trace.read(COMMON, "work", "length")[0], trace.graph.constant(1)
    mass, j = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
    v, w = trace.read(BODY, "state", "v", 3), trace.read(BODY, "state", "w", 3)
    half = trace.read(COMMON, "state", "before")[0] / 2
    turn = use(trace, kinematics.half_turn, half=[half], inverse=[common.inverse_step(trace)], w=w)
    angular_momentum = use(trace, dynamics.angular_momentum, c=turn["c"], a=[-a for a in turn["a"]], w=w, J=j)["l"]
    before = use(trace, dynamics.linear_momentum, m=mass, v=v)["p"] + angular_momentum
    v = trace.read(BODY, "work", "v", 3)
    after = use(trace, dynamics.linear_momentum, m=mass, v=v)["p"] + trace.read(BODY, "work", "l", 3)
    knot = trace.read(BODY, "state", "p", 3) + trace.read(BODY, "state", "l", 3)
    values = zip(before, after, knot, trace.read(BODY, "work", "e", 6), strict=True)
    trace.write(BODY, "f", [(one - later) * a + later * (b - e) - p for a, b, p, e in values])


def _energy(trace: Trace) -> None:
    """add a body's energy and momenta at the knot, with the knot's velocities"""
    mass, j = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
    v, w, x = trace.read(BODY, "work", "v", 3), trace.read(BODY, "work", "w", 3), trace.read(BODY, "state", "x", 3)
    g = trace.read(COMMON, "parameters", *common.GRAVITY)
    kinetic = use(trace, dynamics.kinetic_energy, m=mass, v=v, w=w, J=j)["T"]
    trace.add_to(COMMON, "kinetic", kinetic, rate=Rate.ITERATION)
    trace.add_to(COMMON, "potential", use(trace, dynamics.weight, m=mass, g=g, x=x)["V"], rate=Rate.ITERATION)
    p = use(trace, dynamics.linear_momentum, m=mass, v=v)["p"]
    trace.add_to(COMMON, "momentum", p, rate=Rate.ITERATION)
    angular_momentum = use(trace, dynamics.angular_momentum_at_rest, w=w, J=j, x=x, p=p)["l"]
    trace.add_to(COMMON, "angular_momentum", angular_momentum, rate=Rate.ITERATION)
