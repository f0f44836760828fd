"""While a question is answered: a caller's alarm ends it, and so does code that computes on without its arguments.

What code does with its arguments is counted (`effort`). Code that does nothing with them for long, as `while True`,
cannot be: where the system has timers, and in a program's main thread, a clock ends it, and the question is refused;
no verdict depends on it. The clock counts the processor's time, so that a machine with much to do decides nothing.

An alarm that a caller has set (SIGALRM) may raise what code, or what reads its errors, would take for an error of its
own; here it ends the question, and is raised to the caller.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from symvi.verify.asking.effort import Effort
from symvi.verify.errors import VerificationError

TICK, TICKS = 1.0, 10  # seconds of a processor, and how many of them a value may take without an operation


class _Ended(BaseException):
    """No Exception, so that a user's `except Exception` does not keep it to itself."""


@contextmanager
def patient(effort: Effort) -> Iterator[None]:
    """Raises VerificationError where a value inside does not end, and what a caller's alarm raises."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {of: signal.getsignal(of) for of in (signal.SIGALRM, signal.SIGPROF)}
    is_free = before[signal.SIGPROF] in (signal.SIG_DFL, None)  # else a caller measures where its time goes
    alarm = before[signal.SIGALRM]
    raised: list[BaseException] = []
    seen, ticks, said = (-1, -1), 0, ""

    def ring(number, frame) -> None:
        try:
            alarm(number, frame)  # type: ignore[operator]
        except BaseException as error:
            raised.append(error)
            effort.stop(_Ended())
            raise _Ended from None

    def tick(*_) -> None:
        nonlocal seen, ticks, said
        now = effort.spent, effort.calls
        ticks = ticks + 1 if now == seen and effort.said else 0
        seen = now
        if ticks >= TICKS:
            said = said or effort.said
            effort.stop(_Ended())
            raise _Ended

    try:
        if callable(alarm):
            signal.signal(signal.SIGALRM, ring)
        if is_free:
            signal.signal(signal.SIGPROF, tick)
            signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
        yield
        if effort.pending is not None:  # code kept it to itself
            raise effort.pending
    except _Ended:
        if not raised:
            raise VerificationError(
                f"{said} does not end: it computes {TICK * TICKS:g} s without an operation on its arguments"
            ) from None
        raise raised[0] from None
    finally:
        if is_free:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
        if callable(alarm):
            signal.signal(signal.SIGALRM, alarm)
