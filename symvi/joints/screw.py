"""The screw: a cylindrical joint whose child advances along the axis by pitch times its angle."""

from __future__ import annotations

from typing import Any

from symvi.registry import JointType, Words, register_joint


def rows(geometry: Any, in_joint_axes: bool) -> list:
    """Two translations, two rotations, and the advance along the thread."""
    from symvi.physics.joints import Piece, rotations, translations
    from symvi.physics.joints import rows as row
    from symvi.physics.model import Data

    pitch = Data(geometry.set("pitch", (geometry.joint.pitch,), "advance per angle", "m/rad"))
    inputs = {
        "n": geometry.a("axis3"),
        **geometry.anchors(),
        **geometry.turn(),
        "near": Data("angle", "state"),
        "pitch": pitch,
    }
    advance = Piece(row.screw_advance, inputs, (0,), ("along the thread",), "m")
    return [*translations(geometry, 2), *rotations(geometry, 2), advance]


def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
    """a3·u - pitch alpha, beside the rows of a cylindrical joint."""
    from symvi.naive.joints import angle, gap, in_joint_frame, rotations, translations
    from symvi.naive.quaternion import dot

    turned = angle(joint, a, b, functions, near.get(0, 0))
    advance = dot(joint.axes[2], in_joint_frame(joint, a, gap(joint, a, b))) - joint.pitch * turned
    return [*translations(joint, a, b, 2), *rotations(joint, a, b, 2), advance]


def told(axes: str) -> Any:
    """The rows as vector expressions."""
    from symvi.derive import derivation as d

    advance = d.Row(d.dot(d.third_axis(), d.Turned("q_off", d.Turned("q_a", d.gap(), True), True)))
    turn = d.Times(d.name_factor("pitch", True), d.Called("alpha", d.Row(d.angle())))
    rows = [d.in_frame(2), d.Total((2, d.Times(d.chosen(2), d.Part(d.PRODUCT)))), d.Total((1, advance), (-1, turn))]
    alpha = "alpha = 2 atan2(a3·V d, S d)", r"\alpha = 2 \operatorname{atan2}(a_3 \cdot V d, S d)"
    return d.Rows(rows, [d.GAP_NAME, d.PRODUCT_NAME, alpha])


def pitch() -> Any:
    """The advance per angle."""
    from symvi.verify.asking.variables import scalar

    return scalar()


EQUATION = "g = [A12 u; A12 V(d); a3·u - pitch alpha],  alpha = 2 atan2(a3·V(d), S(d))"

register_joint(
    JointType(
        "screw",
        "mmrrm",
        rows,
        naive,
        ("rotation",),  # its translation is pitch times its angle
        needs=("pitch",),
        is_threaded=True,
        marker=("cylinder", (1.0, 1.0, 3.2)),
        words=Words(EQUATION, {"pitch": pitch}, told),
        example={"pitch": 0.3},
    )
)
