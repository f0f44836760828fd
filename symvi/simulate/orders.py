"""What steps of an order above 2 do not do: all of it is refused by name, since it would fall to a lower order.

Inner steps of a composition go back in time, and need to know what acts there, at their own times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import ArgumentError
from symvi.numbers.composition import composition_of, order_of
from symvi.numbers.quadrature import is_rule, rule_of
from symvi.simulate.recording import EVERYTHING

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


def name_of(order: object, rule: object = None) -> str:
    """The composition that an order stands for, or a quadrature rule by name; "" of order 2. Raises ArgumentError."""
    if is_rule(order):
        raise ArgumentError(f"order {order!r}: that is a quadrature rule, say rule={order!r}")
    composition, found = composition_of(order), rule_of(rule)
    if found is None:
        return composition.name if composition else ""
    if str(order) != "2":
        raise ArgumentError(
            f"order {str(order)[:40]!r} and rule {found.name!r}: a rule has an order of its own, say one"
        )
    return found.name


def again(composition: int | str) -> dict[str, str | int]:
    """The arguments of a simulator whose steps are those of this name, "" of order 2."""
    return {"rule": str(composition)} if is_rule(composition) else {"order": composition or 2}


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


def check_driving(own: Simulator, rows: np.ndarray, gains: bool) -> None:
    """Raises ArgumentError for inputs that change while a motion runs: inner steps would read them at wrong times.

    rows: (N, m) inputs. gains: some of servos are given.
    """
    if gains:
        refuse(own, "gains among inputs", "what changes at knots acts on a motion to second order at best")
    changing = [name for name, column in zip(own.plan.inputs, rows.T, strict=True) if (column != column[0]).any()]
    if changing:
        refuse(own, f"input '{changing[0]}'", "it changes in time, and inner steps do not know it at their own times")
