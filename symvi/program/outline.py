"""What decides a program, and the numbers in it, told of a mechanism without composing it.

Kernels and schedule follow from the models of a mechanism but for their numbers, from the rows that were chosen, and
from its trees. Two mechanisms with one outline, whose numbers are exact zeros and ones in the same places,
have one program but for its parameters: one text, with other defaults.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symvi.analysis.choices import Choices, law_models, models_of, shares_by_joint, taking_laws
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.joint_placing import leaders, placing_model, placing_tree
from symvi.mechanism import Mechanism
from symvi.numbers.complementarity_scale import effective_masses, pull, total_mass, touching
from symvi.numbers.derived_parameters import merit_inertia
from symvi.physics.model import SHARES, Modelled
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import carrying_tree
from symvi.program.draft import shape_of
from symvi.program.problem import Problem
from symvi.registry import JOINTS

Values = tuple[float, ...]
Elements = dict[str, dict[str, Values | None]]


@dataclass(frozen=True)
class Outline:
    """Everything that decides the kernels and the schedule of a program but exact numbers among its parameters.

    models: name, bodies and shape of each. choices: rows kept and dropped, locks, pivots. tree: the joints by which
    bodies are placed, those that carry them where rates of joints are solved for, and gears that lead others. The order
    in which bodies are placed is left out: it changes the order of a text, and no number.
    """

    models: tuple
    choices: tuple
    tree: tuple


def outline_of(system: MultibodySystem, choices: Choices) -> Outline:
    """The outline of a mechanism, by its models and what was chosen of their rows."""
    mechanism = system.mechanism
    steps, carrying = placing_tree(mechanism), carrying_tree(mechanism, choices)
    return Outline(
        tuple(
            (model.name, tuple(model.bodies.items()), tuple(getattr(model, "pivots", ())), shape_of(model))
            for model in _models(system, choices)
        ),
        (
            tuple(sorted(choices.kept.items())),
            tuple(sorted(choices.dropped.items())),
            tuple((lock.joint, lock.coordinate) for lock in choices.locks),
            tuple(sorted(choices.pivots.items())),
        ),
        (
            frozenset((step.joint.name, step.to_child) for step in steps),
            frozenset((step.joint.name, step.to_child) for step in carrying),
            tuple(leaders(mechanism, {step.joint.name for step in steps})),
        ),
    )


def _models(system: MultibodySystem, choices: Choices) -> Iterator[Modelled]:
    """Every model whose numbers a program may hold, some of them in several forms."""
    yield from system.in_joint_axes
    yield from models_of(system)
    yield from models_of(system, choices)
    yield from law_models(system)
    yield from system.forces
    yield from system.inequalities
    for joint in system.mechanism.joints:
        if JOINTS[joint.type].tree:
            yield placing_model(system.geometry(joint.name))
    stopped = {law.joint for law in system.inequalities if getattr(law, "along", ())}
    for name in sorted({*shares_by_joint(system.forces), *stopped}):
        if system.joint(name).rows:
            yield taking_laws(system, system.joint(name), ())


def numbers_of(system: MultibodySystem, choices: Choices) -> Elements:
    """Element -> field -> numbers, as a program in double has them; None where two models of one name differ.

    The element "common" is what all share; bodies stand under `of_body(name)`.
    """
    found: Elements = {}
    for model in _models(system, choices):
        own = found.setdefault(model.name, {})
        for field, parameter in model.parameters.items():
            own[field] = parameter.values if own.get(field, parameter.values) == parameter.values else None
    for joint in system.mechanism.joints:
        geometry = system.geometry(joint.name)
        geometry.axis_on_child()
        found.setdefault(joint.name, {}).update({name: own.values for name, own in geometry.parameters.items()})
    for law in law_models(system):  # a joint that takes the laws along it has their shares
        if law.joint and SHARES in law.parameters:
            found.setdefault(law.joint, {})[SHARES] = law.parameters[SHARES].values
    for name, guards in choices.guards.items():
        found.setdefault(name, {})["guard"] = tuple(guards)
    problem = Problem(system, choices)
    _add_bodies(found, problem)
    _add_units(found, system.mechanism)
    found[COMMON]["limit"] = (choices.notes.get("limit", 1e-9),)
    found[COMMON]["extent"] = (problem.size,)
    return found


def _add_bodies(found: Elements, problem: Problem) -> None:
    for body in problem.mechanism.bodies:
        size = merit_inertia(body.mass, body.inertia, problem.radius(body.name) ** 2)
        found[of_body(body.name)] = {"mass": (body.mass,), "inertia": tuple(body.inertia), "size": (size,)}


def _add_units(found: Elements, mechanism: Mechanism) -> None:
    """What complementarity is measured by."""
    masses = [body.mass for body in mechanism.bodies]
    mass, acceleration = total_mass(masses), pull(mechanism.gravity)
    found[COMMON] = {"gravity": tuple(mechanism.gravity), "mass": (mass,), "acceleration": (acceleration,), "h": (0.0,)}
    for name, unit in effective_masses(touching(mechanism), masses).items():
        found.setdefault(name, {}).update({field: (value,) for field, value in unit._asdict().items()})


def of_body(name: str) -> str:
    """The element that a body is among the numbers: a joint may have its name."""
    return f"{BODY} {name}"
