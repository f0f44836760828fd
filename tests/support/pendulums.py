"""Pendulums and open chains of the papers' experiments.

Their convention: joint axes along x, links along their own z with the upper joint at +l/2 and the lower at -l/2. A link
turned about x by an angle of 0 hangs down, one of pi/2 points along +y. Angles here are those of links in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from symvi.mechanism import Body, Box, Cylinder, Joint, JointDamper, Mechanism
from symvi.mechanism.rotation import Quaternion4, about
from symvi.mechanism.shapes import Shape

__all__ = [
    "BOX", "ROD", "chain", "damped_pendulum", "double_pendulum_of_cubes", "link", "link_length", "pendulum", "turned",
]  # fmt: skip

X = (1.0, 0.0, 0.0)
BOX = Box(size=(0.1, 0.1, 1.0))
ROD = Cylinder(radius=0.05, length=1.0)


def turned(angle: float) -> Quaternion4:
    """The orientation of a link that is turned about x by an angle [rad]."""
    return about(X, angle)


def link_length(shape: Shape) -> float:
    """The length of a link [m]: its shape's along z."""
    return shape.size[2] if isinstance(shape, Box) else shape.length


def link(name: str, shape: Shape = BOX, mass: float = 1.0, angle: float = 0.0, **fields: object) -> Body:
    """One link, turned about x by an angle [rad]; its joints say where it is."""
    return Body(name=name, mass=mass, shape=shape, orientation=turned(angle), **fields)


def chain(
    count: int,
    joint: str = "revolute",
    shape: Shape = BOX,
    mass: float = 1.0,
    angle: float = pi / 4,
    angles: Sequence[float] | None = None,
    damping: float = 0.0,
) -> Mechanism:
    """An open chain of links, the first hanging on the origin of the world, let go at rest.

    BM20 Fig. 4c, 4d, 5a and 8, BSMH23 Fig. 8a (there with ROD): all links in one line at pi/4. joint: "revolute" about
    x or "spherical". angles: one per link instead of the same for all [rad]. damping: of every joint [N m s/rad].
    """
    angles = [angle] * count if angles is None else list(angles)
    half = link_length(shape) / 2
    bodies = [link(f"link{k + 1}", shape, mass, turn) for k, turn in enumerate(angles)]
    joints = [
        Joint(
            name=f"joint{k + 1}",
            type=joint,
            parent=f"link{k}" if k else "world",
            child=f"link{k + 1}",
            parent_anchor=(0, 0, -half) if k else (0, 0, 0),
            child_anchor=(0, 0, half),
            axis=X,
        )
        for k in range(count)
    ]
    dampers = [JointDamper(name=f"damper{k + 1}", joint=f"joint{k + 1}", damping=damping) for k in range(count)]
    return Mechanism(name=f"chain{count}", bodies=bodies, joints=joints, forces=dampers if damping else [])


def pendulum(angle: float = pi / 2, shape: Shape = BOX, mass: float = 1.0, damping: float = 0.0) -> Mechanism:
    """One link on a hinge; with the defaults that of the reference numbers 3.9."""
    return chain(1, shape=shape, mass=mass, angle=angle, damping=damping).changed(name="pendulum")


def damped_pendulum() -> Mechanism:
    """BSMH23 Fig. 7c: a box of 1 m on a hinge with a damper of 0.5 N m s/rad, let go at pi/2; steps of 0.05 s, 10 s."""
    return pendulum(damping=0.5).changed(name="damped_pendulum")


def double_pendulum_of_cubes() -> Mechanism:
    """BM20 Fig. 4a, BSMH23 Fig. 7b: two cubes of 0.1 m and 1 kg, 1 m below their joints; almost point masses.

    The second one hangs on the centre of the first. Angles pi/2 and 0: the first level, the second straight down.
    """
    cube = Box(size=(0.1, 0.1, 0.1))
    bodies = [link("upper", cube, angle=pi / 2), link("lower", cube, angle=0.0)]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", child_anchor=(0, 0, 1), axis=X),
        Joint(name="elbow", type="revolute", parent="upper", child="lower", child_anchor=(0, 0, 1), axis=X),
    ]
    return Mechanism(name="double_pendulum_of_cubes", bodies=bodies, joints=joints)
