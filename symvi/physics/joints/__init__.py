"""Joints as models: which rows of which formulas hold two bodies together, and what their minimal coordinates are.

Which rows those are is told by the record of a joint's type (symvi/joints, symvi/registry.py): `translations` and
`rotations` of one triad, and pieces of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from symvi.errors import MechanismError
from symvi.mechanism import Joint, Mechanism
from symvi.mechanism.axes import triad
from symvi.mechanism.joint_frames import joint_frames, pin
from symvi.mechanism.rotation import rotate
from symvi.physics.formula import Formula
from symvi.physics.joints import rows as row
from symvi.physics.model import Attitude, ConstraintModel, Data, FixedTo, Group, Parameter, Position
from symvi.physics.model_checks import formula_problems
from symvi.registry import JOINTS

FRAME = ("e1", "e2", "e3")
AXIS_NAMES = ("first", "second", "third")
UNITS = {"m": "m", "r": "rad"}


@dataclass(frozen=True)
class Piece:
    """Some rows of a joint: a formula, its inputs, which of its rows, and what they are called."""

    formula: Formula
    inputs: dict
    rows: tuple[int, ...]
    names: tuple[str, ...]
    unit: str


def joint_model(geometry: Geometry, keep: tuple[int, ...] | None = None) -> ConstraintModel:
    """The rows of a joint. `keep` chooses some (a loop's redundant ones dropped); then all lie in joint axes."""
    joint = geometry.joint
    pieces = joint_pieces(geometry, in_joint_axes=keep is not None)
    count = sum(len(p.rows) for p in pieces)
    kept = tuple(range(count)) if keep is None else keep
    groups, names, units, position = [], [], [], 0
    for piece in pieces:
        chosen = [(r, kept.index(position + i)) for i, r in enumerate(piece.rows) if position + i in kept]
        names += [piece.names[i] for i in range(len(piece.rows)) if position + i in kept]
        units += [piece.unit for i in range(len(piece.rows)) if position + i in kept]
        if chosen:
            groups.append(Group(piece.formula, piece.inputs, tuple(r for r, _ in chosen), tuple(i for _, i in chosen)))
        position += len(piece.rows)
    parameters = geometry.used(groups) | {name: geometry.parameter(name) for name in ("anchor_b", *FRAME)}
    return ConstraintModel(
        joint.name,
        joint.type,
        geometry.bodies,
        tuple(groups),
        parameters,
        len(kept),
        tuple(names),
        tuple(units),
        frame=FRAME,
        angles=tuple(near.name for g in groups if (near := g.near)),
        tree=JOINTS[joint.type].tree,
    )


class Geometry:
    """A joint's numbers in the model's own terms: from centres of mass, along a triad, as body-fixed quaternions.

    One for each joint, which all share that acts along it (multibody.py).
    """

    def __init__(self, mechanism: Mechanism, joint: Joint):
        self.joint = joint
        self.prefix, self.labels = "", ("a", "b")
        self.parent = None if joint.parent == "world" else mechanism.body(joint.parent)
        self.child = mechanism.body(joint.child)
        self.axes = tuple(rotate(joint.orientation, a) for a in triad(joint.axis))
        self.frame_axes = tuple(
            rotate(joint.orientation, e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        )
        frame_a, frame_b = joint_frames(joint)
        self._values = {
            "anchor_a": Parameter(
                self._from_center(self.parent, joint.parent_anchor),
                "anchor on the parent, from its centre of mass",
                "m",
            ),
            "anchor_b": Parameter(
                self._from_center(self.child, joint.child_anchor), "anchor on the child, from its centre of mass", "m"
            ),
            "frame_a": Parameter(frame_a, "joint triad on the parent"),
            "frame_b": Parameter(frame_b, "joint triad on the child"),
            "joint_a": Parameter(joint.orientation, "joint frame on the parent"),
            "joint_b": Parameter((1.0, 0.0, 0.0, 0.0), "joint frame on the child"),
        }
        for i, axis in enumerate(self.axes):
            self._values[f"axis{i + 1}"] = Parameter(axis, f"{AXIS_NAMES[i]} axis of the joint's triad, on the parent")
        for i, axis in enumerate(self.frame_axes):
            self._values[f"e{i + 1}"] = Parameter(axis, f"{AXIS_NAMES[i]} axis of the joint frame, on the parent")

    @property
    def bodies(self) -> dict[str, str | None]:
        return {self.labels[0]: None if self.parent is None else self.parent.name, self.labels[1]: self.child.name}

    @staticmethod
    def _from_center(body, anchor) -> tuple[float, ...]:
        return tuple(anchor) if body is None else tuple(a - c for a, c in zip(anchor, body.center_of_mass, strict=True))

    def labelled(self, prefix: str, labels: tuple[str, str]) -> Geometry:
        """The same where other joints take part: names of parameters begin with `prefix`, bodies have other labels."""
        other = copy(self)
        other.prefix, other.labels, other._values = prefix, labels, dict(self._values)
        return other

    def name(self, parameter: str) -> str:
        return self.prefix + parameter

    def set(self, parameter: str, values: tuple[float, ...], meaning: str, unit: str = "1") -> str:
        """Add a number of the joint; whoever needs it may do so, with the same one.

        Raises MechanismError where the joint has another number of this name.
        """
        added = Parameter(tuple(values), meaning, unit)
        if self._values.setdefault(parameter, added) != added:
            raise MechanismError(f"joint '{self.joint.name}': its number '{parameter}' is set twice, and differs")
        return self.name(parameter)

    def number(self, name: str) -> str:
        """One of the joint's numbers in `parameters`, which its type has names, meanings and units for."""
        meaning, unit = JOINTS[self.joint.type].numbers[name]
        return self.set(f"par_{name}", (self.joint.parameters[name],), meaning, unit)

    def second_axis(self) -> FixedTo:
        """The joint's child_axis, fixed to the child."""
        self.set("pin", pin(self.joint), "second axis, on the child")
        return self.b("pin")

    def axis_on_child(self) -> str:
        """The joint's axis, as the child carries it."""
        return self.set("axis_b", triad(self.joint.axis)[2], "axis of the joint, on the child")

    def parameter(self, name: str) -> Parameter:
        return self._values[name]

    @property
    def parameters(self) -> dict[str, Parameter]:
        """All numbers that the joint has so far, by the names that its own models have for them."""
        return dict(self._values)

    def a(self, parameter: str) -> FixedTo:
        return FixedTo(self.labels[0], self.name(parameter))

    def b(self, parameter: str) -> FixedTo:
        return FixedTo(self.labels[1], self.name(parameter))

    def anchors(self) -> dict:
        first, second = self.labels
        return {"x_a": Position(first), "r_a": self.a("anchor_a"), "x_b": Position(second), "r_b": self.b("anchor_b")}

    def turn(self, frame: str = "frame") -> dict:
        """The two quaternions of the relative turn: along the triad ("frame") or the joint frame's axes ("joint")."""
        return {
            "p": Attitude(self.labels[0], self.name(f"{frame}_a")),
            "q": Attitude(self.labels[1], self.name(f"{frame}_b")),
        }

    def used(self, groups) -> dict[str, Parameter]:
        """The parameters that the groups name."""
        names = {}
        for group in groups:
            for source in group.inputs.values():
                wanted = getattr(
                    source,
                    "parameter",
                    source.name if isinstance(source, Data) and source.store == "parameters" else None,
                )
                if wanted is not None and wanted.removeprefix(self.prefix) in self._values:
                    names[wanted] = self._values[wanted.removeprefix(self.prefix)]
        return names


def joint_pieces(geometry: Geometry, in_joint_axes: bool = False) -> list[Piece]:
    """The rows of a joint, in their full order."""
    return JOINTS[geometry.joint.type].rows(geometry, in_joint_axes)


def check_rows(geometry: Geometry) -> None:
    """Raise MechanismError where a joint type from outside has other rows than its record says."""
    joint = geometry.joint
    for in_joint_axes in (False, True) if JOINTS.serial(joint.type) else ():
        for problem in _row_problems(geometry, in_joint_axes):
            raise MechanismError(f"joint '{joint.name}': joint type '{joint.type}': {problem}")


def _row_problems(geometry: Geometry, in_joint_axes: bool) -> Iterator[str]:
    record, pieces = JOINTS[geometry.joint.type], joint_pieces(geometry, in_joint_axes)
    if not isinstance(pieces, Sequence) or not all(isinstance(piece, Piece) for piece in pieces):
        yield f"rows returned {pieces!r}, but must return a list of pieces (symvi.physics.joints.Piece)"
        return
    for piece in pieces:
        if problems := list(formula_problems(piece.formula)):
            yield problems[0]
            return
        there, name = piece.formula.outputs[0].size, piece.formula.name
        if outside := [row for row in piece.rows if not 0 <= row < there]:
            yield f"a piece has row {outside[0]} of formula '{name}', whose rows are 0 to {there - 1}"
        if len(piece.names) != len(piece.rows):
            yield f"a piece of formula '{name}' has {len(piece.rows)} rows, but {len(piece.names)} names"
        if missing := [argument.name for argument in piece.formula.inputs if argument.name not in piece.inputs]:
            yield f"a piece of formula '{name}' has no input '{missing[0]}'"
    found = [piece.unit for piece in pieces for _ in piece.rows]
    stated = [UNITS.get(letter, letter) for letter in record.units_of(geometry.joint)]
    if found != stated:
        yield f"rows have the units {found}, but the record's units say {stated}"
    if (record.coordinates or record.tree) and len(found) + len(record.coordinates) != 6:
        rest = "leave coordinates out and set tree=False"
        yield f"{len(found)} rows and {len(record.coordinates)} coordinates are not 6; {rest}"


def translations(geometry: Geometry, count: int, in_joint_axes: bool = False) -> list[Piece]:
    """0, 1 (along a3), 2 (along a1 and a2) or 3 translational rows."""
    if count == 3 and not in_joint_axes:
        return [Piece(row.coincidence, geometry.anchors(), (0, 1, 2), ("x", "y", "z"), "m")]
    chosen = {0: (), 1: (3,), 2: (1, 2), 3: (1, 2, 3)}[count]
    return [
        Piece(
            row.offset_along,
            {"n": geometry.a(f"axis{k}"), **geometry.anchors()},
            (0,),
            (f"along {AXIS_NAMES[k - 1]} axis",),
            "m",
        )
        for k in chosen
    ]


def rotations(geometry: Geometry, count: int) -> list[Piece]:
    """0, 1 (about a3), 2 (about a1 and a2) or 3 rotational rows."""
    chosen = {0: (), 1: (2,), 2: (0, 1), 3: (0, 1, 2)}[count]
    names = tuple(f"about {AXIS_NAMES[k]} axis" for k in chosen)
    return [Piece(row.alignment, geometry.turn(), chosen, names, "rad")] if chosen else []


__all__ = ["Geometry", "Piece", "check_rows", "joint_model", "joint_pieces", "rotations", "translations"]
