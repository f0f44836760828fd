"""Motions to an accuracy that is asked for: which order, which step, and what error was found.

Each composition runs a short piece of the motion in one step. How far it ends from where a finer one of order 8 ends is
its error; this falls with the power of the step that is its order. So each tells the step that would do, and what that
takes, counted in Newton iterations: the same on every machine. The cheapest runs the whole motion three times: in
steps four times as long, twice as long, and in the chosen ones. What the last two are apart, over q - 1, is the error
that is told (Richardson). q is how much further the first two are apart, at most 2^order: of a motion that a damper or
a corner makes of a lower order, it is the smaller one that shows. Two runs may end near each other by chance, as those
do that fall upon edges or start to stick at other times: of what the first two are apart the order leaves so much, and
no less is told. Where the error is beyond what was asked for, steps are halved. Steps that were taken in the same parts
in both runs tell nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.errors import AccuracyWarning, ArgumentError, MechanismError, SolverError
from symvi.mechanism.names import shown
from symvi.numbers.composition import order_of
from symvi.simulate.arguments import checked_step, checked_steps
from symvi.simulate.found_accuracy import Accuracy
from symvi.simulate.simulation import warn_of
from symvi.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

ORDERS = (2, 4, 6, 8)
PIECE = 12  # recorded knots of the piece that orders are compared on, or all of a shorter motion
FINEST = 12  # halvings of the step between knots
REACH = 1e-3  # m, rad: where the two finest runs of the piece are further apart, no order shows yet
BELOW = 1e-5  # of the accuracy: changes of velocities that Newton's method may leave, and chaotic motions increase
LEAST = 1e-13  # m/s, rad/s: no smaller ones
SAME = 0.02  # of the knots: where more are reached in the same parts, half the step is no other motion


@dataclass(frozen=True)
class _Candidate:
    """A composition on the piece: its simulator, its order, and what its step and its effort are for the accuracy."""

    own: Simulator
    order: int
    halvings: int
    effort: float


def accurately(own: Simulator, asked: object, time: float, step: float, how: Mapping[str, Any]) -> Trajectory:
    """The motion in the cheapest order and step that meet an accuracy, at knots that are `step` apart.

    own: its order is taken if it is above 2. how: the other arguments of `simulate`. Raises what it does, and
    ArgumentError for an accuracy that is none. Warns (AccuracyWarning) where no step was found to be short enough.
    """
    asked, how = _checked(asked), dict(how)
    step, every, steps = checked_step(step), how.pop("every"), checked_steps(time, checked_step(step))
    if isinstance(how["start"], Trajectory):
        raise MechanismError("accuracy: a trajectory goes on in its own steps; start from its state() instead")
    if how["controller"] is not None:
        raise ArgumentError("accuracy: a controller acts once in every step, so that motions differ with the step")
    if how["options"].tolerance is None:
        how["options"] = replace(how["options"], tolerance=max(min(1e-10, BELOW * asked), LEAST))
    for name, values in (how["inputs"] or {}).items():
        if np.ndim(values) and len(values) == steps + 1:
            raise ArgumentError(f"accuracy: input {shown(name)} is given knot by knot; shorter steps need more")
    short = min(steps, PIECE)
    chosen = _chosen(own, asked * short / steps, short * step, step, how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = _refined(chosen, asked, time, step, every, how)
    warn_of(motion)
    if motion.accuracy and not motion.accuracy.is_met:
        warnings.warn(f"{motion.accuracy}: shorter steps bring it no nearer", AccuracyWarning, stacklevel=3)
    return motion


def _refined(
    chosen: _Candidate, asked: float, time: float, step: float, every: int, how: Mapping[str, Any]
) -> Trajectory:
    """The whole motion in steps that are halved until it is near enough, or comes no nearer, or fails."""
    motion, coarse, effort, before, distance, idle = None, None, 0, inf, 0.0, 0
    most = 1 if chosen.own.plan.notes["inequalities"] else 2**chosen.order - 1  # impacts leave no order to count on
    for halvings in range(min(max(chosen.halvings - 2, 0), FINEST - 1), FINEST + 1):
        motion = _run(chosen.own, time, step, halvings, every, how)
        effort += int(motion.iterations.sum())
        if motion.status[-1] < 0:
            break
        if coarse is not None:
            finer = _is_finer(coarse, motion)
            last, distance = distance, apart(coarse, motion) if finer else 0.0
            found = _richardson(last, distance, most) if finer else inf
            told = Accuracy(asked, found, chosen.order, chosen.own.composition, motion.step, effort)
            object.__setattr__(motion, "accuracy", told)
            idle = idle + 1 if finer and not found < before else 0
            if told.is_met or idle > (found > REACH):  # far from it, one run that is no nearer may be chance
                break
            before = min(found, before)
        coarse = motion
    assert motion is not None  # there is one step at least
    return motion


def _richardson(last: float, distance: float, most: int) -> float:
    """The error of the finest of three runs. last, distance: of the first two, 0 where there is none, and the last two.

    most: 2^order - 1. With steps four times as long there is no order to be seen yet, and the distance itself is told.
    """
    seen = distance / min(max(last / distance - 1.0, 1.0), most) if distance > 0.0 else 0.0
    return max(seen, last / (most * (most + 1)))


def _is_finer(coarse: Trajectory, fine: Trajectory) -> bool:
    """Whether a run in half the step has shorter parts of steps, where those of the coarser were taken in parts."""
    same = (coarse.substeps > 1) & (2 * fine.substeps <= coarse.substeps)
    return float(same.mean()) < SAME


def _checked(asked: object) -> float:
    if not isinstance(asked, int | float) or isinstance(asked, bool) or not 1e-13 <= asked <= 1.0:
        raise ArgumentError(f"accuracy {shown(asked)}: must be an error between 1e-13 and 1 m, rad")
    return float(asked)


def apart(one: Trajectory, other: Trajectory) -> float:
    """The largest distance of bodies [m] and of their orientations [rad] at the recorded knots of two motions."""
    moved = np.linalg.norm(one.position - other.position, axis=2)
    chords = [np.linalg.norm(one.orientation - sign * other.orientation, axis=2) for sign in (1.0, -1.0)]
    return float(max(moved.max(), 2.0 * np.minimum(*chords).max()))


def _run(own: Simulator, time: float, step: float, halvings: int, every: int, how: Mapping[str, Any]) -> Trajectory:
    parts = 1 << halvings
    return own.simulate(time, step / parts, every=every * parts, **how)


def _orders(own: Simulator, how: Mapping[str, Any]) -> Iterator[tuple[int, Simulator]]:
    """The orders that may be taken, with their simulators: those that are not refused."""
    if own.composition:
        yield order_of(own.composition), own
        return
    for order in ORDERS:
        try:
            found = own if order == 2 else own.of_order(order)
            if order == 2 or not (how["papers_start"] or how["rates"] != "momentum"):
                yield order, found
        except ArgumentError:
            return


def _chosen(own: Simulator, asked: float, time: float, step: float, how: Mapping[str, Any]) -> _Candidate:
    """The order that takes the fewest iterations for an accuracy on the piece. time: of the piece [s]."""
    how, orders = {**how, "progress": False, "on_error": "raise"}, dict(_orders(own, how))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        orders, at, exact = _showing(orders, time, step, how)
        found = []
        for order, each in orders.items():
            try:
                one = _run(each, time, step, at, 1, how)
            except SolverError:
                continue
            error = apart(one, exact)
            halvings = max(ceil(at + log2(error / asked) / order), 0) if error > 0.0 else 0
            found.append(_Candidate(each, order, halvings, float(one.iterations.sum()) * 2.0 ** (halvings - at)))
    if not found:  # none is solved in such steps, but the highest is in shorter ones
        found.append(_Candidate(orders[max(orders)], max(orders), at + 1, 0.0))
    return min(found, key=lambda one: one.effort)


def _showing(
    orders: dict[int, Simulator], time: float, step: float, how: Mapping[str, Any]
) -> tuple[dict[int, Simulator], int, Trajectory]:
    """The orders that take these inputs; halvings from which on orders show; and a motion of the highest, in half of
    such steps. Raises SolverError where no step is short enough."""
    before, finer, failed = None, None, None
    at = 0
    for at in range(FINEST):
        best = orders[max(orders)]
        try:
            finer = _run(best, time, step, at + 1, 1, how)
            if before is not None and _is_finer(before, finer) and apart(before, finer) < REACH:
                break
        except ArgumentError:  # inputs that change: order 2 is left
            if 2 not in orders or len(orders) == 1:
                raise
            orders = {2: orders[2]}
        except SolverError as error:
            finer, failed = None, error
        before = finer
    if finer is None:
        raise failed or ArgumentError("accuracy: no step is short enough")
    return orders, at, finer
