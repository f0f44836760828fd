"""Which formulation a mechanism is solved for where nobody says it: the one with fewer operations in an iteration.

Trees of joints with few loops take fewer in joint coordinates, and bodies that no joint holds fewer in maximal ones.
What is between is composed in both and counted: many loops, many bodies that float, joints that hold little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symvi.analysis.choices import Choices
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.contacts import contact_points
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import carrying_tree
from symvi.program.compose import Composer
from symvi.program.formulation import Formulation
from symvi.program.maximal import MaximalCoordinates
from symvi.program.near import MANY
from symvi.program.program import Program, work_of
from symvi.program.tree import TreeCoordinates
from symvi.program.tree_refusals import refusal
from symvi.registry import law_of


def program_of(
    system: MultibodySystem, choices: Choices, formulation: type[Formulation] | None, saving: bool = False
) -> Program:
    """The program of a mechanism. formulation: None for the one that takes fewer operations. saving: lean.py."""
    found = formulation or known_to_be_cheaper(system, choices)
    if found is not None:
        return Composer(system, choices, found, saving).program()
    both = [Composer(system, choices, kind).program() for kind in (TreeCoordinates, MaximalCoordinates)]
    program = min(both, key=work_of)
    if not saving:
        return program
    return Composer(system, choices, TreeCoordinates if program is both[0] else MaximalCoordinates, saving).program()


def known_to_be_cheaper(system: MultibodySystem, choices: Choices) -> type[Formulation] | None:
    """The formulation that takes fewer operations, within a few in a hundred, before any are counted; else None."""
    mechanism = system.mechanism
    if refusal(mechanism, choices):
        return MaximalCoordinates
    kinds = {step.joint.name: coordinate_kinds(step.joint.type) for step in carrying_tree(mechanism, choices)}
    carrying = {name for name, free in kinds.items() if len(free) < 6}
    # those that turn and slide along a plane leave so much free that it depends on their neighbours
    saving = sum(not _glides_and_turns(kinds[name]) for name in carrying)
    between: list[Any] = [force for force in mechanism.forces if (law := law_of(force)) and law.is_between_points]
    beside = len(mechanism.couplings) + sum(joint.name not in carrying for joint in mechanism.joints)
    beside += sum("world" not in (pair.parent, pair.child) for pair in (*mechanism.contacts, *between))
    if not carrying and len(contact_points(mechanism)) > MANY:
        return MaximalCoordinates  # far contacts are left out (near.py)
    if not carrying:
        return None if beside or mechanism.forces else MaximalCoordinates
    return TreeCoordinates if 2 * saving >= len(mechanism.bodies) >= 2 * beside else None


def _glides_and_turns(kinds: Sequence[str]) -> bool:
    return kinds.count("translation") > 1 and "rotation" in kinds
