"""A humanoid of 30 freedoms and 80 kg that stands on its right foot: two legs of six hinges, three in the back, two
arms of seven, a neck. Fan18 Fig. 6 prints no masses: these are of a person of 1.75 m, in boxes and capsules.

Hinges that share a point are joined by small bodies. The tree grows from the right foot: up the right leg, down the
left. All axes are x (ahead), y (to the left) and z (up) at zero, where the humanoid stands straight.
"""

from __future__ import annotations

from symvi import Actuator, Body, Box, Capsule, Contact, Joint, Mechanism, Sphere

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SOLE = (0.13, 0.06)  # half of its length and width [m]
ANKLE, SHANK, THIGH, HIPS = 0.08, 0.42, 0.42, 0.10  # m: height, lengths, half of the distance of the hips
HAND = (0.0, 0.0, -0.09)  # of the palm, from the wrist [m]


def limb(length: float, radius: float, up: bool) -> Capsule:
    return Capsule(radius=radius, length=length, position=(0.0, 0.0, (0.5 if up else -0.5) * length))


def parts() -> list[tuple]:
    """name, mass [kg], shape, parent, joint, axis, anchor in the parent [m]."""
    small = Sphere(radius=0.04)
    rows: list[tuple] = [
        ("right_ankle", 0.5, small, "right_foot", "right_ankle_pitch", Y, (0, 0, ANKLE)),
        ("right_shank", 3.5, limb(SHANK, 0.05, True), "right_ankle", "right_ankle_roll", X, (0, 0, 0)),
        ("right_thigh", 7.0, limb(THIGH, 0.07, True), "right_shank", "right_knee", Y, (0, 0, SHANK)),
        ("right_hip", 0.7, small, "right_thigh", "right_hip_pitch", Y, (0, 0, THIGH)),
        ("right_hip_cross", 0.7, small, "right_hip", "right_hip_roll", X, (0, 0, 0)),
        ("pelvis", 10.0, Box(size=(0.18, 0.28, 0.16), position=(0, HIPS, 0.05)), "right_hip_cross", "right_hip_yaw", Z,
         (0, 0, 0)),
        ("left_hip_cross", 0.7, small, "pelvis", "left_hip_yaw", Z, (0, 2 * HIPS, 0)),
        ("left_hip", 0.7, small, "left_hip_cross", "left_hip_roll", X, (0, 0, 0)),
        ("left_thigh", 7.0, limb(THIGH, 0.07, False), "left_hip", "left_hip_pitch", Y, (0, 0, 0)),
        ("left_shank", 3.5, limb(SHANK, 0.05, False), "left_thigh", "left_knee", Y, (0, 0, -THIGH)),
        ("left_ankle", 0.5, small, "left_shank", "left_ankle_pitch", Y, (0, 0, -SHANK)),
        ("left_foot", 1.0, Box(size=(0.26, 0.12, 0.05), position=(0.04, 0, -0.055)), "left_ankle", "left_ankle_roll", X,
         (0, 0, 0)),
        ("waist", 1.0, small, "pelvis", "back_yaw", Z, (0, HIPS, 0.15)),
        ("belly", 2.0, small, "waist", "back_pitch", Y, (0, 0, 0.02)),
        ("chest", 22.0, Box(size=(0.2, 0.32, 0.4), position=(0, 0, 0.24)), "belly", "back_roll", X, (0, 0, 0.02)),
        ("head", 5.0, Sphere(radius=0.11, position=(0, 0, 0.14)), "chest", "neck", Y, (0, 0, 0.46)),
    ]  # fmt: skip
    for side, sign in (("left", 1), ("right", -1)):
        rows += [
            (f"{side}_collar", 0.7, small, "chest", f"{side}_shoulder_pitch", Y, (0, 0.21 * sign, 0.38)),
            (f"{side}_shoulder", 0.7, small, f"{side}_collar", f"{side}_shoulder_roll", X, (0, 0, 0)),
            (f"{side}_upper_arm", 2.0, limb(0.3, 0.045, False), f"{side}_shoulder", f"{side}_shoulder_yaw", Z,
             (0, 0, 0)),
            (f"{side}_forearm", 1.2, limb(0.26, 0.04, False), f"{side}_upper_arm", f"{side}_elbow", Y, (0, 0, -0.3)),
            (f"{side}_wrist", 0.2, small, f"{side}_forearm", f"{side}_wrist_yaw", Z, (0, 0, -0.26)),
            (f"{side}_wrist_cross", 0.2, small, f"{side}_wrist", f"{side}_wrist_pitch", Y, (0, 0, 0)),
            (f"{side}_hand", 0.4, Box(size=(0.03, 0.08, 0.16), position=(0, 0, -0.09)), f"{side}_wrist_cross",
             f"{side}_wrist_roll", X, (0, 0, 0)),
        ]  # fmt: skip
    return rows


JOINTS = tuple(row[4] for row in parts())


def humanoid(stance: dict[str, float], held: bool = True) -> Mechanism:
    """The humanoid in a stance. held: its right foot belongs to the ground; else it stands there on four points."""
    foot = Body(
        name="right_foot", mass=1.0, shape=Box(size=(2 * SOLE[0], 2 * SOLE[1], 0.05), position=(0.04, 0, 0.025))
    )
    joint = "fixed" if held else "floating"
    joints, bodies, contacts = [Joint(name="sole", type=joint, child="right_foot")], [foot], []
    for name, mass, shape, parent, joint, axis, anchor in parts():
        bodies.append(Body(name=name, mass=mass, shape=shape))
        joints.append(
            Joint(name=joint, type="revolute", parent=parent, child=name, axis=axis, parent_anchor=anchor,
                  coordinate=stance.get(joint, 0.0))
        )  # fmt: skip
    if not held:
        contacts = [
            Contact(name=f"corner_{k}", child="right_foot", child_anchor=(0.04 + a * SOLE[0], b * SOLE[1], 0.0),
                    friction=0.7)
            for k, (a, b) in enumerate([(1, 1), (1, -1), (-1, -1), (-1, 1)])
        ]  # fmt: skip
    motors = [Actuator(name=f"{name}_motor", joint=name) for name in JOINTS]
    return Mechanism(name="humanoid", bodies=bodies, joints=joints, forces=motors, contacts=contacts)
