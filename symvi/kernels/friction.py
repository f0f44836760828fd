"""Friction of a contact: what every cone does in each phase, the contact without friction, and the circular cone.

A contact's kernels (contact.py) leave its tangent plane to one of these. Each condenses its own variables into
dbeta = kt + m dgamma - K du, with beta the friction impulse, gamma the normal one and u the velocity of sliding; all
vectors are in world axes, with exact zeros where the plane is fixed across an axis of the world.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels.body_kernels import use
from symvi.kernels.inequality import Centring, field, first_target, memory, put, ratio, stick
from symvi.kernels.knots import Baked, Knots
from symvi.kernels.tracing import Trace
from symvi.physics import cones, gaps
from symvi.physics.model import ContactModel
from symvi.scalar import Rate, Scalar


class Friction:
    """A contact without friction: no variables, no law.

    fields: iterated fields beside those of the pairs. pairs, misses: how many more than the gap's own.
    flat: axes of the world that tangential vectors have no part in.
    """

    fields: tuple[tuple[str, int], ...] = ()
    pairs = misses = 0
    cone = False  # whether the control sees a second-order cone in the fields b and e

    def __init__(self, kind: str, model: ContactModel, baked: Baked):
        self.kind, self.model, self.baked = kind, model, baked
        self.flat = across(model, baked)

    # --- what is read of the record ---------------------------------------------------------------------------------
    def normal(self, trace: Trace) -> list[Scalar]:
        """The normal; what a plane of the world bakes is baked here too."""
        baked = self.baked.get("normal", ()) if self.model.is_flat and self.model.bodies["a"] is None else ()
        return trace.read(self.kind, "work", "normal", 3, rate=Rate.STEP, baked=baked)

    def bound(self, trace: Trace) -> list[Scalar]:
        return trace.read(self.kind, "work", "bound", rate=Rate.STEP)

    def tangent(self, trace: Trace, name: str) -> list[Scalar]:
        """A tangential vector of the record."""
        return self.flattened(trace, trace.read(self.kind, "work", name, 3))

    def flattened(self, trace: Trace, values: Sequence[Scalar]) -> list[Scalar]:
        """A tangential vector with its exact zeros."""
        return [trace.graph.constant(0) if k in self.flat else value for k, value in enumerate(values)]

    def law(self, trace: Trace, rate: Rate = Rate.ITERATION) -> dict[str, list[Scalar]]:
        """m (3) and K (9) as `scale` or `exact` left them."""
        zero = trace.graph.constant(0)
        return {"m": [zero] * 3, "K": [zero] * 9}

    # --- phases -------------------------------------------------------------------------------------------------------
    def prepare(self, trace: Trace, knots: Knots, normal: list[Scalar]) -> None:
        """What is fixed during a step."""

    def start(self, trace: Trace, gamma: Scalar) -> tuple[list[Scalar], list[Scalar]]:
        """On the central path, near the last friction and the predicted sliding; impulses and slacks of its pairs."""
        return [], []

    def release(self, trace: Trace) -> None:
        """No law."""

    def impulse(self, trace: Trace) -> list[Scalar]:
        """The friction impulse on the child."""
        return [trace.graph.constant(0)] * 3

    def bind(self, trace: Trace, gamma: Scalar) -> None:
        """The bound that variables hold, from the normal impulse: only tangents ask for it."""

    def miss(self, trace: Trace) -> list[Scalar]:
        """Velocities minus the slacks that stand for them."""
        return []

    def scale(self, trace: Trace) -> None:
        """The law, scaled."""

    def exact(self, trace: Trace) -> None:
        """The law, linearised as it stands."""

    def right_hand_side(self, trace: Trace, centring: Centring, exact: bool) -> list[Scalar]:
        """kt, the change of friction if nothing moves and the normal impulse stays."""
        return [trace.graph.constant(0)] * 3

    def respond(
        self, trace: Trace, d_gamma: Scalar, slide: list[Scalar], borne: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Increments of its variables; those of its pairs are returned. borne: kt - K du, where it is solved for."""
        return [], []

    def forget(self, trace: Trace) -> None:
        """No friction from before a start."""

    def finish(self, trace: Trace) -> None:
        """What the next start remembers."""


class Sliding(Friction):
    """What all cones share: their law in the record, and the start of friction by the circular cone."""

    def law(self, trace: Trace, rate: Rate = Rate.ITERATION) -> dict[str, list[Scalar]]:
        zero = trace.graph.constant(0)
        m = trace.read(self.kind, "work", "m", 3, "friction per normal impulse", rate=rate)
        k = trace.read(self.kind, "work", "stiffness", 9, "stiffness of friction", "kg", rate=rate)
        flat = [{i, j} & self.flat for i in range(3) for j in range(3)]
        return {
            "m": self.flattened(trace, m),
            "K": [zero if out else value for out, value in zip(flat, k, strict=True)],
        }

    def write_law(self, trace: Trace, law: dict[str, list[Scalar]]) -> None:
        trace.write(self.kind, "m", law["m"], "friction per normal impulse")
        trace.write(self.kind, "stiffness", law["K"], "stiffness of friction", "kg")

    def write_right_hand_side(self, trace: Trace, kt: list[Scalar]) -> list[Scalar]:
        trace.write(self.kind, "kt", kt, "where friction is sent if velocities stay", "N s")
        return kt

    def release(self, trace: Trace) -> None:
        zero = trace.graph.constant(0)
        trace.write(self.kind, "m", [zero] * 3)
        trace.write(self.kind, "stiffness", [zero] * 9)

    def predicted(self, trace: Trace, bound: Scalar) -> dict[str, list[Scalar]]:
        """beta and e of the circular cone's central path, near the last friction and the predicted sliding."""
        held = trace.read(self.kind, "state", "friction_before", 3, "friction impulse of the last step", "N s")
        share, scale = memory(trace), ratio(trace)
        part = stick(trace) * scale
        held = use(trace, gaps.tangential, n=self.normal(trace), u=held)["t"]
        t = [share * a - part * b for a, b in zip(held, self.tangent(trace, "ut"), strict=True)]
        return use(trace, cones.friction_on_path, t=t, b0=[bound], mu=[first_target(trace)], r=[scale])

    def forget(self, trace: Trace) -> None:
        trace.write(self.kind, "friction_before", [trace.graph.constant(0)] * 3, store="state")

    def finish(self, trace: Trace) -> None:
        trace.write(self.kind, "friction_before", self.impulse(trace), store="state")


class RoundCone(Sliding):
    """Friction of the second-order cone: b = (bound, friction), e = (dual scalar, velocity of sliding)."""

    fields = (("b", 4), ("e", 4))
    misses = 3
    cone = True

    def start(self, trace: Trace, gamma: Scalar) -> tuple[list[Scalar], list[Scalar]]:
        bound = self.bound(trace)[0] * gamma
        at = self.predicted(trace, bound)
        put(trace, "b", [bound, *at["beta"]])
        put(trace, "e", at["e"])
        return [], []

    def bind(self, trace: Trace, gamma: Scalar) -> None:
        """b0 = c_f gamma, which every increment keeps: no residual tells how b0 moves with c_f."""
        put(trace, "b", [self.bound(trace)[0] * gamma, *self.impulse(trace)])

    def impulse(self, trace: Trace) -> list[Scalar]:
        return self._cone(trace, "b")[1:]

    def miss(self, trace: Trace) -> list[Scalar]:
        slide = self.tangent(trace, "ut")
        return [u - e for u, e in zip(slide, self._cone(trace, "e")[1:], strict=True)]

    def _cone(self, trace: Trace, name: str) -> list[Scalar]:
        values = field(trace, name, 4)
        return [values[0], *self.flattened(trace, values[1:])]

    def _point(self, trace: Trace) -> dict[str, list[Scalar]]:
        return {"b": self._cone(trace, "b"), "e": self._cone(trace, "e")}

    def _missed(self, trace: Trace) -> list[Scalar]:
        return self.flattened(trace, field(trace, "miss", 1 + self.misses)[1:])

    def scale(self, trace: Trace) -> None:
        det = self._determinants(trace)
        point = use(trace, cones.scaling_point, **self._point(trace), det=det)
        trace.write(self.kind, "eta", point["eta"], "factor of the scaling")
        trace.write(self.kind, "scaling_point", point["w"], "scaling point")
        self._condense(
            trace, point | use(trace, cones.scaled_law, **point, bound=self.bound(trace), n=self.normal(trace))
        )

    def exact(self, trace: Trace) -> None:
        det = self._determinants(trace)
        given = self._point(trace) | {"det": det, "bound": self.bound(trace), "n": self.normal(trace)}
        self._condense(trace, use(trace, cones.exact_law, **given))

    def _determinants(self, trace: Trace) -> list[Scalar]:
        det = use(trace, cones.determinants, **self._point(trace))["det"]
        trace.write(self.kind, "det", det, "x0² - |x|² of b and of e", "N² s², m²/s²")
        return det

    def _condense(self, trace: Trace, law: dict[str, list[Scalar]]) -> None:
        self.write_law(trace, law)
        trace.write(
            self.kind, "dual_per_sliding", law["dual_per_sliding"], "dual scalar given up per velocity of sliding"
        )
        trace.write(
            self.kind, "dual_per_bound", law["dual_per_bound"], "dual scalar given up per change of the bound", "1/kg"
        )
        meaning = "reciprocals that the right-hand side needs: 1/eta and 1/(1 + w0), or those of the exact law's pivots"
        trace.write(self.kind, "inverse", law["inverse"], meaning)

    def right_hand_side(self, trace: Trace, centring: Centring, exact: bool) -> list[Scalar]:
        sent = self._affine(trace) if centring.is_nothing else self._centred(trace, centring, exact)
        trace.write(self.kind, "top", sent["top"], "where the dual scalar is sent if velocities stay", "m/s")
        return self.write_right_hand_side(trace, sent["kt"])

    def _affine(self, trace: Trace) -> dict[str, list[Scalar]]:
        law, gamma = self.law(trace), field(trace, "impulse", 1)
        dual_per_bound = trace.read(self.kind, "work", "dual_per_bound")
        missed = self._missed(trace)
        given = {"b": self._cone(trace, "b"), "gamma": gamma, "dual_per_bound": dual_per_bound, "miss": missed}
        return use(trace, cones.affine_right_hand_side, **given, **law)

    def _centred(self, trace: Trace, centring: Centring, exact: bool) -> dict[str, list[Scalar]]:
        given = self._point(trace) | {
            "mu": [centring.mu],
            "db": self._cone(trace, "d_b"),
            "de": self._cone(trace, "d_e"),
            "second": [centring.second],
            "inverse": trace.read(self.kind, "work", "inverse", 2),
            "K": self.law(trace)["K"],
            "miss": self._missed(trace),
        }
        if exact:
            return use(trace, cones.exact_right_hand_side, **given)
        w = trace.read(self.kind, "work", "scaling_point", 4)
        given |= {
            "det": trace.read(self.kind, "work", "det", 2),
            "eta": trace.read(self.kind, "work", "eta"),
            "w": [w[0], *self.flattened(trace, w[1:])],
            "dual_per_sliding": self.tangent(trace, "dual_per_sliding"),
            "dual_per_bound": trace.read(self.kind, "work", "dual_per_bound"),
        }
        return use(trace, cones.scaled_right_hand_side, **given)

    def respond(
        self, trace: Trace, d_gamma: Scalar, slide: list[Scalar], borne: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        law, kt = self.law(trace), self.tangent(trace, "kt")
        if borne:
            law["K"] = [trace.graph.constant(0)] * 9
            kt = list(borne)
        change = use(
            trace,
            cones.friction_response,
            b0=self._cone(trace, "b")[:1],
            gamma=field(trace, "impulse", 1),
            top=trace.read(self.kind, "work", "top"),
            kt=kt,
            dual_per_sliding=self.tangent(trace, "dual_per_sliding"),
            dual_per_bound=trace.read(self.kind, "work", "dual_per_bound"),
            bound=self.bound(trace),
            miss=self._missed(trace),
            dgamma=[d_gamma],
            du=slide,
            **law,
        )
        put(trace, "d_b", change["db"])
        put(trace, "d_e", change["de"])
        return [], []


def across(model: ContactModel, baked: Baked) -> set[int]:
    """The axes of the world that tangential vectors have no part in: of a plane across one, fixed to the world."""
    normal = baked.get("normal", ())
    if model.bodies["a"] is not None or not model.is_flat:
        return set()
    exact = [value for value in normal if value is not None]
    if len(exact) != 3 or sorted(abs(v) for v in exact) != [0, 0, 1]:
        return set()
    return {k for k, value in enumerate(normal) if value != 0}
