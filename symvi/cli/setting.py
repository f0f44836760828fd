"""What `--set NAME=VALUE` says of numbers, and the simulator, or the mechanism, that has them.

For a simulation, numbers that place bodies, and those that the text has zeros of, change the description
(`Simulator.with_parameters`); all others are parameters that a run sets. Commands that do not run, but print, write or
show a mechanism, have all of them in the description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symvi.cli.importing import set_starts
from symvi.errors import AssemblyError, MechanismError, SymviError

if TYPE_CHECKING:
    from symvi.importers import Imported
    from symvi.mechanism import Mechanism
    from symvi.simulate import Simulator

EXAMPLE = 'arm.mass=2, gravity=0,0,-1.62 or elbow.parent_anchor="0,0,25 cm"'


def given_numbers(texts: list[str]) -> dict[str, Any]:
    """Name -> number or several, texts with units among them. Raises SymviError for what is written otherwise."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        numbers = [_number(part) for part in value.split(",")]
        if not sign or None in numbers:
            raise SymviError(f"--set {text!r}: write NAME=VALUE, as in {EXAMPLE}")
        name = name.strip()
        if name in found:
            raise SymviError(f"--set {text!r}: it has a value already; give it one only")
        found[name] = numbers if len(numbers) > 1 else numbers[0]
    return found


def _number(text: str) -> float | str | None:
    """A number, or a text that is one with a unit; None for anything else."""
    from symvi.mechanism.units import decimal, quantity

    try:
        return decimal(text)
    except ValueError:
        try:
            quantity(text, ["any"])
        except ValueError:
            return None
        return text


def simulator_with(mechanism: Mechanism, build: Mapping[str, Any], given: Mapping[str, Any]) -> Simulator:
    """The simulator of a mechanism with these numbers. Raises MechanismError, AssemblyError."""
    from symvi.mechanism.changing import full_names, with_numbers
    from symvi.mechanism.named_numbers import places_bodies
    from symvi.simulate import Simulator

    given = full_names(mechanism, given)
    try:
        simulator = Simulator(mechanism, **build)
    except (MechanismError, AssemblyError):  # of the numbers as described, which nobody asks for
        changes = {name: value for name, value in given.items() if places_bodies(mechanism, name)}
        if not changes:
            raise
        simulator = Simulator(with_numbers(mechanism, changes), **build)
        given = {name: value for name, value in given.items() if name not in changes}
    changes = {name: value for name, value in given.items() if _is_described(simulator, name, value)}
    if changes:
        simulator = simulator.with_parameters(changes)
    for name, value in given.items():
        if name not in changes:
            simulator.set_parameter(name, value)
    return simulator


def set_numbers(imported: Imported, texts: list[str] | None, loops: str = "drop-redundant") -> Imported:
    """The import with the numbers that texts of `--set` say in its description; a start that they open is closed again.

    Raises SymviError for what is written otherwise, MechanismError, AssemblyError.
    """
    imported, others = set_starts(imported, texts or [])
    given = given_numbers(others)
    return replace(imported, mechanism=mechanism_with(imported.mechanism, given, loops)) if given else imported


def mechanism_with(mechanism: Mechanism, given: Mapping[str, Any], loops: str = "drop-redundant") -> Mechanism:
    """The mechanism whose description has these numbers: that of `simulator_with`, if all of them were described there.

    Raises MechanismError, AssemblyError.
    """
    from symvi.mechanism.changing import full_names, with_numbers
    from symvi.mechanism.named_numbers import places_bodies
    from symvi.simulate import Simulator

    given = full_names(mechanism, given)
    found = with_numbers(mechanism, given)
    if not any(places_bodies(mechanism, name) for name in given):
        return found
    try:
        simulator = Simulator(mechanism, backend="python", loops=loops)  # it compiles nothing
    except (MechanismError, AssemblyError):  # of the numbers as described, which nobody asks for
        return found
    return simulator.with_parameters(given).mechanism


def _is_described(simulator: Simulator, name: str, value: Any) -> bool:
    """Whether a number is changed in the description, and not set for the run."""
    from symvi.mechanism.changing import number_names
    from symvi.mechanism.named_numbers import places_bodies

    if name not in number_names(simulator.mechanism):
        return False
    has_unit = isinstance(value, str) or (isinstance(value, list) and any(isinstance(part, str) for part in value))
    return has_unit or name not in simulator.parameter_names or places_bodies(simulator.mechanism, name)
