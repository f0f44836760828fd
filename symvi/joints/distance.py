"""The distance: a rod without mass that keeps its two points apart by its length."""

from __future__ import annotations

from typing import Any

from symvi.registry import JointType, Words, register_joint


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """(|u|² - L²)/(2 L), whose slope is one where it is zero."""
    from symvi.physics.joints import Piece
    from symvi.physics.joints import rows as row
    from symvi.physics.model import Data

    length = Data(geometry.set("length", (geometry.joint.length,), "distance", "m"))
    return [Piece(row.separation, {**geometry.anchors(), "length": length}, (0,), ("distance",), "m")]


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """The same from both anchors."""
    from symvi.naive.joints import gap
    from symvi.naive.quaternion import dot

    u = gap(joint, a, b)
    return [(dot(u, u) - joint.length * joint.length) / (2 * joint.length)]


def told(axes: str) -> Any:
    """The row as a vector expression."""
    from symvi.derive import derivation as d

    def square(w: list) -> Any:
        return sum(x * x for x in w)

    row = d.function_of(
        d.gap(), "(u·u - L²)/(2 L)", r"\frac{u \cdot u - L^2}{2 L}",
        lambda w, v: (square(w) - v["L"] ** 2) / (2 * v["L"]), "(1/L)", r"\tfrac{1}{L}", lambda w, v: 1 / v["L"],
    )  # fmt: skip
    return d.Rows([d.Row(row)], [d.GAP_NAME])


def length() -> Any:
    """L, more than zero."""
    from symvi.verify.asking.variables import scalar

    return scalar(positive=True)


EQUATION = "g = (|x_b + R_b p_b - x_a - R_a p_a|² - L²)/(2 L)"

register_joint(
    JointType(
        "distance",
        "m",
        rows,
        naive,
        tree=False,
        needs=("length",),
        marker=None,
        span=("strut", 0.009),
        words=Words(EQUATION, {"L": length}, told, "JM09 (37), in metres"),
        example={"length": 1.7},
    )
)
