"""What can be wrong between the elements of a mechanism: names used twice, and references that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symvi.mechanism.build import TABLES, Elements
from symvi.mechanism.description import Complaint
from symvi.mechanism.elements import Coupling, Driver
from symvi.mechanism.forces import Actuator, Force, JointSpring, Servo, axis_values
from symvi.mechanism.joint_table import Kind, coordinate_kinds
from symvi.mechanism.names import WORLD, did_you_mean, shown

__all__ = ["reference_complaints"]

BODY_FIELDS = ("parent", "child", "body")


def reference_complaints(elements: Elements) -> Iterator[Complaint]:
    """Every problem between elements; wrong elements take part with their names only."""
    yield from _names_used_twice(elements)
    kinds = {joint.name: coordinate_kinds(joint.type) for joint in elements.tables["joints"]}
    for table, items in elements.tables.items():
        for element in items:
            title = f"{element.label} '{element.name}'"
            for path, text in _element_complaints(element, elements, kinds):
                yield Complaint((table, element.name, *path), f"{title}: {text}")


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


def _element_complaints(element: Any, elements: Elements, kinds: Mapping[str, tuple[Kind, ...]]) -> Iterator[Complaint]:
    for field in BODY_FIELDS:
        if hasattr(element, field):
            yield from _known((field,), getattr(element, field), "bodies", elements, allow_world=field == "parent")
    if isinstance(element, Coupling):
        yield from _coupling(element, elements, kinds)
    elif isinstance(element, Driver):
        yield from _driver(element, elements, kinds)
    elif isinstance(element, Force) and hasattr(element, "joint"):
        yield from _joint_force(element, elements, kinds)


def _known(
    path: tuple[str | int, ...], name: str, table: str, elements: Elements, allow_world: bool = False
) -> Iterator[Complaint]:
    """The name must be one of the table's."""
    if (table, name) in elements.known or (allow_world and name == WORLD) or name == WORLD and path == ("child",):
        return
    label = TABLES[table].label
    others = [TABLES[other].label for other in TABLES if (other, name) in elements.known]
    if others:
        remedy = f"it is a {others[0]}"
    else:
        candidates = [known for known_table, known in elements.names if known_table == table]
        remedy = did_you_mean(name, [*candidates, WORLD] if allow_world else candidates)
    yield Complaint(path, f"{path[0]} {shown(name)} is no {label}; {remedy}")


def _coupling(coupling: Coupling, elements: Elements, kinds: Mapping[str, tuple[Kind, ...]]) -> Iterator[Complaint]:
    first, second = coupling.joints
    if first == second:
        yield Complaint(("joints",), f"couples the joint {shown(first)} to itself; give two different joints")
    for i, name in enumerate(coupling.joints):
        yield from _known(("joints", i), name, "joints", elements)
        yield from _one_axis(("joints", i), name, kinds)


def _driver(driver: Driver, elements: Elements, kinds: Mapping[str, tuple[Kind, ...]]) -> Iterator[Complaint]:
    yield from _known(("joint",), driver.joint, "joints", elements)
    if driver.joint in kinds and driver.coordinate >= len(kinds[driver.joint]):
        free = _free_axes(kinds[driver.joint])
        yield Complaint(
            ("coordinate",), f"coordinate {driver.coordinate} of joint '{driver.joint}' does not exist: it has {free}"
        )
    for other in elements.tables["drivers"]:
        if other is driver:
            return
        if (other.joint, other.coordinate) == (driver.joint, driver.coordinate):
            yield Complaint(
                ("joint",), f"joint '{driver.joint}' is already driven by '{other.name}'; remove one of the two"
            )


def _joint_force(force: Any, elements: Elements, kinds: Mapping[str, tuple[Kind, ...]]) -> Iterator[Complaint]:
    yield from _known(("joint",), force.joint, "joints", elements)
    if force.joint not in kinds:
        return
    axes = kinds[force.joint]
    if isinstance(force, Servo):
        yield from _one_axis(("joint",), force.joint, kinds)
    elif not axes:
        yield Complaint(("joint",), f"joint '{force.joint}' has {_free_axes(axes)} for a force to act along")
    else:
        yield from _per_axis(force, axes)


def _per_axis(force: Any, axes: tuple[Kind, ...]) -> Iterator[Complaint]:
    for name in ("stiffness", "rest", "damping"):
        try:
            axis_values(getattr(force, name, 0.0) or (0.0,) * len(axes), axes)
        except ValueError as error:
            yield Complaint((name,), f"{name} {shown(getattr(force, name))} {error}")
    if isinstance(force, JointSpring) and force.law == "sinusoidal" and "translation" in axes:
        yield Complaint(("law",), f"a sinusoidal spring needs rotations, but '{force.joint}' has {_free_axes(axes)}")
    if isinstance(force, Actuator) and force.signal is not None and len(force.signal) != len(axes):
        yield Complaint(
            ("signal",), f"signal has {len(force.signal)} texts, but joint '{force.joint}' has {_free_axes(axes)}"
        )


def _one_axis(path: tuple[str | int, ...], name: str, kinds: Mapping[str, tuple[Kind, ...]]) -> Iterator[Complaint]:
    if name in kinds and len(kinds[name]) != 1:
        yield Complaint(path, f"joint '{name}' has {_free_axes(kinds[name])}; a joint with exactly one is needed")


def _free_axes(kinds: tuple[Kind, ...]) -> str:
    if not kinds:
        return "no free axis"
    return f"{len(kinds)} free ax{'i' if len(kinds) == 1 else 'e'}s ({', '.join(kinds)})"
