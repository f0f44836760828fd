"""What joint coordinates do not solve, by name: then the motion is solved for in maximal coordinates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.mechanism import Joint, Mechanism, coordinate_kinds
from symvi.mechanism.tree_walk import Step
from symvi.program.carrying_tree import can_carry, carrying_tree
from symvi.registry import FORCES, inequalities_of


def refusal(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> str | None:
    """Why the motion of a mechanism is not solved for in joint coordinates; None where it can be."""
    steps = carrying_tree(mechanism, choices)
    # what acts there pushes at a point of the body below, where the sweep sums up about one of the body that is carried
    aside = {step.joint.name for step in steps if not step.to_child and _slides_alone(step.joint)}
    found = chain(
        _at_closing_joints(mechanism, {step.joint.name for step in steps}),
        _at_joints(steps, choices),
        _at_contacts(mechanism),
        _at_forces(mechanism, choices, aside),
        _at_limits(mechanism, aside),
    )
    return next(found, None)


def _at_closing_joints(mechanism: Mechanism, placed: Collection[str]) -> Iterator[str]:
    """Sent through bodies and back, such a law would lose its last digits."""
    for law in (*inequalities_of(mechanism.forces), *mechanism.limits):
        along = getattr(law, "joint", None)
        if along and along not in placed:
            yield f"'{law.name}' acts on joint '{along}', which closes a loop"


def _at_joints(steps: Sequence[Step], choices: Choices) -> Iterator[str]:
    for joint, _ in steps:
        if not can_carry(joint):
            yield f"joint '{joint.name}' is of type {joint.type}"
    for step in steps:
        if _turns_nothing(step, choices):
            yield (
                f"body '{step.target}' opposes no turn of its own about joint '{step.joint.name}': "
                "it is a point or a line of mass"
            )
    placed = {step.joint.name for step in steps}
    for body, holder in choices.pivots.items():
        if holder not in placed:  # a sweep meets the body first, and divides by what opposes its turn: nothing
            yield f"body '{body}' opposes no turn of its own, and joint '{holder}', which holds it, closes a loop"


def _at_contacts(mechanism: Mechanism) -> Iterator[str]:
    for contact in mechanism.contacts:
        if "world" not in (contact.parent, contact.child) and contact.cone == "linear":
            yield f"contact '{contact.name}' is between two bodies, and its cone is linear"


def _at_forces(mechanism: Mechanism, choices: Choices, aside: Collection[str]) -> Iterator[str]:
    for force in mechanism.forces:
        along, record = getattr(force, "joint", None), FORCES[force.kind]
        if not along or not (record.law(force) or record.is_inequality):
            continue  # what acts at the knots is a force on bodies, whatever it acts along
        if choices.kept.get(along) == ():
            yield f"'{force.name}' acts on joint '{along}', all of whose rows others imply"
        if along in aside:
            yield f"'{force.name}' acts on joint '{along}', which slides along axes of the body that it carries"
        if _is_free(mechanism, along):
            yield f"'{force.name}' acts on joint '{along}', which holds nothing"


def _at_limits(mechanism: Mechanism, aside: Collection[str]) -> Iterator[str]:
    for limit in mechanism.limits:
        if limit.joint in aside:
            yield f"limit '{limit.name}' acts on joint '{limit.joint}', which slides along axes of the body it carries"
        if _is_free(mechanism, limit.joint):
            yield f"limit '{limit.name}' acts on joint '{limit.joint}', which holds nothing"


def _turns_nothing(step: Step, choices: Choices) -> bool:
    """Whether a body lacks inertia about some axis, and its joint's rows leave a turn about it free.

    What is open along a coordinate is weighed by what the body alone opposes there.
    """
    turns = coordinate_kinds(step.joint.type).count("rotation")
    return turns in (1, 2) and choices.pivots.get(step.target, step.joint.name) != step.joint.name


def _slides_alone(joint: Joint) -> bool:
    kinds = coordinate_kinds(joint.type)
    return len(kinds) > 1 and set(kinds) == {"translation"}


def _is_free(mechanism: Mechanism, joint: str) -> bool:
    return len(coordinate_kinds(mechanism.joint(joint).type)) == 6
