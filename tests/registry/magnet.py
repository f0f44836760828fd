"""A force from outside: two magnets at a distance d attract each other, V = -strength/d, at the knots.

One record in one file is all that it takes; its energy is a formula of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from symvi import ForceKind
from symvi.mechanism.checks import pair_complaints
from symvi.mechanism.forces import Force
from symvi.mechanism.names import WORLD
from symvi.mechanism.values import Positive, Text, Vector, field
from symvi.numbers.settings import anchors, plain
from symvi.physics.constraint import function_of_bodies
from symvi.physics.force_models import point_geometry
from symvi.physics.joints.rows import ANCHORS
from symvi.physics.model import ForceModel, Group, Parameter


class Magnet(Force):
    """Two points that attract each other, V = -strength/d."""

    label: ClassVar[str] = "force"
    kind: Literal["magnet"] = "magnet"
    parent: Text = field(WORLD, "the body, or world, of the first point")
    child: Text = field(..., "the body of the second point")
    parent_anchor: Vector = field((0.0, 0.0, 0.0), "first point in the parent's body frame", "m")
    child_anchor: Vector = field((0.0, 0.0, 0.0), "second point in the child's body frame", "m")
    strength: Positive = field(..., "energy at a distance of 1 m", "N m^2")

    def complaints(self) -> Iterator:
        return pair_complaints(self.parent, self.child)


@function_of_bodies("g = -1/|x_b + r_b - x_a - r_a|", "derived here", ANCHORS, 1, "1/m")
def closeness(x_a, r_a, x_b, r_b, let):
    import sympy as sp

    from symvi.physics import algebra

    u = let("u", x_b + r_b - x_a - r_a)
    return [-1 / let("d", [sp.sqrt(algebra.dot(u, u))])[0]]


def model(system: Any, force: Any) -> ForceModel:
    """-1/d times the strength is the energy."""
    geometry = point_geometry(system.mechanism, force)
    groups = (Group(closeness, geometry.anchors(), (0,), (0,)),)
    numbers = {"strength": Parameter((force.strength,), "energy at a distance of 1 m", "N m²")}
    parameters = {**geometry.used(groups), **numbers}
    return ForceModel(
        force.name, force.kind, geometry.bodies, groups, parameters, 1, ("energy",), ("J",), energy="strength"
    )


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Its strength and both points."""
    yield from plain(force, "strength")
    yield from anchors(mechanism, force)


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """The same from both points."""
    from symvi.naive.force_energies import NaiveForce
    from symvi.naive.quaternion import add, dot, rotate, subtract

    def energy(a: Any, b: Any) -> Any:
        ends = [add(x, rotate(q, numbers[name])) for (x, q), name in ((a, "anchor_a"), (b, "anchor_b"))]
        u = subtract(*ends)
        return -numbers["strength"][0] / scene.functions.sqrt(dot(u, u))

    return NaiveForce((force.parent, force.child), energy=energy, at_knots=True)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.proofs.numbers import from_center

    return {
        "anchor_a": from_center(mechanism, force.parent, force.parent_anchor, numbers),
        "anchor_b": from_center(mechanism, force.child, force.child_anchor, numbers),
        "strength": [numbers.single(force.strength)],
    }


def examples(parent: str, child: str) -> Iterator[Magnet]:
    """With the world, and between two bodies."""
    yield Magnet(name="pole", child=parent, parent_anchor=(1, 2, 0.5), child_anchor=(0.2, 0, 0.1), strength=3.0)
    yield Magnet(name="pair", parent=parent, child=child, parent_anchor=(0, 0.3, 0), child_anchor=(1, 0, 2), strength=2)


MAGNET = ForceKind(
    "magnet",
    lambda: Magnet,
    model,
    numbers,
    naive,
    record,
    pulls_at_knots=lambda force: True,
    span=("spring", 0.02),
    examples=examples,
)
