"""The universal joint: both anchors at one point, the parent's axis and the child's second one at right angles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import JointType, Words, register_joint

RIGHT_ANGLE_TOLERANCE = 1e-9


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """Three translations, and the axes' orthogonality."""
    from symvi.physics.joints import Piece, translations
    from symvi.physics.joints import rows as row

    axes = {"n": geometry.a("axis3"), "m": geometry.second_axis()}
    hooke = Piece(row.orthogonality, axes, (0,), ("between the axes",), "rad")
    return [*translations(geometry, 3, in_joint_axes), hooke]


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """The parent's axis and the child's stay orthogonal."""
    from symvi.naive.joints import translations
    from symvi.naive.quaternion import dot, rotate

    axis = rotate(a[1], rotate(joint.offset, joint.axes[2]))
    return [*translations(joint, a, b, 3, in_joint_axes), dot(axis, rotate(b[1], joint.pin))]


def defaults(joint: Any) -> dict[str, Any]:
    """The second axis is the first direction of the triad."""
    from symvi.mechanism.axes import triad

    return {"child_axis": triad(joint.axis)[0]}


def complaints(joint: Any) -> Iterator:
    """Both axes are at right angles where the child frame is parallel to the joint frame."""
    from symvi.mechanism.description import Complaint
    from symvi.mechanism.names import shown
    from symvi.mechanism.vectors import dot

    if abs(dot(joint.axis, joint.child_axis)) > RIGHT_ANGLE_TOLERANCE:
        yield Complaint(
            ("child_axis",),
            f"child_axis {shown(joint.child_axis)} is not at right angles to axis {shown(joint.axis)}; "
            "at zero coordinates the child frame is parallel to the joint frame: turn that with orientation",
        )


def told(axes: str) -> Any:
    """The rows as vector expressions."""
    from symvi.derive import derivation as d

    first = d.Turned("q_a", d.Turned("q_off", d.third_axis()))
    moves = d.gap() if axes == "world" else d.in_frame(3)
    return d.Rows([moves, d.Row(d.dot(first, d.Turned("q_b", d.Variable("b"))))], [d.GAP_NAME])


def second_axis() -> Any:
    """b, the second axis on the child."""
    from symvi.verify.asking.variables import vector

    return vector(3)


register_joint(
    JointType(
        "universal",
        "mmmr",
        rows,
        naive,
        ("rotation", "rotation"),
        needs=("child_axis",),
        defaults=defaults,
        complaints=complaints,
        has_pin=True,
        marker=("cylinder", (1.0, 1.0, 1.5)),
        words=Words("g = [x_b + R_b p_b - x_a - R_a p_a; (R_a a3)·(R_b b)]", {"b": second_axis}, told),
    )
)
