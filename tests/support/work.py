"""Work counted instead of timed: calls of functions, the same on every machine, whatever else runs there."""

from __future__ import annotations

import sys
from collections.abc import Callable


class TooMuchWork(AssertionError):
    """More calls than a test allows; raised at once, so that what would never end does."""


def calls_of(work: Callable[[], object], *, at_most: float = float("inf")) -> int:
    """How many functions are called while `work()` runs, Python's and C's. Raises TooMuchWork beyond `at_most`."""
    count, before = 0, sys.getprofile()

    def note(frame, event: str, argument) -> None:
        nonlocal count
        count += event in ("call", "c_call")
        if count > at_most:
            sys.setprofile(None)
            raise TooMuchWork(f"more than {at_most:g} calls")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
