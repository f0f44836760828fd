"""symvi's joints as functions to verify: rows of two placements, by symvi.verify.naive.joints."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symvi.mechanism import JOINT_TABLE
from symvi.mechanism.axes import triad
from symvi.verify.derivatives.errors import VerificationError
from symvi.verify.derivatives.own import Definition
from symvi.verify.derivatives.variables import Variable, quaternion, rotation, scalar, vector
from symvi.verify.naive import joints
from symvi.verify.naive.joints import JointNumbers

SOURCE = "after BSMH23 appendix B, not seen"
OWN_SOURCES = {
    "universal": "derived here",
    "screw": "derived here",
    "distance": "JM09 (37), in metres",
    "angle": "derived here",
}
EQUATIONS = {
    "universal": "g = [x_b + R_b p_b - x_a - R_a p_a; (R_a a3)·(R_b b)]",
    "screw": "g = [A12 u; A12 V(d); a3·u - pitch alpha],  alpha = 2 atan2(a3·V(d), S(d))",
    "distance": "g = (|x_b + R_b p_b - x_a - R_a p_a|² - L²)/(2 L)",
    "angle": "alpha = 2 atan2(a3·V(d), S(d)),  d = q_off* q_a* q_b",
}
OWN = {
    "universal": {"b": vector(3)},
    "screw": {"pitch": scalar()},
    "distance": {"L": scalar(positive=True)},
    "angle": {},
}
NAMES = (*(name for name in JOINT_TABLE if name != "floating"), *OWN)


def scale_of(scale: object) -> Fraction:
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
    return Definition(name, equation(name, axes, factor), OWN_SOURCES.get(name, SOURCE), variables, moving, of)


def equation(name: str, axes: str = "world", factor: Fraction = Fraction(2)) -> str:
    """The rows of a joint type, as papers write them."""
    if name in EQUATIONS:
        return EQUATIONS[name]
    held, parts = JOINT_TABLE[name], []
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
    return {**found, **OWN.get(name, {})}


def _triad(axis) -> list[list[Fraction]]:
    found = triad(tuple(map(float, axis)))
    if any(x not in (0.0, 1.0, -1.0) for row in found for x in row):
        raise VerificationError(
            f"axis={axis}: give an axis of the frame, (0, 0, 1) say, or none: the triad A is then free"
        )
    return [[Fraction(x) for x in row] for row in found]


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
    )


def _rows(name: str, numbers: JointNumbers, a, b, world, axes: str, factor: Fraction) -> list:
    if name == "angle":
        return [_angle(numbers, a, b, world)]
    if name == "screw":
        *across, along = joints.translations(numbers, a, b, 3, in_joint_axes=True)
        turns = joints.rotations(numbers, a, b, 2)
        return [*across, *turns, along - numbers.pitch * _angle(numbers, a, b, world)]
    if name not in JOINT_TABLE:
        return joints.rows(numbers, a, b, world.functions, in_joint_axes=axes == "joint")
    held = JOINT_TABLE[name]
    turns = joints.rotations(numbers, a, b, held.rotations)
    moves = joints.translations(numbers, a, b, held.translations, axes == "joint")
    return [*moves, *(row * world.constant(factor / 2) for row in turns)]


def _angle(numbers: JointNumbers, a, b, world):
    d = joints.relative(numbers, a, b)
    return 2 * world.functions.atan2(joints.dot(numbers.axes[2], d[1:]), d[0])
