"""The custom joint: rows of the user's own, expressions in the placements of both bodies (mechanism/grammar.py)."""

from __future__ import annotations

from typing import Any

from symvi.registry import JointType, register_joint

EXPRESSIONS = (
    "k*(x_b[0] - x_a[1])*R_a[0, 1] + R_b[2, 0]*q_a[2] - q_b[3]**2/3",
    "sin(x_b[1] + 0.1*q_b[0]) - cos(k*x_a[2])*exp(q_b[1]) + log(2 + R_b[1, 1]) + atan2(x_b[2], x_a[0] + 2)"
    " - sqrt(x_b[0]**2 + 0.25)",
)


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """A row for each expression."""
    from symvi.physics.joints import Piece
    from symvi.physics.joints.custom import custom_groups

    formula, inputs, count = custom_groups(geometry)
    return [Piece(formula, inputs, tuple(range(count)), tuple(f"expression {i + 1}" for i in range(count)), "m")]


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """The expressions, read a second time."""
    from symvi.naive.expressions import rows_of_expressions

    return rows_of_expressions(joint.texts, joint.user, joint.origins, a, b, functions)


register_joint(
    JointType(
        "custom",
        lambda joint: "m" * len(joint.expressions),
        rows,
        naive,
        tree=False,
        needs=("expressions",),
        is_own=True,
        marker=None,
        has_place=False,
        example={"expressions": EXPRESSIONS, "parameters": {"k": 0.7}},
    )
)
