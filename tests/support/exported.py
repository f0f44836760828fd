"""Mechanisms that stand for what people export: the reference ones, a box on the ground, a robot arm, a quadruped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from symvi.demos import demo_file
from symvi.mechanism import Actuator, Body, Box, Joint, JointDamper, Mechanism
from tests.support.contact_scenes import corners

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1))
LENGTHS = (0.3, 0.5, 0.1, 0.4, 0.1, 0.1)  # m
MASSES = (8.0, 6.0, 3.0, 3.0, 1.0, 0.5)  # kg
BENT = (0.2, 0.6, 0.9, 0.1, -0.4, 0.3)  # rad


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


def box() -> Mechanism:
    """A box that falls onto its lower corners."""
    body = Body(name="box", mass=1.0, shape=Box(size=(0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.25))
    return Mechanism(name="box", bodies=[body], contacts=corners("corner", "box", half=0.2, friction=0.5))


def six_axis_arm() -> Mechanism:
    """Six links in series, each turned by a motor against some friction of its gears."""
    parts = list(zip(AXES, LENGTHS, MASSES, BENT, strict=True))
    bodies = [
        Body(name=f"link{k}", mass=mass, shape=Box(size=(0.08, 0.1, length)))
        for k, (_, length, mass, _) in enumerate(parts, 1)
    ]
    joints = [
        Joint(name=f"axis{k}", type="revolute", parent="world" if k == 1 else f"link{k - 1}", child=f"link{k}",
              parent_anchor=(0.0, 0.0, 0.0 if k == 1 else LENGTHS[k - 2] / 2), child_anchor=(0.0, 0.0, -length / 2),
              axis=axis, coordinate=angle)
        for k, (axis, length, _, angle) in enumerate(parts, 1)
    ]  # fmt: skip
    forces = [Actuator(name=f"motor{k}", joint=f"axis{k}") for k in range(1, 7)]
    dampers = [JointDamper(name=f"gear{k}", joint=f"axis{k}", damping=0.5) for k in range(1, 7)]
    return Mechanism(name="six_axis_arm", bodies=bodies, joints=joints, forces=[*forces, *dampers])


def quadruped() -> Mechanism:
    """The walking robot of the examples, on its feet."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))
    from _quadruped import quadruped as robot

    return robot()


EXPORTED: dict[str, Callable[[], Mechanism]] = {
    "pendulum": lambda: demo("pendulum"),
    "double_pendulum": lambda: demo("double_pendulum"),
    "four_bar": lambda: demo("four_bar"),
    "box": box,
    "six_axis_arm": six_axis_arm,
    "quadruped": quadruped,
}
