"""A Stewart platform on six sprung legs, for symvi and for MuJoCo.

Each leg stands on Hooke's joint, slides along itself against a spring and a damper, and ends in a ball under the
platform. All frames are parallel to the world's while every coordinate is zero.
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism

GRAVITY = 9.81
HEIGHT, GROUND, TOP = 1.0, (1.0, 0.2), (0.6, 0.9)  # m; circles of the joints: radius, half the angle of a pair [rad]
PLATFORM = (10.0, (0.9, 0.9, 1.8))  # mass [kg], inertia [kg m²]
LOWER, UPPER = (0.8, (0.02, 0.02, 0.02)), (0.5, (0.015, 0.015, 0.015))
STIFFNESS, DAMPING, REST = 4000.0, 20.0, 0.02
LEGS = range(6)


def ends(leg: int) -> tuple[np.ndarray, np.ndarray]:
    """Where a leg stands, and where it carries."""
    pair, side = leg // 2, (-1) ** leg

    def on(circle, height: float) -> np.ndarray:
        angle = 2 * np.pi * pair / 3 + side * circle[1]
        return np.array([circle[0] * np.cos(angle), circle[0] * np.sin(angle), height])

    return on(GROUND, 0.0), on(TOP, HEIGHT)


def axes(leg: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Along the leg, and two axes at right angles to it and to each other."""
    foot, head = ends(leg)
    along = (head - foot) / np.linalg.norm(head - foot)
    across = np.cross(along, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    return along, across, np.cross(along, across)


def places(leg: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass of a leg's two parts."""
    foot, head = ends(leg)
    return foot + 0.25 * (head - foot), foot + 0.7 * (head - foot)


def mechanism() -> Mechanism:
    middle = np.array([0.0, 0.0, HEIGHT])
    bodies = [Body(name="platform", mass=PLATFORM[0], inertia=PLATFORM[1], position=tuple(middle))]
    joints, forces = [], []
    for leg in LEGS:
        (foot, head), (low, high), (along, first, second) = ends(leg), places(leg), axes(leg)
        for name, (mass, inertia), place in (("lower", LOWER, low), ("upper", UPPER, high)):
            bodies.append(Body(name=f"{name}{leg}", mass=mass, inertia=inertia, position=tuple(place)))
        joints += [
            Joint(name=f"hooke{leg}", type="universal", child=f"lower{leg}", parent_anchor=tuple(foot),
                  child_anchor=tuple(foot - low), axis=tuple(first), child_axis=tuple(second)),
            Joint(name=f"slide{leg}", type="prismatic", parent=f"lower{leg}", child=f"upper{leg}", axis=tuple(along),
                  parent_anchor=tuple(head - low), child_anchor=tuple(head - high)),
            Joint(name=f"ball{leg}", type="spherical", parent=f"upper{leg}", child="platform",
                  parent_anchor=tuple(head - high), child_anchor=tuple(head - middle)),
        ]  # fmt: skip
        forces += [
            JointSpring(name=f"spring{leg}", joint=f"slide{leg}", stiffness=STIFFNESS, rest=rest(leg)),
            JointDamper(name=f"damper{leg}", joint=f"slide{leg}", damping=DAMPING),
        ]
    gravity = (0.0, 0.0, -GRAVITY)
    return Mechanism(name="stewart_platform", bodies=bodies, joints=joints, forces=forces, gravity=gravity)


def rest(leg: int) -> float:
    """Legs push by different lengths, so that the platform rises, tilts and turns [m]."""
    return REST * (1.0 + 0.5 * leg)


def description(step: float, attributes: str = "") -> str:
    """MuJoCo's XML: the first leg carries the platform, others are connected to it. attributes: of the connections."""
    middle = np.array([0.0, 0.0, HEIGHT])

    def leg_of(leg: int, carried: str) -> str:
        (foot, head), (low, high), (along, first, second) = ends(leg), places(leg), axes(leg)
        hooke = "".join(f'<joint type="hinge" axis="{_text(a)}" pos="{_text(foot - low)}"/>' for a in (first, second))
        slide = (
            f'<joint type="slide" axis="{_text(along)}" stiffness="{STIFFNESS}" damping="{DAMPING}"'
            f' springref="{rest(leg):.17g}"/>'
        )
        tip = f'<site name="head{leg}" pos="{_text(head - high)}"/>'
        return (
            f'<body pos="{_text(low)}">{_inertial(LOWER)}{hooke}'
            f'<body pos="{_text(high - low)}">{_inertial(UPPER)}{slide}{tip}{carried}</body></body>'
        )

    seats = "".join(f'<site name="seat{leg}" pos="{_text(ends(leg)[1] - middle)}"/>' for leg in LEGS)
    ball = f'<joint type="ball" pos="{_text(ends(0)[1] - middle)}"/>'
    platform = f'<body name="platform" pos="{_text(middle - places(0)[1])}">{_inertial(PLATFORM)}{ball}{seats}</body>'
    legs = "".join(leg_of(leg, platform if leg == 0 else "") for leg in LEGS)
    tied = "".join(f'<connect site1="head{leg}" site2="seat{leg}" {attributes}/>' for leg in LEGS if leg)
    return (
        f'<mujoco><option timestep="{step}" gravity="0 0 {-GRAVITY}"/><worldbody>{legs}</worldbody>'
        f"<equality>{tied}</equality></mujoco>"
    )


def _inertial(of: tuple[float, tuple[float, float, float]]) -> str:
    return f'<inertial pos="0 0 0" mass="{of[0]}" diaginertia="{_text(of[1])}"/>'


def _text(numbers) -> str:
    return " ".join(f"{number:.17g}" for number in numbers)
