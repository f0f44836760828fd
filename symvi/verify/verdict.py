"""derivative(function, claimed, wrt, variables): the question that this package answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from numbers import Integral, Real
from time import perf_counter
from typing import Any

from symvi.mechanism.names import did_you_mean
from symvi.verify.asking.effort import EFFORT, Effort, checked, spending
from symvi.verify.asking.jacobian_layouts import layouts
from symvi.verify.asking.patience import patient
from symvi.verify.asking.points import point_text
from symvi.verify.asking.question import Question, question
from symvi.verify.asking.variables import Variable, bounded
from symvi.verify.errors import NeedsFloats, VerificationError
from symvi.verify.judging.alone import check_alone
from symvi.verify.judging.decide import Branch, Decision, decide
from symvi.verify.judging.entries import DIGITS, EQUAL, FLOATS, NOTED, ROUNDED, WRONG, Entry
from symvi.verify.judging.problem import ANOTHER_POINT, EFFECT, Problem, in_world
from symvi.verify.naming.diagnosis import diagnose
from symvi.verify.reading.function import Function, Outputs
from symvi.verify.reading.sources import read
from symvi.verify.reading.worlds import Irrational, RationalWorld, RealWorld
from symvi.verify.saying.asked import asked_lines
from symvi.verify.saying.counterexample import counterexamples
from symvi.verify.saying.report import Report

POINTS = 2  # of every way and size
LAYOUTS = ("rows", "columns")
PROBES = 200
MOST_SAID = 3  # branches in which one entry is wrong
MOST_LISTED = 16  # branches in a report, wrong ones first
FEW_ALIKE = 3  # ways with a small error, told one by one
DIVISIONS = 3  # points at which a divisor that is zero each time, as a fraction, is zero


def derivative(
    function: object,
    claimed: object,
    wrt: str | Sequence[str],
    variables: Mapping[str, Variable] | None = None,
    order: int = 1,
    weights: str | None = None,
    seed: int = 0,
    points: int = POINTS,
    effect: float = EFFECT,
    where: Mapping[str, tuple] | None = None,
    layout: str = "rows",
    effort: float = EFFORT,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Is `claimed` the derivative of `function` by `wrt`? Every entry gets a verdict.

    function, claimed: a SymPy expression or matrix, a Python function of arguments named like variables, verify.c(...),
    or symvi.derive.own(...). wrt: names of variables; the columns of several stand side by side, three for a unit
    quaternion in a tangent, four for a raw one.
    variables: name -> verify.vector(3), verify.quaternion(...) and so on; own functions know theirs.
    order: 2 for second derivatives, entry (row, i n + j) = D_j D_i f. weights: a name lambda: the claim is then G^T
    lambda (order 1, one entry per column of G) or its derivative (order 2, n x n).
    seed, points: of random points, so many of every way through the conditions.
    effect: in a small region that thresholds close on every side, an error below this share of the largest entry of its
    block is a note.
    where: name -> (low, high), what every number of a variable lies between; None for no bound. A point at which code
    raises ValueError, LinAlgError or AssertionError is outside of its domain too. layout: "columns" for a claim whose
    numbers come in one row, column by column.
    effort: operations on numbers that the question may cost; where they are spent the report says so. progress: called
    with a line after every two million of them.
    Raises VerificationError where the question cannot be answered as it stands.
    """
    began, budget = perf_counter(), Effort(checked(effort), progress)
    _no_names(function, claimed)
    _whole_above_zero(points)
    _is_share(effect)
    if not isinstance(variables or {}, Mapping):
        what = f"variables is a {type(variables).__name__}"
        raise VerificationError(f"{what}; make it a dictionary: variables={{'q': verify.quaternion(), ...}}")
    weights = str(weights) if hasattr(weights, "free_symbols") else weights
    stated = {str(name): variable for name, variable in (variables or {}).items()}  # names may be SymPy's symbols
    with spending(budget), patient(budget):
        known = _within({**_own_variables(function), **_own_variables(claimed), **stated}, where or {})
        wrt = [str(name) for name in ([wrt] if isinstance(wrt, str) or not isinstance(wrt, Iterable) else wrt)]
        if not known:
            raise VerificationError("variables say what every argument is: variables={'q': verify.quaternion(), ...}")
        asked = question(wrt, known, order, weights, None)
        judged = read(function, known, "f")
        outer = output_shape(judged, asked, seed)
        asked = question(wrt, known, order, weights, prod(outer))
        claim = read(claimed, asked.variables, "claim")
        asked = replace(asked, variables=_taken(asked, judged, claim))
        claim = _by_columns(claim, asked.shape(prod(outer)), layout)
        problem = replace(fit(judged, claim, asked, outer, seed), effect=effect)
        decision = decide(problem, points)
        report = report_of(problem, decision)
    return replace(report, seconds=perf_counter() - began, operations=budget.spent)


def _no_names(function: object, claimed: object) -> None:
    """Raises VerificationError for texts: they may name functions of symvi's own."""
    for given, what in ((function, "function"), (claimed, "claimed")):
        if isinstance(given, str):
            remedy = f"a Python function, verify.c(...), or symvi.derive.own({given!r}) for one of symvi's own"
            raise VerificationError(f"{what} is the text '{given}'; give a SymPy expression, {remedy}")


def _whole_above_zero(points: object) -> None:
    if not isinstance(points, Integral) or isinstance(points, bool) or points < 1:
        raise VerificationError(f"points {points!r}: a number of points is a whole number above zero")


def _within(variables: Mapping[str, Variable], where: Mapping[str, tuple]) -> Mapping[str, Variable]:
    """The variables with their bounds. Raises VerificationError."""
    for name in where:
        if name not in variables:
            raise VerificationError(f"where: no variable '{name}'; {did_you_mean(str(name), variables)}")
    return {name: bounded(v, name, where[name]) if name in where else v for name, v in variables.items()}


def _by_columns(claim: Function, shape: tuple[int, ...], layout: str) -> Function:
    """The claim with its numbers row by row. Raises VerificationError for a layout that there is not."""
    if layout not in LAYOUTS:
        raise VerificationError(f"layout {layout!r}; {did_you_mean(str(layout), LAYOUTS)}")
    if layout == "rows" or len(shape) < 2:
        return claim
    rows, columns = shape
    if claim.definition is not None or claim.tree is not None:
        raise VerificationError(f"layout 'columns' is for Python and C; {claim.said} has rows and columns")

    def row_by_row(found: Outputs) -> Outputs:
        if len(found.shape) != 1 or len(found.entries) != rows * columns:
            raise VerificationError(
                f"layout 'columns': {claim.said} is {_sizes(found.shape)}; give its {rows * columns} numbers in one row"
            )
        return Outputs(shape, [found.entries[k * rows + i] for i in range(rows) for k in range(columns)])

    claim.evaluate = _and_then(claim.evaluate, row_by_row)
    claim.on_floats = None if claim.on_floats is None else _and_then(claim.on_floats, row_by_row)
    return claim


def _and_then(evaluate: Callable, change: Callable) -> Callable:
    return lambda values, world: change(evaluate(values, world))


def _is_share(effect: object) -> None:
    if not isinstance(effect, Real) or isinstance(effect, bool) or not 0 <= float(effect) < 1:
        raise VerificationError(f"effect {effect!r}: a share of the largest entry, 1e-6 say; 0 for none")


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
    """Raises VerificationError for a division by what is zero at every point: fractions see it, floats may not."""
    for number in range(DIVISIONS):
        try:
            world = RationalWorld()
            function.evaluate(in_world(problem.draw(number), world), world)
        except ZeroDivisionError as error:
            reason = error
        except (*ANOTHER_POINT, Irrational, NeedsFloats):
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
def report_of(problem: Problem, decision: Decision) -> Report:
    problem, wrong = replace(problem, still=decision.still), decision.wrong
    spare = [point for branch in decision.branches if branch.wrong for point in branch.points]
    examples = counterexamples(problem, wrong, sorted(spare, key=lambda point: len(point_text(point))))
    diagnoses = tuple(diagnose(problem, decision))
    entries = tuple(_entry(problem, decision, k, examples.get(k)) for k in range(_count(problem)))
    return Report(
        function=problem.function.name,
        claimed=problem.claimed.said,
        wrt=problem.question.wrt,
        shape=problem.shape,
        entries=entries,
        column_names=tuple(_column_names(problem)),
        notes=tuple(_notes(problem, decision)),
        method=method(problem, decision),
        transposed=problem.transposed,
        unreached=decision.unreached,
        question=asked_lines(problem),
        diagnoses=diagnoses,
        branches=tuple(_branches_said(decision)),
    )


def _entry(problem: Problem, decision: Decision, k: int, example) -> Entry:
    index = _index(problem.shape, k)
    verdict = WRONG if k in decision.wrong else _right_by(problem, decision, k)
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
    if k in decision.noted:
        return NOTED
    return EQUAL if decision.exact else DIGITS


def _is_hessian(problem: Problem) -> bool:
    """Second derivatives of one number: a row and a column per direction."""
    return problem.question.order == 2 and problem.rows == 1


def _index(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    return (k,) if len(shape) == 1 else (k // shape[1], k % shape[1])


def _count(problem: Problem) -> int:
    return prod(problem.shape)


def _column_names(problem: Problem) -> list[str]:
    asked = problem.question
    names = asked.column_names()
    if asked.order == 1:
        return [asked.weights] if asked.weights else names
    return names if asked.weights or _is_hessian(problem) else [f"{i} then {j}" for i in names for j in names]


def _branches_said(decision: Decision) -> Iterator[str]:
    """The branches that are wrong somewhere first; as many as a reader may want."""
    branches = sorted((branch for branch in decision.branches if branch.path), key=lambda branch: not branch.wrong)
    for branch in branches[:MOST_LISTED]:
        yield f"{branch.said}: {f'{len(branch.wrong)} wrong' if branch.wrong else 'right'}"
    if len(branches) > MOST_LISTED:
        wrong = sum(bool(branch.wrong) for branch in branches[MOST_LISTED:])
        yield f"and {len(branches) - MOST_LISTED} more ways through the conditions, {wrong} of them wrong"


def _notes(problem: Problem, decision: Decision) -> list[str]:
    notes = list(dict.fromkeys([*problem.function.notes, *problem.claimed.notes, *decision.unreached]))
    if problem.transposed:
        came = " x ".join(map(str, problem.given if len(problem.given) > 2 else problem.claimed_shape))
        notes.append(f"the claim came as {came}: the transpose of what was asked")
    notes += _small_errors(problem, decision.branches)
    if decision.undefined:
        notes.append(f"{decision.undefined} random points were outside the domain")
    return notes


def _small_errors(problem: Problem, branches: Iterable[Branch]) -> Iterator[str]:
    """What does not matter in small regions; of many ways alike, at most how much."""
    alike = [branch for branch in branches if branch.noted and not branch.wrong]
    bound = f"of the largest entry of its block, less than {problem.effect:g}, in a region closed by thresholds"
    if len(alike) > FEW_ALIKE:
        most = max(max(branch.noted.values()) for branch in alike)
        yield f"in {len(alike)} of the ways through the conditions an entry differs by at most {most:.0e} {bound}"
        return
    for branch in alike:
        k = max(branch.noted, key=lambda entry: branch.noted[entry])
        index = list(_index(problem.shape, k))
        yield f"where {branch.said}: entry {index} differs by {branch.noted[k]:.0e} {bound}"


def method(problem: Problem, decision: Decision) -> str:
    """What decided, in words: the numbers that were compared."""
    if problem.in_floats:
        only = " and ".join(f.said for f in (problem.function, problem.claimed) if f.floats_only)
        return f"floats, to 1e-8 of each entry: {only} takes machine numbers only"
    count = max(1, len(decision.branches))
    numbers = "fractions" if decision.exact else RealWorld().name
    said = f"random points of six sizes in {numbers}, {count} way{'s' * (count > 1)} through the conditions"
    said += "; signs of roots by machine numbers at more points" * (not decision.exact)
    if decision.rounded:
        said += "; constants that are rounded machine numbers may be others within 4 units of their last place"
    return said
