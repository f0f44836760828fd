"""What symvi and its peers simulate: chains and loops of one link, a box of 0.1 x 0.1 x 1 m and 1 kg.

All bodies have their frames at their centres of mass, and all frames are parallel while every coordinate is zero: links
hang down. So a description can be handed to any code: a joint's place is its anchors, its coordinate a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sin

from symvi.mechanism import Body, Box, Joint, Mechanism

GRAVITY = 9.81
OBLIQUE = ((0.96, 0.28, 0.0), (0.0, 0.8, 0.6), (0.48, 0.6, 0.64))  # unit axes, no two of them parallel
TOP, BOTTOM = (0.0, 0.0, 0.5), (0.0, 0.0, -0.5)
MASS, INERTIA = 1.0, (1.01 / 12, 1.01 / 12, 0.02 / 12)  # of the box [kg, kg m²]


@dataclass(frozen=True)
class Chain:
    """Links that hang on one another from the origin; `angles` are the joints' coordinates [rad].

    kind: "revolute" (about x), "oblique" (hinges about three axes in turn), or "spherical" (each turned about one axis
    at the start: the first about x, all others about y). end: where the last link's lower end is pinned, or None.
    """

    kind: str
    angles: tuple[float, ...]
    end: tuple[float, float, float] | None = None

    def axis(self, joint: int) -> tuple[float, float, float]:
        """About which a joint's coordinate turns."""
        if self.kind == "oblique":
            return OBLIQUE[joint % 3]
        return (0.0, 1.0, 0.0) if self.kind == "spherical" and joint else (1.0, 0.0, 0.0)

    def anchor(self, joint: int) -> tuple[float, float, float]:
        """Where a joint sits on the body before it, or in the world."""
        return BOTTOM if joint else (0.0, 0.0, 0.0)

    @property
    def scale(self) -> float:
        """The difference in energy between the chain straight up and straight down [J]."""
        return sum(2 * MASS * GRAVITY * (k + 0.5) for k in range(len(self.angles)))

    def mechanism(self) -> Mechanism:
        """The chain as symvi takes it."""
        count = len(self.angles)
        names = ["world", *(f"link{k}" for k in range(count))]
        bodies = [Body(name=name, mass=MASS, shape=Box(size=(0.1, 0.1, 1.0))) for name in names[1:]]
        joints = [
            Joint(
                name=f"joint{k}", type="spherical" if self.kind == "spherical" else "revolute", parent=names[k],
                child=names[k + 1], parent_anchor=self.anchor(k), child_anchor=TOP,
                axis=self.axis(k) if self.kind == "oblique" else (1.0, 0.0, 0.0), coordinate=self._coordinate(k),
            )
            for k in range(count)
        ]  # fmt: skip
        if self.end:
            pin = {"parent_anchor": self.end, "child_anchor": BOTTOM, "axis": (1.0, 0.0, 0.0)}
            joints.append(Joint(name="end", type=self.kind, parent="world", child=names[-1], **pin))
        return Mechanism(name=f"{self.kind}{count}", bodies=bodies, joints=joints, gravity=(0.0, 0.0, -GRAVITY))

    def _coordinate(self, joint: int) -> float | tuple[float, ...]:
        angle = self.angles[joint]
        return angle if self.kind != "spherical" else tuple(angle * component for component in self.axis(joint))


def open_chain(kind: str, count: int) -> Chain:
    """The first link is lifted by 45 degrees; the others are in line, or, spherical, turned to and fro by 0.02."""
    rest = [0.02 * (-1) ** k if kind == "spherical" else 0.0 for k in range(count - 1)]
    return Chain(kind, (pi / 4, *rest))


def closed_chain(count: int) -> Chain:
    """Hinged at both ends, the end half its length below the origin: links along an arc that bulges sideways."""
    low, high = 1e-9, 2 * pi / count - 1e-9  # turn from link to link
    for _ in range(200):
        turn = 0.5 * (low + high)
        low, high = (turn, high) if sin(count * turn / 2) / sin(turn / 2) > 0.5 * count else (low, turn)
    return Chain("revolute", ((count - 1) * turn / 2, *[-turn] * (count - 1)), (0.0, 0.0, -0.5 * count))
