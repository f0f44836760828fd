"""What can be said of a step that was not solved: which body or constraint is worst, read from the solver's scratch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from symvi.errors import SolverError
from symvi.numbers.control import SolverStatus
from symvi.simulate.fast_spin import FAST
from symvi.simulate.plan import Plan

Field = Callable[[str, str, int, str], np.ndarray]  # store, node type, index, field -> its numbers


def failure_of(
    plan: Plan, status: SolverStatus, time: float, iterations: int, field: Field, would_do: int = 0
) -> SolverError:
    """The error of a step from `time` [s] that ended so, naming the body, constraint or contact that tells most.

    would_do: equal parts in which the step would have been solved; 0 if none are known.
    """
    worst = worst_of(plan, status, field)
    count = f" after {iterations} iteration{'s' if iterations > 1 else ''}" if iterations else ""
    where = f"; worst at {worst}{count}" if worst else count
    if status == SolverStatus.DOMAIN and "composition" not in plan.notes:  # whose inner steps differ
        where += _remedy(plan, field)
    if contact := _worst_inequality(plan, status, field, worst):
        where += f"; of contacts, limits and dry friction at {contact}"
    if would_do:
        h = field("parameters", "common", 0, "h")[0]
        where += f"; here a step of {h / would_do:.3g} s would do, or substeps={would_do}"
    text = f"mechanism '{plan.name}', after t = {time:g} s: {status.sentence}{where}"
    return SolverError(text, status, worst, iterations)


def worst_of(plan: Plan, status: SolverStatus, field: Field) -> str:
    """The body that turns most, the dropped row that is open most, or where most is left of the residual."""
    measures = {SolverStatus.DOMAIN: _turns, SolverStatus.LOOP_OPEN: _openings, SolverStatus.SQUEEZED: _loads}
    measures[SolverStatus.OVERDAMPED] = _lags
    return _largest(measures.get(status, _residuals)(plan, field))


def _worst_inequality(plan: Plan, status: SolverStatus, field: Field, worst: str) -> str:
    """What is furthest from its law of contacts, limits and dry friction, where another is named as the worst."""
    if status not in (SolverStatus.NOT_CONVERGED, SolverStatus.LINE_SEARCH, SolverStatus.NOT_FINITE):
        return ""
    found = _largest((_name(node), _left_of(plan, field, node)) for node in plan.notes["inequalities"])
    return "" if found == worst else found


def _largest(sizes: Iterable[tuple[str, float]]) -> str:
    """The name of the largest; a number that is none is worse than any other."""
    known = dict(sizes)
    return max(known, key=lambda name: np.nan_to_num(known[name], nan=np.inf, posinf=np.inf), default="")


def _loads(plan: Plan, field: Field) -> Iterator[tuple[str, float]]:
    """Contacts by the impulse that presses them [N s]."""
    for node in plan.notes["inequalities"]:
        yield _name(node), float(np.abs(field("work", node["kind"], node["index"], "impulse")).max())


def _lags(plan: Plan, field: Field) -> Iterator[tuple[str, float]]:
    """Joints and point springs by the step times damping over the mass that opposes it."""
    for place in plan.fields["work"]:
        kind, index, name = place.split("/")
        if name == "lag":
            element = plan.elements.get((kind, int(index)), kind)
            yield f"the damping of '{element}'", float(np.abs(field("work", kind, int(index), "lag")).max())


def _turns(plan: Plan, field: Field) -> Iterator[tuple[str, float]]:
    for k, body in enumerate(plan.bodies):
        yield f"body '{body}'", float(field("work", "body", k, "turn")[0])


def _remedy(plan: Plan, field: Field) -> str:
    """The time step that would do for the body that turns most, by its rate over this step and over the one before."""
    h, turns = field("parameters", "common", 0, "h")[0], dict(_turns(plan, field))
    k = plan.bodies.index(_largest(turns.items()).split("'")[1])
    before = float(np.linalg.norm(field("state", "body", k, "w")))
    rate = max(before, 2.0 * float(turns[f"body '{plan.bodies[k]}'"]) ** 0.5 / h)
    if not (np.isfinite(rate) and rate > 0.0):
        return ""
    return f", at {rate:.4g} rad/s: steps below {1.0 / rate:.2g} s hold it, below {FAST / rate:.2g} s to 1 %"


def _openings(plan: Plan, field: Field) -> Iterator[tuple[str, float]]:
    for node in plan.notes["watch"]:
        yield _name(node), float(np.abs(field("work", node["kind"], node["index"], "g")).max())


def _residuals(plan: Plan, field: Field) -> Iterator[tuple[str, float]]:
    """As velocities [m/s, rad/s]: of bodies over their mass and largest inertia, of rows as they are."""
    for k, body in enumerate(plan.bodies):
        own = "rest" if f"body/{k}/rest" in plan.fields["work"] else "f"
        left = np.abs(field("work", "body", k, own))
        mass, size = (field("parameters", "body", k, name)[0] for name in ("mass", "size"))
        yield f"body '{body}'", float(max(left[:3].max() / mass, left[3:].max() / size))
    for node in plan.constraints:
        if f"{node['kind']}/{node['index']}/f" not in plan.fields["work"]:
            continue  # a joint whose coordinates are solved for leaves what it misses to its body
        yield _name(node), float(np.abs(field("work", node["kind"], node["index"], "f")).max())
    for node in plan.notes["inequalities"]:
        yield _name(node), _left_of(plan, field, node)


def _left_of(plan: Plan, field: Field, node: Mapping) -> float:
    """What a contact, limit or dry friction leaves: of its slacks, and of complementarity over m_eff |g| h."""
    acceleration, h = field("parameters", "common", 0, "acceleration")[0], field("work", "common", 0, "step")[0]
    effective_mass = field("parameters", node["kind"], node["index"], "effective_mass")[0]
    impulse, slack, miss = (field("work", node["kind"], node["index"], name) for name in ("impulse", "slack", "miss"))
    return float(max(np.abs(miss).max(), np.abs(impulse * slack).max() / (effective_mass * acceleration * h)))


def _name(node: Mapping) -> str:
    return f"'{node['name']}'"
