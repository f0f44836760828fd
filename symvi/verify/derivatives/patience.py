"""A user's function that does not end is ended: where the system has timers, and in a program's main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from symvi.verify.derivatives.errors import VerificationError

SECONDS = 10.0  # for one value


class TooLong(BaseException):
    """No Exception, so that a user's `except Exception` does not keep the time's end to itself."""


@contextmanager
def patient(said: str) -> Iterator[None]:
    """Raises VerificationError where the inside takes longer than SECONDS."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    left, again = signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    except TooLong:
        raise VerificationError(f"{said} does not end: one value takes longer than {SECONDS:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, again)
        signal.signal(signal.SIGALRM, before)
