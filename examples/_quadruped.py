"""A quadruped like Unitree's A1: twelve hinges with servos, a contact point in each foot; the same robot for MuJoCo.

BSMH23 Fig. 13. Masses, inertias and places as in the robot's public model with a trunk of 4.713 kg; joint limits are
left out, as in the paper. A leg has its coordinates hip (about x), thigh and calf (about y); at zero it hangs straight.
Servos pull a joint towards a target with a stiffness and damp its own rate: hip 100 and 5, thigh 80 and 4, calf 60 and
3 (N m/rad and N m s/rad). Gait: thigh = A2 cos(w t + p) + C2, calf = A3 cos(w t + p') + C3, legs across in step.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from symvi import Body, Box, Contact, Joint, JointDamper, Mechanism, Rod, Servo, Trajectory

LEGS = {"FR": (1, -1), "FL": (1, 1), "RR": (-1, -1), "RL": (-1, 1)}  # signs of x and y
PHASES = {"FR": (0.0, -pi / 2), "FL": (pi, pi / 2), "RR": (pi, pi / 2), "RL": (0.0, -pi / 2)}  # of thigh and calf
GAINS = {"hip": (100.0, 5.0), "thigh": (80.0, 4.0), "calf": (60.0, 3.0)}
AXES = {"hip": (1.0, 0.0, 0.0), "thigh": (0.0, 1.0, 0.0), "calf": (0.0, 1.0, 0.0)}
STANCE = {"hip": 0.0, "thigh": 1.0, "calf": -1.5}
MASSES = {"trunk": 4.713, "hip": 0.696, "thigh": 1.013, "calf": 0.166}
CENTRES = {
    "trunk": (0.012731, 0.002186, 0.000515),
    "hip": (-0.003311, -0.000635, 3.1e-5),
    "thigh": (-0.003237, 0.022327, -0.027326),
    "calf": (0.006435, 0.0, -0.107388),
}
INERTIAS = {  # ixx, iyy, izz, ixy, ixz, iyz about the centre of mass; legs: front right
    "trunk": (0.01683993, 0.056579028, 0.064713601, 8.3902e-5, 5.97679e-4, 2.5134e-5),
    "hip": (4.69246e-4, 8.0749e-4, 5.52929e-4, 9.409e-6, -3.42e-7, 4.66e-7),
    "thigh": (0.005529065, 0.005139339, 0.001367788, -4.825e-6, 3.43869e-4, -2.2448e-5),
    "calf": (0.002997972, 0.003014022, 3.2426e-5, 0.0, -1.41163e-4, 0.0),
}
SIZE = (0.267, 0.194, 0.114)  # of the trunk, to look at
FOOT = (CENTRES["calf"][0], 0.0, CENTRES["calf"][2] - 0.1)
REACH = 0.2  # from hip to knee
FRICTION = 0.2
PARTS = ("hip", "thigh", "calf")


def mirrored(part: str, leg: str) -> tuple[tuple, tuple]:
    """Centre of mass and inertia of a leg's part: left legs mirror y, rear hips mirror x."""
    x = LEGS[leg][0] if part == "hip" else 1
    y = -LEGS[leg][1]
    (cx, cy, cz), (xx, yy, zz, xy, xz, yz) = CENTRES[part], INERTIAS[part]
    return (x * cx, y * cy, cz), (xx, yy, zz, x * y * xy, x * xz, y * yz)


def anchor(part: str, leg: str) -> tuple[float, float, float]:
    """Where a part's joint sits in the frame of the part before it."""
    x, y = LEGS[leg]
    return {"hip": (0.183 * x, 0.047 * y, 0.0), "thigh": (0.0, 0.08505 * y, 0.0), "calf": (0.0, 0.0, -REACH)}[part]


def parent(part: str, leg: str) -> str:
    return {"hip": "trunk", "thigh": f"{leg}_hip", "calf": f"{leg}_thigh"}[part]


def standing_height(stance=STANCE) -> float:
    """Height of the trunk whose feet touch the ground [m]."""
    bent = stance["thigh"] + stance["calf"]
    return REACH * cos(stance["thigh"]) + FOOT[0] * sin(bent) - FOOT[2] * cos(bent)


def quadruped(friction: float = FRICTION, stance=STANCE, lift: float = 0.0) -> Mechanism:
    """The robot in a stance, its feet `lift` above the ground [m]. Targets are inputs; see `gait`."""
    look = {
        "hip": Box(size=(0.08, 0.06, 0.08)), "thigh": Rod(length=REACH, radius=0.015, position=(0, 0, -REACH / 2)),
        "calf": Rod(length=REACH, radius=0.01, position=(0, 0, -REACH / 2)),
    }  # fmt: skip
    names = [(part, leg) for leg in LEGS for part in PARTS]
    bodies = [
        Body(name="trunk", mass=MASSES["trunk"], inertia=INERTIAS["trunk"], center_of_mass=CENTRES["trunk"],
             shape=Box(size=SIZE), position=(0.0, 0.0, standing_height(stance) + lift))
    ]  # fmt: skip
    for part, leg in names:
        centre, inertia = mirrored(part, leg)
        bodies.append(Body(name=f"{leg}_{part}", mass=MASSES[part], inertia=inertia, center_of_mass=centre,
                           shape=look[part]))  # fmt: skip
    joints = [
        Joint(name=f"{leg}_{part}_joint", type="revolute", parent=parent(part, leg), child=f"{leg}_{part}",
              parent_anchor=anchor(part, leg), axis=AXES[part], coordinate=stance[part])
        for part, leg in names
    ]  # fmt: skip
    forces = [force for part, leg in names for force in servo(part, leg)]
    contacts = [Contact(name=f"{leg}_foot", child=f"{leg}_calf", child_anchor=FOOT, friction=friction) for leg in LEGS]
    return Mechanism(name="quadruped", bodies=bodies, joints=joints, forces=forces, contacts=contacts)


def servo(part: str, leg: str) -> tuple[Servo, JointDamper]:
    """Stiffness towards a target, and damping of the joint's own rate."""
    (stiffness, damping), joint = GAINS[part], f"{leg}_{part}_joint"
    return (
        Servo(name=f"{leg}_{part}_servo", joint=joint, stiffness=stiffness, damping=0.0),
        JointDamper(name=f"{leg}_{part}_damper", joint=joint, damping=damping),
    )


STAND = (0.0, 0.0, STANCE["thigh"], 0.0, STANCE["calf"])


def gait(times: np.ndarray, parameters=STAND) -> dict[str, np.ndarray]:
    """Targets of all servos at these times, as inputs. parameters: frequency [Hz], A2, C2, A3, C3 [rad]."""
    frequency, a2, c2, a3, c3 = parameters
    angle, found = 2 * pi * frequency * times, {}
    for leg, (thigh, calf) in PHASES.items():
        found[f"{leg}_hip_servo.target"] = np.zeros_like(times)
        found[f"{leg}_thigh_servo.target"] = a2 * np.cos(angle + thigh) + c2
        found[f"{leg}_calf_servo.target"] = a3 * np.cos(angle + calf) + c3
    return found


def knots(time: float, step: float) -> np.ndarray:
    return step * np.arange(round(time / step) + 1)


def foot_heights(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(...,) heights of feet [m] from origins (..., 3) and orientations (..., 4) of calves."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    upward = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1)
    return position[..., 2] + upward @ np.array(FOOT)


def feet(trajectory: Trajectory) -> np.ndarray:
    """(N, 4) heights of the feet at every knot [m], from the placements alone."""
    calves = [trajectory.body(f"{leg}_calf") for leg in LEGS]
    return foot_heights(trajectory.position[:, calves], trajectory.orientation[:, calves])


# --- the same robot for MuJoCo ---------------------------------------------------------------------------------------
def description(friction: float = FRICTION, step: float = 1e-3, integrator: str = "implicitfast", lift: float = 0.0):
    """MuJoCo's XML: contacts and solver as MuJoCo sets them, feet as spheres of a hundredth of a millimetre."""
    legs = ""
    for leg in LEGS:
        inside = (
            f'<geom type="sphere" size="1e-5" pos="{text(FOOT)}" friction="{friction} .005 .0001" contype="0" '
            f'conaffinity="1" mass="0"/>'
        )
        for part in reversed(PARTS):
            centre, inertia = mirrored(part, leg)
            inside = (
                f'<body name="{leg}_{part}" pos="{text(anchor(part, leg))}">'
                f'<inertial pos="{text(centre)}" mass="{MASSES[part]}" fullinertia="{text(inertia)}"/>'
                f'<joint name="{leg}_{part}" axis="{text(AXES[part])}" damping="{GAINS[part][1]}"/>{inside}</body>'
            )
        legs += inside
    actuators = "".join(f'<position joint="{leg}_{part}" kp="{GAINS[part][0]}"/>' for leg in LEGS for part in PARTS)
    return (
        f'<mujoco><option timestep="{step}" integrator="{integrator}"/><worldbody>'
        f'<geom type="plane" size="50 50 1" friction="{friction} .005 .0001" contype="1" conaffinity="0"/>'
        f'<body name="trunk" pos="0 0 {standing_height() + lift:.17g}"><freejoint/>'
        f'<inertial pos="{text(CENTRES["trunk"])}" mass="{MASSES["trunk"]}" fullinertia="{text(INERTIAS["trunk"])}"/>'
        f"{legs}</body></worldbody><actuator>{actuators}</actuator></mujoco>"
    )


def text(numbers) -> str:
    return " ".join(f"{number:.17g}" for number in numbers)
