"""Closed loops of the papers' experiments, in the convention of pendulums.py."""

from __future__ import annotations

from collections.abc import Sequence
from math import asin, atan2, cos, pi, sin, sqrt

from symvi.mechanism import Body, Box, Driver, Joint, Mechanism, Rod
from tests.support.pendulums import X, link

__all__ = [
    "closed_chain", "double_four_bar", "four_bar", "four_bar_chain", "hinge", "scissor_lift", "three_link_loop",
]  # fmt: skip

Point = tuple[float, float, float]
UP, DOWN, ORIGIN = (0.0, 0.0, 0.5), (0.0, 0.0, -0.5), (0.0, 0.0, 0.0)  # joints of a link of 1 m, and of the world


def hinge(name: str, parent: str, child: str, at_parent: Point, at_child: Point, joint: str = "revolute") -> Joint:
    """A joint about x between a point of the parent and a point of the child."""
    return Joint(
        name=name, type=joint, parent=parent, child=child, parent_anchor=at_parent, child_anchor=at_child, axis=X
    )


def closed_chain(count: int, closure: str = "cylindrical_free", angle: float = pi / 4) -> Mechanism:
    """BM20 Fig. 5b: links of 1 m between pivots in (0, 0, 0) and (0, 1, 0), let go at rest.

    Half of the links go down at the angle, one lies level, the others come back up; for an even number, which the
    paper does not have, two in the middle stand as a roof of 60 degrees. Raises ValueError below three links.
    closure: the joint to the second pivot. "cylindrical_free" holds two translations, as in the paper; "revolute"
    holds three more rows, which are redundant.
    """
    if count < 3:
        raise ValueError(f"{count} links and the ground are rigid; a closed chain needs three links")
    side = (count - 1) // 2
    middle = [pi / 2] if count % 2 else [pi / 6, 5 * pi / 6]
    angles = [angle] * side + middle + [angle + pi] * (count - side - len(middle))
    bodies = [link(f"link{k + 1}", angle=turn) for k, turn in enumerate(angles)]
    joints = [hinge("joint1", "world", "link1", ORIGIN, UP)]
    joints += [hinge(f"joint{k + 1}", f"link{k}", f"link{k + 1}", DOWN, UP) for k in range(1, count)]
    joints += [hinge("closing", "world", f"link{count}", (0, 1, 0), DOWN, closure)]
    return Mechanism(name=f"closed_chain{count}", bodies=bodies, joints=joints)


def three_link_loop(joint: str = "revolute") -> Mechanism:
    """BM20 Fig. 4b, BSMH23 Fig. 7a: boxes of 1, sqrt(2)/2 and 1 m, masses like lengths, on pivots 1 m apart.

    The third link stands upright on its pivot, so the first one ends sqrt(2)/2 from (1, 1): sin a - cos a = 5/4. (The
    paper's code has these angles with an error of 1e-12.) joint: the type of the joint that closes the loop.
    """
    lengths = (1.0, sqrt(2) / 2, 1.0)
    first = 5 * pi / 4 - asin(5 / sqrt(32))
    angles = (first, atan2(1 - sin(first), -1 - cos(first)), pi)
    bodies = [
        link(f"link{k + 1}", Box(size=(0.1, 0.1, length)), mass=length, angle=angle)
        for k, (length, angle) in enumerate(zip(lengths, angles, strict=True))
    ]
    half = sqrt(2) / 4
    joints = [
        hinge("first_pivot", "world", "link1", ORIGIN, UP),
        hinge("second_pivot", "world", "link3", (0, 1, 0), UP),
        hinge("first_pin", "link1", "link2", DOWN, (0, 0, half)),
        hinge("second_pin", "link2", "link3", (0, 0, -half), DOWN, joint),
    ]
    return Mechanism(name="three_link_loop", bodies=bodies, joints=joints)


def four_bar_chain(segments: int, offset: float = 0.0, last_offset: float = pi / 4) -> Mechanism:
    """A chain of four-bars, each hanging on the lowest point of the one before: rhombs of four boxes of 1 m.

    In every segment two links go down side by side from the upper point, at +pi/8 and -pi/8 around the offset, and
    two more close the rhomb. BM20 Fig. 7: offset 0, the last (or only) segment turned to pi/4. BSMH23 Fig. 9a: pi/4,
    the last (or only) one at pi/2. As there, the second link at the upper point is held by a cylindrical joint.
    """
    bodies: list[Body] = []
    joints: list[Joint] = []
    parent, anchor = "world", ORIGIN
    for k in range(1, segments + 1):
        turn = last_offset if k == segments else offset
        first, below, second, closing = (f"{part}{k}" for part in ("first", "below_first", "second", "below_second"))
        angles = {first: pi / 8, below: -pi / 8, second: -pi / 8, closing: pi / 8}
        bodies += [link(name, angle=turn + angle) for name, angle in angles.items()]
        joints += [
            hinge(f"hanger{k}", parent, first, anchor, UP),
            hinge(f"left_pin{k}", first, below, DOWN, UP),
            hinge(f"upper_pin{k}", first, second, UP, UP, "cylindrical"),
            hinge(f"right_pin{k}", second, closing, DOWN, UP),
            hinge(f"lower_pin{k}", below, closing, DOWN, DOWN),
        ]
        parent, anchor = closing, DOWN
    return Mechanism(name=f"four_bar_chain{segments}", bodies=bodies, joints=joints)


def four_bar(motor: str | None = None) -> Mechanism:
    """One planar four-bar of three-dimensional hinges: 18 freedoms of its bodies, 20 rows of rank 17, one way to move.

    Crank 0.2, coupler 0.6, rocker 0.7, frame 0.9 m, the crank upright: angles of the triangle 3, 4, 5. motor: the
    angle of the crank from upright as a text in t; without it the linkage swings by its own weight.
    """
    lengths = {"crank": 0.2, "coupler": 0.6, "rocker": 0.7}
    angles = {"crank": 0.0, "coupler": -atan2(0.8, 0.6), "rocker": atan2(0.6, 0.8)}
    bodies = [
        link(name, Box(size=(0.02, 0.02, length)), mass=length, angle=angles[name]) for name, length in lengths.items()
    ]
    joints = [
        hinge("crank_bearing", "world", "crank", ORIGIN, (0, 0, -0.1)),
        hinge("rocker_bearing", "world", "rocker", (0, 0.9, 0), (0, 0, -0.35)),
        hinge("crank_pin", "crank", "coupler", (0, 0, 0.1), (0, 0, -0.3)),
        hinge("rocker_pin", "rocker", "coupler", (0, 0, 0.35), (0, 0, 0.3)),
    ]
    drivers = [] if motor is None else [Driver(name="motor", joint="crank_bearing", signal=motor)]
    return Mechanism(name="four_bar", bodies=bodies, joints=joints, drivers=drivers)


def double_four_bar(windows: int = 2, speed: float = 1.0, motor: str | None = None) -> Mechanism:
    """BSMH23 Fig. 12: rods of 1 m and 1 kg, upright on pivots 1 m apart, couplers on top (IFToMM A02).

    The couplers start with `speed` [m/s] along +y. motor: the first rod's angle from upright about x as a text in t.
    Twice a turn all bars lie in one line, which is a singular position. For
    two windows the rods' angle from upright follows theta'' = 11.445 sin theta, theta(0) = 0, theta'(0) = speed/1 m;
    it grows towards +y, which is about -x.
    """
    inertia = (1 / 12, 1 / 12, 1e-4)
    bodies, joints = [], []
    for k in range(windows + 1):
        shape = Rod(length=1.0)
        bodies.append(Body(name=f"rod{k}", mass=1, inertia=inertia, shape=shape, position=(0, k, 0.5),
                           velocity=(0, 0.5 * speed, 0), angular_velocity=(-speed, 0, 0)))  # fmt: skip
        joints.append(hinge(f"pivot{k}", "world", f"rod{k}", (0, k, 0), DOWN))
        if k:
            bodies.append(Body(name=f"coupler{k}", mass=1, inertia=inertia, shape=shape, position=(0, k - 0.5, 1),
                               orientation=(sqrt(0.5), sqrt(0.5), 0, 0), velocity=(0, speed, 0)))  # fmt: skip
            # turned by a quarter about x, the coupler's z axis points along -y
            joints.append(hinge(f"left_pin{k}", f"rod{k - 1}", f"coupler{k}", UP, UP))
            joints.append(hinge(f"right_pin{k}", f"rod{k}", f"coupler{k}", UP, DOWN))
    drivers = [] if motor is None else [Driver(name="motor", joint="pivot0", signal=motor)]
    return Mechanism(name=f"double_four_bar{windows}", bodies=bodies, joints=joints, drivers=drivers)


def scissor_lift(stages: int = 4, angle: float = 0.05 * pi, length: float = 5.0) -> Mechanism:
    """A scissor lift of crossed bars (the scissor of JM09), at rest.

    One foot stands on a pivot, the other slides along y on a block of 1 kg. Bars of 1 kg and 1 kg m^2; angle: of the
    bars above the ground [rad]. Bars of one stage cross in their middles. Every stage is redundant three times and
    more.
    """
    return Mechanism(
        name=f"scissor_lift{stages}",
        bodies=[_block(length, angle), *_scissor_bars(stages, angle, length)],
        joints=list(_scissor_joints(stages, length)),
    )


def _block(length: float, angle: float) -> Body:
    return Body(name="block", mass=1, shape=Box(size=(0.5, 0.5, 0.5)), position=(0, length * cos(angle), 0))


def _scissor_bars(stages: int, angle: float, length: float) -> Sequence[Body]:
    """Bars "rising" along +y and "falling" along it, of every stage."""
    reach, rise = length * cos(angle), length * sin(angle)
    bars = []
    for k in range(1, stages + 1):
        middle = (0, reach / 2, (k - 0.5) * rise)
        for name, turn in (("rising", angle - pi / 2), ("falling", pi / 2 - angle)):
            shape = Box(size=(0.1, 0.1, length))
            bars.append(link(f"{name}{k}", shape, angle=turn, position=middle, inertia=(1, 1, 1)))
    return bars


def _scissor_joints(stages: int, length: float) -> Sequence[Joint]:
    top, bottom = (0, 0, length / 2), (0, 0, -length / 2)
    joints = [
        hinge("foot", "world", "rising1", ORIGIN, bottom),
        Joint(name="rail", type="prismatic", child="block", axis=(0, 1, 0)),
        hinge("sliding_foot", "block", "falling1", ORIGIN, bottom),
    ]
    for k in range(1, stages + 1):
        joints.append(hinge(f"middle{k}", f"rising{k}", f"falling{k}", ORIGIN, ORIGIN))
        if k > 1:
            joints.append(hinge(f"right{k}", f"rising{k - 1}", f"falling{k}", top, bottom))
            joints.append(hinge(f"left{k}", f"falling{k - 1}", f"rising{k}", top, bottom))
    return joints
