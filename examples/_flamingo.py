"""A planar biped with flat feet after Pratt's Spring Flamingo: nine freedoms, motors at hips and knees, springs at
ankles. Fan18 6.1 prints no masses: these are 13.8 kg on legs of 0.8 m.
"""

from __future__ import annotations

from symvi import Actuator, Body, Box, Contact, Joint, JointSpring, Mechanism, Rod

LEGS = ("left", "right")
THIGH, SHANK, SOLE = 0.40, 0.40, 0.05  # m: lengths, height of the ankle
HEEL, TOE = (-0.06, 0.0, -SOLE), (0.12, 0.0, -SOLE)  # of a foot, from its ankle [m]
BENT = 0.4  # rad: of hips and ankles; knees bend twice that
ANKLE = 80.0  # N m/rad


def hip_height(bent: float = BENT) -> float:
    """Of hips above flat feet [m]."""
    from math import cos

    return SOLE + (THIGH + SHANK) * cos(bent)


def flamingo(speed: float) -> Mechanism:
    """The biped with bent knees, on its feet, its trunk at some speed ahead [m/s]."""
    bodies = [Body(name="trunk", mass=10.0, shape=Box(size=(0.15, 0.3, 0.35), position=(0, 0, 0.15)))]
    joints = [
        Joint(name="plane", type="planar_axis", child="trunk", axis=(0, 1, 0), parent_anchor=(0, 0, hip_height()),
              coordinate=(0, 0, 0), velocity=(0, speed, 0))
    ]  # fmt: skip
    forces, contacts = [], []
    for leg, side in zip(LEGS, (0.1, -0.1), strict=True):
        names = [f"{leg}_{part}" for part in ("thigh", "shank", "foot")]
        bodies += [
            Body(name=names[0], mass=1.0, shape=Rod(length=THIGH, radius=0.03, position=(0, 0, -THIGH / 2))),
            Body(name=names[1], mass=0.6, shape=Rod(length=SHANK, radius=0.025, position=(0, 0, -SHANK / 2))),
            Body(name=names[2], mass=0.3, shape=Box(size=(0.18, 0.06, 0.03), position=(0.03, 0, -0.035))),
        ]
        joints += [
            Joint(name=f"{leg}_hip", type="revolute", parent="trunk", child=names[0], axis=(0, 1, 0),
                  parent_anchor=(0, side, 0), coordinate=-BENT),
            Joint(name=f"{leg}_knee", type="revolute", parent=names[0], child=names[1], axis=(0, 1, 0),
                  parent_anchor=(0, 0, -THIGH), coordinate=2 * BENT),
            Joint(name=f"{leg}_ankle", type="revolute", parent=names[1], child=names[2], axis=(0, 1, 0),
                  parent_anchor=(0, 0, -SHANK), coordinate=-BENT),
        ]  # fmt: skip
        forces += [
            Actuator(name=f"{leg}_hip_motor", joint=f"{leg}_hip"),
            Actuator(name=f"{leg}_knee_motor", joint=f"{leg}_knee"),
            JointSpring(name=f"{leg}_spring", joint=f"{leg}_ankle", stiffness=ANKLE, rest=-BENT),
        ]
        contacts += [
            Contact(name=f"{leg}_{name}", child=names[2], child_anchor=at, friction=0.8)
            for name, at in (("heel", HEEL), ("toe", TOE))
        ]
    return Mechanism(name="flamingo", bodies=bodies, joints=joints, forces=forces, contacts=contacts)
