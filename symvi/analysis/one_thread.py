"""NumPy's linear algebra in one thread for a while: matrices of loops are small, and threads for them only wait.

On a machine that has other work they wait for most of the time: the analysis of the walker takes ten times as long.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock
from typing import NamedTuple

import numpy as np

NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")  # by NumPy's age


class Threads(NamedTuple):
    """How many threads NumPy's library uses: what asks, and what sets it."""

    get: Callable[[], int]
    set: Callable[[int], object]


@cache
def threads() -> Threads | None:
    """Those of NumPy's OpenBLAS; None where it has another library, or hides this one."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(np.linalg._umath_linalg.__file__)  # looks through the libraries that it needs, too
        for name in NAMES:
            if hasattr(library, name.format("set")):
                return Threads(getattr(library, name.format("get")), getattr(library, name.format("set")))
    return None


class _Users:
    """Who wants one thread now: the first one sets it, the last one puts back what was there."""

    def __init__(self) -> None:
        self.lock, self.count, self.before = Lock(), 0, 1


USERS = _Users()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra in one thread, in the whole process, until everybody is done who asked for it."""
    found = threads()
    if found is None:
        yield
        return
    with USERS.lock:
        if not USERS.count:
            USERS.before = found.get()
            found.set(1)
        USERS.count += 1
    try:
        yield
    finally:
        with USERS.lock:
            USERS.count -= 1
            if not USERS.count:
                found.set(USERS.before)
