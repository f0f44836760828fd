"""Friction of a linear cone: the papers' pyramid, with any even number of directions in the tangent plane.

Its impulses, what is left of the bound, and their slacks stand behind the gap's own pair in the fields `impulse` and
`slack`. The directions are fixed to a plane, or carried along with a normal from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels.body_kernels import use
from symvi.kernels.friction import Sliding
from symvi.kernels.inequality import Centring, field, first_target
from symvi.kernels.knots import Baked, Knots
from symvi.kernels.tracing import Trace
from symvi.physics import gaps
from symvi.physics.model import ContactModel, FixedTo
from symvi.physics.pyramid import pyramid
from symvi.scalar import Rate, Scalar


class LinearCone(Sliding):
    """Friction of a pyramid."""

    def __init__(self, kind: str, model: ContactModel, baked: Baked):
        super().__init__(kind, model, baked)
        self.misses = model.directions
        self.pairs = model.directions + 1
        self.formulas = pyramid(model.directions)
        self.carries_axis = not model.is_flat

    # --- directions ---------------------------------------------------------------------------------------------------
    def prepare(self, trace: Trace, knots: Knots, normal: list[Scalar]) -> None:
        """Half of the directions at the first knot."""
        cosines, sines = knots.parameter("cosines"), knots.parameter("sines")
        t1, t2 = self._carried_axes(trace, normal) if self.carries_axis else self._axes_of_plane(knots)
        values = [c * a + s * b for c, s in zip(cosines, sines, strict=True) for a, b in zip(t1, t2, strict=True)]
        trace.write(self.kind, "way", values, "directions of friction at the first knot", rate=Rate.STEP)

    def _carried_axes(self, trace: Trace, normal: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        last = trace.read(self.kind, "state", "across", 3, "tangent axis of the linear cone")
        axes = use(trace, gaps.carried_axes, n=normal, t=last)
        trace.write(self.kind, "across_now", axes["t1"], "tangent axis at the first knot", rate=Rate.STEP)
        return axes["t1"], axes["t2"]

    @staticmethod
    def _axes_of_plane(knots: Knots) -> tuple[list[Scalar], list[Scalar]]:
        t1, t2 = (knots.of(FixedTo("a", name))[0] for name in ("t1", "t2"))
        return t1, t2

    def _way(self, trace: Trace) -> list[Scalar]:
        values = trace.read(self.kind, "work", "way", 3 * (self.misses // 2), rate=Rate.STEP)
        return [trace.graph.constant(0) if k % 3 in self.flat else value for k, value in enumerate(values)]

    # --- variables ----------------------------------------------------------------------------------------------------
    def _own(self, trace: Trace, name: str) -> list[Scalar]:
        """The variables of friction: all of a field of pairs but the gap's own."""
        return field(trace, name, 1 + self.pairs)[1:]

    def _missed(self, trace: Trace) -> list[Scalar]:
        return field(trace, "miss", 1 + self.misses)[1:]

    def start(self, trace: Trace, gamma: Scalar) -> tuple[list[Scalar], list[Scalar]]:
        """The pyramid's own point at the sliding of the circular cone's, its bound met exactly."""
        bound = self.bound(trace)[0] * gamma
        slide, mu = self.predicted(trace, bound)["e"][1:], first_target(trace)
        at = use(trace, self.formulas.on_path, u=slide, bound=[bound], mu=[mu], way=self._way(trace))
        return at["b"], at["eta"]

    def impulse(self, trace: Trace) -> list[Scalar]:
        return use(trace, self.formulas.friction, b=self._own(trace, "impulse"), way=self._way(trace))["beta"]

    def miss(self, trace: Trace) -> list[Scalar]:
        slide = self.tangent(trace, "ut")
        return use(trace, self.formulas.miss, eta=self._own(trace, "slack"), way=self._way(trace), u=slide)["miss"]

    # --- law ----------------------------------------------------------------------------------------------------------
    def scale(self, trace: Trace) -> None:
        law = use(
            trace,
            self.formulas.law,
            b=self._own(trace, "impulse"),
            eta=self._own(trace, "slack"),
            bound=self.bound(trace),
            way=self._way(trace),
        )
        self.write_law(trace, law)
        trace.write(self.kind, "quotient", law["quotient"], "stiffness along every direction", "kg")
        trace.write(self.kind, "share", law["share"], "shared slack per change of what is left of the bound", "1/kg")

    def exact(self, trace: Trace) -> None:
        self.scale(trace)

    def right_hand_side(self, trace: Trace, centring: Centring, exact: bool) -> list[Scalar]:
        zero = [trace.graph.constant(0)] * self.pairs
        sent = use(
            trace,
            self.formulas.right_hand_side,
            b=self._own(trace, "impulse"),
            gamma=field(trace, "impulse", 1 + self.pairs)[:1],
            bound=self.bound(trace),
            eta=self._own(trace, "slack"),
            mu=[centring.mu],
            db=zero if centring.is_nothing else self._own(trace, "d_impulse"),
            deta=zero if centring.is_nothing else self._own(trace, "d_slack"),
            second=[centring.second],
            quotient=trace.read(self.kind, "work", "quotient", self.misses),
            share=trace.read(self.kind, "work", "share"),
            miss=self._missed(trace),
            way=self._way(trace),
        )
        meaning = "where friction's own impulses and their shared slack are sent if velocities stay"
        trace.write(self.kind, "sent", sent["k"], meaning, "N s, m/s")
        return self.write_right_hand_side(trace, sent["kt"])

    def respond(
        self, trace: Trace, d_gamma: Scalar, slide: list[Scalar], borne: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        change = use(
            trace,
            self.formulas.response,
            b=self._own(trace, "impulse"),
            gamma=field(trace, "impulse", 1 + self.pairs)[:1],
            k=trace.read(self.kind, "work", "sent", self.pairs),
            quotient=trace.read(self.kind, "work", "quotient", self.misses),
            share=trace.read(self.kind, "work", "share"),
            bound=self.bound(trace),
            way=self._way(trace),
            miss=self._missed(trace),
            dgamma=[d_gamma],
            du=slide,
        )
        return change["b"], change["eta"]

    # --- between steps ------------------------------------------------------------------------------------------------
    def forget(self, trace: Trace) -> None:
        super().forget(trace)
        if self.carries_axis:
            begun = use(trace, gaps.some_axis, n=self.normal(trace))["t"]
            trace.write(self.kind, "across", begun, store="state")

    def finish(self, trace: Trace) -> None:
        super().finish(trace)
        if self.carries_axis:
            now = trace.read(self.kind, "work", "across_now", 3, rate=Rate.STEP)
            trace.write(self.kind, "across", now, store="state")
