"""Trees of every kind of joint: on the ground and floating, led to from their children, with laws and with contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symvi import (
    Body,
    Contact,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    Servo,
    state_from,
)
from symvi.mechanism import coordinate_count

AXES = ((1.0, 0.2, 0.3), (0.1, 1.0, -0.4), (0.3, -0.2, 1.0))
INERTIA = (0.02, 0.03, 0.04, 0.002, -0.003, 0.001)
TYPES: dict[str, tuple[str, ...]] = {
    "hinges": ("revolute", "revolute", "revolute"),
    "balls": ("spherical", "spherical", "spherical"),
    "slides": ("prismatic", "prismatic", "prismatic"),
    "Hooke's": ("universal", "universal"),
    "hinge, ball, slide, weld": ("revolute", "spherical", "prismatic", "fixed", "revolute"),
    "sleeves": ("revolute", "cylindrical", "universal", "planar_axis"),
    "planes": ("fixed", "planar", "cylindrical_free", "revolute"),
    "held turns": ("fixed_orientation", "free_revolute", "planar_free"),
    "screws": ("screw", "revolute", "screw", "spherical"),
    "free root": ("floating", "revolute", "universal"),
}
INWARD = {  # the third of each is led to from its child
    "hinges": ("revolute", "revolute", "revolute", "revolute"),
    "ball and Hooke's": ("revolute", "spherical", "universal", "prismatic", "revolute"),
    "hinge and ball": ("revolute", "revolute", "spherical", "revolute"),
    "Hooke's and slide": ("revolute", "universal", "prismatic"),
    "sleeves": ("cylindrical", "universal", "cylindrical"),
    "screws": ("screw", "spherical", "screw", "revolute"),
    "planes": ("revolute", "spherical", "planar", "revolute"),
    "turning rails": ("revolute", "revolute", "planar_axis", "spherical"),
    "turning slides": ("revolute", "planar_axis", "free_revolute", "planar_axis"),
    "sliding balls": ("revolute", "revolute", "cylindrical_free", "planar_free", "prismatic"),
    "held turns": ("revolute", "universal", "fixed_orientation", "planar"),
    "Hooke's and weld": ("revolute", "universal", "fixed", "universal"),
}


def tree(name: str, types, inward=(), floating: bool = False, **laws) -> Mechanism:
    """A chain of these joints. inward: joints whose parent is the farther body. floating: the first joint left out."""
    bodies = [
        Body(name=f"b{k}", mass=1.0 + 0.3 * k, inertia=INERTIA, center_of_mass=(0.05, 0.02, -0.1))
        for k in range(len(types))
    ]
    joints = []
    for k, kind in enumerate(types):
        ends = ("world" if k == 0 else f"b{k - 1}", f"b{k}")
        anchors = (0.1, 0.05, -0.3), (0.02, 0.03, 0.2)
        axis = {} if kind in ("spherical", "floating") else {"axis": AXES[k % 3]}
        axis |= {"pitch": 0.1} if kind == "screw" else {}
        turned = slice(None, None, -1) if k in inward else slice(None)
        (parent, child), (parent_anchor, child_anchor) = ends[turned], anchors[turned]
        joints.append(
            Joint(name=f"j{k}", type=kind, parent=parent, child=child, parent_anchor=parent_anchor,
                  child_anchor=child_anchor, **axis)
        )  # fmt: skip
    if floating:
        joints = joints[1:]
        placed = {"position": (0.1, 0.2, 0.3), "orientation": (0.8, 0.0, 0.6, 0.0)}
        moving = {"velocity": (0.3, 0.2, 0.1), "angular_velocity": (0.5, -0.3, 1.0)}
        bodies[0] = bodies[0].changed(**placed, **moving)
    return Mechanism(name=name, bodies=bodies, joints=joints, **laws)


def trees() -> dict[str, Mechanism]:
    """All of them, by name."""
    found = {name: tree("tree", types) for name, types in TYPES.items()}
    found |= {f"{name} afloat": tree("tree", types, floating=True) for name, types in INWARD.items()}
    found |= {f"{name} inward": tree("tree", types, (2,), floating=True) for name, types in INWARD.items()}
    return found


def lawful() -> dict[str, Mechanism]:
    """Trees with springs, dampers and servos along their coordinates, with limits and dry friction."""
    types = ("revolute", "prismatic", "universal", "cylindrical")

    def laws(**more):
        return {
            "forces": [
                JointSpring(name="spring", joint="j0", stiffness=30.0),
                JointDamper(name="damper", joint="j0", damping=0.4),
                JointSpring(name="rail", joint="j1", stiffness=200.0),
                Servo(name="servo", joint="j1", stiffness=300.0, damping=20.0),
                JointDamper(name="hooke", joint="j2", damping=0.2),
                JointSpring(name="sleeve", joint="j3", stiffness=(80.0, 5.0)),
                *more.pop("forces", ()),
            ],
            **more,
        }

    stops = {
        "limits": [Limit(name="stop", joint="j0", upper=0.3), Limit(name="end", joint="j1", lower=-0.05)],
        "forces": [DryFriction(name="brake", joint="j3", bound=(0.5, 0.2))],
    }
    return {
        "springs and dampers": tree("tree", types, **laws()),
        "springs and dampers inward": tree(
            "tree", ("revolute", "revolute", "prismatic", "universal", "cylindrical"), (2, 4), floating=True, forces=[
                JointSpring(name="spring", joint="j1", stiffness=30.0),
                JointDamper(name="damper", joint="j1", damping=0.4),
                Servo(name="servo", joint="j2", stiffness=300.0, damping=20.0),
                JointSpring(name="turn", joint="j3", stiffness=(3.0, 2.0)),
                JointDamper(name="hooke", joint="j3", damping=0.2),
                JointSpring(name="sleeve", joint="j4", stiffness=(80.0, 5.0)),
            ],
        ),
        "limits inward": tree(
            "tree", ("revolute", "revolute", "universal", "screw"), (2, 3), floating=True,
            limits=[Limit(name="stop", joint="j2", coordinate=0, upper=0.2), Limit(name="end", joint="j3", lower=-0.3)],
            forces=[DryFriction(name="brake", joint="j1", bound=0.1)],
        ),
        "sprung screws": tree("tree", ("screw", "revolute", "screw"), forces=[
            JointSpring(name="turn", joint="j0", stiffness=3.0, rest=0.2),
            JointDamper(name="slow", joint="j0", damping=0.2),
            Servo(name="servo", joint="j2", stiffness=30.0, damping=0.5),
        ]),
        **led(),
        "Hooke's inward": tree("tree", ("revolute", "revolute", "universal"), (2,), floating=True, forces=[
            JointSpring(name="turn", joint="j2", stiffness=(3.0, 2.0)),
            JointDamper(name="hooke", joint="j2", damping=(0.2, 0.1)),
        ]),
        "limits and dry friction": tree("tree", types, **laws(**stops)),
        **balls_with_laws(),
    }  # fmt: skip


def led() -> dict[str, Mechanism]:
    """Trees with drivers, in time and in space."""
    hinge = Driver(name="motor", joint="j0", signal="0.3*(1 - cos(4*t))")
    rail = Driver(name="rail", joint="j1", signal="0.05*t*t")
    second = Driver(name="pin", joint="j2", coordinate=1, signal="0.2*(cos(3*t) - 1)")
    sleeve = Driver(name="sleeve", joint="j3", coordinate=0, signal="0.02*(1 - cos(9*t))")
    types = ("revolute", "prismatic", "universal", "cylindrical")
    spring = JointSpring(name="spring", joint="j2", stiffness=(3.0, 2.0))
    damper = JointDamper(name="damper", joint="j2", damping=(0.2, 0.1))
    return {
        "driven": tree("tree", types, drivers=[hinge, rail, second, sleeve]),
        "driven with laws": tree("tree", types, drivers=[hinge, second], forces=[spring, damper]),
        "driven inward": tree(
            "tree", ("revolute", "revolute", "universal", "screw", "prismatic"), (2, 3), floating=True, drivers=[
                second,
                Driver(name="thread", joint="j3", signal="0.5*t*t"),
                Driver(name="rail", joint="j4", signal="0.1*(1 - cos(5*t))"),
            ],
        ),
        "driven slide of a ball": tree("tree", ("revolute", "cylindrical_free", "revolute"),
            drivers=[hinge, rail.changed(signal="0.07*t*t")], forces=[
                JointDamper(name="ball", joint="j1", damping=(1.0, 0.1, 0.1, 0.1))]),
        "driven with stops": tree("tree", types, drivers=[hinge, sleeve],
            limits=[Limit(name="end", joint="j1", lower=-0.15, upper=0.14)],
            forces=[DryFriction(name="brake", joint="j2", bound=(0.1, 0.1)), spring]),
    }  # fmt: skip


def balls_with_laws() -> dict[str, Mechanism]:
    """Springs and dampers along three free rotations, which turn the bodies on both sides."""

    def laws(*joints: str) -> list:
        found = []
        for k, joint in enumerate(joints):
            found.append(JointSpring(name=f"spring{k}", joint=joint, stiffness=(4.0, 3.0, 5.0), rest=(0.1, 0.0, -0.2)))
            found.append(JointDamper(name=f"damper{k}", joint=joint, damping=(0.1, 0.05, 0.08)))
        return found

    types = ("spherical", "revolute", "spherical", "spherical", "prismatic")
    sliding = ("revolute", "cylindrical_free", "planar_free")
    along = [
        JointSpring(name="sleeve", joint="j1", stiffness=(80.0, 4.0, 3.0, 2.0)),
        JointDamper(name="slow", joint="j1", damping=(1.0, 0.1, 0.1, 0.1)),
        JointSpring(name="plane", joint="j2", stiffness=(80.0, 60.0, 4.0, 3.0, 2.0)),
    ]
    brakes = [DryFriction(name=f"brake{k}", joint=f"j{k}", bound=0.05) for k in (0, 2)]
    return {
        "sprung balls": tree("tree", types, forces=laws("j0", "j2", "j3")),
        "sprung balls inward": tree("tree", types, (2, 3), floating=True, forces=laws("j2", "j3")),
        "sprung slides and balls inward": tree("tree", ("spherical", *sliding[1:], "revolute"), (1, 2), forces=along),
        "ball springs alone": tree("tree", types[:3], forces=laws("j0", "j2")[::2]),
        "ball dampers alone": tree("tree", types[:3], forces=laws("j0", "j2")[1::2]),
        "sprung slides and balls": tree("tree", sliding, forces=along),
        "limited balls": tree(
            "tree",
            types[:3],
            limits=[
                Limit(name="left", joint="j0", coordinate=0, lower=-0.05),
                Limit(name="right", joint="j0", coordinate=2, lower=-0.6, upper=0.25),
                Limit(name="turn", joint="j2", coordinate=1, lower=-0.15),
            ],
        ),
        "limited balls with laws": tree(
            "tree",
            ("revolute", "cylindrical_free", "spherical"),
            limits=[
                Limit(name="along", joint="j1", coordinate=0, upper=0.25),
                Limit(name="turn", joint="j1", coordinate=2, lower=-0.6, upper=0.5),
                Limit(name="ball", joint="j2", coordinate=1, lower=-0.15, upper=0.4),
            ],
            forces=[
                JointDamper(name="slow", joint="j1", damping=(1.0, 0.1, 0.1, 0.1)),
                *laws("j2"),
                DryFriction(name="brake", joint="j1", bound=(0.5, 0.02, 0.02, 0.02)),
            ],
        ),
        "balls with dry friction": tree("tree", types[:3], forces=[*laws("j2"), *brakes]),
    }


def legged() -> Mechanism:
    """A trunk on two legs of two hinges each, which stand on the ground, on springs."""
    bodies = [Body(name="trunk", mass=4.0, inertia=(0.05, 0.1, 0.1, 0, 0, 0), position=(0.0, 0.0, 0.55))]
    joints, forces, contacts = [], [], []
    for leg, x in (("front", 0.2), ("rear", -0.2)):
        for part, parent, anchor, angle in (
            ("thigh", "trunk", (x, 0.0, 0.0), 0.5),
            ("calf", f"{leg}_thigh", (0.0, 0.0, -0.3), -1.0),
        ):
            bodies.append(
                Body(
                    name=f"{leg}_{part}",
                    mass=0.5,
                    inertia=(0.004, 0.004, 0.001, 0, 0, 0),
                    center_of_mass=(0.0, 0.0, -0.15),
                )
            )
            joints.append(
                Joint(
                    name=f"{leg}_{part}_pin",
                    type="revolute",
                    parent=parent,
                    child=f"{leg}_{part}",
                    parent_anchor=anchor,
                    axis=(0.0, 1.0, 0.0),
                    coordinate=angle,
                )
            )
            forces.append(
                JointSpring(name=f"{leg}_{part}_spring", joint=f"{leg}_{part}_pin", stiffness=400.0, rest=angle)
            )
            forces.append(JointDamper(name=f"{leg}_{part}_damper", joint=f"{leg}_{part}_pin", damping=4.0))
        for side in (-0.1, 0.1):
            contacts.append(
                Contact(
                    name=f"{leg}_{'left' if side < 0 else 'right'}",
                    child=f"{leg}_calf",
                    child_anchor=(0.0, side, -0.3),
                    friction=0.6,
                )
            )
    return Mechanism(name="legged", bodies=bodies, joints=joints, forces=forces, contacts=contacts)  # fmt: skip


def moved(state, **changed):
    """A state with other placements or velocities."""
    return replace(state, **{name: np.array(values) for name, values in changed.items()})


def somewhere(mechanism: Mechanism, seed: int = 1, size: float = 0.4):
    """A state with random coordinates and rates of all joints [m, rad]."""
    random = np.random.default_rng(seed)
    found = {}
    led = {(driver.joint, driver.coordinate) for driver in mechanism.drivers}
    for joint in mechanism.joints:
        count = coordinate_count(joint)
        if count and joint.type != "floating":
            found[joint.name] = [size * random.normal(size=count), random.normal(size=count)]
            for k in range(count):
                if (joint.name, k) in led:
                    found[joint.name][0][k] = found[joint.name][1][k] = 0.0
    plain = [{k: (v[w].tolist() if len(v[w]) > 1 else float(v[w][0])) for k, v in found.items()} for w in (0, 1)]
    return state_from(mechanism, plain[0], plain[1])
