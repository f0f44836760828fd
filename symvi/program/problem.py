"""What a program is composed for: a mechanism, what the analysis of its loops chose, and models of all that acts."""

from __future__ import annotations

from functools import cached_property
from typing import TypeGuard

from symvi.analysis.choices import Choices
from symvi.numbers.control import SMALLEST_RADIUS
from symvi.physics.joints.custom import uses_c_library
from symvi.physics.model import DryFrictionModel, LawModel, LimitModel, ShareModel
from symvi.physics.multibody import MultibodySystem
from symvi.registry import FORCES


class Problem:
    """A mechanism with the models of its forces, contacts, limits and dry friction, whatever it is solved for.

    forces: at the knots and along coordinates. inequalities: contacts, limits, dry friction, in this order.
    saving: whether little memory counts more than time, and readings of a motion do not count (lean.py).
    """

    def __init__(self, system: MultibodySystem, choices: Choices, saving: bool = False):
        self.system, self.mechanism, self.choices, self.saving = system, system.mechanism, choices, saving
        self.forces, self.inequalities = system.forces, system.inequalities

    @cached_property
    def is_held(self) -> bool:
        """Whether contacts, limits or dry friction may hold bodies still under laws between the knots."""
        return bool(self.inequalities) and any(isinstance(force, LawModel | ShareModel) for force in self.forces)

    @property
    def size(self) -> float:
        """The size of the mechanism [m] that distances of its contacts are compared with."""
        return self.choices.size(self.mechanism)

    def radius(self, body: str) -> float:
        """At what radius [m] the mass of a body counts at least in its residual: in a pivot, at that of the whole."""
        return self.size if body in self.choices.pivots else SMALLEST_RADIUS

    def uses_c_library(self) -> bool:
        """Whether a user's expression has a function whose bits depend on the C library."""
        texts = [text for joint in self.mechanism.joints for text in joint.expressions]
        texts += [text for force in self.mechanism.forces for text in FORCES[force.kind].expressions(force)]
        texts += [contact.expression for contact in self.mechanism.contacts if contact.expression]
        return uses_c_library(tuple(texts))


def acts_along(law: object) -> TypeGuard[ShareModel | LimitModel | DryFrictionModel]:
    """Whether a law acts along the free coordinates of a joint, which the joint can take."""
    return bool(getattr(law, "along", ()))
