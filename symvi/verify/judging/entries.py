"""The parts of a report: the verdict of an entry, a counterexample, a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

EQUAL, DIGITS, FLOATS, WRONG = "equal", "equal to 60 digits", "equal in floats", "wrong"
ROUNDED = "equal but for rounded constants"
NOTED = "equal but for an error that does not matter, in a small region"


@dataclass(frozen=True)
class Counterexample:
    """A point, both values there, and whether they are exact. Values of an irrational function are decimals.

    pasted: the point as statements in the language of the claim.
    """

    point: dict[str, list[Fraction]]
    claimed: str
    true: str
    exact: bool
    pasted: str = ""


@dataclass(frozen=True)
class Entry:
    """index: row and column. verdict: one of the words above. branches: where it is wrong, if not everywhere."""

    index: tuple[int, ...]
    verdict: str
    row: str
    column: str
    counterexample: Counterexample | None = None
    branches: tuple[str, ...] = ()
    relative: float = 0.0

    @property
    def right(self) -> bool:
        return self.verdict != WRONG


@dataclass(frozen=True)
class Diagnosis:
    """where: the part of the matrix; says: what it is instead; entries: the wrong ones that this explains.

    kind: one word: factor, sign, missing, step, side, order, conjugate, exchange, transpose, parameter, axes, term,
    branch, zero, inverse, convention. cost: the simpler, the smaller.
    """

    where: str
    says: str
    entries: frozenset[int]
    kind: str = ""
    cost: float = 0.0

    def __str__(self) -> str:
        return f"{self.where}: {self.says}"
