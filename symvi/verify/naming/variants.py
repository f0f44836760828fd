"""What a wrong derivative may be instead: the true derivative of something else, simplest first.

A variant is a matrix in the place of the truth: another side of the perturbation, a conjugate quaternion, exchanged
bodies, a parameter forgotten or with the other sign, rows in other axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.naive.quaternion import conjugate, multiply
from symvi.verify.asking.points import Point, rotation_of
from symvi.verify.asking.question import Question
from symvi.verify.asking.variables import Variable
from symvi.verify.judging.problem import Problem, in_world
from symvi.verify.judging.truth import true_derivative
from symvi.verify.reading.worlds import World

Matrix = list[list]
ENDS = (("a", "b"), ("1", "2"), ("0", "1"), ("i", "j"), ("parent", "child"), ("A", "B"))


@dataclass(frozen=True)
class Variant:
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


def true_variant(problem: Problem) -> Variant:
    """The truth itself: what is proportional to it differs by a factor."""
    return Variant("factor", "", 0.0, lambda point, world: truth_of(problem, point, world))


def usual_variants(problem: Problem) -> Iterator[Variant]:
    """Conventions: sides, conjugates, exchanged bodies, raw components."""
    yield from sides(problem)
    yield from raw_components(problem)
    yield from left_for_right(problem)
    yield from conjugates(problem)
    yield from exchanges(problem)


def other_variants(problem: Problem) -> Iterator[Variant]:
    """What is forgotten, turned over, or in other axes."""
    yield from changed_parameters(problem)
    yield from other_axes(problem)


# --- conventions --------------------------------------------------------------------------------------------------
def tangents(question: Question) -> list[str]:
    """The quaternions that are differentiated by in a tangent."""
    return [
        n for n in question.wrt if question.variables[n].kind == "quaternion" and question.variables[n].tangent != "raw"
    ]


def flipped(question: Question, of: Sequence[str] | None = None) -> Question:
    """The same question with every tangent on its other side, or those of some quaternions."""
    for name in tangents(question) if of is None else [name for name in tangents(question) if name in of]:
        variable = question.variables[name]
        side = "world" if variable.side == "body" else "body"
        question = question.with_variable(name, variable.in_tangent(variable.tangent, side))
    return question


def sides(problem: Problem) -> Iterator[Variant]:
    if names := tangents(problem.question):
        other = flipped(problem.question)
        to = {other.variables[name].side for name in names}
        words = " and ".join(
            {"world": "world axes (from the left, R(q) for L(q))", "body": "body axes (from the right, L(q) for R(q))"}[
                s
            ]
            for s in sorted(to)
        )
        yield Variant("side", f"the derivative by a rotation in {words}", 1.5, asking(problem, other))


def left_for_right(problem: Problem) -> Iterator[Variant]:
    """R(p) for L(p) in the derivative of a product of quaternions: a 3 x 3 part turned over, or the other factor's."""
    question = problem.question
    if question.order != 1 or question.weights:
        return
    says = "L for R in the derivative of a product of quaternions"
    quaternions = tangents(question)
    for one, other in pairs(quaternions, question.variables):
        columns = _exchanged_columns(problem, {one: other, other: one}, dict)
        yield Variant("side", says, 1.5, _negative(columns), columns=range(*_span(question, (one, other))))
    for name in quaternions:
        for size in (4, 3):
            for start in range(problem.rows - size + 1):
                rows = range(start, start + size)
                of = _turned_product(problem, name, rows)
                yield Variant("side", says, 1.5, of, rows=rows, columns=question.blocks()[name])
    for name, variable in question.variables.items():
        if variable.kind == "quaternion" and name not in question.wrt:
            for start in range(problem.rows - 3):
                rows = range(start, start + 4)
                yield Variant(
                    "side", f"R({name}) for L({name})", 1.5, _other_side(problem, name, rows, True), rows=rows
                )
                yield Variant(
                    "side", f"L({name}) for R({name})", 1.5, _other_side(problem, name, rows, False), rows=rows
                )


def _span(question: Question, names: tuple[str, str]) -> tuple[int, int]:
    blocks = [question.blocks()[name] for name in names]
    return min(block.start for block in blocks), max(block.stop for block in blocks)


def _negative(of: Callable) -> Callable:
    def turned(point: Point, world: World) -> Matrix | None:
        found = of(point, world)
        return None if found is None else [[-x for x in row] for row in found]

    return turned


def _turned_product(problem: Problem, name: str, rows: range) -> Callable:
    """Rows that are L(p) or V L(p) of a raw derivative, with R(p) in its place, in the tangent of `name`."""
    question, variable = problem.question, problem.question.variables[name]
    raw = question.with_variable(name, variable.in_tangent("raw", ""))
    block = question.blocks()[name]

    def of(point: Point, world: World) -> Matrix:
        found = truth_of(problem, point, world)
        values = in_world(point, world)
        entries = true_derivative(problem.function, raw, values, world)
        width, first = len(raw.directions), raw.blocks()[name].start
        part = [entries[i * width + first : i * width + first + 4] for i in rows]
        inner = len(rows) - 3
        turned = [row[:1] + [part[k + inner][i + 1] for k in range(3)] for i, row in enumerate(part[inner:])]
        part = part[:inner] + turned
        q, zero, one = values[name], world.zero, world.one
        for k, column in enumerate(block):
            step = [a - b for a, b in zip(variable.moved(q, k, one), q, strict=True)]
            for i, row in zip(rows, part, strict=True):
                found[i][column] = sum((a * b for a, b in zip(row, step, strict=True)), zero)
        return found

    return of


def _other_side(problem: Problem, name: str, rows: range, to_right: bool) -> Callable:
    """Four rows multiplied by a quaternion from its other side."""

    def of(point: Point, world: World) -> Matrix:
        found = truth_of(problem, point, world)
        q = in_world(point, world)[name]
        for k in range(len(found[0])):
            column = [found[i][k] for i in rows]
            inner = multiply(conjugate(q), column) if to_right else multiply(column, conjugate(q))
            for i, value in zip(rows, multiply(inner, q) if to_right else multiply(q, inner), strict=True):
                found[i][k] = value
        return found

    return of


def asking(problem: Problem, question: Question, change: Callable[[Point], Point] = dict) -> Callable:
    return lambda point, world: truth_of(problem, change(point), world, question)


def raw_components(problem: Problem) -> Iterator[Variant]:
    """Three of the four raw components in the place of the tangent's, or components in another order."""
    question = problem.question
    names = tangents(question)
    if question.order == 1 and names:
        raw = question
        for name in names:
            raw = raw.with_variable(name, question.variables[name].in_tangent("raw", ""))
        for first, words in ((1, "without the scalar one"), (0, "without the fourth one")):
            says = f"raw components of the quaternion, {words}, where its tangent's should be (L(q)Vᵀ is missing)"
            yield Variant("component", says, 1.5, _raw_columns(problem, raw, first))
    elif question.order == 1:
        for name, block in question.blocks().items():
            if question.variables[name].kind == "quaternion":
                says = f"the components of {name} in the order x, y, z, w"
                yield Variant("order", says, 1.5, _scalar_last(problem, block), columns=block)


def _raw_columns(problem: Problem, raw: Question, first: int) -> Callable:
    def of(point: Point, world: World) -> Matrix:
        width = len(raw.directions)
        entries = true_derivative(problem.function, raw, in_world(point, world), world)
        rows = [entries[i : i + width] for i in range(0, len(entries), width)]
        kept = []
        for name, block in raw.blocks().items():
            in_tangent = name in tangents(problem.question)
            kept += list(block)[first : first + 3] if in_tangent else list(block)
        return [[row[k] for k in kept] for row in rows]

    return of


def _scalar_last(problem: Problem, block: range) -> Callable:
    def of(point: Point, world: World) -> Matrix:
        return [
            [*row[: block.start], *row[block.start + 1 : block.stop], row[block.start], *row[block.stop :]]
            for row in truth_of(problem, point, world)
        ]

    return of


def conjugates(problem: Problem) -> Iterator[Variant]:
    quaternions = [n for n, v in problem.question.variables.items() if v.kind == "quaternion"]
    for chosen in [[n] for n in quaternions] + ([quaternions] if len(quaternions) > 1 else []):
        says = f"the conjugate{'s' * (len(chosen) > 1)} of {' and '.join(chosen)}, Rᵀ for R"
        change = changing(dict.fromkeys(chosen, _conjugate))
        yield Variant("conjugate", says, 2.0, asking(problem, problem.question, change))
        if tangents(problem.question):
            both = f"the derivative of the function of the conjugate{'s' * (len(chosen) > 1)} of {' and '.join(chosen)}"
            yield Variant("conjugate", both, 2.5, asking(problem, flipped(problem.question, chosen), change))
    for name in quaternions:
        for says, change in (("last", _scalar_from_end), ("first, where the others have it last", _scalar_to_end)):
            of = asking(problem, problem.question, changing({name: change}))
            yield Variant("order", f"{name} read with its scalar part {says}", 2.0, of)
    rotations = [n for n, v in problem.question.variables.items() if v.kind in ("rotation", "inertia") and v.size == 9]
    for name in rotations:
        if problem.question.variables[name].kind == "rotation":
            change = changing({name: _transposed})
            yield Variant("conjugate", f"{name}ᵀ for {name}", 2.0, asking(problem, problem.question, change))


def _conjugate(values: list) -> list:
    return [values[0], *(-x for x in values[1:])]


def _scalar_from_end(values: list) -> list:
    return [values[3], *values[:3]]


def _scalar_to_end(values: list) -> list:
    return [*values[1:], values[0]]


def _transposed(values: list) -> list:
    return [values[3 * k + i] for i in range(3) for k in range(3)]


def changing(changes: dict[str, Callable]) -> Callable[[Point], Point]:
    return lambda point: {name: changes[name](v) if name in changes else v for name, v in point.items()}


# --- exchanged bodies ---------------------------------------------------------------------------------------------
def pairs(names: list[str], variables) -> list[tuple[str, str]]:
    """Variables that differ by the body they belong to: x_a and x_b."""
    found = []
    for name in names:
        for one, other in ENDS:
            stem, partner = name[: -len(one)], name[: -len(one)] + other
            if name.endswith(one) and stem and partner in names and variables[name].shape == variables[partner].shape:
                found.append((name, partner))
    return list(dict.fromkeys(found))


def exchanges(problem: Problem) -> Iterator[Variant]:
    question = problem.question
    variables, names = question.variables, list(question.variables)
    of_bodies = pairs(names, variables)
    groups = [of_bodies] if len(of_bodies) > 1 else []
    groups += [[(a, b)] for i, a in enumerate(names) for b in names[i + 1 :] if _alike(variables[a], variables[b])]
    for group in groups:
        bodies = len(group) > 1
        who = "the two bodies" if bodies else " and ".join(group[0])
        cost = 1.5 if bodies or group[0] in of_bodies else 2.5
        partner = {**dict(group), **{b: a for a, b in group}}
        values = _exchanged_values(partner)
        yield Variant("exchange", f"{who} exchanged", cost, asking(problem, question, values))
        if any(name in question.wrt and partner.get(name) in question.wrt for name in question.wrt):
            columns = _exchanged_columns(problem, partner, dict)
            yield Variant("exchange", f"the columns of {who} exchanged", cost, columns)
            both = _exchanged_columns(problem, partner, values)
            yield Variant("exchange", f"{who} exchanged, and their columns", cost + 0.5, both)


def _alike(one: Variable, other: Variable) -> bool:
    return one.kind == other.kind and one.shape == other.shape


def _exchanged_values(partner: dict[str, str]) -> Callable[[Point], Point]:
    return lambda point: {name: point[partner.get(name, name)] for name in point}


def _exchanged_columns(problem: Problem, partner: dict[str, str], change: Callable) -> Callable:
    blocks = problem.question.blocks()
    order = [k for name in problem.question.wrt for k in blocks.get(partner.get(name, name), blocks[name])]
    if sorted(order) != list(range(len(order))) or problem.question.order != 1:
        return lambda point, world: None

    def of(point: Point, world: World) -> Matrix:
        return [[row[k] for k in order] for row in truth_of(problem, change(point), world)]

    return of


# --- forgotten, turned over, in other axes --------------------------------------------------------------------------
def changed_parameters(problem: Problem) -> Iterator[Variant]:
    for name, variable in problem.question.variables.items():
        for says, cost, change in _changes(name, variable):
            yield Variant("parameter", says, cost, asking(problem, problem.question, changing({name: change})))


def _changes(name: str, variable: Variable) -> Iterator[tuple[str, float, Callable]]:
    if variable.kind in ("scalar", "step"):
        kind_cost = 1.5 if variable.kind == "step" else 2.0
        yield f"1 for {name}: {name} is forgotten", kind_cost, lambda v: [Fraction(1)]
        yield f"2 {name} for {name}", 2.5, lambda v: [2 * v[0]]
        yield f"{name}/2 for {name}", 2.5, lambda v: [v[0] / 2]
    if variable.kind in ("scalar", "step", "vector", "angular velocity", "matrix"):
        yield f"the terms with {name} are missing", 2.0, lambda v: [Fraction(0)] * len(v)
        yield f"-{name} for {name}", 2.0, lambda v: [-x for x in v]
    if variable.kind == "unit vector":
        yield f"-{name} for {name}", 2.0, lambda v: [-x for x in v]
    if variable.kind in ("vector", "unit vector", "angular velocity", "quaternion") and variable.size > 1:
        for k in range(variable.size):
            yield f"-{name}[{k}] for {name}[{k}]", 2.5, _one_turned(k)
    if variable.kind in ("quaternion", "rotation", "inertia"):
        yield f"the identity for {name}", 2.0, lambda v: _identity(len(v))
    if variable.kind == "inertia" and variable.size == 9:
        yield f"only the diagonal of {name}", 2.0, lambda v: [x if i % 4 == 0 else x * 0 for i, x in enumerate(v)]


def _one_turned(k: int) -> Callable:
    return lambda values: [-x if i == k else x for i, x in enumerate(values)]


def _identity(size: int) -> list[Fraction]:
    ones = {3: (0, 1, 2), 4: (0,), 6: (0, 1, 2), 9: (0, 4, 8)}[size]
    return [Fraction(int(i in ones)) for i in range(size)]


def other_axes(problem: Problem) -> Iterator[Variant]:
    """Three rows, or the three columns of a variable, turned by a quaternion or rotation of the question."""
    question = problem.question
    if question.order != 1 or question.weights:
        return
    for name, variable in question.variables.items():
        if variable.kind not in ("quaternion", "rotation"):
            continue
        for there in (True, False):
            turn = _turn(problem, name, there)
            axes = f"{name}'s " + (
                "world axes instead of its body axes" if there else "body axes instead of its world axes"
            )
            for start in range(problem.rows - 2):
                rows = range(start, start + 3)
                yield Variant("axes", f"rows in {axes}", 2.5, _turned_rows(problem, turn, rows), rows=rows)
            for block in question.blocks().values():
                if len(block) == 3:
                    of = _turned_columns(problem, turn, block)
                    yield Variant("axes", f"columns in {axes}", 2.5, of, columns=block)


def _turn(problem: Problem, name: str, there: bool) -> Callable:
    def of(point: Point) -> Matrix:
        values = point[name]
        flat = rotation_of(values) if len(values) == 4 else values
        flat = flat if there else _transposed(flat)
        return [list(flat[3 * i : 3 * i + 3]) for i in range(3)]

    return of


def _turned_rows(problem: Problem, turn: Callable, rows: range) -> Callable:
    def of(point: Point, world: World) -> Matrix:
        truth = truth_of(problem, point, world)
        matrix = [[world.constant(x) for x in row] for row in turn(point)]
        found = [list(row) for row in truth]
        for i in range(3):
            for k in range(len(truth[0])):
                found[rows[i]][k] = sum((matrix[i][j] * truth[rows[j]][k] for j in range(3)), world.zero)
        return found

    return of


def _turned_columns(problem: Problem, turn: Callable, block: range) -> Callable:
    def of(point: Point, world: World) -> Matrix:
        matrix = [[world.constant(x) for x in row] for row in turn(point)]
        found = [list(row) for row in truth_of(problem, point, world)]
        for row in found:
            old = [row[k] for k in block]
            for i, k in enumerate(block):  # a step in the other axes is the turned step in these
                row[k] = sum((old[j] * matrix[j][i] for j in range(3)), world.zero)
        return found

    return of
