"""Where in the step laws act: theta of every damped coordinate, of the mass that opposes it (physics/laws.py)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symvi.kernels import blocks, common
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, Knots
from symvi.kernels.law import (
    HALF,
    MEANINGS,
    coordinates_of,
)
from symvi.kernels.opposing_mass import SIDES, most_along
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import laws as formulas
from symvi.physics.model import SHARES, Laws, Motion
from symvi.scalar import Rate, Scalar

LEAST = Fraction(1, 10**9)  # of a body's size: inertia that is added where it decides a weight, so that none is zero


def weighing(records: Records, kind: str, model, laws: Laws, baked: Baked, name: str = "weigh") -> Kernel:
    """The kernel that finds theta of every coordinate that is damped: after all dampers, before all targets."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    ports = (SHARED, Port(kind, kind), *(Port(label, BODY) for label in moving), *(SIDES[end] for end in laws.opposed))

    def build(trace: Trace) -> None:
        count = coordinates_of(laws)
        damping = trace.read(kind, "work", "damping", count, *MEANINGS["damping"], rate=Rate.STEP)
        masses = _masses_along(trace, model, laws, baked, moving)
        if laws.central:
            trace.write(kind, "lag", lags_of(trace, masses, damping), *MEANINGS["lag"], rate=Rate.STEP)
            return
        found: dict[str, list[Scalar]] = dict(
            zip(
                ("theta", "share"),
                weights_along(trace, masses, damping, of_last_step(trace, "theta", count)),
                strict=True,
            )
        )
        if laws.opposed:
            most = _most(trace, model, laws, baked)
            weights = weights_along(trace, most, damping, of_last_step(trace, "spring_theta", count))
            found |= zip(("spring_theta", "spring_share"), weights, strict=True)
        for name, values in found.items():
            trace.write(kind, name, values, *MEANINGS[name], rate=Rate.STEP)

    return single(records, f"{name}_{kind}", "where in the step the laws along its coordinates act", ports, kind, build)


def weights_along(
    trace: Trace, masses: Sequence[Scalar], damping: Sequence[Scalar], last: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """theta of every coordinate, and its share of the first knot: half, and what the step before has left of half.

    last: theta in the step before, from which dampings may have changed.
    """
    trace.note("share = 1/2 + (h-/h) (theta- - 1/2)", "derived here: h-, theta- are those of the step before")
    before, half = trace.read(COMMON, "state", "before")[0], trace.graph.constant(HALF)
    ratio, h = before * common.inverse_step(trace), common.step(trace)
    pairs = zip(masses, damping, strict=True)
    thetas = [use(trace, formulas.weight_between_knots, m=[m], h=[h], d=[d])["theta"][0] for m, d in pairs]
    return thetas, [half + ratio * (theta - half) for theta in last]


def lags_of(trace: Trace, masses: Sequence[Scalar], damping: Sequence[Scalar]) -> list[Scalar]:
    """y = h d/m of every coordinate: below one, a damper that acts halfway is solved for backwards in time as well."""
    trace.note("y = h d/m", "derived here: inner steps whose y is one or more, in magnitude, are refused")
    return [common.step(trace) * (d / m) for m, d in zip(masses, damping, strict=True)]


def of_last_step(trace: Trace, name: str, count: int) -> list[Scalar]:
    """Where laws acted in the step before."""
    return trace.read(trace.own, "state", f"{name}_before", count, *MEANINGS[f"{name}_before"])


def _most(trace: Trace, model, laws: Laws, baked: Baked) -> list[Scalar]:
    """The mass that may oppose every coordinate at most (opposing_mass.py)."""
    knots, anchor = Knots(trace, model, baked), laws.motions[0].anchor
    centre = trace.read(anchor.body, "state", "x", 3)
    pitch = next((knots.parameter(motion.pitch)[0] for motion in laws.motions if motion.pitch), None)
    place = [x + r for x, r in zip(centre, knots.of(anchor)[0], strict=True)]
    found = most_along(trace, laws.opposed, place, pitch)
    return [found["screw" if motion.pitch else motion.kind] for motion in laws.motions]


def _share_of(trace: Trace, label: str, share: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """A body's share of its mass and inertia, the latter never zero."""
    mass = trace.read(label, "parameters", "mass")[0]
    size = trace.read(label, "parameters", "size")[0]
    inertia = trace.read(label, "work", "j", 6, rate=Rate.STEP)
    more = LEAST * size
    return [share * mass], [share * (j + more) if k < 3 else share * j for k, j in enumerate(inertia)]


def shares_of(trace: Trace, model, moving: Sequence[str], baked: Baked) -> dict[str, tuple[list, list]]:
    parameter = model.parameters[SHARES]
    each = trace.read(trace.own, "parameters", SHARES, len(moving), parameter.meaning, baked=baked.get(SHARES, ()))
    return {label: _share_of(trace, label, share) for label, share in zip(moving, each, strict=True)}


def _masses_along(trace: Trace, model, laws: Laws, baked: Baked, moving: Sequence[str]) -> list[Scalar]:
    """The mass that opposes every coordinate, the others being free."""
    knots, shares = Knots(trace, model, baked), shares_of(trace, model, moving, baked)
    child, other = laws.motions[0].anchor.body, next(iter(set(model.bodies) - {laws.motions[0].anchor.body}))
    motions = [_motion(trace, knots, motion) for motion in laws.motions]
    m_b, j_b = shares[child]
    if other not in moving:
        matrix = [
            [use(trace, formulas.mass_of_one, m_b=m_b, J_b=j_b, v=v, w=w, v2=v2, w2=w2)["m"][0] for v2, w2 in motions]
            for v, w in motions
        ]
    else:
        m_a, j_a = shares[other]
        x_a, x_b = (trace.read(label, "state", "x", 3) for label in (other, child))
        pair = {"m_a": m_a, "J_a": j_a, "m_b": m_b, "J_b": j_b, "d": [b - a for a, b in zip(x_a, x_b, strict=True)]}
        recoils = [use(trace, formulas.recoil, **pair, v=v, w=w)["u"] for v, w in motions]
        both = list(zip(motions, recoils, strict=True))
        matrix = [
            [
                use(trace, formulas.mass_of_two, **pair, v=v, w=w, u=u, v2=v2, w2=w2, u2=u2)["m"][0]
                for (v2, w2), u2 in both
            ]
            for (v, w), u in both
        ]
    return _least(matrix)


def _least(matrix: blocks.Matrix) -> list[Scalar]:
    """1/(M^-1)_kk: the mass along each coordinate while the others move as they like."""
    if len(matrix) == 1:
        return [matrix[0][0]]
    graph, n = matrix[0][0].graph, len(matrix)
    identity = [[graph.constant(int(i == k)) for k in range(n)] for i in range(n)]
    inverse = blocks.solve(blocks.factor(matrix), identity)
    return [1 / inverse[k][k] for k in range(n)]


def _motion(trace: Trace, knots: Knots, motion: Motion) -> tuple[list[Scalar], list[Scalar]]:
    """(v, w) of the body for a unit rate."""
    axis, zero = knots.of(motion.axis)[0], [trace.graph.constant(0)] * 3
    if motion.kind == "translation":
        return axis, zero
    v = use(trace, formulas.swing, e=axis, r=knots.of(motion.anchor)[0])["v"]
    if motion.pitch:
        pitch = knots.parameter(motion.pitch)[0]
        v = [a + pitch * e for a, e in zip(v, axis, strict=True)]
    return v, axis
