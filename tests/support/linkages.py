"""Closed linkages by points and axes of their hinges: four-bars in and out of true, Bennett, toggles, rows of bars."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, asin, atan, cos, pi, sin, tan

import numpy as np

from symvi.mechanism import Body, Coupling, Joint, Mechanism
from symvi.mechanism.rotation import about

__all__ = ["bar_row", "bennett", "change_point", "four_bar", "geared_cranks", "polygon", "skew_polygon", "toggle"]

X = (1.0, 0.0, 0.0)
FOUR_BAR = ((0.0, 0.0, 0.0), (0.0, 0.2, 0.9), (0.0, 1.3, 1.1), (0.0, 1.0, 0.0))
SKEW = ((0.0, 0.0, 0.0), (0.2, 0.3, 0.9), (0.1, 1.3, 1.1), (0.0, 1.0, 0.0))
INERTIA = (0.02, 0.03, 0.04)


def polygon(
    name: str,
    points: Sequence,
    axes: Sequence,
    types: Sequence[str] | None = None,
    misfit: float = 0.0,
    gap: Sequence = (0, 0, 0),
) -> Mechanism:
    """Bodies of 1 kg between hinges A, B, C, ... at points and about axes of the world, the first and last grounded.

    Everything fits at the start, but for two errors of the last hinge: its ground frame is turned by `misfit` about y
    [rad], and shifted by `gap` [m].
    """
    points = [np.array(point, float) for point in points]
    count = len(points) - 1
    middles = [(points[k] + points[k + 1]) / 2 for k in range(count)]
    bodies = [Body(name=f"link{k + 1}", mass=1.0, inertia=INERTIA, position=tuple(m)) for k, m in enumerate(middles)]
    joints = []
    for k, (point, axis) in enumerate(zip(points, axes, strict=True)):
        last = k == count
        parent, child = (-1, count - 1) if last else (k - 1, k)
        joints.append(
            Joint(
                name="ABCDEFGH"[k],
                type="revolute" if types is None else types[k],
                axis=tuple(axis),
                child=f"link{child + 1}",
                parent="world" if parent < 0 else f"link{parent + 1}",
                parent_anchor=tuple(
                    point + (np.array(gap) if last else 0.0) - (0.0 if parent < 0 else middles[parent])
                ),
                child_anchor=tuple(point - middles[child]),
                orientation=about((0.0, 1.0, 0.0), misfit) if last else (1.0, 0.0, 0.0, 0.0),
            )
        )
    return Mechanism(name=name, bodies=bodies, joints=joints)


def four_bar(tilt: float = 0.0, **errors: object) -> Mechanism:
    """A planar four-bar. tilt: the axis of D is off by this [rad] on both sides, so that D fits at the start only."""
    return polygon("four_bar", FOUR_BAR, [X, X, X, (cos(tilt), sin(tilt), 0.0)], **errors)


def change_point(crank: float = 0.2, coupler: float = 0.6, rocker: float = 0.5, turn: float = 0.3) -> Mechanism:
    """A four-bar whose crank and frame are together as long as coupler and rocker: once a turn all lie in one line.

    Nothing is alike in it. turn: of the crank from upright about x [rad].
    """
    frame = coupler + rocker - crank
    pin = crank * np.array([-sin(turn), cos(turn)])
    along = np.array([frame, 0.0]) - pin
    reach = np.hypot(*along)
    lean = acos((coupler**2 + reach**2 - rocker**2) / (2 * coupler * reach))
    top = pin + coupler / reach * (cos(lean) * along + sin(lean) * np.array([-along[1], along[0]]))
    return polygon("change_point", [(0, 0, 0), (0, *pin), (0, *top), (0, frame, 0)], [X] * 4)


def skew_polygon(closing: str) -> Mechanism:
    """A spatial quadrilateral of ball joints; closing: the type of D."""
    return polygon("skew", SKEW, [(0.0, 0.0, 1.0)] * 4, ["spherical"] * 3 + [closing])


def bennett(long: float = 1.0, short: float = 0.7, twist: float = 0.6, angle: float = 1.0) -> Mechanism:
    """Bennett's linkage: four hinges in space that move where seven are needed; sin(twist)/length is constant."""
    other = asin(short * sin(twist) / long)
    follower = 2 * atan(sin((other + twist) / 2) / sin((other - twist) / 2) / tan(angle / 2))
    placed, points, axes = np.eye(4), [], []
    turns = (angle, follower, 2 * pi - angle, 2 * pi - follower)
    for turn, length, skew in zip(turns, (long, short) * 2, (twist, other) * 2, strict=True):
        points.append(placed[:3, 3])
        axes.append(placed[:3, 2])
        placed = placed @ _screw(turn, length, skew)
    assert np.abs(placed - np.eye(4)).max() < 1e-14
    return polygon("bennett", points, axes)


def _screw(turn: float, length: float, skew: float) -> np.ndarray:
    """Denavit and Hartenberg's step from one hinge to the next."""
    c, s, k, m = cos(turn), sin(turn), cos(skew), sin(skew)
    return np.array([[c, -s * k, s * m, length * c], [s, c * k, -c * m, length * s], [0, m, k, 0], [0, 0, 0, 1]])


def toggle(gap: float = 0.0) -> Mechanism:
    """Two links of 1 m stretched between pivots 2 m (and the gap) apart."""
    return polygon("toggle", [(0, 0, 0), (0, 1, 0), (0, 2, 0)], [X] * 3, gap=(0, gap, 0))


def bar_row(windows: int, rate: float) -> Mechanism:
    """Equal rods on pivots in a row, joined by couplers of 1 m, all exactly in one line: a singular position.

    rate: at which the rods turn about x [rad/s].
    """
    bodies, joints = [], []
    lying = about(X, -pi / 2)  # z along +y; the products below stay exact
    lying = (lying[0], -lying[0], 0.0, 0.0)
    for k in range(windows + 1):
        bodies.append(
            Body(
                name=f"rod{k}",
                mass=1.0,
                inertia=(1 / 12, 1 / 12, 0.01),
                position=(0, k + 0.5, 0),
                orientation=lying,
                velocity=(0, 0, 0.5 * rate),
                angular_velocity=(rate, 0, 0),
            )
        )
        joints.append(
            Joint(
                name=f"P{k}",
                type="revolute",
                child=f"rod{k}",
                parent_anchor=(0, k, 0),
                child_anchor=(0, 0, -0.5),
                axis=X,
            )
        )
    for k in range(1, windows + 1):
        bodies.append(
            Body(
                name=f"bar{k}",
                mass=1.0,
                inertia=(1 / 12, 1 / 12, 0.01),
                position=(0, k + 0.5, 0),
                orientation=lying,
                velocity=(0, 0, rate),
            )
        )
        joints.append(
            Joint(
                name=f"L{k}",
                type="revolute",
                parent=f"rod{k - 1}",
                child=f"bar{k}",
                parent_anchor=(0, 0, 0.5),
                child_anchor=(0, 0, -0.5),
                axis=X,
            )
        )
        joints.append(
            Joint(
                name=f"R{k}",
                type="revolute",
                parent=f"bar{k}",
                child=f"rod{k}",
                parent_anchor=(0, 0, 0.5),
                child_anchor=(0, 0, 0.5),
                axis=X,
            )
        )
    return Mechanism(name=f"bar_row{windows}", bodies=bodies, joints=joints)


def geared_cranks(ratio: float = 1.0) -> Mechanism:
    """Two cranks of a parallelogram, turning at 5 rad/s, and a gear between them that says the same."""
    points = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.0, 1.0, 0.5), (0.0, 1.0, 0.0)]
    base = polygon("geared", points, [X] * 4)
    speeds = {"link1": ((0, -1.25, 0), 5.0), "link2": ((0, -2.5, 0), 0.0), "link3": ((0, -1.25, 0), 5.0)}
    bodies = [b.changed(velocity=speeds[b.name][0], angular_velocity=(speeds[b.name][1], 0, 0)) for b in base.bodies]
    gear = Coupling(name="gear", joints=("A", "D"), ratio=ratio)
    return base.changed(bodies=bodies, couplings=[gear], gravity=(0.0, 0.0, 0.0))
