"""What a simulator is asked in joint coordinates, by its model (joint_model.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symvi.mechanism import Mechanism
from symvi.native.flags import Profile

if TYPE_CHECKING:
    from symvi.simulate.joint_model import Array, Frames, Given, JointModel


class Asked:
    """A simulator's model, and its answers; each is described there."""

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
