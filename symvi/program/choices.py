"""What the analysis of loops decided for a mechanism; the constraints that are left, and their elimination order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from symvi.graph import Constraint, EliminationOrder, Graph, plan
from symvi.mechanism import Mechanism, constraint_count
from symvi.physics.contacts import contact_models, dry_friction_models, limit_models
from symvi.physics.joints import joint_model
from symvi.physics.model import ConstraintModel, ForceModel, Parameter
from symvi.physics.relations import coupling_model, driver_model, lock_model


class Lock(NamedTuple):
    """A joint coordinate that is held at a value [m or rad]."""

    joint: str
    coordinate: int
    value: float


@dataclass(frozen=True)
class Choices:
    """What the analysis of loops decided: rows kept and dropped per constraint, and guards per kept row.

    locks: joint coordinates held in place of rows that hold them too weakly.
    pivots: for bodies that lack inertia about an axis, the joint that holds them there.
    """

    kept: Mapping[str, tuple[int, ...]]
    dropped: Mapping[str, tuple[int, ...]]
    guards: Mapping[str, tuple[float, ...]]
    notes: Mapping[str, object]
    locks: tuple[Lock, ...] = ()
    pivots: Mapping[str, str] = field(default_factory=dict)


NOTHING_DROPPED = Choices({}, {}, {}, {})


def models_of(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> list[ConstraintModel]:
    """The constraints of a mechanism, in the order joints, couplings, drivers, locks; joints without rows are none.

    A constraint that lost rows cannot carry a body: it closes its loop, whatever forest the elimination order finds
    cheapest.
    """
    models = [
        joint_model(mechanism, joint, choices.kept.get(joint.name))
        for joint in mechanism.joints
        if constraint_count(joint) and choices.kept.get(joint.name) != ()
    ]
    models = [replace(model, tree=False) if model.name in choices.kept else model for model in models]
    models += [
        coupling_model(mechanism, coupling) for coupling in mechanism.couplings if choices.kept.get(coupling.name) != ()
    ]
    models += [driver_model(mechanism, driver) for driver in mechanism.drivers]
    models += [lock_model(mechanism, *lock) for lock in choices.locks]
    return [_with_pivots(mechanism, model, choices) for model in models]


def _with_pivots(mechanism: Mechanism, model: ConstraintModel, choices: Choices) -> ConstraintModel:
    """The model with the weights by which its rows stand in for the inertia that a body lacks."""
    labels = tuple(label for label, body in model.bodies.items() if choices.pivots.get(body) == model.name)
    if not labels:
        return model
    mass = max(mechanism.body(model.bodies[label]).mass for label in labels)
    size = choices.notes["size"]
    weights = tuple(mass * size**2 if unit == "rad" else mass for unit in model.row_units)
    weight = Parameter(weights, "weight of the rows in the pivot of a body that lacks inertia", "kg, kg m²")
    return replace(model, pivots=labels, parameters={**model.parameters, "weight": weight})


def inequality_models(mechanism: Mechanism) -> list:
    """Contacts, limits and dry friction, in this order."""
    return [*contact_models(mechanism), *limit_models(mechanism), *dry_friction_models(mechanism)]


def linked(
    models: Sequence[ConstraintModel], forces: Sequence[ForceModel], inequalities: Sequence = ()
) -> list[tuple[str, str]]:
    """Pairs of bodies with blocks of their own between them: rows of a pivot, dampers, contacts, limits."""
    pairs = [tuple(m.bodies.values()) for m in models if m.pivots] + [
        tuple(f.bodies.values()) for f in forces if f.damping
    ]
    pairs += [tuple(model.bodies.values()) for model in inequalities]
    return [pair for pair in pairs if None not in pair]


def order_of(
    mechanism: Mechanism,
    models: Sequence[ConstraintModel],
    forces: Sequence[ForceModel],
    inequalities: Sequence = (),
) -> tuple[Graph, EliminationOrder]:
    """The graph of the Newton matrix, and its elimination order."""
    constraints = [
        Constraint(m.name, m.rows, tuple(b for b in m.bodies.values() if b is not None), _ties_to_world(m), m.tree)
        for m in models
    ]
    graph = Graph.build([body.name for body in mechanism.bodies], constraints, linked(models, forces, inequalities))
    return graph, plan(graph)


def _ties_to_world(model: ConstraintModel) -> bool:
    """A user's own rows may change when all bodies move together, so they count as tied to the world."""
    return None in model.bodies.values() or model.type == "custom"
