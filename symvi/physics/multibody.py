"""A mechanism as its models: of joints, relations, forces and contacts, each made once and handed on.

Everything that acts along a joint is made of one geometry of this joint: its rows, springs, dampers, servos, limits,
dry friction, drivers, gears, and what places its bodies.
"""

from __future__ import annotations

from functools import cached_property

from symvi.mechanism import Mechanism, constraint_count
from symvi.physics.force_models import force_model
from symvi.physics.inequalities import contact_models, dry_friction_model, limit_model
from symvi.physics.joints import Geometry, joint_model
from symvi.physics.model import ConstraintModel, ContactModel, DryFrictionModel, LimitModel
from symvi.physics.relations import coupling_model, driver_model
from symvi.registry import FORCES, inequalities_of


class MultibodySystem:
    """The models of a mechanism, each made when it is first asked for.

    central: laws act halfway in every step, as inner steps of a composition want it.
    """

    def __init__(self, mechanism: Mechanism, central: bool = False):
        self.mechanism, self.central = mechanism, central
        self._geometries: dict[str, Geometry] = {}
        self._joints: dict[tuple[str, tuple[int, ...] | None], ConstraintModel] = {}

    # --- joints and relations -----------------------------------------------------------------------------------------
    def geometry(self, joint: str) -> Geometry:
        """The geometry of a joint, by the joint's name."""
        if joint not in self._geometries:
            self._geometries[joint] = Geometry(self.mechanism, self.mechanism.joint(joint))
        return self._geometries[joint]

    def joint(self, name: str, keep: tuple[int, ...] | None = None) -> ConstraintModel:
        """The rows of a joint, as `joint_model` has them."""
        if (name, keep) not in self._joints:
            self._joints[name, keep] = joint_model(self.geometry(name), keep)
        return self._joints[name, keep]

    @cached_property
    def couplings(self) -> tuple[ConstraintModel, ...]:
        """The rows of gears, in the order of the description."""
        return tuple(
            coupling_model(coupling, *(self.geometry(joint) for joint in coupling.joints))
            for coupling in self.mechanism.couplings
        )

    @cached_property
    def drivers(self) -> tuple[ConstraintModel, ...]:
        """The rows of drivers, in the order of the description."""
        return tuple(driver_model(driver, self.geometry(driver.joint)) for driver in self.mechanism.drivers)

    @cached_property
    def in_joint_axes(self) -> tuple[ConstraintModel, ...]:
        """All constraints with all their rows, joints before couplings before drivers, as in a program."""
        joints = [joint for joint in self.mechanism.joints if constraint_count(joint)]
        models = [self.joint(joint.name, tuple(range(constraint_count(joint)))) for joint in joints]
        return (*models, *self.couplings, *self.drivers)

    # --- what acts ----------------------------------------------------------------------------------------------------
    @cached_property
    def forces(self) -> tuple:
        """The models of all forces in the order of the description; dry friction is an inequality."""
        return tuple(force_model(self, force) for force in self.mechanism.forces if FORCES[force.kind].model)

    @cached_property
    def contacts(self) -> tuple[ContactModel, ...]:
        """One model per contact point, in the order of the description."""
        return tuple(contact_models(self.mechanism))

    @cached_property
    def limits(self) -> tuple[LimitModel, ...]:
        """One model per limit of a joint coordinate."""
        return tuple(limit_model(limit, self.geometry(limit.joint)) for limit in self.mechanism.limits)

    @cached_property
    def dry_frictions(self) -> tuple[DryFrictionModel, ...]:
        """One model per dry joint friction."""
        forces = inequalities_of(self.mechanism.forces)
        return tuple(dry_friction_model(force, self.geometry(force.joint)) for force in forces)

    @property
    def inequalities(self) -> tuple:
        """Contacts, limits and dry friction, in this order."""
        return (*self.contacts, *self.limits, *self.dry_frictions)
