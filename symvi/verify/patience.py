"""A user's function that does not end is ended: where the system has timers, and in a program's main thread.

The timer counts the processor's time, so that a machine with much to do decides nothing, and leaves a caller's alarm.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from symvi.verify.errors import Endless

SECONDS = 10.0  # of a processor, for one value
IN_A_SEARCH = 3.0  # the same at points that nobody asked for
AGAIN = 1.0  # seconds after which an end is tried again, where code kept the first one to itself


class Limit:
    """How long one value may take at the moment."""

    seconds = SECONDS


@contextmanager
def searching() -> Iterator[None]:
    """Values inside may take IN_A_SEARCH at most."""
    before, Limit.seconds = Limit.seconds, IN_A_SEARCH
    try:
        yield
    finally:
        Limit.seconds = before


class TooLong(BaseException):
    """No Exception, so that a user's `except Exception` does not keep the time's end to itself."""


@contextmanager
def patient(said: str) -> Iterator[None]:
    """Raises Endless where the inside takes longer than a value may."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, end)
    left, again = signal.setitimer(signal.ITIMER_PROF, Limit.seconds, AGAIN)
    try:
        yield
    except TooLong:
        raise Endless(f"{said} does not end: one value takes longer than {Limit.seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, left, again)
        signal.signal(signal.SIGPROF, before)
