"""The question in words, and others that people mean: other axes, scales, tangents, quaternions stored as x, y, z, w.

A claim that answers one of those exactly is said to be right there, before anything else is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, groupby

from symvi.verify.asking.question import Question
from symvi.verify.judging.decide import Branch
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.naming.scopes import WHOLE
from symvi.verify.ours.joints import scale_of
from symvi.verify.ours.own_functions import own
from symvi.verify.reading.function import Function, Outputs
from symvi.verify.reading.worlds import FloatWorld, RealWorld, World

SEEN, SURE = 1e-8, 1e-30
PLACES = 2  # points at which another question has to be answered
OTHER = {
    "axes": {"world": "joint", "joint": "world"},
    "scale": {2: 1, 1: 2},
    "tangent": {"rotation vector": "half", "half": "rotation vector"},
    "side": {"body": "world", "world": "body"},
}


# --- the question -------------------------------------------------------------------------------------------------
def asked_lines(problem: Problem) -> tuple[str, ...]:
    """The function with its options, the derivative's order, and how every variable of it moves."""
    question, function = problem.question, problem.function
    what = {1: "the derivative", 2: "the second derivatives"}[question.order]
    if question.weights:
        what = {1: f"Gᵀ {question.weights}", 2: f"the derivative of Gᵀ {question.weights}"}[question.order]
    lines = [f"{what} of {function.said} with respect to {wrt_said(question)}"]
    if function.definition is not None:
        options = options_said(function.options)
        lines.append(f"{function.name}: {function.definition.equation}" + (f" ({options})" if options else ""))
    return tuple(lines)


def wrt_said(question: Question) -> str:
    """Names of a type together: x_a, x_b (vector of 3)."""
    groups = groupby(sorted(question.wrt, key=lambda name: question.variables[name].said), _type_in(question))
    return "; ".join(f"{', '.join(names)} ({said})" for said, names in groups)


def _type_in(question: Question):
    return lambda name: question.variables[name].said


def options_said(options: Mapping) -> str:
    """The options of a joint that change its rows; nothing of what has none."""
    if "axes" not in options:
        return ""
    scale = 2 if options["scale"] is None else options["scale"]
    said = [f"axes {options['axes']}", f"scale {scale}"]
    said += [f"axis {options['axis']}"] if options["axis"] is not None else []
    said += ["parent world"] if options["parent"] == "world" else []
    return ", ".join([*said, "offset"] if options["offset"] else said)


# --- other questions ----------------------------------------------------------------------------------------------
def other_convention(problem: Problem, branch: Branch) -> Diagnosis | None:
    """What makes a claim about one of symvi's own functions right, if other options do; the fewest of them."""
    options = problem.function.options
    if not options or problem.in_floats or problem.transposed:
        return None
    points = _points(problem, branch)
    if len(points) < PLACES:
        return None
    for changes in _changes(problem):
        other = Problem(*_asked_with(problem, changes), problem.rows, seed=problem.seed, outer=problem.outer)
        if all(_answers(other, point, world) for world in (FloatWorld, RealWorld) for point in points):
            words = " ".join(f"--{key} {_quoted(value)}" for key, value in changes.items())
            return Diagnosis(WHOLE, f"right with {words}", frozenset(branch.wrong), "convention", 0.5)
    return None


def scalar_last(problem: Problem, branch: Branch) -> Diagnosis | None:
    """Function and claim of quaternions stored as x, y, z, w: both are right as soon as they are given those."""
    found = [n for n, v in problem.question.variables.items() if v.kind == "quaternion" and v.order == "wxyz"]
    turning = [n for n in found if n in problem.question.wrt and problem.question.variables[n].tangent != "raw"]
    if problem.function.definition is not None or problem.function.floats_only or not turning:
        return None
    points = _points(problem, branch)
    worlds = (FloatWorld,) if problem.in_floats else (FloatWorld, RealWorld)
    for names in [found, *([name] for name in turning if len(found) > 1)] if len(points) == PLACES else ():
        last = (_given_last(function, names) for function in (problem.function, problem.claimed))
        other = replace(problem, **dict(zip(("function", "claimed"), last, strict=True)))
        if all(_answers(other, point, world) for world in worlds for point in points):
            verb = "is" if len(names) == 1 else "are"
            says = f"right if {' and '.join(names)} {verb} stored as x, y, z, w: here the scalar part is the first"
            return Diagnosis(WHOLE, says, frozenset(branch.wrong), "convention", 0.5)
    return None


def _given_last(function: Function, names: Collection[str]) -> Function:
    """A function that is given some quaternions with their scalar part last."""

    def evaluate(values: Mapping, world: World) -> Outputs:
        given = {name: [*entries[1:], entries[0]] if name in names else entries for name, entries in values.items()}
        return function.evaluate(given, world)

    return replace(function, evaluate=evaluate)


def _changes(problem: Problem) -> Iterator[dict[str, object]]:
    """Other options, one changed first. Half a tangent or another side of all quaternions together."""
    question = problem.question
    now = {key: problem.function.options.get(key) for key in ("axes", "scale")}
    moving = [question.variables[name] for name in question.wrt if question.variables[name].kind == "quaternion"]
    for key in ("tangent", "side"):
        kinds = {getattr(variable, key) for variable in moving}
        now[key] = kinds.pop() if len(kinds) == 1 else None
    if "axes" in problem.function.options:
        now["scale"] = scale_of(now["scale"])
    found = {key: OTHER[key][value] for key, value in now.items() if value in OTHER[key]}
    if now["scale"] is not None and "scale" not in found:
        found["scale"] = 2  # symvi's own, for one that only its user knows
    for count in range(1, len(found) + 1):
        for keys in combinations(found, count):
            yield {key: found[key] for key in keys}


def _asked_with(problem: Problem, changes: Mapping) -> tuple[Function, Function, Question]:
    """Function, claim and question with these options."""
    function, question = problem.function, problem.question
    rows = {key: changes[key] for key in ("axes", "scale") if key in changes}
    if rows:
        function = own(function.name, **{**function.options, **rows})
    for name in question.wrt:
        variable = question.variables[name]
        if variable.kind == "quaternion" and variable.tangent != "raw":
            tangent, side = changes.get("tangent", variable.tangent), changes.get("side", variable.side)
            question = question.with_variable(name, variable.in_tangent(tangent, side))
    return function, problem.claimed, question


def _answers(other: Problem, point, world: Callable[[], World]) -> bool:
    """Whether the claim is what the other question asks for: in floats, which are quick, or in 60 digits."""
    try:
        claim, truth = other.claim(point, world()), other.truth(point, world())
    except NO_VALUE:
        return False
    near = SEEN if world is FloatWorld else SURE
    return all(abs(a - b) <= near * (1 + abs(b)) for a, b in zip(claim, truth, strict=True))


def _points(problem: Problem, branch: Branch) -> list:
    """Points of the branch that have values."""
    found = []
    for number in range(20):
        point = problem.draw(number)
        try:
            if problem.path(point, FloatWorld()) == branch.path:
                found.append(point)
        except NO_VALUE:
            continue
        if len(found) == PLACES:
            break
    return found


def _quoted(value: object) -> str:
    return f"'{value}'" if " " in str(value) else str(value)
