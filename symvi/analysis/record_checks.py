"""Whether records from outside can be used: of a mechanism before it is composed, and of examples at registration.

What a record computes depends on the description; so every mechanism's is looked at. A record that has an example is
tried with it as soon as it is registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symvi.analysis.contact_place import check_contact_points
from symvi.analysis.equations import Equations, start_configuration
from symvi.errors import ArgumentError, AssemblyError, MechanismError, SymviError
from symvi.mechanism import Body, Contact, Force, Joint, Mechanism, coordinate_count, coordinate_kinds
from symvi.numbers.settings import number_problems
from symvi.physics.force_models import force_model
from symvi.physics.joints import check_rows
from symvi.physics.model_checks import law_problems, model_problems
from symvi.physics.multibody import MultibodySystem
from symvi.registry import FORCES, JOINTS, ContactKind, ForceKind, JointType

__all__ = ["check_records", "try_contact", "try_force", "try_joint"]

FIRST, SECOND = "first", "second"
# Skew to all coordinate axes, and at right angles to each other, as a universal joint needs them.
SKEW: dict[str, Any] = {"axis": (0.48, 0.6, 0.64)}
SKEW_PIN = (0.52, -0.8, 0.36)
OPEN = 1e-9  # m, rad: what a row may be open by where coordinates place the child
TOUCH: dict[str, Any] = {"child_anchor": (0.3, 0.1, -0.2), "radius": 0.1, "friction": 0.4}


def check_records(system: MultibodySystem) -> None:
    """Raise MechanismError for a joint type or a kind of force from outside that cannot be used there."""
    for joint in system.mechanism.joints:
        check_rows(system.geometry(joint.name))
        if JOINTS.serial(joint.type) and JOINTS[joint.type].tree:
            _check_placing(joint)
    for force in system.mechanism.forces:
        if FORCES.serial(force.kind):
            for problem in _force_problems(system, force):
                raise MechanismError(f"force '{force.name}': kind of force '{force.kind}': {problem}")


def _check_placing(joint: Joint) -> None:
    """Raise MechanismError where a joint's rows do not vanish at bodies that its coordinates place.

    Joint coordinates, starts and importers take the child to be there, whatever the rows say.
    """
    count = coordinate_count(joint)
    for values in (tuple((0.3, -0.4, 0.5)[(k + first) % 3] for k in range(count)) for first in range(3)):
        placed = joint.changed(parent=FIRST, child=SECOND, coordinate=values or None, velocity=None)
        first, second = _between().bodies
        first = first.changed(position=(0.3, -0.2, 0.1), orientation=(0.5, 0.1, 0.7, 0.5))
        mechanism = Mechanism(name="placed", bodies=[first, second], joints=[placed])
        model = MultibodySystem(mechanism).joint(joint.name)
        start = start_configuration(mechanism, mechanism.bodies, {})
        (found,), _ = Equations(mechanism.body_names, [model]).at(start)
        for value, name, unit in zip(found.g, model.row_names, model.row_units, strict=True):
            if not abs(value) < OPEN:
                raise MechanismError(
                    f"joint '{joint.name}': joint type '{joint.type}': at the coordinates {values} its row '{name}' is "
                    f"{value:.3g} {unit}; let it be zero where they place the child, or set tree=False"
                )


def _force_problems(system: MultibodySystem, force: Force) -> Iterator[str]:
    model = force_model(system, force)
    found = list(model_problems(model, system.mechanism.body_names))
    yield from found
    if not found:
        joint = getattr(force, "joint", None)
        axes = len(coordinate_kinds(system.mechanism.joint(joint).type)) if joint else 0
        yield from law_problems(model, force, axes)
        yield from number_problems(system.mechanism, force, model.parameters)
    yield from _text_problems(force)


def _text_problems(force: Force) -> Iterator[str]:
    """What is wrong with the texts that a force's record finds in its description."""
    texts = FORCES[force.kind].expressions(force)
    if not (isinstance(texts, tuple | list) and all(isinstance(text, str) for text in texts)):
        yield f"expressions returned {texts!r}, but must return a tuple of texts"
    if getattr(force, "signal", None) is None:
        return
    signals = FORCES[force.kind].signals(force)
    for signal in signals if isinstance(signals, Iterable) else [signals]:
        if not (isinstance(signal, tuple) and len(signal) == 3 and all(isinstance(text, str) for text in signal[:2])):
            yield f"signals gave {signal!r}, but each must be (input, text in t, whether it is the text's rate)"


def try_joint(record: JointType) -> None:
    """Check a record, registered already, with its example. Raises ArgumentError.

    There is nothing to try without the values of its own fields and numbers.
    """
    pin = {"child_axis": SKEW_PIN} if "child_axis" in record.needs else {}
    own: dict[str, Any] = {**SKEW, **pin, **record.example}
    if {*record.needs} - {*own} or {*record.numbers} - {*own.get("parameters", {})}:
        return
    title = f"joint type '{record.name}'"
    joint = _made(title, lambda: Joint(name="example", type=record.name, parent=FIRST, child=SECOND, **own))
    _checked(_made(title, lambda: _between(joints=[joint])))


def try_force(record: ForceKind) -> None:
    """Check a record, registered already, with each of its examples. Raises ArgumentError."""
    title = f"kind of force '{record.name}'"
    examples = _made(title, lambda: record.examples(FIRST, SECOND))
    if not isinstance(examples, Iterable):
        raise ArgumentError(f"{title}: examples returned {examples!r}, but must return descriptions")
    for force in _made(title, lambda: list(examples)):
        _checked(_made(title, lambda force=force: _between(forces=[force])))


def try_contact(record: ContactKind) -> None:
    """Check a record, registered already, with each of its examples, with friction. Raises ArgumentError."""
    title = f"kind of contact '{record.name}'"
    own: dict[str, Any] = {"name": "example", "kind": record.name, "parent": FIRST, "child": SECOND, **TOUCH}
    for example in record.examples:
        contact = _made(title, lambda example=example: Contact(**{**own, **example}))
        system = MultibodySystem(_made(title, lambda contact=contact: _between(contacts=[contact])))
        try:
            check_contact_points(system)
        except (MechanismError, AssemblyError) as error:
            raise ArgumentError(str(error)) from None


def _between(**elements: Any) -> Mechanism:
    bodies = [Body(name=name, mass=1.0, inertia=(1.0, 1.1, 1.2)) for name in (FIRST, SECOND)]
    return Mechanism(name="example", bodies=bodies, **elements)


def _made(title: str, make: Any) -> Any:
    try:
        return make()
    except SymviError as error:
        raise ArgumentError(f"{title}: its example is refused: {error}") from None


def _checked(mechanism: Mechanism) -> None:
    try:
        check_records(MultibodySystem(mechanism))
    except MechanismError as error:
        raise ArgumentError(str(error)) from None
