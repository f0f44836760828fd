"""What a mechanism's motion is solved for, and how: what composing a program asks a formulation, and nothing else.

Maximal coordinates (maximal.py) are one, and what `compose` takes unless it is handed another one: unknowns are the
velocities of all bodies and the impulses of all joints. Joint coordinates are another one, with the same discrete
Lagrangian, by sweeps over the tree. A formulation is a file or a room of its own.

What stays the same in all of them, and what a formulation must therefore give:

    bodies      a record per body, of type BODY, with the position x, the quaternion q, velocities v, w and momenta p, l
                in its state, a residual `f` and an increment `s` of 6 numbers in its work. Forces, laws, contacts and
                limits read there where bodies are, add impulses to `f` and slopes to the block `d`.
    joints      a record per joint, gear, driver and lock that has rows; laws of joints that take them add to these.
    phases      those of phases.py, each of which leaves behind what its comment says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from symvi.analysis.joint_sides import Edge
from symvi.kernels.constraint import ConstraintKernels, Damping
from symvi.physics.model import ConstraintModel, ContactModel, LawModel
from symvi.program.draft import Draft
from symvi.program.problem import Problem
from symvi.program.program import Call, Node, OrderNotes

SINGULAR = "1 where the last step began in a singular position, else 0"
# What control reads of the records of bodies, beside increments `s` of what is solved for (program.solved_kinds), by
# template of templates/c (the reference back end does it in the same words): any formulation keeps these fields. All
# other templates of a step run phases, and know of no body. `queries` and `asked` belong to what a model is asked, and
# `update_parameters` writes what parameters of bodies follow from others: none of these is part of a step.
READ_BY_CONTROL = {
    "account": ("seen", "v", "w"),
    "bends": ("f", "held", "l", "v", "w"),  # held: in place of f where joints carry bodies, among contacts
    "branch": ("turn", "v", "w"),
    "chart": ("q",),
    "complementarity": ("v", "w"),
    "init": ("w",),
    "interior": ("e", "l", "p", "v", "w"),
    "lean": ("l", "v"),
    "looks": ("q",),
    "measures": ("e", "f", "rest", "turn"),  # rest: in place of f where a residual goes through chords
    "observe": ("q", "v", "w", "x"),
    "slopes": ("v", "w"),
    "starts": ("v", "w"),
    "step": ("q",),
}
# What control sets there itself. `starts` hands velocities on, `account` reads a knot with those of the step after it;
# `branch` begins steps at velocities that it chose, and so is the one template that takes them for unknowns.
SET_BY_CONTROL = {
    "account": ("seen", "v", "w"),
    "branch": ("turn", "v", "w"),
    "starts": ("v", "w"),
}


class Joined(NamedTuple):
    """A constraint in a program: its record, its kernels, and its model with the laws that it takes."""

    node: Node
    kernels: ConstraintKernels
    model: ConstraintModel


class Formulation(Protocol):
    """One way to solve a step. It is made of a draft and a problem, and asked in the order of its methods.

    laws: those along coordinates that no joint takes, which keep blocks of their own. joints: constraints by name.
    borders: whether laws between two bodies are handed to it by `tie`, in place of blocks between these.
    sizes: unknowns of each node, by node type; their residuals are `f`. sides: sums over what hangs on a joint, where
    its springs must know what may oppose them (opposing_sides.py).
    """

    borders: bool

    def __init__(self, draft: Draft, problem: Problem): ...
    @property
    def laws(self) -> Sequence[LawModel]: ...
    @property
    def joints(self) -> Mapping[str, Joined]: ...
    @property
    def sizes(self) -> Mapping[str, int]: ...
    @property
    def sides(self) -> Mapping[Edge, Node]: ...

    # --- its own nodes, before anything acts on them ------------------------------------------------------------------
    def unknowns(self) -> None:
        """Make the records of bodies and joints, trace their kernels, and schedule what is known before a step."""

    def residual(self) -> None:
        """Schedule where the iteration begins, and what bodies and joints leave of their equations."""

    def matrix(self) -> None:
        """Schedule the blocks of the Newton matrix that bodies and joints have themselves."""

    def landing(self) -> None:
        """Schedule what becomes of a solution: take an increment, hand the state on, read knots, start, project."""

    # --- asked by what acts on bodies and joints ----------------------------------------------------------------------
    def is_taken(self, law) -> bool:
        """Whether a law along coordinates leaves its blocks to its joint."""
        ...

    def role(self, model) -> tuple[str, ...]:
        """What tells kernels of one kind of model apart here, beyond its formulas."""
        ...

    def link(self, model) -> Node:
        """The record with the blocks between the two bodies of a model."""
        ...

    def is_backwards(self, model) -> bool:
        """Whether that record was made for these bodies the other way round."""
        ...

    def is_near(self, model) -> bool:
        """Whether a contact is looked at only where bodies are near (near.py)."""
        ...

    def tie(self, node: Node, model: LawModel | ContactModel, damping: Damping) -> Node:
        """Take the slopes of laws between two bodies; returns the record of their rows.

        node: the record in which their gradients lie.
        """
        ...

    # --- once all has acted -------------------------------------------------------------------------------------------
    def elimination(self) -> None:
        """Schedule eliminate, substitute and, with inequalities, resolve: the increment from residual and matrix."""

    def simplified(self, phases: Mapping[str, Sequence[Call]]) -> Mapping[str, Sequence[Call]]:
        """The calls of all phases, once all of them are scheduled, as they are to be made."""
        ...

    def notes(self) -> OrderNotes:
        """What a reader is told of the order: "order" and "fill" by names, and "loops"."""
        ...
