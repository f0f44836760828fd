"""What the analysis of loops decided for a mechanism; the constraints that are left, and their elimination order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict, TypeVar

from symvi.analysis.joint_sides import free_sides
from symvi.graph import Constraint, EliminationOrder, Graph, plan
from symvi.mechanism import Mechanism, constraint_count, coordinate_count
from symvi.numbers.extent import size_of
from symvi.physics.coordinates import joint_laws, with_laws
from symvi.physics.model import SHARES, ConstraintModel, LawModel, Parameter, ShareModel
from symvi.physics.multibody import MultibodySystem
from symvi.physics.relations import lock_model
from symvi.registry import JOINTS, laws_between_points

Weighed = TypeVar("Weighed", ConstraintModel, LawModel)


class Lock(NamedTuple):
    """A joint coordinate that is held at a value [m or rad]."""

    joint: str
    coordinate: int
    value: float


class Findings(TypedDict, total=False):
    """What the analysis of loops found; all of it is left out where none was made.

    rows, rank, over_constraint: of all constraints together. redundant_rows: names of rows, by constraint. size: of the
    mechanism [m]. limit: what redundant rows may be open by [m]. texts: for a reader. undetermined: joints whose
    reactions no motion determines. Where there are loops, the positions that were looked at, which of them are
    singular, and how well the rows that are kept hold (choice).
    """

    rows: int
    rank: int
    mobility: int
    over_constraint: int
    redundant_rows: dict[str, list[str]]
    size: float
    limit: float
    texts: list[str]
    undetermined: list[str]
    positions: int
    singular_positions: int
    starts_singular: bool
    choice: float


@dataclass(frozen=True)
class Choices:
    """What the analysis of loops decided: rows kept and dropped per constraint, and guards per kept row.

    locks: joint coordinates held in place of rows that hold them too weakly.
    pivots: for bodies that lack inertia about an axis, the joint that holds them there.
    """

    kept: Mapping[str, tuple[int, ...]]
    dropped: Mapping[str, tuple[int, ...]]
    guards: Mapping[str, tuple[float, ...]]
    notes: Findings
    locks: tuple[Lock, ...] = ()
    pivots: Mapping[str, str] = field(default_factory=dict)

    def size(self, mechanism: Mechanism) -> float:
        """The size of the mechanism [m]: that of its loops, where these were analysed."""
        return self.notes.get("size") or size_of(mechanism)


NOTHING_DROPPED = Choices({}, {}, {}, {})


def models_of(system: MultibodySystem, choices: Choices = NOTHING_DROPPED) -> list[ConstraintModel]:
    """The constraints of a mechanism, in the order joints, couplings, drivers, locks; joints without rows are none.

    A constraint that lost rows cannot carry a body: it closes its loop, whatever forest the elimination order finds
    cheapest.
    """
    mechanism = system.mechanism
    models = [
        system.joint(joint.name, choices.kept.get(joint.name))
        for joint in mechanism.joints
        if constraint_count(joint) and choices.kept.get(joint.name) != ()
    ]
    models = [replace(model, tree=False) if model.name in choices.kept else model for model in models]
    models += [coupling for coupling in system.couplings if choices.kept.get(coupling.name) != ()]
    models += system.drivers
    models += [lock_model(system.geometry(lock.joint), lock.coordinate, lock.value) for lock in choices.locks]
    return [_with_pivots(mechanism, model, choices) for model in models]


def _with_pivots(mechanism: Mechanism, model: ConstraintModel, choices: Choices) -> ConstraintModel:
    """The model with the weights by which its rows stand in for the inertia that a body lacks."""
    held = {label: body for label, body in model.bodies.items() if body and choices.pivots.get(body) == model.name}
    if not held:
        return model
    mass = max(mechanism.body(body).mass for body in held.values())
    size = choices.size(mechanism)
    weights = tuple(mass * size**2 if unit == "rad" else mass for unit in model.row_units)
    weight = Parameter(weights, "weight of the rows in the pivot of a body that lacks inertia", "kg, kg m²")
    return replace(model, pivots=tuple(held), parameters={**model.parameters, "weight": weight})


def law_models(system: MultibodySystem, taking: Collection[str] = ()) -> list[LawModel]:
    """Laws that keep their blocks: point springs, and those along joints that do not take them, once a joint."""
    shares = shares_by_joint(system.forces)
    own = [joint_laws(system.geometry(name), found) for name, found in shares.items() if name not in taking]
    own += [force for force in system.forces if isinstance(force, LawModel)]
    return [_weighed(law, system) for law in own]


def shares_by_joint(forces: Sequence) -> dict[str, list[ShareModel]]:
    """The springs, dampers and servos along every joint that has some."""
    found: dict[str, list[ShareModel]] = {}
    for force in forces:
        if isinstance(force, ShareModel):
            found.setdefault(force.joint, []).append(force)
    return found


def damped_laws(mechanism: Mechanism, forces: Sequence) -> Counter[str]:
    """How many damped coordinates act on every body: each of them counts an equal share of its mass."""
    found: Counter[str] = Counter()
    for name, shares in shares_by_joint(forces).items():
        joint = mechanism.joint(name)
        if any(share.damping for share in shares):
            for body in (joint.parent, joint.child):
                found[body] += coordinate_count(joint)
    for force in forces:
        if isinstance(force, LawModel):
            for body in filter(None, force.bodies.values()):
                found[body] += len(force.laws.damped)
    return found


def held_bodies(mechanism: Mechanism) -> Counter[str]:
    """How many joints, gears, drivers, contacts and point springs hold every body."""
    joints = {joint.name: (joint.parent, joint.child) for joint in mechanism.joints}
    found = Counter(body for pair in joints.values() for body in pair)
    for coupling in mechanism.couplings:
        found.update({body for name in coupling.joints for body in joints[name]})
    found.update(body for driver in mechanism.drivers for body in joints[driver.joint])
    springs = laws_between_points(mechanism.forces)
    found.update(body for pair in (*mechanism.contacts, *springs) for body in (pair.parent, pair.child))
    return found


def _weighed(model: Weighed, system: MultibodySystem):
    """The model with the share of every body that its damped coordinates count with, and whether something else holds
    its bodies."""
    if model.laws is None or not model.laws.damped:
        return model
    mechanism = system.mechanism
    counts, held = damped_laws(mechanism, system.forces), held_bodies(mechanism)
    bodies = [body for body in model.bodies.values() if body is not None]
    shares = Parameter(tuple(1.0 / counts[body] for body in bodies), "share of every body that its weights count with")
    loaded = any(held[body] > 1 for body in bodies)  # by more than what the laws are of
    joint = model.name if isinstance(model, ConstraintModel) else model.joint
    opposed = free_sides(mechanism, mechanism.joint(joint)) if loaded and joint and model.laws.elastic else ()
    laws = replace(model.laws, loaded=loaded, opposed=() if system.central else opposed, central=system.central)
    return replace(model, parameters={**model.parameters, SHARES: shares}, laws=laws)


def taking_laws(system: MultibodySystem, model: ConstraintModel, stopped: tuple[int, ...]) -> ConstraintModel:
    """The model of a joint that takes the laws along its coordinates. stopped: those of limits and dry friction."""
    shares = shares_by_joint(system.forces).get(model.name, [])
    return _weighed(with_laws(system.geometry(model.name), model, shares, stopped), system)


def linked(
    models: Sequence[ConstraintModel], laws: Sequence[LawModel], inequalities: Sequence = ()
) -> list[tuple[str, str]]:
    """Pairs of bodies with blocks of their own between them: rows of a pivot, springs, dampers, contacts, limits."""
    pairs = [tuple(m.bodies.values()) for m in models if m.pivots] + [tuple(law.bodies.values()) for law in laws]
    pairs += [tuple(model.bodies.values()) for model in inequalities]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def order_of(
    mechanism: Mechanism,
    models: Sequence[ConstraintModel],
    laws: Sequence[LawModel],
    inequalities: Sequence = (),
) -> tuple[Graph, EliminationOrder]:
    """The graph of the Newton matrix, and its elimination order."""
    constraints = [
        Constraint(m.name, m.rows, tuple(b for b in m.bodies.values() if b is not None), _ties_to_world(m), m.tree)
        for m in models
    ]
    graph = Graph.build([body.name for body in mechanism.bodies], constraints, linked(models, laws, inequalities))
    return graph, plan(graph)


def _ties_to_world(model: ConstraintModel) -> bool:
    """A user's own rows may change when all bodies move together, so they count as tied to the world."""
    return None in model.bodies.values() or (model.type in JOINTS and JOINTS[model.type].is_own)
