"""A budget: how much a question may cost, in operations that are counted. No clock decides a verdict.

An operation is one on the numbers that code computes with; along directions of a derivative it counts once more for
each. A value that takes too many is Endless. Where the budget of the whole question is spent, looking for more points
ends, and the report says so; then naming ends. What is spent is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from numbers import Real

from symvi.verify.errors import Endless, VerificationError

EFFORT = 30e6  # operations of a question
ONE_VALUE, IN_A_SEARCH = 3e6, 5e5  # of one value; at points that nobody asked for
AIMING, COMPARING = 0.5, 0.8  # of the budget, after which points are no longer looked for, and ways no longer compared
TOLD = 2e6  # operations between two words about progress
# Looks that naming may take, by the order of the derivative; a look is one comparison of two matrices.
LOOKS = {1: 12_000, 2: 40_000}
EVALUATED, ADDED = 10, 50  # looks that it costs: a derivative, terms that are added


class _TooMany(BaseException):
    """No Exception, so that a user's `except Exception` does not keep the value's end to itself."""


class Effort:
    """What a question has spent, of what it may.

    said: the function that is evaluated at the moment. calls: how often the user's code was called.
    """

    def __init__(self, operations: float = inf, tell: Callable[[str], None] | None = None):
        self.operations, self.tell = operations, tell
        self.spent, self.calls, self.said, self.stage = 0, 0, "", "reading"
        self.one_value, self._end, self._next = ONE_VALUE, inf, TOLD if tell else inf
        self.pending: BaseException | None = None  # what a caller's alarm raises
        self._limit = self._next

    def spend(self, operations: int) -> None:
        """Count operations; the value that has taken too many is Endless."""
        self.spent += operations
        if self.spent > self._limit:
            self._over()

    def stop(self, reason: BaseException) -> None:
        """Raise this at the next operation, whatever the code that runs keeps to itself."""
        self.pending, self._limit = reason, -1

    def _over(self) -> None:
        if self.pending is not None:
            raise self.pending
        while self.tell is not None and self.spent >= self._next:
            self._next += TOLD
            if self.spent < self._next:
                self.tell(f"{self.stage}: {self.spent / 1e6:.0f} million operations")
        self._limit = min(self._end, self._next)
        if self.spent > self._end:
            raise _TooMany

    def is_spent(self, share: float) -> bool:
        """Whether a share of the budget is gone."""
        return self.spent > share * self.operations

    @property
    def is_over(self) -> bool:
        """Whether the value inside has taken too many, and code goes on all the same."""
        return self.spent > self._end

    @contextmanager
    def value(self, said: str) -> Iterator[None]:
        """One value of the user's code is computed inside. Raises Endless where it takes too many operations."""
        before = self.said, self._end
        self.said, self.calls = said, self.calls + 1
        self._set_end(min(self._end, self.spent + self.one_value))
        try:
            yield
        except _TooMany:
            raise Endless(f"{said} does not end: one value takes more than {self.one_value:.0f} operations") from None
        finally:
            self.said, end = before
            self._set_end(end)

    def _set_end(self, end: float) -> None:
        self._end = end
        self._limit = min(end, self._next) if self.pending is None else -1

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Values inside may take IN_A_SEARCH at most."""
        before, self.one_value = self.one_value, IN_A_SEARCH
        try:
            yield
        finally:
            self.one_value = before


_OF_NOBODY = Effort()
_current: ContextVar[Effort] = ContextVar("effort", default=_OF_NOBODY)


def current() -> Effort:
    """What the question that is being answered has spent."""
    return _current.get()


@contextmanager
def spending(effort: Effort) -> Iterator[Effort]:
    token = _current.set(effort)
    try:
        yield effort
    finally:
        _current.reset(token)


def checked(operations: object) -> float:
    """A budget. Raises VerificationError for what is none."""
    if not isinstance(operations, Real) or isinstance(operations, bool) or not float(operations) > 0:
        raise VerificationError(f"effort {operations!r}: a number of operations above zero, {EFFORT:.0e} by default")
    return float(operations)


class Looks:
    """What a search for an explanation has spent."""

    def __init__(self, order: int):
        self.left = LOOKS[order]
        self.effort = current()

    def spend(self, looks: int) -> None:
        self.left -= looks

    @property
    def over(self) -> bool:
        """Whether looking on would take longer than a user waits."""
        return self.left <= 0 or self.effort.is_spent(1)
