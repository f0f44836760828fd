"""A simulator of the same mechanism with other numbers: lengths, anchors, axes, and all else that a description has.

Where the text of the changed mechanism is the text of this one but for its defaults, the compiled library is the same,
and only numbers are written; else it is built as any other is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism, start_state
from symvi.mechanism.state import State
from symvi.simulate.arguments import checked_table
from symvi.simulate.asked import Asked
from symvi.simulate.engine import Engine
from symvi.simulate.parameter_changes import ParameterChanges
from symvi.simulate.plan import Plan
from symvi.simulate.solver_build import Text, registered, text_of
from symvi.simulate.standing import precision_of
from symvi.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from symvi.simulate.described import Described
    from symvi.simulate.simulator import Simulator

STEP, TURN = 0.01, 0.1  # of a start that is only looked at: its step [s], and what a body may turn in it [rad]


class Varied(Asked):
    """The numbers of a simulator, and what it makes of others."""

    engine: Engine
    plan: Plan
    composition: str
    _changes: ParameterChanges
    _how: dict[str, Any]
    _text: Text | None

    @property
    def order(self) -> int | str:
        """Of the steps: 2, or the name of the composition or of the quadrature rule that they are."""
        return self.composition or 2

    def of_order(self, order: int | str) -> Self:
        """A simulator of this mechanism with these parameters, whose steps are of another order."""
        return cast("Self", self._built_anew(order=order, rule=None, solver="newton"))

    def _built_anew(self, **changed: object) -> Simulator:
        """A simulator of this mechanism with these parameters, built as this one but for what is changed."""
        own: Any = self
        found = type(own)(own.mechanism, **{**self._how, **changed})
        for name, numbers in own.settings.items():
            found._write(name, name, numbers)
        return found

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What can be changed at run time: gravity, and element.field, named and measured as in the description."""
        return tuple(self.described)

    @property
    def described(self) -> dict[str, Described]:
        """The parameters of the description by name, with their values there."""
        return self._changes.described

    @property
    def input_names(self) -> tuple[str, ...]:
        """What drives a run, as element.field, with [k] where a field has several entries."""
        return self.plan.inputs

    def with_parameters(self, changes: Mapping[str, object]) -> Self:
        """A simulator of this mechanism with other numbers in its description; this one stays as it is.

        changes: "gravity", "element.field", "element.shape.field" or "element.parameter" -> number(s) in SI, or texts
        with units, as in a file: {"elbow.parent_anchor": (0, 0, "25 cm"), "arm.shape.length": 0.5}; "arm.length" is
        short for the latter. It moves, to the last bit, as a `Simulator` of its own attribute `mechanism` does. No text
        is printed or compiled where only numbers differ; zeros and ones that come or go, and rows of loops that others
        imply from now on, need a build.

        What the change opens is closed again: the start becomes the nearest one that fits, weighted by mass, as
        `project` finds it. A start that was open before stays as described. Parameters that were set stay set, but for
        those that `changes` names.
        Raises MechanismError for names, values and mechanisms that make no sense, and AssemblyError, naming a joint,
        for lengths with which the mechanism cannot be assembled from its start, and for a coordinate, place or velocity
        among `changes` that the nearest start which fits does not have.
        """
        return self._with(changes, ())

    def _with(self, changes: Mapping[str, object], others: Sequence[Simulator]) -> Self:
        """`with_parameters`. others: simulators built the same way, whose texts may be what the change needs."""
        from symvi.mechanism.changing import full_names, with_numbers

        changes = full_names(self.mechanism, checked_table("changes", changes, "names of numbers to values"))
        own: Any = self
        found = _closed(own, with_numbers(self.mechanism, changes), others, changes)
        named = {name for title in changes if title in own.described for name in _solvers(own, title)}
        for name, numbers in self.settings.items():
            if name not in named:
                found._write(name, name, numbers)
        return cast("Self", found)

    def _that_runs(self, start: State | Trajectory | None) -> Simulator:
        """A twin of this solver; where `auto` chose what is solved for, one like that of a trajectory that goes on."""
        own: Any = self
        if not isinstance(start, Trajectory) or self._how["coordinates"] != "auto":
            return own._twin()
        if start.formulation == own.coordinates or start.mechanism.digest != own.mechanism.digest:
            return own._twin()
        return self._built_anew(coordinates=start.formulation)

    @property
    def text(self) -> Text | None:
        """The generated text, with the numbers of this description for defaults; None in Python."""
        if self._text is not None and self._text.plan.digest != self.mechanism.digest:
            real, loops, how = self._text.real, self.loops, self._how
            coordinates, order = how["coordinates"], how["order"]
            self._text = text_of(self.mechanism, self._text.layout, real, loops, coordinates=coordinates, order=order)
        return self._text

    @property
    def layout(self) -> str:
        """How the text is written out: "inline", "unrolled", "looped"; or "kernels", in Python."""
        return "kernels" if self._text is None else self._text.layout


def _solvers(simulator: Simulator, title: str) -> Iterator[str]:
    """The solver's names of a parameter of the description."""
    described = simulator.described[title]
    yield from described.numbers(described.value)


# --- its start --------------------------------------------------------------------------------------------------------
def _closed(
    simulator: Simulator, mechanism: Mechanism, others: Sequence[Simulator], changes: Iterable[str]
) -> Simulator:
    """The simulator of a changed mechanism, whose start is closed where that of this one was.

    others: see `_with`. changes: the names of what changed.
    """
    from symvi.simulate.asked_starts import check_kept

    if _hangs_free(simulator) or opening(_on(simulator, simulator.mechanism, simulator.plan)) is not None:
        return on_text_of(simulator, mechanism, others)
    early = _by_old_choices(simulator, mechanism) or on_text_of(simulator, mechanism, others)
    if opening(early) is not None:
        from symvi.simulate.restarting import starting_in

        try:
            state = projected(early)
        except AssemblyError:  # rows that fitted the old numbers may not be those that close the new ones
            state = projected(on_text_of(simulator, mechanism, others))
        check_kept(mechanism, state, changes)
        mechanism = starting_in(mechanism, state)
    found = on_text_of(simulator, mechanism, others)
    if error := opening(found):
        raise error
    return found


def _hangs_free(simulator: Simulator) -> bool:
    """Whether all bodies are where their joints put them, and nothing can be open there."""
    described, notes = simulator.mechanism, simulator.plan.notes
    own = any(body.position or body.orientation or body.velocity for body in described.bodies)
    return not (own or notes["loops"] or notes["inequalities"] or described.couplings or described.drivers)


def _by_old_choices(simulator: Simulator, mechanism: Mechanism) -> Simulator | None:
    """The same rows on other numbers, which is enough to close them before they are looked at anew."""
    from symvi.physics.multibody import MultibodySystem
    from symvi.simulate.renumbering import Basis, basis, renumbered

    if any(registered(mechanism)):  # what their records give must be checked first
        return None
    own = basis(simulator.mechanism, simulator.loops)
    new = Basis(MultibodySystem(mechanism), own.choices)
    plan = renumbered(simulator.plan, own, new, precision_of(simulator.engine))
    return None if plan is None else _on(simulator, mechanism, plan)


# --- its numbers ------------------------------------------------------------------------------------------------------
def on_text_of(simulator: Simulator, mechanism: Mechanism, others: Sequence[Simulator] = ()) -> Simulator:
    """A simulator of a changed mechanism, on the text of another one where it can be, else on its own.

    others: simulators built the same way, whose texts are looked at too.

    Raises MechanismError, AssemblyError.
    """
    from symvi.simulate.renumbering import basis, renumbered
    from symvi.simulate.run_parameters import check_described
    from symvi.simulate.start import check_beginning

    real, loops = precision_of(simulator.engine), simulator.loops
    check_described(mechanism, real)
    for known in (simulator, *others):
        plan = renumbered(known.plan, basis(known.mechanism, loops), basis(mechanism, loops), real)
        if plan is not None:
            check_beginning(mechanism, plan, real)
            return _on(known, mechanism, plan)
    return type(simulator)(mechanism, **simulator._how)


def _on(simulator: Simulator, mechanism: Mechanism, plan: Plan) -> Simulator:
    """A simulator of a mechanism that has the same text with the numbers of a plan."""
    found = object.__new__(type(simulator))
    found.__dict__.update(simulator.__dict__)
    found._hold(mechanism, simulator.engine.with_plan(plan))
    return found


def opening(simulator: Simulator) -> AssemblyError | None:
    """What is wrong with the described start, if something is open, or inside something, there."""
    try:
        simulator._twin().start(step=_short_step(simulator))
    except AssemblyError as error:
        return error
    return None


def projected(simulator: Simulator) -> State:
    """The nearest state that fits. Raises AssemblyError."""
    return simulator.project(step=_short_step(simulator))


def _short_step(simulator: Simulator) -> float:
    """A step in which no body turns far, so that nothing is wrong with it."""
    speed = float(np.abs(start_state(simulator.mechanism).angular_velocity).sum(axis=1).max(initial=0.0))
    return min(STEP, TURN / speed) if speed else STEP
