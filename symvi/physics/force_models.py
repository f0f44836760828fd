"""Forces as models: springs, dampers, actuators, servos, wrenches and a user's potential.

What each kind is, is in its record (symvi/forces). All of them act through the gradient of rows, so they conserve
linear and angular momentum by construction. Actuators, wrenches and potentials act at the knots; springs, dampers and
servos within the step (laws.py): along a joint they are shares of what acts along its coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from symvi.mechanism import Force, Joint, Mechanism
from symvi.physics.coordinates import coordinate_units
from symvi.physics.joints import Geometry
from symvi.physics.model import ForceModel, LawModel, Parameter, ShareModel
from symvi.registry import FORCES

if TYPE_CHECKING:
    from symvi.mechanism.forces import Actuator, JointDamper, JointSpring, PointSpring, Potential, Servo, Wrench
    from symvi.physics.multibody import MultibodySystem

AnyForce = ForceModel | ShareModel | LawModel


@overload
def force_model(system: MultibodySystem, force: JointSpring | JointDamper | Servo) -> ShareModel: ...
@overload
def force_model(system: MultibodySystem, force: PointSpring) -> LawModel: ...
@overload
def force_model(system: MultibodySystem, force: Actuator | Wrench | Potential) -> ForceModel: ...
@overload
def force_model(system: MultibodySystem, force: Force) -> AnyForce: ...
def force_model(system: MultibodySystem, force: Force) -> AnyForce:
    """The model of a force of a mechanism."""
    model = FORCES[force.kind].model
    if model is None:
        raise ValueError(f"force '{force.name}': a {force.kind} is an inequality, and has no model of a force")
    return model(system, force)


def share(joint: Joint, force, numbers: dict[str, Parameter], along=None, **law) -> ShareModel:
    """A share of what acts along a joint's coordinates, by its numbers; along: some of them."""
    units = coordinate_units(joint)
    along = tuple(range(len(units))) if along is None else along
    chosen = tuple(units[k] for k in along)
    return ShareModel(force.name, law.pop("type", force.kind), joint.name, numbers, len(along), chosen, along, **law)


def point_geometry(mechanism: Mechanism, force) -> Geometry:
    """The geometry of an element between two points, as of a joint that holds them together."""
    joint = Joint(
        name=force.name,
        type="spherical",
        parent=force.parent,
        child=force.child,
        parent_anchor=force.parent_anchor,
        child_anchor=force.child_anchor,
    )
    return Geometry(mechanism, joint)
