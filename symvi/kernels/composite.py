"""Kernels of composite bodies between two knots: what a step's balances in joint coordinates change by.

World axes, moments about the world's origin. A body's momentum over a step, H = (P, l + x x P), is the same about both
knots, since P is along x2 - x1. With columns S of freedoms at the knots, and E the impulse of gravity,

    pi1_i = S1_i·(H_i - E_i) - tau_i,    pi2_i = S2_i·H_i,    pi = M c',    sums over all bodies that a freedom carries.

Coordinates move by dc at the first knot and by dc + h dn at the second. A twist h (u, w) there gives a body's H

    B (u, w):    dP = m u + w x m x2,    d(moment) = x1 x dP + D w,    D = h dl/dtheta2 (physics/body.py),

and one that moves both knots alike turns H, S x* H. So dH = (S1 x* H + B S') dc + B S2 dn with S' = (S2 - S1)/h:
nothing is divided by h. Columns turn with all that carries them, dS_i = S_j x S_i for a freedom j between the ground
and i, so that every entry of the matrices of a step is a product of a column and a ray, B S_i or its like of one
composite body: that of the outer freedom, after Featherstone's composite rigid bodies.
"""

from __future__ import annotations

from collections.abc import Mapping

from symvi.kernels import common
from symvi.kernels.blocks import Matrix, Vector, cross, dot, product
from symvi.kernels.body_kernels import BODY, INERTIA, half_turn, use
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.kernel import Kernel, Location, Port, flat, over_graph
from symvi.kernels.records import Records
from symvi.kernels.spatial import blocks_sum, force_cross, motion_cross, times_motion
from symvi.kernels.tracing import Trace
from symvi.physics import body as dynamics
from symvi.physics import kinematics
from symvi.scalar import Graph, Rate, Scalar
from symvi.scalar.derivative import Tangents

CHAIN = "chain"  # the store of these records
FREEDOM, COLUMN, PAIR = "composite", "column", "pair"
OWN, FIRST, SECOND = "i", "first", "second"
ENTRIES = ("mass1", "mass2", "answer_in", "answer_out", "lacks_in", "lacks_out", "onward_in", "onward_out",
           "handed_in", "handed_out")  # fmt: skip
PACKED = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a symmetric matrix, as inertias have them
SOURCE = "derived here, after Featherstone's composite bodies"
SUMS = {
    "mass": (1, "mass", "kg"),
    "hx1": (3, "mass times position, at the first knot", "kg m"),
    "hx2": (3, "the same at the second knot", "kg m"),
    "j1": (6, "inertia about the origin, at the first knot", "kg m²"),
    "j2": (6, "the same at the second knot", "kg m²"),
    "p": (6, "momentum over the step, and its moment", "kg m/s, kg m²/s"),
    "before": (6, "momentum that is carried to the first knot, and its moment", "kg m/s, kg m²/s"),
    "turned": (9, "change of that moment by turns at the second knot over h", "kg m²"),
}
RAYS = {
    "late": "of the balances of freedoms inwards by its own rate",
    "late_t": "of its own balance by theirs",
    "lack": "of what their balances lack by its coordinate",
    "lack_t": "of what its own lacks by theirs",
    "hand": "of their momenta at the second knot, at fixed rates there, by its own rate",
    "hand_t": "of its own momentum there by theirs",
    "both": "of their momenta there by its coordinate",
}
OF_FREEDOM = {
    "along": (2, "momentum along the freedom, at both knots", "kg m/s, kg m²/s"),
    "lift1": (6, "F = I S at the first knot", "kg, kg m"),
    "lift2": (6, "the same at the second knot", "kg, kg m"),
    "more1": (6, "momentum beyond that of moving on with this freedom, at the first knot", "kg m/s, kg m²/s"),
    "more2": (6, "the same at the second knot", "kg m/s, kg m²/s"),
    **{name: (6, f"ray {text}", "kg, kg m, kg m/s, ...") for name, text in RAYS.items()},
}
OF_COLUMN = {
    "point": (12, "column: velocity at the origin and angular velocity by a unit rate; then how it moves", "1"),
    "velocity": (6, "velocity of what the freedom carries", "m/s, rad/s"),
    "way": (6, "of a column at the first knot, how far it moves in the step, over h", "1/s"),
    "rate": (1, "its rate, of the momenta of the knot", "m/s, rad/s"),
    "same": (1, "product of the orientations by placement and by coordinates", "1"),
}


def declare(records: Records) -> None:
    """The records of a freedom, and of its column at a knot."""
    for name, what in (SUMS | OF_FREEDOM).items():
        records.declare(FREEDOM, CHAIN, name, *what)
    for name, what in OF_COLUMN.items():
        records.declare(COLUMN, CHAIN, name, *what)
    for name in ENTRIES:
        records.declare(PAIR, CHAIN, name, 1, "an entry of a matrix", "N s, N m s")


# --- bodies -----------------------------------------------------------------------------------------------------------
def compose_kernel(records: Records) -> Kernel:
    """Add a body to the freedom that carries it. Ports: the body at the first and at the second knot."""
    ports = (SHARED, Port(FIRST, BODY), Port(SECOND, BODY), Port(OWN, FREEDOM))

    def build(trace: Trace) -> None:
        mass, inertia = (trace.read(FIRST, "parameters", *what) for what in (("mass", 1, "mass", "kg"), INERTIA))
        x1, x2 = (trace.read(label, "state", "x", 3) for label in (FIRST, SECOND))
        v, w = (trace.read(SECOND, "state", name, 3) for name in "vw")
        half = common.half_step(trace)
        j1, j2 = (_turned_inertia(trace, label, mark, inertia) for label, mark in ((FIRST, "1"), (SECOND, "2")))
        turn = half_turn(trace, w)
        a, c = turn["a"], turn["c"]
        momentum = use(trace, dynamics.linear_momentum, m=mass, v=v)["p"]
        motion = use(trace, dynamics.angular_momentum, c=c, a=a, w=w, J=j1)
        slope = use(trace, dynamics.angular_momentum_gradient, c=c, a=a, half=[half], J=j1, **motion)["D"]
        with trace.computing("what a body adds to composite bodies", SOURCE):
            found: dict[str, Vector] = {"mass": mass}
            for knot, x, j in (("1", x1, j1), ("2", x2, j2)):
                h = [mass[0] * e for e in x]
                away = product(_skew(trace, h), _skew(trace, x))
                found |= {f"hx{knot}": h, f"j{knot}": _less(j, [away[i][k] for i, k in PACKED])}
            p0, l0 = (trace.read(FIRST, "state", name, 3) for name in "pl")
            found["before"] = [*p0, *blocks_sum(l0, cross(x1, p0))]
            found["p"] = [*momentum, *blocks_sum(motion["l"], cross(x1, momentum))]
            apart = product(_skew(trace, found["hx1"]), _skew(trace, x2))
            found["turned"] = _less(slope, flat(apart))
        for name, values in found.items():
            before = trace.read(OWN, CHAIN, name, *SUMS[name], rate=Rate.ITERATION)
            trace.write(OWN, name, blocks_sum(before, values), store=CHAIN)

    return single(records, "compose_body", "a body's share of composite bodies", ports, OWN, build)


def _turned_inertia(trace: Trace, label: str, mark: str, inertia: Vector) -> Vector:
    rotation = use(trace, kinematics.rotation_matrix, f"knot {mark}", f"_{mark}", q=trace.read(label, "state", "q", 4))
    return use(trace, dynamics.world_inertia, f"knot {mark}", f"_{mark}", R=rotation["R"], j=inertia)["J"]


# --- columns ----------------------------------------------------------------------------------------------------------
def column_kernel(place: Kernel, kind: str, order: tuple[int, ...]) -> Kernel:
    """The columns of a joint at a knot: the graph that places a body differentiated by rates.

    place: the kernel that places a body by the joint's coordinates. order: those coordinates, from the ground outwards.
    The body is there already, so that its orientation is taken as it is.
    """
    graph, source = Graph(), place.graph
    far = next(at.port for at in place.writes if at.store == "state")
    written = {(at.field, at.index): value.index for at, value in place.outputs}

    def known(name: str, size: int) -> Vector:
        return [graph.symbol(Location(far, "state", name, k), Rate.ITERATION, f"{far}_{name}_{k}") for k in range(size)]

    x, q = known("x", 3), known("q", 4)
    placed = _Columns(source, graph, 0, {}) if len(order) > 1 else None
    outputs, labels = [], [f"s{k}" for k in range(len(order))]
    for label, coordinate in zip(labels, order, strict=True):
        tangents = _Columns(source, graph, coordinate, {written["q", k]: q[k] for k in range(4)})
        v, w = (
            [graph.constant(0) if t is None else t for t in (tangents.tangent(written[name, k]) for k in range(3))]
            for name in "vw"
        )
        column = [*_less(v, cross(w, x)), *w]
        outputs += [(Location(label, CHAIN, "point", k), value) for k, value in enumerate(column)]
    if placed is not None:  # two angles place a body in two ways
        same = dot([placed.value(written["q", k]) for k in range(4)], q)
        outputs.append((Location(labels[0], CHAIN, "same", 0), same))
    ports = (*place.ports, *(Port(label, COLUMN) for label in labels))
    return over_graph(f"columns_of_{kind}", "columns of its freedoms", ports, graph, tuple(outputs))


class _Columns(Tangents):
    """Tangents by one rate of a joint. known: values of nodes that need not be computed."""

    def __init__(self, source: Graph, graph: Graph, coordinate: int, known: Mapping[int, Scalar]):
        def symbol(index: int) -> Scalar:
            return graph.symbol(source.arguments(index)[0], Rate.ITERATION, source.names.get(index))

        def moved(index: int) -> Scalar | None:
            at = source.arguments(index)[0]
            return graph.constant(1) if (at.store, at.field, at.index) == ("motion", "rate", coordinate) else None

        super().__init__(source, graph, symbol, moved)
        self._values.update(known)


def way_kernel(records: Records, carried: bool) -> Kernel:
    """How far a column moves in the step, over h, and the column at the second knot. carried: by a body, which is given
    at both knots; otherwise it stands."""
    ports = (SHARED, Port(FIRST, BODY), Port(SECOND, BODY), Port(OWN, COLUMN), Port("k", COLUMN))

    def build(trace: Trace) -> None:
        s, way = _column(trace, OWN), [trace.graph.constant(0)] * 6
        if carried:
            x1, x2 = (trace.read(label, "state", "x", 3) for label in (FIRST, SECOND))
            v, w = (trace.read(SECOND, "state", name, 3) for name in "vw")
            turn = {name: value for name, value in half_turn(trace, w).items() if name in "ac"}
            at_centre = blocks_sum(s[:3], cross(s[3:], x1))
            moved = [
                use(trace, kinematics.vector_difference, "S'", mark, w=w, r=r, **turn)["d"]
                for r, mark in ((at_centre, "_u"), (s[3:], "_w"))
            ]
            with trace.computing("S' = (S2 - S1)/h", SOURCE):
                away = blocks_sum(cross(moved[1], x2), cross(s[3:], v))
                way = [*_less(moved[0], away), *moved[1]]
        trace.write(OWN, "way", way, store=CHAIN)
        h = common.step(trace)
        trace.write("k", "point", [a + h * b for a, b in zip(s, way, strict=True)] + [None] * 6, store=CHAIN)

    name = "carry_column" if carried else "stand_column"
    return single(records, name, "a column from knot to knot", ports, OWN, build)


# --- freedoms ---------------------------------------------------------------------------------------------------------
def add_kernel(records: Records) -> Kernel:
    """Add a composite body to that of the freedom below."""

    def build(trace: Trace) -> None:
        for name, what in SUMS.items():
            own, below = (trace.read(label, CHAIN, name, *what, rate=Rate.ITERATION) for label in (OWN, "k"))
            trace.write("k", name, blocks_sum(below, own), store=CHAIN)

    ports = (Port(OWN, FREEDOM), Port("k", FREEDOM))
    return single(records, "add_composite", "composite bodies, freedom by freedom inwards", ports, OWN, build)


def lift_kernel(records: Records) -> Kernel:
    """F = I S at both knots, and momenta along the freedom."""

    def build(trace: Trace) -> None:
        along = []
        for knot, label, name in (("1", FIRST, "before"), ("2", SECOND, "p")):
            s = _column(trace, label)
            with trace.computing("F = I S,  pi = S·H", SOURCE):
                along.append(dot(s, trace.read(OWN, CHAIN, name, *SUMS[name], rate=Rate.ITERATION)))
                trace.write(OWN, f"lift{knot}", _momentum(trace, knot, s), store=CHAIN)
        trace.write(OWN, "along", along, store=CHAIN)

    return single(records, "lift_composite", "momentum by a unit rate, momenta along it", _ports(), OWN, build)


def velocity_kernel(records: Records, rooted: bool) -> Kernel:
    """V = V_k + S c', and how the column moves, S x V. rooted: nothing below moves."""
    ports = (Port(OWN, COLUMN), *(() if rooted else (Port("k", COLUMN),)))

    def build(trace: Trace) -> None:
        s, rate = _column(trace, OWN), trace.read(OWN, CHAIN, "rate", 1, rate=Rate.ITERATION)[0]
        v = [rate * e for e in s]
        with trace.computing("V = V_k + S c',  S x V", SOURCE):
            if not rooted:
                v = blocks_sum(trace.read("k", CHAIN, "velocity", 6, rate=Rate.ITERATION), v)
            trace.write(OWN, "velocity", v, store=CHAIN)
            trace.write(OWN, "point", [None] * 6 + motion_cross(s, v), store=CHAIN)

    name = "move_column_of_ground" if rooted else "move_column"
    return single(records, name, "velocities, freedom by freedom outwards", ports, OWN, build)


def pass_kernel(records: Records) -> Kernel:
    """Momentum beyond that of moving on with a freedom: to the freedom below."""
    ports = (Port(FIRST, COLUMN), Port(SECOND, COLUMN), Port(OWN, FREEDOM), Port("k", FREEDOM))

    def build(trace: Trace) -> None:
        for knot, label in (("1", FIRST), ("2", SECOND)):
            rate = trace.read(label, CHAIN, "rate", 1, rate=Rate.ITERATION)[0]
            lift, own, below = (
                trace.read(port, CHAIN, name, 6, rate=Rate.ITERATION)
                for port, name in ((OWN, f"lift{knot}"), (OWN, f"more{knot}"), ("k", f"more{knot}"))
            )
            passed = blocks_sum(own, [rate * e for e in lift])
            trace.write("k", f"more{knot}", blocks_sum(below, passed), store=CHAIN)

    return single(records, "pass_momentum", "momenta by rates, freedom by freedom inwards", ports, OWN, build)


def ray_kernel(records: Records) -> Kernel:
    """The rays of a freedom: what columns of freedoms between the ground and it are multiplied by."""

    def build(trace: Trace) -> None:
        s1, s2 = _column(trace, FIRST), _column(trace, SECOND)
        way, h = _way(trace), common.step(trace)
        mass, hx1, p = (trace.read(OWN, CHAIN, name, *SUMS[name], rate=Rate.ITERATION) for name in ("mass", "hx1", "p"))
        pull = [common.impulse(trace) * g for g in trace.read(COMMON, "parameters", *common.GRAVITY)]
        with trace.computing("B S,  S x* H + B S',  and what weight does", SOURCE):
            late, both = _pushed(trace, s2), blocks_sum(force_cross(s1, p), _pushed(trace, way))
            fallen = cross(blocks_sum([mass[0] * e for e in s1[:3]], cross(s1[3:], hx1)), pull)
            weight = [mass[0] * e for e in pull]
            across = cross(pull, s1[3:])
            lack_t = [*(mass[0] * e for e in across), *cross(hx1, across)]
            lack_t = blocks_sum(lack_t, force_cross(s1, [*weight, *cross(hx1, pull)]))
            hand_t = [a + h * b for a, b in zip(_pushed_t(trace, s2), force_cross(s2, p), strict=True)]
        g1, g2 = (_gyration(trace, knot, s, label) for knot, s, label in (("1", s1, FIRST), ("2", s2, SECOND)))
        lack = _less(g1, both)
        found = {
            "late": late,
            "late_t": _pushed_t(trace, s1),
            "lack": [*lack[:3], *blocks_sum(lack[3:], fallen)],
            "lack_t": lack_t,
            "hand": [a - h * b for a, b in zip(late, g2, strict=True)],
            "hand_t": hand_t,
            "both": _less(both, g2),
        }
        for name, values in found.items():
            trace.write(OWN, name, values, *OF_FREEDOM[name][1:], store=CHAIN)

    return single(records, "make_rays", "factors of the columns of freedoms inwards", (SHARED, *_ports()), OWN, build)


def _gyration(trace: Trace, knot: str, s: Vector, label: str) -> Vector:
    """S x* H - I (S x V) of the motion at a knot, H = I V + what moves on beyond."""
    velocity, w = trace.read(label, CHAIN, "velocity", 6, rate=Rate.ITERATION), _point(trace, label)[6:]
    more = trace.read(OWN, CHAIN, f"more{knot}", 6, rate=Rate.ITERATION)
    with trace.computing("S x* H - I (S x V)", SOURCE):
        momentum = blocks_sum(_momentum(trace, knot, velocity), more)
        return _less(force_cross(s, momentum), _momentum(trace, knot, w))


def mass_kernel(records: Records) -> Kernel:
    """Entries of the mass matrices of both knots, of a freedom and one between the ground and it."""

    def build(trace: Trace) -> None:
        for knot, label in (("1", FIRST), ("2", SECOND)):
            lift = trace.read(OWN, CHAIN, f"lift{knot}", 6, rate=Rate.ITERATION)
            trace.write(PAIR, f"mass{knot}", [dot(lift, _column(trace, label))], store=CHAIN)

    return single(records, "make_masses", "entries of mass matrices", (*_ports(), Port(PAIR, PAIR)), OWN, build)


def pair_kernel(records: Records) -> Kernel:
    """Entries of the matrices of a step, of a freedom and one inwards of it: "out" in its row, "in" its column.

    answer: d pi1/dn. lacks: dM c'/dc - d pi1/dc. onward: d pi2/dn - h dM c'/dc. handed: d pi2/dc - dM c'/dc, the last
    two at the second knot.
    """

    def build(trace: Trace) -> None:
        def ray(name: str) -> Vector:
            return trace.read(OWN, CHAIN, name, 6, rate=Rate.ITERATION)

        first, second, way, h = _point(trace, FIRST), _point(trace, SECOND), _way(trace), common.step(trace)
        s1, s2, spun = first[:6], second[:6], dot(ray("lift2"), second[6:])
        found = {
            "answer_in": dot(ray("late"), s1),
            "answer_out": dot(ray("late_t"), s2),
            "lacks_in": dot(ray("lack"), s1),
            "lacks_out": dot(ray("lack_t"), s1) - dot(ray("late_t"), way) - dot(ray("lift1"), first[6:]),
            "onward_in": dot(ray("hand"), s2),
            "onward_out": dot(ray("hand_t"), s2) + h * spun,
            "handed_in": dot(ray("both"), s2),
            "handed_out": dot(ray("hand_t"), way) + spun,
        }
        for name, value in found.items():
            trace.write(PAIR, name, [value], store=CHAIN)

    text = "entries of the matrices of a step"
    return single(records, "make_pair", text, (SHARED, *_ports(), Port(PAIR, PAIR)), OWN, build)


def _ports() -> tuple[Port, ...]:
    return Port(FIRST, COLUMN), Port(SECOND, COLUMN), Port(OWN, FREEDOM)


def _point(trace: Trace, label: str) -> Vector:
    return trace.read(label, CHAIN, "point", 12, rate=Rate.ITERATION)


def _way(trace: Trace) -> Vector:
    return trace.read(FIRST, CHAIN, "way", 6, rate=Rate.ITERATION)


def _column(trace: Trace, label: str) -> Vector:
    return _point(trace, label)[:6]


def _momentum(trace: Trace, knot: str, s: Vector) -> Vector:
    """I S of a composite body at a knot."""
    mass, h, j = (
        trace.read(OWN, CHAIN, name, *SUMS[name], rate=Rate.ITERATION) for name in ("mass", f"hx{knot}", f"j{knot}")
    )
    return times_motion(mass[0], h, j, s)


def _pushed(trace: Trace, s: Vector) -> Vector:
    """B S of a composite body."""
    mass, hx1, hx2, turned = _late(trace)
    u, w = s[:3], s[3:]
    pushed = blocks_sum([mass * e for e in u], cross(w, hx2))
    return [*pushed, *blocks_sum(cross(hx1, u), [dot(row, w) for row in turned])]


def _pushed_t(trace: Trace, s: Vector) -> Vector:
    """Bᵀ S of a composite body."""
    mass, hx1, hx2, turned = _late(trace)
    u, w = s[:3], s[3:]
    by_u = blocks_sum([mass * e for e in u], cross(w, hx1))
    return [*by_u, *blocks_sum(cross(hx2, u), [dot(column, w) for column in zip(*turned, strict=True)])]


def _late(trace: Trace) -> tuple[Scalar, Vector, Vector, Matrix]:
    """What B is made of."""
    mass, hx1, hx2, turned = (
        trace.read(OWN, CHAIN, name, *SUMS[name], rate=Rate.ITERATION) for name in ("mass", "hx1", "hx2", "turned")
    )
    return mass[0], hx1, hx2, [turned[3 * i : 3 * i + 3] for i in range(3)]


# --- small matrices ---------------------------------------------------------------------------------------------------
def _skew(trace: Trace, v: Vector) -> Matrix:
    x, y, z = v
    zero = trace.graph.constant(0)
    return [[zero, -z, y], [z, zero, -x], [-y, x, zero]]


def _less(left: Vector, right: Vector) -> Vector:
    return [a - b for a, b in zip(left, right, strict=True)]
