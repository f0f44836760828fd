"""derivative(function, claimed, wrt, variables): the question that this package answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from numbers import Integral
from time import perf_counter
from typing import Any

from symvi.exact.field import PRIMES
from symvi.mechanism.names import did_you_mean
from symvi.verify.alone import check_alone
from symvi.verify.conventions import asked_lines
from symvi.verify.counterexample import counterexamples
from symvi.verify.decide import Branch, Decision, decide
from symvi.verify.diagnosis import diagnose
from symvi.verify.errors import NeedsFloats, VerificationError
from symvi.verify.function import Function
from symvi.verify.jacobian_layouts import layouts
from symvi.verify.points import point_text
from symvi.verify.polynomial_proof import proved_entries
from symvi.verify.problem import ANOTHER_POINT, Problem, field_world, in_world
from symvi.verify.question import Question, question
from symvi.verify.report import DIGITS, EQUAL, FLOATS, PROVED, ROUNDED, SERIES, WRONG, Entry, Report
from symvi.verify.sources import read
from symvi.verify.variables import Variable
from symvi.verify.worlds import RealWorld

POINTS = 2  # per prime and branch
PROBES = 200
MOST_SAID = 3  # branches in which one entry is wrong
MOST_LISTED = 16  # branches in a report, wrong ones first
FEW_ALIKE = 3  # ways that leave something out, told one by one
TENDS = "equal to the derivative of what the iteration tends to, which ends before"
TERMS = "equal up to terms that vanish there, the first terms of a series"
DIVISIONS = 3  # points of a field at which a divisor that is zero each time is zero


def derivative(
    function: object,
    claimed: object,
    wrt: str | Sequence[str],
    variables: Mapping[str, Variable] | None = None,
    order: int = 1,
    weights: str | None = None,
    prove: bool = False,
    seed: int = 0,
    points: int = POINTS,
) -> Report:
    """Is `claimed` the derivative of `function` by `wrt`? Every entry gets a verdict.

    function, claimed: a SymPy expression or matrix, a Python function of arguments named like variables, verify.c(...),
    or verify.own(...). wrt: names of variables; the columns of several stand side by side, three for a unit quaternion
    in a tangent, four for a raw one.
    variables: name -> verify.vector(3), verify.quaternion(...) and so on; own functions know theirs.
    order: 2 for second derivatives, entry (row, i n + j) = D_j D_i f. weights: a name lambda: the claim is then G^T
    lambda (order 1, one entry per column of G) or its derivative (order 2, n x n). prove: also try a normal form.
    seed, points: of random points, per prime and branch.
    Raises VerificationError where the question cannot be answered as it stands.
    """
    began = perf_counter()
    _no_names(function, claimed)
    _whole_above_zero(points)
    if not isinstance(variables or {}, Mapping):
        what = f"variables is a {type(variables).__name__}"
        raise VerificationError(f"{what}; make it a dictionary: variables={{'q': verify.quaternion(), ...}}")
    weights = str(weights) if hasattr(weights, "free_symbols") else weights
    stated = {str(name): variable for name, variable in (variables or {}).items()}  # names may be SymPy's symbols
    known = {**_own_variables(function), **_own_variables(claimed), **stated}
    wrt = [str(name) for name in ([wrt] if isinstance(wrt, str) or not isinstance(wrt, Iterable) else wrt)]
    if not known:
        raise VerificationError("variables say what every argument is: variables={'q': verify.quaternion(), ...}")
    asked = question(wrt, known, order, weights, None)
    judged = read(function, known, "f")
    outer = output_shape(judged, asked, seed)
    asked = question(wrt, known, order, weights, prod(outer))
    claim = read(claimed, asked.variables, "claim")
    asked = replace(asked, variables=_taken(asked, judged, claim))
    problem = fit(judged, claim, asked, outer, seed)
    decision = decide(problem, points)
    report = report_of(problem, decision, prove)
    return replace(report, seconds=perf_counter() - began)


def _no_names(function: object, claimed: object) -> None:
    """Raises VerificationError for texts: they may name functions of symvi's own."""
    from symvi.verify.own_functions import own_names

    for given, what in ((function, "function"), (claimed, "claimed")):
        if not isinstance(given, str):
            continue
        known = own_names()
        near = did_you_mean(given, known)
        remedy = "give a SymPy expression, a Python function, verify.c(...) or verify.own(...)"
        if given in known:
            remedy = f"for symvi's own function write verify.own('{given}')"
        elif near.endswith("?"):
            remedy = f"is one of symvi's own functions meant? {near} Then write verify.own(...)"
        raise VerificationError(f"{what} is the text '{given}'; {remedy}")


def _whole_above_zero(points: object) -> None:
    if not isinstance(points, Integral) or isinstance(points, bool) or points < 1:
        raise VerificationError(f"points {points!r}: a number of points is a whole number above zero")


def _own_variables(given: object) -> Mapping[str, Variable]:
    """What symvi's own functions know of their arguments."""
    found = getattr(given, "variables", None)
    return found if isinstance(found, Mapping) else {}


def _taken(asked: Question, *functions: Function) -> Mapping[str, Variable]:
    """The variables that matter: a file's claims state those of all of them; symvi's own functions take theirs only."""
    if not any(function.definition for function in functions):
        return asked.variables
    taken = {name for function in functions for name in function.arguments} | {*asked.wrt, asked.weights}
    taken |= {asked.variables[name].step for name in taken if name in asked.variables}
    return {name: variable for name, variable in asked.variables.items() if name in taken}


def assert_derivative(*arguments: Any, **options: Any) -> Report:
    """derivative(...), for tests: raises AssertionError with the printed report where an entry is wrong."""
    __tracebackhide__ = True
    report = derivative(*arguments, **options)
    if not report.right:
        raise AssertionError(str(report))
    return report


# --- does it fit together? ----------------------------------------------------------------------------------------
def output_shape(function: Function, asked: Question, seed: int) -> tuple[int, ...]:
    """The shape of a function's outputs. Raises VerificationError where it has no value anywhere."""
    return _first_value(Problem(function, function, asked, 1, seed=seed), function).shape


def fit(function: Function, claimed: Function, asked: Question, outer: tuple[int, ...], seed: int) -> Problem:
    """The problem, if the claim has the shape of the derivative, or of its transpose. Raises VerificationError."""
    problem = Problem(function, claimed, asked, prod(outer), seed=seed, outer=outer)
    check_alone(problem)
    found = _first_value(problem, claimed)
    for turned in (False, True):
        if problem.taken(found, turned) is not None:
            return replace(problem, transposed=turned, given=found.shape)
    raise VerificationError(_misfit(problem, claimed, found.shape))


def _misfit(problem: Problem, claimed: Function, given: tuple[int, ...]) -> str:
    """What does not fit, and what would: another tangent where that explains the shape."""
    asked = problem.question
    columns = ", ".join(f"{name} {len(block)}" for name, block in asked.blocks().items())
    fitting = " or ".join(map(_sizes, layouts(asked, problem.outer)))
    said = (
        f"{claimed.said} is {_sizes(given)}, the derivative is {fitting}: "
        f"{problem.rows} outputs of {problem.function.said}, columns: {columns}"
    )
    if claimed.origin == "C" and len(given) == 1 and given[0] > (count := prod(problem.shape)):
        said += f"; is entry {given[0] - 1} written out of the bounds of {count} entries?"
    for name in asked.wrt:
        variable = asked.variables[name]
        for tangent in ("raw", "rotation vector") if variable.kind == "quaternion" else ():
            other = asked.with_variable(name, variable.in_tangent(tangent, "body"))
            if other.shape(problem.rows) != problem.shape and other.shape(problem.rows) == given:
                return f"{said}; it would fit with {name} = verify.quaternion({tangent!r})"
    vectors = [n for n in asked.wrt if asked.variables[n].kind == "vector" and asked.variables[n].size == 4]
    return said + (f"; is {vectors[0]} a quaternion? then say verify.quaternion()" if vectors else "")


def _sizes(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "one number"


def _first_value(problem: Problem, function: Function):
    world, last = RealWorld(), None
    if not function.floats_only:
        _check_division(problem, function)
    for number in range(PROBES):
        point = problem.draw(number)
        try:
            return _same_twice(function, in_world(point, world), world)
        except NeedsFloats as error:
            if function.floats_only:
                raise
            function.floats_only = True
            function.note(f"{error}; {function.name} is compared in floats")
            return _first_value(problem, function)
        except ANOTHER_POINT as error:
            last = error
        except ZeroDivisionError as error:
            raise VerificationError(f"{function.said} divides by zero on the manifold: {error}") from error
    raise VerificationError(f"{function.said}: no value at any of {PROBES} points on the manifold: {last}")


def _check_division(problem: Problem, function: Function) -> None:
    """Raises VerificationError for a division by what is zero at every point: fields see it, floats may not."""
    for number in range(DIVISIONS):
        try:
            world = field_world(PRIMES[0], number)
            function.evaluate(in_world(problem.draw(number, PRIMES[0]), world), world)
        except ZeroDivisionError as error:
            reason = error
        except (*ANOTHER_POINT, NeedsFloats):
            return
        else:
            return
    raise VerificationError(f"{function.said} divides by zero on the manifold: {reason}")


def _same_twice(function: Function, values: dict, world):
    """A function's value; Python is asked twice. Raises VerificationError where it answers differently."""
    found = function.evaluate(values, world)
    if function.origin == "Python":
        again = function.evaluate(values, world)
        if found.shape != again.shape or any(a != b for a, b in zip(found.entries, again.entries, strict=True)):
            raise VerificationError(f"{function.said} gives different values for the same arguments")
    return found


# --- the report ---------------------------------------------------------------------------------------------------
def report_of(problem: Problem, decision: Decision, prove: bool) -> Report:
    problem, wrong = replace(problem, still=decision.still), decision.wrong
    spare = [point for branch in decision.branches if branch.wrong for point in branch.points]
    examples = counterexamples(problem, wrong, sorted(spare, key=lambda point: len(point_text(point))))
    proved, reason = proved_entries(problem) if prove and len(wrong) < _count(problem) else (set(), "")
    diagnoses = tuple(diagnose(problem, decision))
    entries = tuple(_entry(problem, decision, k, examples.get(k), k in proved) for k in range(_count(problem)))
    return Report(
        function=problem.function.name,
        claimed=problem.claimed.said,
        wrt=problem.question.wrt,
        shape=problem.shape,
        entries=entries,
        column_names=tuple(_column_names(problem)),
        notes=tuple([*_notes(problem, decision), *([f"no proof by normal forms: {reason}"] if reason else [])]),
        method=method(problem, decision, len(proved - set(wrong))),
        log10_doubt=decision.doubt,
        transposed=problem.transposed,
        unreached=decision.unreached,
        question=asked_lines(problem),
        diagnoses=diagnoses,
        branches=tuple(_branches_said(decision)),
    )


def _entry(problem: Problem, decision: Decision, k: int, example, proved: bool) -> Entry:
    index = _index(problem.shape, k)
    verdict = WRONG if k in decision.wrong else PROVED if proved else _right_by(problem, decision, k)
    some = tuple(branch.said for branch in decision.branches if branch.path and k in branch.wrong)[:MOST_SAID]
    relative = max((branch.largest.get(k, 0.0) for branch in decision.branches), default=0.0)
    names = _column_names(problem)
    if problem.question.weights or _is_hessian(problem):
        row = problem.question.column_names()[index[0]]
    else:
        row = f"row {index[0]}"
    column = names[index[1]] if len(index) == 2 else problem.question.weights or ""
    return Entry(index, verdict, row, column, example, some, relative)


def _right_by(problem: Problem, decision: Decision, k: int) -> str:
    if problem.in_floats:
        return FLOATS
    if k in decision.rounded:
        return ROUNDED
    if k in decision.series:
        return SERIES
    return EQUAL if decision.counted(k) else DIGITS


def _is_hessian(problem: Problem) -> bool:
    """Second derivatives of one number: a row and a column per direction."""
    return problem.question.order == 2 and problem.rows == 1


def _index(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    return (k,) if len(shape) == 1 else (k // shape[1], k % shape[1])


def _count(problem: Problem) -> int:
    found = 1
    for size in problem.shape:
        found *= size
    return found


def _column_names(problem: Problem) -> list[str]:
    asked = problem.question
    names = asked.column_names()
    if asked.order == 1:
        return [asked.weights] if asked.weights else names
    return names if asked.weights or _is_hessian(problem) else [f"{i} then {j}" for i in names for j in names]


def _branches_said(decision: Decision) -> Iterator[str]:
    """The branches that are wrong somewhere first; as many as a reader may want."""
    branches = sorted((branch for branch in decision.branches if branch.path), key=lambda branch: not branch.wrong)
    yield from map(_branch_text, branches[:MOST_LISTED])
    if len(branches) > MOST_LISTED:
        wrong = sum(bool(branch.wrong) for branch in branches[MOST_LISTED:])
        yield f"and {len(branches) - MOST_LISTED} more ways through the conditions, {wrong} of them wrong"


def _branch_text(branch: Branch) -> str:
    state = f"{len(branch.wrong)} wrong" if branch.wrong else "right"
    return f"{branch.said}: {state}"


def _notes(problem: Problem, decision: Decision) -> list[str]:
    notes = list(dict.fromkeys([*problem.function.notes, *problem.claimed.notes, *decision.unreached]))
    if problem.transposed:
        came = " x ".join(map(str, problem.given if len(problem.given) > 2 else problem.claimed_shape))
        notes.append(f"the claim came as {came}: the transpose of what was asked")
    notes += _approximations(decision.branches)
    if decision.undefined:
        notes.append(f"{decision.undefined} random points were outside the domain")
    return notes


def _approximations(branches: Iterable[Branch]) -> Iterator[str]:
    """What series and iterations leave out; of many ways alike, at most how much."""
    found: dict[str, list[Branch]] = {}
    for branch in branches:
        if branch.series and not (branch.wrong or branch.unclear):
            found.setdefault(TENDS if branch.tends else TERMS, []).append(branch)
    for why, alike in found.items():
        if len(alike) > FEW_ALIKE:
            most = max(max(branch.series.values()) for branch in alike)
            yield f"in {len(alike)} of the ways through the conditions: {why}; at most {most:.0e} of an entry's size"
            continue
        for branch in alike:
            yield f"where {branch.said}: {why}; {max(branch.series.values()):.0e} of an entry's size"


def method(problem: Problem, decision: Decision, proved: int = 0) -> str:
    """What decided, in words. proved: the number of entries that have a proof."""
    count = _count(problem)
    entries = "the entry" if count == 1 else "every entry" if proved == count else f"{proved} of {count} entries"
    proof = f"claim minus truth is zero in normal form, a proof for {entries}; " if proved else ""
    return proof + _compared(problem, decision)


def _compared(problem: Problem, decision: Decision) -> str:
    """The numbers that were compared."""
    if problem.in_floats:
        only = " and ".join(f.said for f in (problem.function, problem.claimed) if f.floats_only)
        return f"floats, to 1e-8 of each entry: {only} takes machine numbers only"
    said = f"{decision.points} points in each of the prime fields 2^61 - 1 and 2^521 - 1"
    said += f", {max(1, len(decision.branches))} branch{'es' * (len(decision.branches) > 1)} in {RealWorld().name}"
    if any(branch.opaque for branch in decision.branches):
        said += "; sin, cos, exp, log and angles by their addition theorems"
    if any(branch.roots for branch in decision.branches):
        said += "; signs of roots by real numbers"
    if decision.rounded:
        said += "; constants that are rounded machine numbers may be others within 4 units of their last place"
    return said
