"""symvi's joints as functions to verify: rows of two placements, by symvi.naive.joints."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symvi.derive.definition import Definition
from symvi.mechanism.axes import triad
from symvi.naive import joints
from symvi.naive.joints import JointNumbers
from symvi.registry import JOINTS, Rows
from symvi.verify.asking.variables import Variable, quaternion, rotation, vector
from symvi.verify.errors import VerificationError

SOURCE = "after BSMH23 appendix B, not seen"
ANGLE = "angle"  # about the axis: no joint, but a coordinate
ANGLE_EQUATION = "alpha = 2 atan2(a3·V(d), S(d)),  d = q_off* q_a* q_b"


def names() -> tuple[str, ...]:
    """The joints that have words for their rows, and the angle."""
    mixes = [record.name for record in JOINTS.values() if record.held and any(record.held)]
    return (*mixes, *(record.name for record in JOINTS.values() if record.words), ANGLE)


def held_of(name: str) -> Rows:
    """How many translations and rotations a type of joint holds that is a mix of rows."""
    held = JOINTS[name].held
    if held is None:
        raise ValueError(f"a {name} joint is no mix of rows")
    return held


def scale_of(scale: Any) -> Fraction:
    """Of rotational rows. Raises VerificationError for what is no number, and for zero, which leaves no rows."""
    try:
        found = Fraction(2 if scale is None else scale)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise VerificationError(f"scale {scale!r} is no number; it is 2 here and 1 in the papers") from None
    if not found:
        raise VerificationError("scale 0 would leave nothing of the rotational rows; it is 2 here and 1 in the papers")
    return found


def definition(name: str, axis, parent: str, offset: bool, axes: str, scale) -> Definition:
    """The rows of a joint type. Raises VerificationError for options that no joint has."""
    for what, given, known in (("parent", parent, ("body", "world")), ("axes", axes, ("world", "joint"))):
        if given not in known:
            raise VerificationError(f"{what}={given!r} of '{name}': it is {' or '.join(map(repr, known))}")
    factor = scale_of(scale)
    variables = _variables(name, axis, parent, offset)
    fixed = None if axis is None else _triad(axis)

    def of(world, **values):
        numbers = _numbers(name, values, world, fixed, parent)
        a = _world_placement(world) if parent == "world" else (values["x_a"], values["q_a"])
        return _rows(name, numbers, a, (values["x_b"], values["q_b"]), world, axes, factor)

    moving = ("x_b", "q_b") if parent == "world" else ("x_a", "q_a", "x_b", "q_b")
    return Definition(name, equation(name, axes, factor), _source(name), variables, moving, of)


def _source(name: str) -> str:
    if name == ANGLE:
        return "derived here"
    words = JOINTS[name].words
    return SOURCE if words is None else words.source


def equation(name: str, axes: str = "world", factor: Fraction = Fraction(2)) -> str:
    """The rows of a joint type, as papers write them."""
    if name == ANGLE:
        return ANGLE_EQUATION
    if (words := JOINTS[name].words) is not None:
        return words.equation
    held, parts = held_of(name), []
    if held.translations:
        in_world = held.translations == 3 and axes == "world"
        chosen = {1: "a3ᵀ ", 2: "[a1 a2]ᵀ ", 3: "A "}[held.translations]
        gap = "x_b + R_b p_b - x_a - R_a p_a"
        parts.append(gap if in_world else f"{chosen}R_offᵀ R_aᵀ ({gap})")
    if held.rotations:
        chosen = {1: "a3ᵀ ", 2: "[a1 a2]ᵀ ", 3: "A "}[held.rotations]
        parts.append(f"{'' if factor == 1 else str(factor) + ' '}{chosen}V(q_off* q_a* q_b)")
    return "g = [" + "; ".join(parts) + "]"


def _variables(name: str, axis, parent: str, offset: bool) -> Mapping[str, Variable]:
    found = {"x_a": vector(3), "q_a": quaternion(), "x_b": vector(3), "q_b": quaternion()}
    if parent == "world":
        del found["x_a"], found["q_a"]
    found |= {"p_a": vector(3), "p_b": vector(3)}
    if axis is None:
        found["A"] = rotation()
    if offset:
        found["q_off"] = quaternion()
    words = JOINTS[name].words if name in JOINTS else None
    return {**found, **({letter: make() for letter, make in words.variables.items()} if words else {})}


def _triad(axis) -> list[list[Fraction]]:
    x, y, z = map(float, axis)
    found = triad((x, y, z))
    if any(number not in (0.0, 1.0, -1.0) for row in found for number in row):
        raise VerificationError(
            f"axis={axis}: give an axis of the frame, (0, 0, 1) say, or none: the triad A is then free"
        )
    return [[Fraction(number) for number in row] for row in found]


def _world_placement(world):
    return [world.zero] * 3, [world.one, world.zero, world.zero, world.zero]


def _numbers(name: str, values: Mapping, world, fixed, parent: str) -> JointNumbers:
    rows = values.get("A") or [world.constant(x) for row in fixed for x in row]
    single = {key: values[key][0] if key in values else None for key in ("pitch", "L")}
    offset = values.get("q_off") or [world.one, world.zero, world.zero, world.zero]
    return JointNumbers(
        name,
        "world" if parent == "world" else "a",
        "b",
        values["p_a"],
        values["p_b"],
        offset,
        [rows[3 * k : 3 * k + 3] for k in range(3)],
        values.get("b"),
        single["pitch"],
        single["L"],
        user={name: values[name][0] for name in (JOINTS[name].numbers if name in JOINTS else ())},
    )


def _rows(name: str, numbers: JointNumbers, a, b, world, axes: str, factor: Fraction) -> list:
    if name == ANGLE:
        return [_angle(numbers, a, b, world)]
    if JOINTS[name].is_threaded:
        *across, along = joints.translations(numbers, a, b, 3, in_joint_axes=True)
        turns = joints.rotations(numbers, a, b, 2)
        return [*across, *turns, along - numbers.pitch * _angle(numbers, a, b, world)]
    if (held := JOINTS[name].held) is None:
        return joints.rows(numbers, a, b, world.functions, in_joint_axes=axes == "joint")
    turns = joints.rotations(numbers, a, b, held.rotations)
    moves = joints.translations(numbers, a, b, held.translations, axes == "joint")
    return [*moves, *(row * world.constant(factor / 2) for row in turns)]


def _angle(numbers: JointNumbers, a, b, world):
    d = joints.relative(numbers, a, b)
    return 2 * world.functions.atan2(joints.dot(numbers.axes[2], d[1:]), d[0])
