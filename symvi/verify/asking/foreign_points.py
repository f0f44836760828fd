"""Points for code that symvi does not read: a table that any program can complete with its own numbers.

Around each of some random points stand others, one and two steps away on both sides in each direction of the
derivative: exact turns of quaternions and rotation matrices, differences of all else. A table has a row per point,
    point, along, step, and the numbers of the variables in their order;
along is the direction of the step, -1 at the point itself.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import cos, sin
from pathlib import Path
from random import Random

import numpy as np

from symvi.naive.quaternion import multiply
from symvi.verify.asking.points import Draw, draw_point, rotation_of
from symvi.verify.asking.question import Question, question
from symvi.verify.asking.variables import Variable, bounded
from symvi.verify.errors import VerificationError

COUNT = 8  # points
STEP = 2.0**-9  # of ordinary numbers: what differences of fourth order leave is 1e-12 of a smooth function
SIDES = (1, -1, 2, -2)
LEAST = 2.0**-20  # of a step, where bounds leave no room
HEAD = ("point", "along", "step")


def columns(asked: Question) -> list[str]:
    """The names of the columns that a table has."""
    names = [f"{name}[{k}]" if v.shape else name for name, v in asked.variables.items() for k in range(v.size)]
    return [*HEAD, *names]


def ask(
    path: Path | str,
    wrt: str | Sequence[str],
    variables: Mapping[str, Variable],
    where: Mapping[str, tuple] | None = None,
    seed: int = 0,
) -> int:
    """Write the points at which a program is to print its values and its Jacobian by `wrt`; returns how many rows.

    path: .csv, or .npz with the array `points`. The columns are point, along, step and the numbers of the variables.
    Raises VerificationError.
    """
    kept = {n: bounded(v, n, (where or {})[n]) if n in (where or {}) else v for n, v in variables.items()}
    return write(Path(path), question(wrt, kept, 1, None, None), seed)


def rows(asked: Question, seed: int = 0, count: int = COUNT) -> Iterator[list[float]]:
    """The rows of a table. Raises VerificationError where bounds leave no room for a step."""
    for number in range(count):
        random = Random(f"{seed} {number} foreign")
        drawn = draw_point(asked.variables, Draw(random, spread=(1, 2)[number % 2]))
        point = {name: np.array([float(x) for x in values]) for name, values in drawn.items()}
        yield [number, -1, 0, *_numbers(point)]
        for along in range(len(asked.directions)):
            step = _room(asked, point, along)
            for side in SIDES:
                yield [number, along, side * step, *_numbers(moved(asked, point, along, side * step))]


def write(path: Path, asked: Question, seed: int = 0, count: int = COUNT) -> int:
    """Write a table as .csv, or as .npz with the array `points`; returns how many rows. Raises VerificationError."""
    found = list(rows(asked, seed, count))
    try:
        if path.suffix == ".npz":
            np.savez(path, points=np.array(found))
        else:
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(columns(asked))
                writer.writerows([int(row[0]), int(row[1]), *map(repr, row[2:])] for row in found)
    except OSError as error:
        raise VerificationError(f"{path}: {error.strerror}") from error
    return len(found)


def moved(asked: Question, point: Mapping[str, np.ndarray], along: int, step: float) -> dict[str, np.ndarray]:
    """A point after a step in a direction: by a turn about an axis where a variable is turned."""
    name, k = asked.directions[along]
    variable, values = asked.variables[name], point[name].tolist()
    if not variable.is_turned:
        return {**point, name: np.array([x + step * (i == k) for i, x in enumerate(values)])}
    angle = step * (2 if variable.tangent == "half" else 1)
    turn = [cos(angle / 2), *(sin(angle / 2) * (i == k) for i in range(3))]
    if variable.kind == "rotation":
        given, by = np.reshape(values, (3, 3)), np.reshape(rotation_of(turn), (3, 3))
        return {**point, name: (given @ by if variable.side == "body" else by @ given).ravel()}
    given = variable.scalar_first(values)
    found = multiply(given, turn) if variable.side == "body" else multiply(turn, given)
    return {**point, name: np.array(variable.stored(found))}


def _room(asked: Question, point: Mapping[str, np.ndarray], along: int) -> float:
    """A step of which two on both sides stay where the variable may be."""
    name, _ = asked.directions[along]
    variable, step = asked.variables[name], STEP
    while step > STEP * LEAST:
        places = [moved(asked, point, along, side * step) for side in SIDES]
        if all(_is_allowed(variable, place, name) for place in places):
            return step
        step /= 2
    raise VerificationError(f"'{name}' leaves no room for a step on both sides of {point[name].tolist()}")


def _is_allowed(variable: Variable, place: Mapping[str, np.ndarray], name: str) -> bool:
    values = place[name]
    if variable.kind == "angular velocity":
        return bool(values @ values * float(place[variable.over][0]) ** 2 < 4)
    low, high = variable.low, variable.high
    inside = (low is None or min(values) > low) and (high is None or max(values) < high)
    return bool(inside and (not variable.positive or min(values) > 0))


def _numbers(point: Mapping[str, np.ndarray]) -> list[float]:
    return [float(x) for values in point.values() for x in values]


# --- variables as text ------------------------------------------------------------------------------------------------
KINDS = ("scalar", "step", "vector", "matrix", "unit_vector", "rotation", "inertia", "quaternion", "angular_velocity")


def stated(texts: Sequence[str]) -> dict[str, Variable]:
    """Variables as a shell states them: q=quaternion:half:world, p=vector:3, m=scalar:positive. Raises
    VerificationError."""
    from symvi.mechanism.names import did_you_mean
    from symvi.verify.asking import variables as known

    found = {}
    for text in texts:
        name, sign, rest = text.partition("=")
        kind, *words = rest.split(":")
        if not sign or not name:
            raise VerificationError(f"variable {text}: write NAME=KIND, say q=quaternion or p=vector:3")
        if kind not in KINDS:
            raise VerificationError(f"variable {text}: no kind '{kind}'; {did_you_mean(kind, KINDS)}")
        order = [word for word in words if word in ("wxyz", "xyzw")]
        positive = "positive" in words
        plain = [int(word) if word.isdigit() else word for word in words if word not in ("positive", *order)]
        try:
            made = getattr(known, kind)(*plain, **({"order": order[0]} if order else {}))
        except (TypeError, ValueError) as error:
            raise VerificationError(f"variable {text}: {error}") from error
        found[name] = replace(made, positive=True) if positive else made
    return found
