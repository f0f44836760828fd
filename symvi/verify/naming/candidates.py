"""What a wrong derivative may be instead, as one list, simplest first: stored otherwise, or the derivative of another.

A candidate is a matrix in the place of the truth. Most are the truth of a question that is changed in one line of a
table: another side of the perturbation, a conjugate quaternion, two bodies exchanged, a number forgotten. Others are
the truth with rows or columns multiplied by a matrix that a variable has, as its rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from symvi.verify.asking.points import Point, rotation_of
from symvi.verify.asking.question import Question
from symvi.verify.asking.variables import Variable
from symvi.verify.judging.problem import Problem, in_world
from symvi.verify.judging.truth import true_derivative
from symvi.verify.reading.worlds import World

Matrix = list[list]
Change = Callable[[Point], Point]
AXES = ("world axes instead of its body axes", "body axes instead of its world axes")
ENDS = (("a", "b"), ("1", "2"), ("0", "1"), ("i", "j"), ("parent", "child"), ("A", "B"))
SIDES = {
    "world": "world axes (from the left, R(q) for L(q))",
    "body": "body axes (from the right, L(q) for R(q))",
}


@dataclass(frozen=True)
class Candidate:
    """kind: one word. says: what the claim is, if it equals this. cost: the simpler, the smaller.

    of(point, world) -> the matrix, or None where it has none. rows: the rows that it is about, None for all.
    columns: likewise. stored: whether it is about how these rows and columns are stored, all of them together.
    """

    kind: str
    says: str
    cost: float
    of: Callable[[Point, World], Matrix | None]
    rows: range | None = None
    columns: range | None = None
    stored: bool = False


def matrix_of(problem: Problem, entries: list) -> Matrix:
    """Entries row by row as rows; a vector is one row."""
    width = problem.shape[-1]
    return [list(entries[i : i + width]) for i in range(0, len(entries), width)]


def truth_of(problem: Problem, point: Point, world: World, question: Question | None = None) -> Matrix:
    asked = question or problem.question
    return matrix_of(problem, true_derivative(problem.function, asked, in_world(point, world), world))


def true_candidate(problem: Problem) -> Candidate:
    """The truth itself: what is proportional to it differs by a factor."""
    return Candidate("factor", "", 0.0, lambda point, world: truth_of(problem, point, world))


def candidates(problem: Problem) -> Iterator[list[Candidate]]:
    """First what people mean by another convention, then what is forgotten, turned over, or in other axes."""
    yield [*_stored(problem), *_sides(problem), *_of_changes(problem, _conventions(problem)), *_moved_columns(problem)]
    yield [*_of_changes(problem, _parameters(problem)), *_in_other_axes(problem)]


# --- how a matrix is stored -----------------------------------------------------------------------------------------
def _stored(problem: Problem) -> Iterator[Candidate]:
    """Transposes, of all and of square blocks, the inverse, the order of columns or of two directions."""
    rows, width = (1, *problem.shape)[-2:]

    def stored(kind: str, says: str, change: Callable[[Matrix], Matrix], **where) -> Candidate:
        cost = 1.5 if kind == "inverse" else 1.0
        return Candidate(kind, says, cost, lambda p, w: change(truth_of(problem, p, w)), stored=True, **where)

    if rows == width > 1:
        yield stored("transpose", "the transpose", _transposed)
        yield stored("inverse", "the inverse", inverse)
    for block in problem.question.blocks().values() if _is_plain(problem) else ():
        size = len(block)
        for start in range(rows - size + 1) if size > 1 and (rows, size) != (size, width) else ():
            window = range(start, start + size)
            yield stored("transpose", "the transpose", _block_transposed(window, block), rows=window, columns=block)
    if 1 not in (rows, width) and (rows != width or problem.flat):

        def by_columns(truth: Matrix) -> Matrix:
            return matrix_of(problem, [row[k] for k in range(width) for row in truth])

        says = "its entries column by column, as Eigen, MATLAB and CasADi store them"
        if len(problem.given) > 2:
            says = "the directions first, where they come last" + _remedy(problem.given, problem.outer)
        yield stored("order", says, by_columns)
    if (count := len(problem.question.directions)) ** 2 == width:
        says = "the two directions in the other order: derivatives of a Jacobian along rotations do not commute"
        exchanged = [k * count + i for i in range(count) for k in range(count)]
        yield stored("order", says, lambda truth: [[row[k] for k in exchanged] for row in truth])


def _is_plain(problem: Problem) -> bool:
    return problem.question.order == 1 and not problem.question.weights


def _remedy(given: tuple[int, ...], outer: tuple[int, ...]) -> str:
    """What NumPy makes of directions that come first: one axis of them, or one of the function's."""
    last = len(outer) if outer and given[len(given) - len(outer) :] == outer else 1
    if last == len(given) - 1:
        return ": np.moveaxis(claim, 0, -1) is meant"
    return ": np.moveaxis(claim, -1, 0) is meant" if last == 1 else ""


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _block_transposed(rows: range, columns: range) -> Callable[[Matrix], Matrix]:
    def change(truth: Matrix) -> Matrix:
        found = [list(row) for row in truth]
        for i, row in enumerate(rows):
            for k, column in enumerate(columns):
                found[row][column] = truth[rows[k]][columns[i]]
        return found

    return change


def inverse(matrix: Matrix) -> Matrix:
    """By Gauss and Jordan, the largest pivot first. Raises ZeroDivisionError for a singular matrix."""
    size = len(matrix)
    rows = [[*row, *(row[0] * 0 + int(i == k) for k in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


# --- another side, other values ---------------------------------------------------------------------------------------
def _sides(problem: Problem) -> Iterator[Candidate]:
    turned = [n for n in problem.question.wrt if problem.question.variables[n].is_turned]
    if turned := [n for n in turned if problem.question.variables[n].kind == "quaternion"]:
        other = _flipped(problem.question, turned)
        words = " and ".join(SIDES[side] for side in sorted({other.variables[name].side for name in turned}))
        yield _at(problem, "side", f"the derivative by a rotation in {words}", 1.5, question=other)


def _flipped(question: Question, names: Sequence[str]) -> Question:
    """The same question with the tangents of some quaternions on their other side."""
    for name in names:
        if (variable := question.variables[name]).is_turned:
            side = "world" if variable.side == "body" else "body"
            question = question.with_variable(name, variable.in_tangent(variable.tangent, side))
    return question


def _at(problem: Problem, kind: str, says: str, cost: float, change: Change = dict, question=None) -> Candidate:
    """The derivative at other values, or of another question."""
    return Candidate(kind, says, cost, lambda point, world: truth_of(problem, change(point), world, question))


Row = tuple[str, str, float, Change]  # of a table: kind, what is said, cost, other values


def _of_changes(problem: Problem, table: Iterator[Row]) -> Iterator[Candidate]:
    yield from (_at(problem, *row) for row in table)


def _conventions(problem: Problem) -> Iterator[Row]:
    """Conjugates, quaternions in the other order, bodies exchanged."""
    variables = problem.question.variables
    quaternions = [name for name, variable in variables.items() if variable.kind == "quaternion"]
    for chosen in [*([name] for name in quaternions), *([quaternions] if len(quaternions) > 1 else [])]:
        words = f"the conjugate{'s' * (len(chosen) > 1)} of {' and '.join(chosen)}, Rᵀ for R"
        yield "conjugate", words, 2.0, changing(dict.fromkeys(chosen, lambda q: [q[0], *(-x for x in q[1:])]))
    for name in quaternions:
        for where, change in (
            ("last", lambda q: [q[3], *q[:3]]),
            ("first, where the others have it last", lambda q: [*q[1:], q[0]]),
        ):
            yield "order", f"{name} read with its scalar part {where}", 2.0, changing({name: change})
    for name, variable in variables.items():
        if variable.kind == "rotation" and variable.size == 9:
            turned = changing({name: lambda v: [v[3 * k + i] for i in range(3) for k in range(3)]})
            yield "conjugate", f"{name}ᵀ for {name}", 2.0, turned
    for who, cost, partner in _partners(problem.question):
        yield "exchange", f"{who} exchanged", cost, _exchanged(partner)


def changing(changes: dict[str, Callable[[list], list]]) -> Change:
    return lambda point: {name: changes[name](v) if name in changes else v for name, v in point.items()}


def _exchanged(partner: dict[str, str]) -> Change:
    return lambda point: {name: point[partner.get(name, name)] for name in point}


def _partners(question: Question) -> Iterator[tuple[str, float, dict[str, str]]]:
    """Who, the cost, and every variable's partner: of two bodies all at once, then two variables of one type."""
    variables = question.variables
    of_bodies = [pair for pair in combinations(variables, 2) if _is_pair(*pair) and _are_alike(variables, *pair)]
    groups = [of_bodies] if len(of_bodies) > 1 else []
    groups += [[pair] for pair in combinations(variables, 2) if _are_alike(variables, *pair)]
    for group in groups:
        who = "the two bodies" if len(group) > 1 else " and ".join(group[0])
        cost = 1.5 if len(group) > 1 or group[0] in of_bodies else 2.5
        yield who, cost, {**dict(group), **{b: a for a, b in group}}


def _is_pair(one: str, other: str) -> bool:
    """Whether two names differ by the body that they belong to: x_a and x_b."""
    return any(
        one.endswith(a) and other.endswith(b) and one[: -len(a)] == other[: -len(b)] != ""
        for ends in ENDS
        for a, b in (ends, ends[::-1])
    )


def _are_alike(variables, one: str, other: str) -> bool:
    a, b = variables[one], variables[other]
    return (a.kind, a.shape) == (b.kind, b.shape)


def _moved_columns(problem: Problem) -> Iterator[Candidate]:
    """The columns of two bodies, or of two variables, in each other's place; the values too."""
    blocks, wrt = problem.question.blocks(), problem.question.wrt
    for who, cost, partner in _partners(problem.question) if problem.question.order == 1 else ():
        order = [k for name in wrt for k in blocks.get(partner.get(name, name), blocks[name])]
        if sorted(order) == list(range(len(order))) != order:
            for words, more, change in (("", 0.0, dict), (", and their columns", 0.5, _exchanged(partner))):
                says = f"{who} exchanged{words}" if words else f"the columns of {who} exchanged"

                def of(point: Point, world: World, order=order, change=change) -> Matrix:
                    return [[row[k] for k in order] for row in truth_of(problem, change(point), world)]

                yield Candidate("exchange", says, cost + more, of)


def _parameters(problem: Problem) -> Iterator[Row]:
    """What is forgotten, or has the other sign."""
    for name, variable in problem.question.variables.items():
        for says, cost, change in _changes(name, variable):
            yield "parameter", says, cost, changing({name: change})


def _changes(name: str, variable: Variable) -> Iterator[tuple[str, float, Callable]]:
    kind = variable.kind
    if kind in ("scalar", "step"):
        yield f"1 for {name}: {name} is forgotten", 1.5 if kind == "step" else 2.0, lambda v: [Fraction(1)]
    if kind in ("scalar", "step", "vector", "angular velocity", "matrix"):
        yield f"the terms with {name} are missing", 2.0, lambda v: [Fraction(0)] * len(v)
    if kind in ("scalar", "step", "vector", "angular velocity", "matrix", "unit vector"):
        yield f"-{name} for {name}", 2.0, lambda v: [-x for x in v]
    if kind in ("quaternion", "rotation", "inertia"):
        yield f"the identity for {name}", 2.0, lambda v: _identity(len(v))


def _identity(size: int) -> list[Fraction]:
    ones = {3: (0, 1, 2), 4: (0,), 6: (0, 1, 2), 9: (0, 4, 8)}[size]
    return [Fraction(int(i in ones)) for i in range(size)]


# --- rows and columns in other axes -----------------------------------------------------------------------------------
def _in_other_axes(problem: Problem) -> Iterator[Candidate]:
    """Three rows or columns times a rotation of the question; columns of a rotation vector times what it has."""
    question = problem.question
    for name, variable in question.variables.items() if _is_plain(problem) else ():
        if variable.kind in ("quaternion", "rotation"):
            for words in AXES:
                turn = _rotation(name, words == AXES[0])
                for start in range(problem.rows - 2):
                    rows, of = range(start, start + 3), _multiplied(problem, turn, range(start, start + 3), False)
                    yield Candidate("axes", f"rows in {name}'s {words}", 2.5, of, rows=rows)
                for block in question.blocks().values():
                    if len(block) == 3:
                        of = _multiplied(problem, turn, block, True)
                        yield Candidate("axes", f"columns in {name}'s {words}", 2.5, of, columns=block)
        if variable.kind == "vector" and len(block := question.blocks().get(name, ())) == 3:
            for kind, words, factor in EXPONENTIALS:
                of = _multiplied(problem, _of_vector(name, factor), block, True)
                yield Candidate(kind, words.format(name), 2.0, of, columns=block)


def _multiplied(problem: Problem, factor: Callable, places: range, columns: bool) -> Callable:
    """The truth with three rows M r, or three columns C M, in the place of r and C."""

    def of(point: Point, world: World) -> Matrix:
        matrix, found = factor(point, world), truth_of(problem, point, world)
        turned = found if columns else _transposed(found)
        for row in turned:
            old = [row[k] for k in places]
            for i, k in enumerate(places):
                each = (matrix[j][i] if columns else matrix[i][j] for j in range(3))
                row[k] = sum((x * y for x, y in zip(old, each, strict=True)), world.zero)
        return turned if columns else _transposed(turned)

    return of


def _rotation(name: str, there: bool) -> Callable[[Point, World], Matrix]:
    def of(point: Point, world: World) -> Matrix:
        values = in_world(point, world)[name]
        flat = rotation_of(values) if len(values) == 4 else values
        rows = [list(flat[3 * i : 3 * i + 3]) for i in range(3)]
        return rows if there else _transposed(rows)

    return of


def _of_vector(name: str, factor: Callable) -> Callable[[Point, World], Matrix]:
    """I + a v^ + b v^ v^ of a rotation vector v."""

    def of(point: Point, world: World) -> Matrix:
        v = in_world(point, world)[name]
        square = sum((x * x for x in v), world.zero)
        first, second = factor(world.functions, world.functions.sqrt(square), world.constant(Fraction(1, 2)))
        cross = [[world.zero, -v[2], v[1]], [v[2], world.zero, -v[0]], [-v[1], v[0], world.zero]]
        return [
            [first * cross[i][k] + second * (v[i] * v[k] - square * int(i == k)) + int(i == k) for k in range(3)]
            for i in range(3)
        ]

    return of


def _exponential(sign: int) -> Callable:
    """R(v) for 1, R(v)ᵀ for -1, by Rodrigues."""
    return lambda call, angle, half: (sign * call.sin(angle) / angle, (1 - call.cos(angle)) / (angle * angle))


def _jacobian_inverse(sign: int) -> Callable:
    """The inverse of the right Jacobian of the exponential map for 1, of the left one for -1."""

    def factor(call, angle, half):
        cotangent = call.cos(angle * half) / call.sin(angle * half)
        return sign * half, (1 - angle * half * cotangent) / (angle * angle)

    return factor


EXPONENTIALS = (  # the left Jacobian is R(v) times the right one, and both commute with R(v)
    ("side", "the left Jacobian for the right one of the exponential map of {}", _exponential(1)),
    ("side", "the right Jacobian for the left one of the exponential map of {}", _exponential(-1)),
    ("missing", "as if {} were small: the right Jacobian of its exponential map is missing", _jacobian_inverse(1)),
    ("missing", "as if {} were small: the left Jacobian of its exponential map is missing", _jacobian_inverse(-1)),
)
