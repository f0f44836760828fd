"""What a simulator is asked in joint coordinates: by its model (joint_model.py), and of its steps (linearized.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from symvi.mechanism import Mechanism
from symvi.native.flags import Profile
from symvi.numbers.control import DEFAULTS, SolverOptions

if TYPE_CHECKING:
    from symvi.mechanism import State
    from symvi.simulate.gradient import Gradient, Loss
    from symvi.simulate.joint_model import Array, Frames, Given, JointModel
    from symvi.simulate.linearization import Linearization
    from symvi.simulate.simulator import Simulator
    from symvi.simulate.trajectory import Trajectory


class Asked:
    """A simulator's model, and its answers, each described there; and its steps as matrices."""

    mechanism: Mechanism
    profile: Profile
    loops: str
    settings: dict[str, tuple[float, ...]]
    _model: JointModel | None = None

    @property
    def model(self) -> JointModel:
        """The mechanism as a function of its joint coordinates, with the parameters that are set now; compiled once.

        Raises MechanismError where it has none, CompilerError.
        """
        from symvi.simulate.joint_model import JointModel

        if self._model is None or not self._model.has(self.settings):
            self._model = JointModel(self.mechanism, self.settings, self.profile, self.loops)
        return self._model

    def mass_matrix(self, q: Given) -> Array:
        """(rates, rates): M(q). See `JointModel.mass_matrix`."""
        return self.model.mass_matrix(q)

    def bias(self, q: Given, rates: Given) -> Array:
        """(rates,): C(q, q') q' + g(q). See `JointModel.bias`."""
        return self.model.bias(q, rates)

    def inverse_dynamics(self, q: Given, rates: Given, accelerations: Given) -> Array:
        """(rates,): M q'' + C q' + g. See `JointModel.inverse_dynamics`."""
        return self.model.inverse_dynamics(q, rates, accelerations)

    def forward_dynamics(self, q: Given, rates: Given, forces: Given) -> Array:
        """(rates,): M^-1 (forces - C q' - g). See `JointModel.forward_dynamics`."""
        return self.model.forward_dynamics(q, rates, forces)

    def jacobian(self, body: str, q: Given, point: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
        """(6, rates): of a point of a body. See `JointModel.jacobian`."""
        return self.model.jacobian(body, q, point)

    def frames(self, q: Given) -> Frames:
        """Of all bodies. See `JointModel.frames`."""
        return self.model.frames(q)

    def momentum(self, q: Given, rates: Given) -> Array:
        """(6,): of all bodies. See `JointModel.momentum`."""
        return self.model.momentum(q, rates)

    def centre_of_mass(self, q: Given) -> Array:
        """(3,): of all bodies. See `JointModel.centre_of_mass`."""
        return self.model.centre_of_mass(q)

    def centre_of_mass_jacobian(self, q: Given) -> Array:
        """(3, rates): of that centre. See `JointModel.centre_of_mass_jacobian`."""
        return self.model.centre_of_mass_jacobian(q)

    def linearize(
        self,
        state: State | Trajectory | None = None,
        inputs: Mapping[str, object] | None = None,
        *,
        step: float = 0.01,
        parameters: Sequence[str] = (),
        coordinates: Sequence[str] | None = None,
        smoothing: float | None = None,
        chart: Literal["knot", "chord"] = "knot",
        options: SolverOptions = DEFAULTS,
    ) -> Linearization:
        """Derivatives A, B, P of the step of `step` seconds from a state, exact ones of the generated program.

        state: None (the description's start), a State, or a Trajectory that ends there. Of a State, velocities are
        those that momenta have as they are carried to the knot, before its forces act; the step is one of a motion that
        is under way, with forces at the knot for the whole of it.
        inputs: name -> number, of this step; signals otherwise. parameters: names of the columns of P.
        coordinates: independent coordinates by name: of joints ("hinge", "ball[0]"), or of bodies ("trunk.position[0]",
        "trunk.turn[2]", world axes); None chooses them. Rates are "hinge.rate".
        smoothing: complementarity of contacts, limits and dry friction, which are sent to one centring: the derivative
        is that of the smoothed step.
        chart: "knot", rates are those of momenta, projected onto the joints; "chord", differences of coordinates of
        this knot and the one before over the step, as encoders see them (of turns of bodies, 2/h the vector part of the
        turn in between). What was remembered one knot earlier is beside them where the motion depends on it
        ("servo.target.before"). Of a State, the knot before is found from which a whole step leads here.
        Raises SolverError where the step cannot be solved, AssemblyError in a singular position, MechanismError,
        ArgumentError.
        """
        from symvi.simulate.arguments import checked_step
        from symvi.simulate.linearized import Linearizing

        asked = Linearizing(cast("Simulator", self), chart, parameters, coordinates, smoothing, options)
        return asked.at(state, inputs or {}, checked_step(step, "double"))

    def gradient(
        self,
        loss: Loss,
        time: float,
        step: float = 0.01,
        *,
        start: State | None = None,
        inputs: Mapping[str, object] | None = None,
        parameters: Sequence[str] = (),
        coordinates: Sequence[str] | None = None,
        smoothing: float | None = None,
        chart: Literal["knot", "chord"] = "knot",
        options: SolverOptions = DEFAULTS,
    ) -> Gradient:
        """The gradient of a loss along a motion of `time` seconds from a start, by the adjoint.

        loss: called once with x (N + 1, n), what `linearize` names at every knot, and u (N, m), what drives every step;
        returns (value, by x, by u) in these shapes, or (value, by x). Turns of bodies are zero in x, and the slope by
        one is per rotation vector, world axes.
        inputs: as in `simulate`. parameters, coordinates, smoothing, chart, options: as in `linearize`.
        Raises SolverError where a step cannot be solved, with its time, AssemblyError in a singular position,
        MechanismError, ArgumentError.
        """
        from symvi.simulate.gradient import gradient_of

        own = cast("Simulator", self)
        about = {"start": start, "inputs": inputs or {}, "parameters": parameters, "coordinates": coordinates}
        about |= {"smoothing": smoothing, "chart": chart, "options": options}
        return gradient_of(loss, {"simulator": own, "time": time, "step": step, **about})
