"""What steps of an order above 2 do not do: all of it is refused by name, since it would fall to a lower order.

Inner steps of a composition go back in time, and need to know what acts there, at their own times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import ArgumentError
from symvi.numbers.composition import composition_of, order_of

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


def name_of(order: object) -> str:
    """The composition that an order stands for, "" of order 2. Raises ArgumentError."""
    composition = composition_of(order)
    return composition.name if composition else ""


def refuse(own: Simulator, asked: str, why: str) -> None:
    """Raises ArgumentError where a simulator's steps are of an order above 2. asked: what only order 2 does."""
    if own.composition:
        order = f"{order_of(own.composition)} ('{own.composition}')"
        raise ArgumentError(f"{asked}: {why}; steps of order {order} do not do this, use order=2")


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
