"""Forces as models: springs, dampers, actuators, servos, wrenches and a user's potential.

What each kind is, is in its record (symvi/forces). All of them act through the gradient of rows, so they conserve
linear and angular momentum by construction. Actuators, wrenches and potentials act at the knots; springs, dampers and
servos within the step (laws.py): along a joint they are shares of what acts along its coordinates.
"""

from __future__ import annotations

from symvi.mechanism import Force, Joint, Mechanism
from symvi.physics.coordinates import coordinate_units
from symvi.physics.joints import Geometry
from symvi.physics.model import ForceModel, LawModel, Parameter, ShareModel
from symvi.registry import FORCES

AnyForce = ForceModel | ShareModel | LawModel


def force_models(mechanism: Mechanism) -> list[AnyForce]:
    """The models of all forces in the order of the description; dry friction is an inequality (contacts.py)."""
    return [force_model(mechanism, force) for force in mechanism.forces if FORCES[force.kind].model]


def force_model(mechanism: Mechanism, force: Force) -> AnyForce:
    """The model of a force of a mechanism."""
    return FORCES[force.kind].model(mechanism, force)


def share(mechanism: Mechanism, force, numbers: dict[str, Parameter], along=None, **law) -> ShareModel:
    """A share of what acts along a joint's coordinates, by its numbers; along: some of them."""
    joint = mechanism.joint(force.joint)
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
