"""symvi's own kinds of forces, one file for each; importing this room registers them (symvi/registry.py).

Their descriptions are in mechanism/forces.py.
"""

from __future__ import annotations

from symvi.forces import (  # isort: skip # in the order of messages
    joint_spring, point_spring, joint_damper, dry_friction, actuator, servo, wrench, potential,
)  # fmt: skip

__all__ = [
    "actuator", "dry_friction", "joint_damper", "joint_spring", "point_spring", "potential", "servo", "wrench",
]  # fmt: skip
