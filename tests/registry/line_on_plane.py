"""A joint from outside: a line of the child lies in a plane of the parent, a height above the joint frame. Two rows.

One record in one file is all that it takes; its first row is a formula of its own.
"""

from __future__ import annotations

from typing import Any

from symvi import JointType
from symvi.physics.constraint import carried as fixed_to
from symvi.physics.constraint import data, function_of_bodies
from symvi.physics.joints import Piece
from symvi.physics.joints.rows import ANCHORS, orthogonality
from symvi.physics.model import Data
from symvi.registry import Words


@function_of_bodies(
    "g = n·(x_b + r_b - x_a - r_a) - height",
    "derived here",
    (fixed_to("n", "normal of the plane", "a", "1"), *ANCHORS, data("height", "of the plane", "m")),
    1,
)
def height_over_plane(n, x_a, r_a, x_b, r_b, height, let):
    from symvi.physics import algebra

    return algebra.dot(n, let("u", x_b + r_b - x_a - r_a)) - height[0]


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """A point of the line is in the plane, and its direction is."""
    normal = geometry.a("axis3")
    inputs = {"n": normal, **geometry.anchors(), "height": Data(geometry.number("height"))}
    return [
        Piece(height_over_plane, inputs, (0,), ("off the plane",), "m"),
        Piece(orthogonality, {"n": normal, "m": geometry.second_axis()}, (0,), ("out of the plane",), "rad"),
    ]


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """The same in the joint frame."""
    from symvi.naive.joints import gap, in_joint_frame
    from symvi.naive.quaternion import dot, rotate

    normal = joint.axes[2]
    point = in_joint_frame(joint, a, gap(joint, a, b))
    line = in_joint_frame(joint, a, rotate(b[1], joint.pin))
    return [dot(normal, point) - joint.user["height"], dot(normal, line)]


def told(axes: str) -> Any:
    """The rows as vector expressions."""
    from symvi.derive import derivation as d

    apart = d.Row(d.dot(d.third_axis(), d.Turned("q_off", d.Turned("q_a", d.gap(), True), True)))
    normal = d.Turned("q_a", d.Turned("q_off", d.third_axis()))
    height = d.Total((1, apart), (-1, d.Constant(d.name_factor("height", True))))
    return d.Rows([height, d.Row(d.dot(normal, d.Turned("q_b", d.Variable("b"))))], [d.GAP_NAME])


def variables() -> dict:
    from symvi.verify.asking.variables import scalar, vector

    return {"b": lambda: vector(3), "height": lambda: scalar()}


LINE_ON_PLANE = JointType(
    "line_on_plane",
    "mr",
    rows,
    naive,
    tree=False,
    needs=("child_axis",),
    numbers={"height": ("height of the plane above the joint frame", "m")},
    marker=("box", (3.0, 3.0, 0.1)),
    words=Words("g = [a3·R_offᵀ R_aᵀ u - height; (R_a R_off a3)·(R_b b)]", variables(), told),
    example={"parameters": {"height": 0.2}},
)
