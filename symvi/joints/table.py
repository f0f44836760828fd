"""The joints that are mixes of rows: T translations and R rotations of one triad, a line each.

A joint of the table holds T translations and R rotations of the child's anchor in the joint frame with the triad
(a1, a2, a3), a3 = axis: 0 rows hold nothing, 1 row holds along or about a3, 2 rows hold a1 and a2, 3 rows hold all.
What is free are its minimal coordinates: first the translations, then the rotations.
"""

from __future__ import annotations

from typing import Any

from symvi.registry import JointType, Rows, register_joint

PIN, SLEEVE, RAIL, BLOCK = (1.0, 1.0, 1.5), (1.0, 1.0, 3.2), (1.0, 1.0, 3.2), (1.1, 1.1, 1.1)  # of markers
BALL = ("sphere", ())
BOTH = ("parent", "child")  # bodies that a marker shows outside of


def mix(
    name: str, translations: int, rotations: int, marker=("box", BLOCK), has_place: bool = True, around=BOTH
) -> JointType:
    """The record of a mix of rows."""
    held = Rows(translations, rotations)

    def rows(geometry: Any, in_joint_axes: bool) -> list:
        from symvi.physics.joints import rotations as about
        from symvi.physics.joints import translations as along

        return along(geometry, held.translations, in_joint_axes) + about(geometry, held.rotations)

    def naive(joint: Any, a: Any, b: Any, functions: Any, near: Any, in_joint_axes: bool) -> list:
        from symvi.naive.joints import rotations as about
        from symvi.naive.joints import translations as along

        return along(joint, a, b, held.translations, in_joint_axes) + about(joint, a, b, held.rotations)

    return JointType(
        name,
        "m" * translations + "r" * rotations,
        rows,
        naive,
        ("translation",) * (3 - translations) + ("rotation",) * (3 - rotations),
        held=held,
        marker=marker,
        has_place=has_place,
        around=around,
    )


for record in (
    mix("fixed", 3, 3),
    mix("prismatic", 2, 3, ("box", RAIL), around=("parent",)),  # a slider is away from its rail
    mix("planar", 1, 3),
    mix("fixed_orientation", 0, 3, None, has_place=False),
    mix("revolute", 3, 2, ("cylinder", PIN)),
    mix("cylindrical", 2, 2, ("cylinder", SLEEVE)),
    mix("planar_axis", 1, 2),
    mix("free_revolute", 0, 2, None, has_place=False),
    mix("spherical", 3, 0, BALL),
    mix("cylindrical_free", 2, 0, BALL),
    mix("planar_free", 1, 0, BALL),
    mix("floating", 0, 0, None, has_place=False),
):
    register_joint(record)
