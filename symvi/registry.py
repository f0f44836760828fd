"""Registries: what symvi knows of each type of joint, kind of force and kind of contact, one record each.

A record holds everything about its type: of a joint what it holds and leaves free, the formulas of its rows, their
plain definition that proofs compare with, how it looks, and how its derivation is worded. The records of symvi's own
are in symvi/joints, symvi/forces and symvi/contacts, one file for each; a record from outside joins them by
`register_joint`, `register_force` or `register_contact` and is worth the same. It must be registered before a
description names it, in every process: commands of symvi (`symvi simulate`), which no program of a user's runs in, are
given a file that does so (`register_file`). It is derived anew in every process, as symvi cannot see when it changes.

Functions in a record import what they need when they are called: `import symvi` stays quick.
"""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from symvi.errors import ArgumentError, MechanismError, SymviError, told_as_files

__all__ = [
    "CONTACTS", "ContactKind", "FORCES", "ForceKind", "JOINTS", "JointType", "Law", "Registry", "Rows", "Words",
    "register_contact", "register_file", "register_force", "register_joint",
]  # fmt: skip

Kind = Literal["translation", "rotation"]
OWN_FIELDS = ("pitch", "length", "child_axis", "expressions")  # of a joint's description, for some types only
CONTACT_FIELDS = (  # of a contact's description, for some kinds only
    "parent_anchor", "whole_shape", "normal", "parent_radius", "expression", "point", "parameters",
)  # fmt: skip


SOLIDS = ("box", "cylinder", "sphere")  # that a marker can be
LOOKS = ("spring", "strut")  # of what is drawn between two points
POINTS = ("parent", "child", "parent_anchor", "child_anchor")  # fields of a description that say where these are


class Named(Protocol):
    """What a registry keeps."""

    @property
    def name(self) -> str: ...


Record = TypeVar("Record", bound=Named)


class Registry(Generic[Record]):
    """Records by name, in the order in which they were registered. what: how messages call one of them.

    Asked for one that it does not have, it raises MechanismError: a description was made, or pickled, where there was.
    """

    def __init__(self, what: str):
        self.what = what
        self._records: dict[str, Record] = {}
        self._serials: dict[str, int] = {}  # of records from outside: their numbers in the order of registration
        self._registered: Iterator[int] | None = None  # while symvi registers its own, nothing is from outside
        self._try: Callable[[Record], object] = lambda record: None

    def register(self, record: Record) -> Record:
        """Add a record. Raises ArgumentError for a name that is taken, or that cannot stand in a file and in C.

        One from outside is tried, and is not registered if that raises an error.
        """
        name = record.name if isinstance(record.name, str) else ""
        if not (name.isascii() and name.isidentifier() and name == name.lower()):
            raise ArgumentError(f"{self.what} {record.name!r}: a name has small letters, digits and underscores")
        if record.name in self._records:
            raise ArgumentError(f"{self.what} '{record.name}' is registered already; choose another name")
        self._records[record.name] = record
        if self._registered is not None:
            self._serials[record.name] = next(self._registered)
            try:
                self._try(record)
            except BaseException:
                self.forget(record.name)
                raise
        return record

    def close_own(self, attempt: Callable[[Record], object] = lambda record: None) -> None:
        """What is registered from now on comes from outside: symvi's own are complete. attempt: tries a record."""
        self._registered, self._try = count(1), attempt

    @property
    def is_closed(self) -> bool:
        """Whether symvi's own are complete."""
        return self._registered is not None

    def serial(self, name: str) -> int:
        """Which registration a record from outside is, never the same again; 0 for one of symvi's own.

        symvi's own source says everything of its own records, but not of these: what is kept between processes, by the
        source or by the text of a description, must not be theirs.
        """
        return self._serials.get(name, 0)

    def forget(self, name: str) -> None:
        """Take a record out again, as tests do. Raises KeyError if there is none."""
        del self._records[name]
        self._serials.pop(name, None)

    def __getitem__(self, name: str) -> Record:
        if name not in self._records:
            raise MechanismError(f"{self.what} '{name}' is not registered in this process; register it first")
        return self._records[name]

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def values(self) -> Iterable[Record]:
        """The records themselves."""
        return self._records.values()


def _misfits(record: object, functions: str, tables: str) -> Iterator[str]:
    """Fields of a record that are no function and no table, of those that must be."""
    for name in functions.split():
        if not callable(getattr(record, name)):
            yield f"{name} is {getattr(record, name)!r}, but must be a function"
    for name in tables.split():
        if not isinstance(getattr(record, name), Mapping):
            yield f"{name} is {getattr(record, name)!r}, but must be a table of names and values"


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and 0.0 < value < math.inf


def _span_problems(span: object) -> Iterator[str]:
    """What is wrong with how something is drawn between two points."""
    if span is None:
        return
    if not (isinstance(span, tuple) and len(span) == 2):
        yield f"span is {span!r}, but must be (look, radius), or None where nothing is drawn"
        return
    look, radius = span
    if look not in LOOKS:
        yield f"span has the look {look!r}, but there are {', '.join(LOOKS)}"
    if not _is_size(radius):
        yield f"span has the radius {radius!r}, but it must be a number above zero, of the mechanism's size"


class Rows(NamedTuple):
    """Constrained translations and rotations of a joint that is a mix of rows."""

    translations: int
    rotations: int


@dataclass(frozen=True)
class Words:
    """How `derive` and `verify` tell the rows of a joint.

    equation: the rows as papers write them. source: of it.
    variables: of the joint alone, by their letters in the equation, each made when it is called.
    rows: the rows as vector expressions, for world or joint axes (derive/derivation.py).
    """

    equation: str
    variables: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    rows: Callable[[str], Any] | None = None
    source: str = "derived here"


@dataclass(frozen=True)
class JointType:
    """Everything that symvi knows of a type of joint.

    name: in descriptions.
    units: of its rows, a letter each, m or r; a function of the joint's description if their number follows from it.
    rows: (geometry, in_joint_axes) -> the rows as pieces (physics/joints): formulas, and what they are applied to.
    naive: (numbers, a, b, functions, near, in_joint_axes) -> the rows by their plain definition, of placements (x, q).
    coordinates: kinds of the minimal coordinates that it leaves free, translations first; none: it has no coordinates.
    tree: whether the coordinates say where the child is: displaced along free axes of the triad, turned about its axis
        (two rotations: about a pin, too). Rows and coordinates are six together then, and the rows vanish there.
    held: of a mix of rows (symvi/joints/table.py), how many translations and rotations it holds.
    needs: the fields of a description that belong to this type, all of which must be given.
    defaults: (joint) -> values of such fields that follow from others.
    complaints: (joint) -> what else can be wrong with a description.
    numbers: names of numbers that a description must give in `parameters`, with meaning and unit.
    has_pin: two rotations, about the axis and about child_axis.
    is_threaded: the child advances by pitch times its turn.
    is_own: its rows are a user's expressions, which may depend on where the bodies are in the world.
    marker: (solid, proportions) on a page, None for none. around: the bodies that it must show outside of.
    span: how a page draws the joint between its two points, (look, radius); None: not at all.
    has_place: whether it holds a point of its bodies.
    words: how its derivation is told. example: values of its own fields, for proofs and tests.
    """

    name: str
    units: str | Callable[[Any], str]
    rows: Callable[[Any, bool], list]
    naive: Callable[..., list]
    coordinates: tuple[Kind, ...] = ()
    tree: bool = True
    held: Rows | None = None
    needs: tuple[str, ...] = ()
    defaults: Callable[[Any], dict[str, Any]] = lambda joint: {}
    complaints: Callable[[Any], Iterable] = lambda joint: ()
    numbers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    has_pin: bool = False
    is_threaded: bool = False
    is_own: bool = False
    marker: tuple[str, tuple[float, ...]] | None = ("box", (1.1, 1.1, 1.1))
    has_place: bool = True
    words: Words | None = None
    example: Mapping[str, Any] = field(default_factory=dict)
    around: tuple[str, ...] = ("parent", "child")
    span: tuple[str, float] | None = None

    def units_of(self, joint: Any) -> str:
        """The units of a joint's rows, a letter each. Raises MechanismError where a function of units gives others."""
        found = self.units(joint) if callable(self.units) else self.units
        if not (isinstance(found, str) and set(found) <= {"m", "r"}):
            raise MechanismError(
                f"joint type '{self.name}': units returned {found!r}, but must return a letter m or r for each row"
            )
        return found

    def problems(self) -> Iterator[str]:
        """What is wrong with the record as such; whether its rows are as many as it says is seen of a mechanism."""
        yield from _misfits(self, "rows naive defaults complaints", "numbers example")
        for name in ("coordinates", "needs"):
            if not isinstance(getattr(self, name), tuple | list):
                yield f"{name} is {getattr(self, name)!r}, but must be a tuple of names"
                return
        for name, kind in (("held", Rows), ("words", Words)):
            if not isinstance(getattr(self, name), kind | None):
                yield f"{name} is {getattr(self, name)!r}, but must be a symvi.registry.{kind.__name__}, or None"
        if not callable(self.units) and not (isinstance(self.units, str) and set(self.units) <= {"m", "r"}):
            yield f"units {self.units!r} must have a letter m or r for each row, or be a function of the description"
        yield from self._coordinate_problems()
        if unknown := [name for name in self.needs if name not in OWN_FIELDS]:
            yield f"needs {unknown[0]!r}, but has the choice of {', '.join(OWN_FIELDS)}; numbers names any other number"
        yield from self._marker_problems()
        yield from _span_problems(self.span)
        if not (isinstance(self.around, tuple | list) and set(self.around) <= {"parent", "child"}):
            yield f"around is {self.around!r}, but must be a tuple of 'parent' and 'child'"
        if self.is_own and "expressions" not in self.needs:
            yield "is_own is for rows of a user's expressions: needs must have 'expressions'"
        for name, of in (("has_pin", "child_axis"), ("is_threaded", "pitch")):
            if getattr(self, name) and of not in self.needs:
                yield f"{name} is for joints with a {of}: needs must have '{of}'"
        for name, meaning in self.numbers.items():
            if not (isinstance(meaning, tuple | list) and len(meaning) == 2):
                yield f"numbers has {meaning!r} for '{name}', but must have (meaning, unit)"

    def _coordinate_problems(self) -> Iterator[str]:
        kinds = ("translation", "rotation")
        if unknown := [kind for kind in self.coordinates if kind not in kinds]:
            yield f"coordinates have {unknown[0]!r}, but each is 'translation' or 'rotation'"
        elif list(self.coordinates) != sorted(self.coordinates, key=kinds.index):
            yield "coordinates must have translations first"
        elif list(self.coordinates).count("rotation") == 2 and not self.has_pin:
            yield "coordinates have two rotations: these are about the axis and a child_axis; set has_pin"

    def _marker_problems(self) -> Iterator[str]:
        if self.marker is None:
            return
        if not (isinstance(self.marker, tuple) and len(self.marker) == 2):
            yield f"marker is {self.marker!r}, but must be (solid, proportions), or None for none"
            return
        solid, proportions = self.marker
        if solid not in SOLIDS:
            yield f"marker has the solid {solid!r}, but there are {', '.join(SOLIDS)}"
        elif solid != "sphere" and not (
            isinstance(proportions, tuple) and len(proportions) == 3 and all(map(_is_size, proportions))
        ):
            yield f"marker has the proportions {proportions!r}, but they must be three numbers above zero"


JOINTS: Registry[JointType] = Registry("joint type")


def register_joint(record: JointType) -> JointType:
    """Make a type of joint known: descriptions may name it from now on.

    Raises ArgumentError if its name is taken, or if the record is wrong.
    """
    if not isinstance(record, JointType):
        raise ArgumentError(f"register_joint was given {record!r}; give a symvi.JointType")
    for problem in record.problems():
        raise ArgumentError(f"joint type '{record.name}': {problem}")
    return JOINTS.register(record)


@dataclass(frozen=True)
class Law:
    """What a force does within the step (physics/laws.py), by the names that its numbers have in model and record.

    is_elastic: it has a `stiffness`, towards the numbers `rest`, of two points towards the `length`.
    is_damped: it has a `damping`.
    is_aimed: a servo's, elastic and damped, towards the inputs `target` and `target_rate`; of a joint with one axis.
    is_sinusoidal: elastic, by the numbers `rest_cos` and `rest_sin`; of a joint whose only free axis is a rotation.
    is_between_points: along the distance of its `parent_anchor` and `child_anchor`, instead of its `joint`.
    has_length: of two points: a spring with a length; one without pulls along three directions.
    """

    is_elastic: bool = False
    is_damped: bool = False
    is_aimed: bool = False
    is_sinusoidal: bool = False
    is_between_points: bool = False
    has_length: bool = False

    @property
    def is_along_joint(self) -> bool:
        """Whether it is a share of what acts along a joint's coordinates."""
        return not self.is_between_points


@dataclass(frozen=True)
class ForceKind:
    """Everything that symvi knows of a kind of force.

    name: in descriptions, as `kind`.
    description: () -> the class of its descriptions, a mechanism.forces.Force whose `kind` is the name.
    model: (system, force) -> what acts on which rows (physics/model.py): a ForceModel at the knots, a LawModel or
        ShareModel within the step; None for an inequality (dry friction). system has the mechanism and the geometry of
        every joint (physics/multibody.py).
    law: (force) -> the Law that its model has within the step, which warnings, guards and proofs ask for; None of what
        acts at the knots, and of an inequality.
    per_axis: fields of the description that have a number for each free axis of its joint.
    on_joint: (force, kinds of its joint's coordinates) -> what is wrong with the description there.
    is_motor: whether its inputs move its joint; what a law aims at always does.
    numbers: (mechanism, force) -> names and numbers of the description that a run may change (numbers/settings.py).
    naive: (scene, force, numbers, inputs) -> its energy or power by plain definition (naive/force_energies.py).
    record: (mechanism, force, joints, numbers) -> its parameters, derived a second time for proofs.
    signals: (force) -> (input, text in t, whether it is the text's rate) for signals of the description.
    expressions: (force) -> texts of the user's own, which must be real and finite at the start.
    pulls_at_knots: (force) -> whether its energy acts at the knots alone, where it may be too stiff for the step.
    span: how a page draws it between its two points, (look, radius); None: not at all.
    definitions: () -> functions to verify against (derive/definition.py). told: name of one -> its rows as vector
        expressions, for `derive`.
    examples: (parent, child) -> descriptions between two bodies, for proofs.
    """

    name: str
    description: Callable[[], type]
    model: Callable[[Any, Any], Any] | None
    numbers: Callable[[Any, Any], Iterable] = lambda mechanism, force: ()
    naive: Callable[[Any, Any, Any, Any], Any] | None = None
    record: Callable[[Any, Any, Any, Any], dict[str, list]] = lambda mechanism, force, joints, numbers: {}
    signals: Callable[[Any], Iterable] = lambda force: ()
    expressions: Callable[[Any], tuple[str, ...]] = lambda force: ()
    pulls_at_knots: Callable[[Any], bool] = lambda force: False
    span: tuple[str, float] | None = None
    definitions: Callable[[], Iterable] = lambda: ()
    told: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    examples: Callable[[str, str], Iterable] = lambda parent, child: ()
    law: Callable[[Any], Law | None] = lambda force: None
    per_axis: tuple[str, ...] = ()
    on_joint: Callable[[Any, tuple[Kind, ...]], Iterable] = lambda force, kinds: ()
    is_motor: bool = False

    @property
    def is_inequality(self) -> bool:
        """Whether it is dry friction, which holds as much as it can instead of acting by a law."""
        return self.model is None

    def problems(self) -> Iterator[str]:
        """What is wrong with a record from outside as such."""
        if not callable(self.model):
            yield f"model is {self.model!r}, but must be a function: without one, nothing would act"
        functions = "law on_joint numbers record signals expressions pulls_at_knots definitions examples"
        yield from _misfits(self, functions, "told")
        described = self.description() if callable(self.description) else None
        fields = getattr(described, "model_fields", {})
        if not isinstance(self.per_axis, tuple | list) or not all(name in fields for name in self.per_axis):
            yield f"per_axis is {self.per_axis!r}, but must be a tuple of fields of its description"
        if not (self.naive is None or callable(self.naive)):
            yield f"naive is {self.naive!r}, but must be a function, or None without proofs"
        kind = fields.get("kind")
        if not isinstance(described, type) or getattr(kind, "default", None) != self.name:
            yield f"description must return a class of forces whose kind is '{self.name}'"
        yield from self._span_problems(described)

    def _span_problems(self, described: Any) -> Iterator[str]:
        if problems := list(_span_problems(self.span)):
            yield from problems
        elif self.span and (lacking := [n for n in POINTS if n not in getattr(described, "model_fields", {})]):
            yield f"span is between two points, but {described.__name__} has no '{lacking[0]}'; set span to None"


FORCES: Registry[ForceKind] = Registry("kind of force")


def law_of(force: Any) -> Law | None:
    """What a described force does within the step; None of one at the knots, and of an inequality."""
    return FORCES[force.kind].law(force)


def moves_joint(force: Any) -> bool:
    """Whether a described force has inputs that move its joint."""
    law = law_of(force)
    return FORCES[force.kind].is_motor or bool(law and law.is_aimed)


def laws_between_points(forces: Iterable) -> list:
    """Those forces of these that act within the step along the distance of two points."""
    return [force for force in forces if (law := law_of(force)) and law.is_between_points]


def inequalities_of(forces: Iterable) -> list:
    """Those forces of these that are inequalities: dry friction."""
    return [force for force in forces if FORCES[force.kind].is_inequality]


def register_force(record: ForceKind) -> ForceKind:
    """Make a kind of force known: descriptions may name it from now on.

    Raises ArgumentError if its name is taken, or if the record is wrong.
    """
    if not isinstance(record, ForceKind):
        raise ArgumentError(f"register_force was given {record!r}; give a symvi.ForceKind")
    for problem in record.problems() if FORCES.is_closed else ():
        raise ArgumentError(f"kind of force '{record.name}': {problem}")
    return FORCES.register(record)


@dataclass(frozen=True)
class ContactKind:
    """Everything that symvi knows of a kind of contact: a surface of the parent that the child's point or sphere meets.

    Its gap phi >= 0 [m] is a number of both placements. a is the parent, b the child.

    name: in descriptions, as `kind`.
    model: (mechanism, point) -> the gap as a ContactModel (physics/inequalities.py: touching), of one ContactPoint.
    naive: (scene, contact, numbers) -> the gap by its plain definition, a function of placements (x, q) of a and b.
    record: (mechanism, point, numbers) -> its own parameters, derived a second time for proofs; those that every
        contact has, its anchors, radius, friction and named numbers, are there already.
    fields: which of CONTACT_FIELDS belong to it. needs: those that must be given.
    numbers: names of numbers that a description must give in `parameters`, with meaning and unit.
    complaints: (contact) -> what else can be wrong with a description.
    settings: (mechanism, contact) -> names and numbers of the description that a run may change (numbers/settings.py);
        None: both anchors, and its named numbers.
    is_distance: the gap is a distance, so that its gradient by the child's position has length one.
    is_sphere: the parent's surface is a sphere about parent_anchor, which turns with it. Two of them may pass through
        each other within a step.
    has_plane: the surface is a plane of the parent, and `normal` is its normal.
    is_own: the gap is a user's expression, which may depend on where the bodies are in the world.
    expressions: (contact) -> texts of the user's own, which must be real and finite at the start.
    place: (scene, contact, numbers) -> where bodies touch by plain definition, a function of both placements; None: at
        the child's point, or under its sphere's centre.
    ground: (contact) -> (a point, the normal) of a plane on the parent that a page may draw; None: no plane.
    type_name: what the program calls it; left out: the name, and _contact.
    definitions: () -> functions to verify against (derive/definition.py). told: name of one -> its rows as vector
        expressions, for `derive`.
    examples: the fields of descriptions beside child_anchor and radius, for proofs and tests.
    """

    name: str
    model: Callable[[Any, Any], Any]
    naive: Callable[[Any, Any, Any], Callable]
    record: Callable[[Any, Any, Any], dict[str, list]] = lambda mechanism, point, numbers: {}
    fields: tuple[str, ...] = ("parent_anchor",)
    needs: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    complaints: Callable[[Any], Iterable] = lambda contact: ()
    settings: Callable[[Any, Any], Iterable] | None = None
    is_distance: bool = True
    is_sphere: bool = False
    has_plane: bool = False
    is_own: bool = False
    expressions: Callable[[Any], tuple[str, ...]] = lambda contact: ()
    place: Callable[[Any, Any, Any], Callable | None] = lambda scene, contact, numbers: None
    ground: Callable[[Any], tuple | None] = lambda contact: None
    type_name: str = ""
    definitions: Callable[[], Iterable] = lambda: ()
    told: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def type(self) -> str:
        """What the program and generated C call it."""
        return self.type_name or f"{self.name}_contact"

    def has(self, name: str) -> bool:
        """Whether one of CONTACT_FIELDS belongs to it."""
        return name in self.fields or name in self.needs or (name == "parameters" and bool(self.numbers))

    def problems(self) -> Iterator[str]:
        """What is wrong with the record as such; its gap is looked at when a mechanism has one."""
        for name in ("model", "naive", "record", "complaints", "expressions", "place", "ground", "definitions"):
            if not callable(getattr(self, name)):
                yield f"{name} is {getattr(self, name)!r}, but must be a function"
        if self.settings is not None and not callable(self.settings):
            yield f"settings is {self.settings!r}, but must be a function or None"
        if unknown := [name for name in (*self.fields, *self.needs) if name not in CONTACT_FIELDS]:
            yield (
                f"fields or needs have {unknown[0]!r}, but have the choice of {', '.join(CONTACT_FIELDS)}; "
                "numbers names any other number"
            )
        for name, meaning in self.numbers.items():
            if isinstance(meaning, str) or len(meaning) != 2:
                yield f"numbers has {meaning!r} for '{name}', but must have (meaning, unit)"
        if (taken := next((kind for kind in CONTACTS.values() if kind.type == self.type), None)) is not None:
            yield f"its type '{self.type}' is that of '{taken.name}'; leave type_name out, or choose another one"


CONTACTS: Registry[ContactKind] = Registry("kind of contact")


def register_contact(record: ContactKind) -> ContactKind:
    """Make a kind of contact known: descriptions may name it from now on.

    Raises ArgumentError if its name is taken, or if the record is wrong.
    """
    if not isinstance(record, ContactKind):
        raise ArgumentError(f"register_contact was given {record!r}; give a symvi.ContactKind")
    if record.name in CONTACTS:
        return CONTACTS.register(record)  # says that it is taken
    for problem in record.problems():
        raise ArgumentError(f"kind of contact '{record.name}': {problem}")
    return CONTACTS.register(record)


REGISTRIES: list[Registry[Any]] = [JOINTS, FORCES, CONTACTS]  # formats join them, where files are imported


def contact_types() -> frozenset[str]:
    """The names that the program has for contacts of all kinds."""
    return frozenset(kind.type for kind in CONTACTS.values())


def register_file(path: Path) -> tuple[str, ...]:
    """Run a Python file that registers joint types, kinds of forces, of contacts, or formats; returns their names.

    Modules that lie beside it can be imported, now and when its records are used. Raises ArgumentError where it fails
    or registers nothing, FileError or MissingFileError where it cannot be read.
    """
    with told_as_files(path):
        text = path.read_bytes()
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)  # last, so that nothing there takes the place of a package that symvi needs
    before = {(registry.what, registry.serial(name)) for registry in REGISTRIES for name in registry}
    # Classes of descriptions look for their module by its name; none that is imported may be called so.
    module = sys.modules[f"registers {path.stem}"] = ModuleType(f"registers {path.stem}")
    module.__file__ = str(path)
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise ArgumentError(f"{path.name}{f':{error.lineno}' if error.lineno else ''}: {error.msg}") from error
    except SymviError as error:
        raise ArgumentError(f"{_line(error, path)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ArgumentError(f"{_line(error, path)}: {type(error).__name__}: {error}") from error
    found = tuple(
        name
        for registry in REGISTRIES
        for name in registry
        if registry.serial(name) and (registry.what, registry.serial(name)) not in before
    )
    if not found:
        calls = "symvi.register_joint, register_force, register_contact or register_format"
        raise ArgumentError(f"{path} registers nothing; call {calls} in it")
    return found


def _line(error: BaseException, path: Path) -> str:
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path.name}:{own[-1]}" if own else path.name


# What draws an object at a notebook, by its kind ("mechanism", "motion"). The package fills it: rooms that draw come
# after those of the objects.
NOTEBOOK: dict[str, Callable[[Any], str]] = {}

# What a motion is asked that takes a simulator, by name ("linearize"). The package fills it: simulators come after
# motions.
MOTION: dict[str, Callable[..., Any]] = {}
