"""Is a derivative right that a program computed which symvi does not read? Judged by its numbers alone.

A table of `foreign_points`, completed by the program with its values f and its Jacobian J, is compared with differences
of the values. Two steps on both sides give a derivative D of fourth order,
    D1 = (f(h) - f(-h)) / 2h,   D2 = (f(2h) - f(-2h)) / 4h,   D = (4 D1 - D2) / 3,
and how far it can be trusted: what D1 and D2 have left of third derivatives, and what the digits of f leave.
Where these differ much, a condition lies between the steps, and nothing is said at that point.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import numpy as np

from symvi.verify.asking.foreign_points import HEAD, SIDES, columns, moved
from symvi.verify.asking.points import rotation_of
from symvi.verify.asking.question import Question, question
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError
from symvi.verify.judging.entries import FLOATS, WRONG, Counterexample, Diagnosis, Entry
from symvi.verify.saying.report import Report

SMOOTH = 1e-2  # of the largest entry of a row: more of it that steps leave out is a condition between them
REST = 30  # times the square of that share: what is left in fourth order
NOISE = 8  # roundings of the values, in a difference
TOLD = 1e-2  # of the largest entry of a row: errors of this size have to be told for an entry to be judged
SAME_POINT = 1e-7  # of a point's numbers: steps that stand in a table
LEFT = 1e-13  # of the largest entry of a row: roundings of a Jacobian
CONSTANT = 1e-5  # of a ratio, from entry to entry
FULL, SINGLE = 15, 7  # digits of a double, of a float
SIMPLE = 24  # denominators of factors that are named


@dataclass(frozen=True)
class Judged:
    """At one point: the Jacobian as it is claimed and by differences, m x n, how far these can be trusted, the largest
    entries of rows, m x 1, and the point. bounds: inf where nothing is said."""

    claimed: np.ndarray
    found: np.ndarray
    bounds: np.ndarray
    sizes: np.ndarray
    point: Mapping[str, np.ndarray]


def numbers(path: Path | str, wrt: str | Sequence[str], variables: Mapping[str, Variable]) -> Report:
    """Is the Jacobian of a completed table the derivative of its values by `wrt`?

    path: .csv with the columns of the table, then the m values f, then the m n entries of J row by row, which may be
    empty but where along is -1; or .npz with `points`, `f` (rows x m) and `J` (rows x m x n).
    Raises VerificationError for a table that is not one.
    """
    began, path = perf_counter(), Path(path)
    asked = question(wrt, variables, 1, None, None)
    table, values, jacobians, digits = _read(path, asked)
    judged = list(_judged(asked, table, values, jacobians, digits, path))
    shape = (values.shape[1], len(asked.directions))
    least = np.min([one.bounds / one.sizes for one in judged], axis=0)  # errors that are told, of each entry
    wrong = np.any([np.abs(one.claimed - one.found) > one.bounds for one in judged], axis=0)
    entries = tuple(_entries(asked, judged, wrong))
    if not wrong.any() and (least > TOLD).all():
        raise VerificationError(
            f"{path.name}: differences tell nothing: values of {digits} digits change too little or too roughly from "
            "point to point; write them with 17 digits"
        )
    turned = bool(wrong.any()) and _is_turned(judged)
    unreached = tuple(_unreached(asked, judged, least, wrong, digits))
    notes = list(unreached)
    if left := len(np.unique(table[:, 0])) - len(judged):
        notes.append(f"{left} points are left out: a value or an entry there is no number")
    return Report(
        function="f",
        claimed=f"J ({path.name})",
        wrt=asked.wrt,
        shape=shape,
        entries=entries,
        column_names=tuple(asked.column_names()),
        diagnoses=tuple(_diagnoses(asked, judged, wrong, turned)),
        notes=tuple(notes),
        method=f"differences of fourth order of the values in {path.name} at {len(judged)} points",
        unreached=unreached,
        question=(f"the derivative of f with respect to {', '.join(f'{n} ({variables[n].said})' for n in asked.wrt)}",),
        seconds=perf_counter() - began,
    )


# --- tables -----------------------------------------------------------------------------------------------------------
def _read(path: Path, asked: Question) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The rows that were asked, values, Jacobians, and how many digits values have. Raises VerificationError."""
    width, directions = len(columns(asked)), len(asked.directions)
    try:
        if path.suffix == ".npz":
            with np.load(path) as file:
                missing = [name for name in ("points", "f", "J") if name not in file]
                if missing:
                    raise VerificationError(f"{path.name} has no array {', '.join(missing)}; it has {', '.join(file)}")
                table, values, jacobians = (np.asarray(file[name], float) for name in ("points", "f", "J"))
            single = np.all(values.astype(np.float32) == values)
            digits = SINGLE if single else max((_digits(repr(float(x))) for x in values.ravel()), default=0)
        else:
            table, values, jacobians, digits = _of_text(path, width, directions)
    except (OSError, ValueError) as error:
        raise VerificationError(f"{path}: {error.strerror if isinstance(error, OSError) else error}") from error
    values = values.reshape(len(values), -1) if len(values) else values
    if table.ndim != 2 or table.shape[1] != width:
        said = ", ".join(columns(asked))
        raise VerificationError(f"{path.name}: points have {width} columns for these variables: {said}")
    if len(values) != len(table) or jacobians.size != values.size * directions:
        raise VerificationError(
            f"{path.name}: {len(table)} points, f is {_sizes(values)}, J is {_sizes(jacobians)}; "
            f"f needs a row per point, J as many rows with {directions} entries per value"
        )
    return table, values, jacobians.reshape(*values.shape, directions), digits


def _of_text(path: Path, width: int, directions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    text = path.read_text(encoding="utf-8-sig")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    lines = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(cell.strip() for cell in row)]
    if lines and not _is_number(lines[0][0]):
        lines = lines[1:]
    extra = max(map(len, lines), default=width) - width
    count, rest = divmod(extra, 1 + directions)
    if not lines or count < 1 or rest:
        raise VerificationError(
            f"{path.name}: {len(lines)} rows with {width + extra} columns; after the {width} of the points come m "
            f"values and m x {directions} entries of J, of which the rest may be empty where along is not -1"
        )
    cells = [[*row, *[""] * (width + extra - len(row))] for row in lines]
    found = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in cells])
    digits = max((_digits(cell) for row in cells for cell in row[width : width + count]), default=0)
    return found[:, :width], found[:, width : width + count], found[:, width + count :], digits


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _digits(text: str) -> int:
    """Of a decimal number: those that are not its zeros in front."""
    return len(re.sub(r"[eE].*|[^0-9]", "", text).lstrip("0"))


def _sizes(array: np.ndarray) -> str:
    return " x ".join(map(str, array.shape)) or "one number"


# --- differences ------------------------------------------------------------------------------------------------------
def _judged(asked, table, values, jacobians, digits: int, path: Path) -> Iterator[Judged]:
    """Every point of a table at which all is a number. Raises VerificationError where there is none."""
    count, found = len(asked.directions), 0
    last = np.nanmax(np.abs(values), axis=0, initial=0.0) * 10.0 ** (1 - min(digits, FULL + 2))
    for number in np.unique(table[:, 0]) if len(table) else ():
        here = np.flatnonzero((table[:, 0] == number) & (table[:, 1] == -1))
        if len(here) != 1 or np.isnan(values[here[0]]).any() or np.isnan(jacobians[here[0]]).any():
            continue
        point = _point(asked, table[here[0]])
        stencils = (_stencil(asked, table, values, number, along, point, path) for along in range(count))
        stencil = [one for one in stencils if one is not None]
        if len(stencil) < count:
            continue
        found += 1
        parts = [_slope(values[here[0]], near, step, last) for near, step in stencil]
        slopes, rests, noises = (np.array(each).T for each in zip(*parts, strict=True))
        claimed = jacobians[here[0]]
        size = np.maximum(np.abs(slopes), np.abs(claimed)).max(axis=1, keepdims=True)
        share = rests / np.where(size > 0, size, 1)
        bounds = np.where(share > SMOOTH, np.inf, REST * share**2 * size + noises + LEFT * size)
        yield Judged(claimed, slopes, bounds, np.where(size > 0, size, 1), point)
    if not found:
        raise VerificationError(
            f"{path.name}: no point has a value, a Jacobian and all of its steps; take a table of symvi verify --ask"
        )


def _point(asked: Question, row: np.ndarray) -> dict[str, np.ndarray]:
    found, start = {}, len(HEAD)
    for name, variable in asked.variables.items():
        found[name] = row[start : start + variable.size]
        start += variable.size
    return found


def _stencil(asked, table, values, number, along: int, point, path: Path) -> tuple[np.ndarray, float] | None:
    """Values one and two steps away on both sides, in the order of SIDES; None where some are no numbers.

    Raises VerificationError for rows that are not where they say to be.
    """
    rows = np.flatnonzero((table[:, 0] == number) & (table[:, 1] == along))
    by_step = {float(table[row, 2]): row for row in rows}
    step = max(by_step, default=0.0) / 2
    order = [row for side in SIDES for s, row in by_step.items() if abs(s - side * step) < 1e-9 * step]
    if step <= 0 or len(order) != len(SIDES) or len(rows) != len(SIDES):
        raise VerificationError(
            f"{path.name}: point {number:g} has no four steps along {asked.column_names()[along]}, by "
            f"{', '.join(map(str, SIDES))} times a number; leave the points as they were written"
        )
    if np.isnan(values[order]).any():
        return None
    for side, row in zip(SIDES, order, strict=True):
        there, wanted = _point(asked, table[row]), moved(asked, point, along, side * step)
        for name, numbers_there in there.items():
            apart = np.abs(numbers_there - wanted[name]).max(initial=0.0)
            if apart > SAME_POINT * step * (1 + np.abs(wanted[name]).max(initial=0.0)) / 2**-9:
                raise VerificationError(
                    f"{path.name}: row {row + 1} says a step of {side * step:g} along {asked.column_names()[along]}, "
                    f"but its {name} is {apart:.1e} away from there; leave the points as they were written"
                )
    return values[order], step


def _slope(
    here: np.ndarray, near: np.ndarray, step: float, last: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A derivative, what lower orders leave out of it, and what roundings make of it. last: a unit of a last digit."""
    right, left, right2, left2 = near
    one, two = (right - left) / (2 * step), (right2 - left2) / (4 * step)
    forward, backward = (4 * right - 3 * here - right2) / (2 * step), (3 * here - 4 * left + left2) / (2 * step)
    rest = np.maximum(np.abs(one - two), np.abs(forward - backward) / 3)
    return (4 * one - two) / 3, rest, NOISE * last / step


# --- what is said -----------------------------------------------------------------------------------------------------
def _entries(asked: Question, judged: list[Judged], wrong: np.ndarray) -> Iterator[Entry]:
    names = asked.column_names()
    for i, k in np.ndindex(*wrong.shape):
        example = None
        if wrong[i, k]:
            one = next(one for one in judged if abs(one.claimed - one.found)[i, k] > one.bounds[i, k])
            point = {name: [Fraction(float(x)) for x in values] for name, values in one.point.items()}
            lines = "; ".join(f"{name} = {[float(x) for x in values]}" for name, values in one.point.items())
            example = Counterexample(point, f"{one.claimed[i, k]:.12g}", f"{one.found[i, k]:.12g}", False, lines)
        yield Entry((int(i), int(k)), WRONG if wrong[i, k] else FLOATS, f"row {i}", names[k], example)


def _unreached(asked, judged: list[Judged], least, wrong, digits: int) -> Iterator[str]:
    short = f" of {digits} digits" * (digits < FULL)
    size = np.max(least, where=least <= TOLD, initial=0.0)
    yield (
        f"{len(judged)} points in numbers{short}, errors below {size:.0e} of the largest entry of a row are not told, "
        "conditions are not seen"
    )
    left = (least > TOLD) & ~wrong
    if left.any():
        i, k = np.argwhere(left)[0]
        names = f"[{i}, {k}] (row {i}, {asked.column_names()[k]})"
        yield f"{left.sum()} entries, {names} first: differences tell no errors below {TOLD:g} of their row"


def _diagnoses(asked: Question, judged: list[Judged], wrong: np.ndarray, turned: bool) -> Iterator[Diagnosis]:
    """The simplest of: the transpose, the other side of a turn, one factor; of the whole, of a variable, of a row."""
    rows, width = wrong.shape
    if turned:
        said = "the transpose: its entries stand column by column" if width > 1 < rows else "the transpose"
        yield Diagnosis("the whole derivative", said, _all(wrong), "transpose", 0.0)
        return
    left = wrong.copy()
    scopes = [("the whole derivative", slice(None), slice(None))]
    scopes += [(f"the columns of {n}", slice(None), slice(b.start, b.stop)) for n, b in asked.blocks().items()]
    scopes += [(f"row {i}", slice(i, i + 1), slice(None)) for i in range(rows)]
    scopes += [(f"column {name}", slice(None), slice(k, k + 1)) for k, name in enumerate(asked.column_names())]
    scopes += [(f"entry [{i}, {k}]", slice(i, i + 1), slice(k, k + 1)) for i in range(rows) for k in range(width)]
    for where, row, column in scopes:
        inside = np.zeros_like(wrong)
        inside[row, column] = True
        if not (left & inside).any() or not wrong[inside].any():
            continue
        says = _factor([(one.claimed[row, column], one.found[row, column]) for one in judged])
        if says is None and where.startswith("the columns of") and (row, column) != (slice(None), slice(None)):
            says = _other_side(asked, judged, where.removeprefix("the columns of "), column)
        if says is not None:
            yield Diagnosis(where, says[0], _all(left & inside), says[1], 1.0)
            left &= ~inside


def _all(places: np.ndarray) -> frozenset[int]:
    return frozenset(int(k) for k in np.flatnonzero(places))


def _factor(pairs: list[tuple[np.ndarray, np.ndarray]]) -> tuple[str, str] | None:
    """The simple factor that makes claims of derivatives, at all points."""
    claimed, found = (np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1))
    size = np.abs(found).max()
    if not size:
        return None
    if np.abs(claimed).max() <= 1e-12 * size:
        return "zero: the derivative is missing", "missing"
    ratio = float(claimed @ found / (found @ found))
    simple = Fraction(ratio).limit_denominator(SIMPLE)
    if not simple or abs(float(simple) - ratio) > CONSTANT or simple == 1:
        return None
    if np.abs(claimed - float(simple) * found).max() > CONSTANT * size:
        return None
    words = {Fraction(-1): "the wrong sign", Fraction(2): "twice the true value", Fraction(1, 2): "half the true value"}
    return words.get(simple, f"{simple} times the true value"), "sign" if simple == -1 else "factor"


def _other_side(asked: Question, judged: list[Judged], name: str, column: slice) -> tuple[str, str] | None:
    """Whether columns of a turn are about axes of the other side."""
    variable = asked.variables[name]
    if not variable.is_turned:
        return None
    for one in judged:
        values = one.point[name].tolist()
        flat = values if variable.kind == "rotation" else rotation_of(variable.scalar_first(values))
        turn = np.reshape(flat, (3, 3))
        other = one.found[:, column] @ (turn.T if variable.side == "body" else turn)
        if np.abs(one.claimed[:, column] - other).max() > CONSTANT * np.abs(other).max():
            return None
    other_side = {"body": "world", "world": "body"}[variable.side]
    return f"about {other_side} axes of {name}, not {variable.side} axes", "side"


def _is_turned(judged: list[Judged]) -> bool:
    """Whether entries stand column by column, as MATLAB and Julia have them."""
    for one in judged:
        by_columns = one.claimed.reshape(one.claimed.shape[::-1]).T
        if np.abs(by_columns - one.found).max() > CONSTANT * np.abs(one.found).max():
            return False
    return True
