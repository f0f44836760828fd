"""What steps of an order above 2 do not do: all of it is refused by name, since it would fall to a lower order.

Inner steps of a composition go back in time, and need to know what acts there, at their own times: signals tell, rows
for the knots do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import ArgumentError
from symvi.numbers.composition import composition_of, order_of
from symvi.numbers.quadrature import SOLVERS, is_rule, rule_of, solved_by, without_solver
from symvi.simulate.recording import EVERYTHING

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


def name_of(order: object, rule: object = None, solver: object = "newton") -> str:
    """The composition that an order stands for, or a quadrature rule by name; "" of order 2. Raises ArgumentError.

    solver: the method that solves the steps of a rule; the name says it, where it is not Newton's.
    """
    if is_rule(order):
        raise ArgumentError(f"order {order!r}: that is a quadrature rule, say rule={order!r}")
    composition, found = composition_of(order), rule_of(rule)
    if found is None:
        if solver != "newton":
            of_rules = f"it is of steps by a quadrature rule, say rule='midpoint', or leave it out: {SOLVERS[0]!r} is"
            raise ArgumentError(f"solver {str(solver)[:40]!r}: {of_rules} of all steps")
        return composition.name if composition else ""
    if solver != found.solver and "newton" not in (solver, found.solver):
        raise ArgumentError(f"solver {str(solver)[:40]!r} and rule {found.name!r}: say one solver")
    found = solved_by(found, found.solver if solver == "newton" else solver)
    if str(order) != "2":
        raise ArgumentError(
            f"order {str(order)[:40]!r} and rule {found.name!r}: a rule has an order of its own, say one"
        )
    return found.name


def again(composition: int | str) -> dict[str, str | int]:
    """The arguments of a simulator whose steps are those of this name, "" of order 2."""
    rule = rule_of(composition) if is_rule(composition) else None
    if rule is None:
        return {"order": composition or 2}
    found: dict[str, str | int] = {"rule": without_solver(rule.name)}
    return found if rule.solver == "newton" else {**found, "solver": rule.solver}


def said(composition: str) -> str:
    """The same in words."""
    return ", ".join(f"{name}={value!r}" for name, value in again(composition).items())


def told_by(own: Simulator, names: tuple[str, ...]) -> tuple[str, ...]:
    """What is recorded of these names. A rule has no forces of joints: raises ArgumentError where these are asked for.

    names: all of them where nobody chose any.
    """
    if not is_rule(own.composition) or "reactions" not in names:
        return names
    if names != EVERYTHING:
        raise ArgumentError(f"record 'reactions': rule {own.composition!r} tells no forces of joints; leave them out")
    return tuple(name for name in names if name != "reactions")


def refuse(own: Simulator, asked: str, why: str) -> None:
    """Raises ArgumentError where a simulator's steps are of an order above 2. asked: what only order 2 does."""
    if own.composition:
        order = f"{order_of(own.composition)} ('{own.composition}')"
        use = "leave the rule out" if is_rule(own.composition) else "use order=2"
        raise ArgumentError(f"{asked}: {why}; steps of order {order} do not do this, {use}")


def check_beginning(own: Simulator, papers_start: bool, rates: str) -> None:
    """Raises ArgumentError for starts that are of a lower order than the steps."""
    if papers_start:
        refuse(own, "papers_start=True", "the papers' start is of first order")
    if rates != "momentum":
        refuse(own, f"rates={rates!r}", "momenta are those of steps of order 2; here bodies turn at their rates anyway")


def check_held(own: Simulator, rows: np.ndarray) -> None:
    """Raises ArgumentError for inputs that change from knot to knot where a step of an order above 2 holds them.

    rows: (N, m) inputs.
    """
    for name in _changing(own, rows):
        refuse(own, f"input '{name}'", "it changes in time, and inner steps do not know it at their own times")


def inner_rows(own: Simulator, rows: np.ndarray, times: np.ndarray, step: float, gains: bool) -> np.ndarray | None:
    """(N s, m) inputs of the s inner steps of all steps, by signals at their own times; None where inputs stay.

    An inner step reads targets of its end, and others of its beginning, as a step does. A step by a rule reads those of
    the knot first, then those of its points. rows: (N, m) inputs at the
    knots; times: (N,) of these [s]. gains: some of servos are given. Raises ArgumentError for what is known at knots
    alone.
    """
    if gains:
        refuse(own, "gains among inputs", "what changes at knots acts on a motion to second order at best")
    changing, composition = _changing(own, rows), composition_of(own.composition or 2)
    if not own.composition or not changing:
        return None
    signals = own.inputs.from_signals(times)
    for name in changing:
        column = own.inputs.column(name)
        if column in own.inputs.drivers:
            refuse(own, f"input '{name}'", "a driver that moves has its rate at knots from the steps around them")
        if not own.inputs.has_signal(name) or (rows[:, column] != signals[:, column]).any():
            why = "it changes in time, and is told at knots alone; give it as a signal of the description"
            refuse(own, f"input '{name}'", why)
    if composition is None:
        return _rows_of_points(own, rows, times, step, changing)
    ends = np.array([float(end) for end in composition.times])
    inner, ahead = np.repeat(rows, len(ends), axis=0), set(own.inputs.ahead)
    for late, shares in ((False, np.concatenate([[0.0], ends[:-1]])), (True, ends)):
        columns = [c for c in map(own.inputs.column, changing) if (c in ahead) == late]
        if columns:
            found = own.inputs.from_signals(np.add.outer(times, step * shares).ravel())
            inner[:, columns] = found[:, columns]
    return inner


def _rows_of_points(
    own: Simulator, rows: np.ndarray, times: np.ndarray, step: float, changing: list[str]
) -> np.ndarray:
    rule = rule_of(own.composition)
    assert rule is not None
    at = step * np.array([0.0, *map(float, rule.points)])
    inner, columns = np.repeat(rows, len(at), axis=0), [own.inputs.column(name) for name in changing]
    inner[:, columns] = own.inputs.from_signals(np.add.outer(times, at).ravel())[:, columns]
    return inner


def _changing(own: Simulator, rows: np.ndarray) -> list[str]:
    """Names of inputs that are not the same at all knots."""
    return [name for name, column in zip(own.plan.inputs, rows.T, strict=True) if (column != column[0]).any()]
