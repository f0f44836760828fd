"""A joint from outside that carries bodies of a tree: a hinge of a ball and a pin that is `reach` away on the axis.

Its rows are five lengths, not angles: reach times how far the axes are apart. One record in one file is all it takes.
"""

from __future__ import annotations

from typing import Any

from symvi import JointType
from symvi.physics.constraint import carried as fixed_to
from symvi.physics.constraint import data, function_of_bodies
from symvi.physics.joints import Piece, translations
from symvi.physics.model import Data
from symvi.registry import Words


@function_of_bodies(
    "g = reach n·m",
    "derived here: how far the pin is off along n",
    (
        fixed_to("n", "axis across, of body a", "a", "1"),
        fixed_to("m", "axis of body b", "b", "1"),
        data("reach", "from the ball to the pin", "m"),
    ),
    1,
)
def pin_off(n, m, reach):
    from symvi.physics import algebra

    return reach[0] * algebra.dot(n, m)


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """The ball's three, then the pin's two."""
    found = translations(geometry, 3, in_joint_axes)
    for k in (1, 2):
        inputs = {
            "n": geometry.a(f"axis{k}"),
            "m": geometry.b(geometry.axis_on_child()),
            "reach": Data(geometry.number("reach")),
        }
        found.append(Piece(pin_off, inputs, (0,), (f"pin off along axis {k}",), "m"))
    return found


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """The same in the joint frame."""
    from symvi.naive.joints import in_joint_frame, translations
    from symvi.naive.quaternion import dot, rotate

    axis = in_joint_frame(joint, a, rotate(b[1], joint.axes[2]))
    pin = [joint.user["reach"] * dot(joint.axes[k], axis) for k in (0, 1)]
    return translations(joint, a, b, 3, in_joint_axes) + pin


HINGE = JointType(
    "hinge",
    "mmmmm",
    rows,
    naive,
    ("rotation",),
    numbers={"reach": ("from the ball to the pin", "m")},
    marker=("cylinder", (1.0, 1.0, 2.0)),
    around=("parent",),
    span=("strut", 0.01),
    words=Words("g = [R_offᵀ R_aᵀ u; reach a1·R_offᵀ R_aᵀ R_b a3; reach a2·R_offᵀ R_aᵀ R_b a3]"),
    example={"parameters": {"reach": 0.2}},
)
