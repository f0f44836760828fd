"""What can be wrong between the elements of a mechanism: names used twice, and references that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symvi.mechanism.contacts import Contact, shape_points
from symvi.mechanism.description import Complaint
from symvi.mechanism.elements import Coupling, Driver
from symvi.mechanism.elements_from_tables import TABLES, Elements
from symvi.mechanism.forces import Force, axis_values
from symvi.mechanism.joint_table import Kind, coordinate_kinds, free_axes
from symvi.mechanism.limits import Limit
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.shapes import Shape
from symvi.registry import CONTACTS, FORCES, law_of

__all__ = ["reference_complaints"]

BODY_FIELDS = ("parent", "child", "body")
MOST_SEARCHES = 50  # comparing every wrong name with every right one takes long where there are thousands of both
# Tables in which a joint coordinate may stand once: what an element of it does there, and what to do about two.
ONE_PER_COORDINATE = {
    "drivers": ("driven", "remove one of the two"),
    "limits": ("limited", "give lower and upper in one limit"),
}
Kinds = Mapping[str, tuple[Kind, ...]]
Shapes = Mapping[str, Shape | None]


def reference_complaints(elements: Elements) -> Iterator[Complaint]:
    """Every problem between elements; of wrong elements names and references are checked all the same."""
    yield from _names_used_twice(elements)
    given = [(table, item.name, item) for table, items in elements.tables.items() for item in items]
    names = {table: dict.fromkeys(name for own, name in elements.names if own == table) for table in TABLES}
    count = 0
    for table, name, item in [*given, *elements.wrong]:
        for path, target, target_table in _references(item):
            problem = _unknown(path, target, target_table, names, search=count < MOST_SEARCHES)
            if problem:
                count += 1
                yield Complaint((table, name, *path), f"{TABLES[table].label} {shown(name)}: {problem}")
    kinds = {joint.name: coordinate_kinds(joint.type) for joint in elements.tables["joints"]}
    shapes = {body.name: body.shape for body in elements.tables["bodies"]}
    for table, name, item in given:
        for path, text in _element_complaints(item, kinds, shapes):
            yield Complaint((table, name, *path), f"{item.label} '{name}': {text}")
    for table in ONE_PER_COORDINATE:
        yield from _coordinates_used_twice(table, elements.tables[table])


def _names_used_twice(elements: Elements) -> Iterator[Complaint]:
    first: dict[str, tuple[str, str]] = {}
    for table, name in elements.names:
        label = TABLES[table].label
        if name.lower() not in first:
            first[name.lower()] = (label, name)
            continue
        other_label, other = first[name.lower()]
        alike = "" if other == name else " up to case"
        yield Complaint(
            (table, name),
            f"{label} {shown(name)}: its name is{alike} that of the {other_label} {shown(other)}; "
            "names are unique over all elements of a mechanism",
        )


def _references(item: Any) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """(place, name, table of the name) of every reference of an element, or of the fields of a wrong one."""

    def value(field: str) -> Any:
        return item.get(field) if isinstance(item, Mapping) else getattr(item, field, None)

    for field in (*BODY_FIELDS, "joint"):
        if isinstance(value(field), str):
            yield (field,), value(field), "joints" if field == "joint" else "bodies"
    joints = value("joints")
    for i, name in enumerate(joints if isinstance(joints, (list, tuple)) else ()):
        if isinstance(name, str):
            yield ("joints", i), name, "joints"


def _unknown(
    path: tuple[str | int, ...], name: str, table: str, names: Mapping[str, Mapping[str, None]], search: bool
) -> str:
    """Why a reference leads nowhere; empty if it leads somewhere."""
    if name in names[table] or (name == WORLD and path[0] in ("parent", "child")):
        return ""
    found = f"{path[0]} {shown(name)} is no {TABLES[table].label}"
    for other in TABLES:
        if name in names[other]:
            return f"{found}, but a {TABLES[other].label}"
    candidates = [*names[table], WORLD] if path[0] == "parent" else names[table]
    return f"{found}; {did_you_mean(name, candidates)}" if search else found


def _element_complaints(element: Any, kinds: Kinds, shapes: Shapes) -> Iterator[Complaint]:
    if isinstance(element, Coupling):
        yield from _coupling(element, kinds)
    elif isinstance(element, (Driver, Limit)):
        yield from _coordinate(element, kinds)
    elif isinstance(element, Contact):
        yield from _whole_shape(element, shapes)
    elif isinstance(element, Force) and getattr(element, "joint", None) in kinds:
        yield from _joint_force(element, kinds)


def _coupling(coupling: Coupling, kinds: Kinds) -> Iterator[Complaint]:
    first, second = coupling.joints
    if first == second:
        yield Complaint(("joints",), f"couples the joint {shown(first)} to itself; give two different joints")
    for i, name in enumerate(coupling.joints):
        yield from _one_axis(("joints", i), name, kinds)


def _coordinate(element: Driver | Limit, kinds: Kinds) -> Iterator[Complaint]:
    joint, coordinate = element.joint, element.coordinate
    if joint in kinds and coordinate >= len(kinds[joint]):
        free = free_axes(kinds[joint])
        yield Complaint(("coordinate",), f"coordinate {coordinate} of joint '{joint}' does not exist: it has {free}")


def _coordinates_used_twice(table: str, items: Sequence[Driver | Limit]) -> Iterator[Complaint]:
    found, remedy = ONE_PER_COORDINATE[table]
    first: dict[tuple[str, int], str] = {}
    for item in items:
        other = first.setdefault((item.joint, item.coordinate), item.name)
        if other != item.name:
            text = f"coordinate {item.coordinate} of joint '{item.joint}' is already {found} by '{other}'; {remedy}"
            yield Complaint((table, item.name, "joint"), f"{item.label} '{item.name}': {text}")


def _whole_shape(contact: Contact, shapes: Shapes) -> Iterator[Complaint]:
    if not contact.whole_shape or contact.child not in shapes:
        return
    try:
        radius = max(radius for _, radius in shape_points(shapes[contact.child]))
    except ValueError as error:
        yield Complaint(("whole_shape",), f"whole_shape is given, but {error}")
        return
    if CONTACTS[contact.kind].is_sphere and radius + contact.parent_radius == 0.0:
        yield Complaint(
            ("parent_radius",), "parent_radius is zero, and two points do not meet; give the radius of the sphere"
        )


def _joint_force(force: Any, kinds: Kinds) -> Iterator[Complaint]:
    axes, law = kinds[force.joint], law_of(force)
    if law and law.is_aimed:
        yield from _one_axis(("joint",), force.joint, kinds)
    elif axes:
        yield from _per_axis(force, axes)
    else:
        yield Complaint(("joint",), f"joint '{force.joint}' has {free_axes(axes)} for a force to act along")


def _per_axis(force: Any, axes: tuple[Kind, ...]) -> Iterator[Complaint]:
    record, law = FORCES[force.kind], law_of(force)
    for name in record.per_axis:
        try:
            axis_values(getattr(force, name), axes)
        except ValueError as error:
            yield Complaint((name,), f"{name} {shown(getattr(force, name))} {error}")
    if law and law.is_sinusoidal and axes != ("rotation",):
        found = f"joint '{force.joint}' has {free_axes(axes)}"
        path = "law" if hasattr(force, "law") else "joint"
        yield Complaint((path,), f"a sinusoidal spring needs one rotation as the only free axis, but {found}")
    yield from record.on_joint(force, axes)


def _one_axis(path: tuple[str | int, ...], name: str, kinds: Kinds) -> Iterator[Complaint]:
    if name in kinds and len(kinds[name]) != 1:
        yield Complaint(path, f"joint '{name}' has {free_axes(kinds[name])}; a joint with exactly one is needed")
