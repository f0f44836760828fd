"""Open chains in which nothing lies along anything: random axes, anchors, centres of mass and full inertias."""

from __future__ import annotations

import numpy as np

from symvi.mechanism import Body, Joint, Mechanism, coordinate_kinds
from symvi.mechanism.rotation import about

__all__ = ["crooked_chain"]

INERTIA = (0.05, 0.06, 0.07, 0.01, -0.005, 0.008)


def crooked_chain(count: int, joint_type: str, seed: int = 0, speed: float = 1.0) -> Mechanism:
    """Bodies of about 1 kg and 0.5 m that hang on the world one by one, with up to `speed` rad/s in every joint."""
    random = np.random.default_rng([seed, count])
    free = len(coordinate_kinds(joint_type))

    def some(size: float, length: int) -> tuple[float, ...]:
        return tuple(float(x) for x in random.uniform(-size, size, length))

    names = ["world", *(f"link{k + 1}" for k in range(count))]
    bodies = [
        Body(name=name, mass=1.0 + some(0.5, 1)[0], inertia=INERTIA, center_of_mass=some(0.1, 3)) for name in names[1:]
    ]
    joints = [
        Joint(
            name=f"joint{k + 1}", type=joint_type, parent=names[k], child=names[k + 1], parent_anchor=some(0.5, 3),
            child_anchor=some(0.5, 3), axis=some(1, 3), orientation=about(some(1, 3), 1.0), coordinate=some(1, free),
            velocity=some(speed, free),
        )
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name=f"crooked_{joint_type}_{count}", bodies=bodies, joints=joints)
