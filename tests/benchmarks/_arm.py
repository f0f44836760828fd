"""A 6-axis arm of the size of a small industrial one: six hinges, each with a servo that follows a sine of its own."""

from __future__ import annotations

from symvi.mechanism import Body, Joint, Mechanism, Servo

# name, axis, place of the joint in the frame of the part before it [m], mass [kg], centre of mass [m], principal
# inertias about it [kg m²], stiffness [N m/rad], damping [N m s/rad], mean and amplitude of the target [rad], its rate
PARTS = (
    ("turret", (0, 0, 1), (0.0, 0.0, 0.10), 5.0, (0.0, 0.02, 0.09), (0.030, 0.026, 0.018), 900, 60, 0.0, 0.8, 1.3),
    ("shoulder", (0, 1, 0), (0.0, 0.05, 0.17), 6.0, (0.01, 0.03, 0.16), (0.075, 0.071, 0.014), 1500, 90, 0.3, 0.4, 1.1),
    ("elbow", (0, 1, 0), (0.0, -0.03, 0.33), 3.5, (0.03, 0.01, 0.06), (0.016, 0.015, 0.009), 800, 40, 0.6, 0.5, 1.7),
    ("forearm", (1, 0, 0), (0.10, 0.0, 0.07), 1.8, (0.12, 0.005, 0.0), (0.002, 0.009, 0.009), 150, 6, 0.0, 1.0, 2.3),
    ("wrist", (0, 1, 0), (0.22, 0.0, 0.0), 0.9, (0.02, 0.004, 0.002), (0.0006, 0.0008, 0.0007), 80, 3, 0.5, 0.6, 2.9),
    ("flange", (1, 0, 0), (0.07, 0.0, 0.0), 0.4, (0.03, 0.002, 0.001), (0.0003, 0.0004, 0.0004), 30, 1, 0.0, 1.2, 3.7),
)


def six_axis_arm() -> Mechanism:
    """The arm at the mean of its targets."""
    names = ["world", *(part[0] for part in PARTS)]
    bodies = [Body(name=name, mass=mass, center_of_mass=centre, inertia=inertia)
              for name, _, _, mass, centre, inertia, *_ in PARTS]  # fmt: skip
    joints = [
        Joint(name=f"axis{k + 1}", type="revolute", parent=names[k], child=name, parent_anchor=anchor, axis=axis,
              coordinate=mean)
        for k, (name, axis, anchor, *_, mean, _, _) in enumerate(PARTS)
    ]  # fmt: skip
    servos = [
        Servo(name=f"servo{k + 1}", joint=f"axis{k + 1}", stiffness=stiffness, damping=damping,
              signal=f"{mean} + {amplitude}*sin({rate}*t)")
        for k, (*_, stiffness, damping, mean, amplitude, rate) in enumerate(PARTS)
    ]  # fmt: skip
    return Mechanism(name="arm6", bodies=bodies, joints=joints, forces=servos)
