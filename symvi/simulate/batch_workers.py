"""Threads that share the worlds of a batch. Calls of C release the interpreter's lock, so that they run side by side.

A world is one thread's in one call, and no number of it depends on which: the same bits with any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from numbers import Integral
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown

Job = Callable[[Any, int, int], None]  # with a thread's own memory: worlds [first, past)
PACK = 16  # worlds: whole packs of lanes go to a thread, whatever the width
SHARES = 4  # pieces for each thread, so that all end at about the same time
WORTH = 2e-4  # s of work below which no other thread is woken
MOST_THREADS = 1024


def checked_threads(threads: object, what: str = "threads") -> int:
    """How many threads, or workers of another word, are asked for; those that this process may run on for None. Raises
    ArgumentError."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, Integral) or isinstance(threads, bool) or not 1 <= int(threads) <= MOST_THREADS:
        raise ArgumentError(f"{what} {shown(threads)}: must be a whole number from 1 to {MOST_THREADS}, or None")
    return int(threads)


class Workers:
    """Runs jobs on all worlds of a batch.

    workplace: makes the memory of one thread. What a job does twice to a world must be as if done once: a job that
    Ctrl-C meets is ended for all worlds before KeyboardInterrupt goes on.
    """

    def __init__(self, count: int, threads: int, workplace: Callable[[], Any]):
        self.count, self.threads, self._workplace = count, threads, workplace
        self._places = [workplace()]
        self._pool: ThreadPoolExecutor | None = None
        self._each = 0.0  # s of the last job

    def run(self, job: Job, amount: float = 1.0) -> float:
        """A job for all worlds; returns its seconds. amount: of work in it, in the units of the last job's."""
        begin = perf_counter()
        if self.threads == 1 or self.count <= PACK or 0 < self._each * amount < WORTH:
            self._alone(job)
        else:
            self._together(job)
        seconds = perf_counter() - begin
        self._each = seconds / max(amount, 1e-9)
        return seconds

    def _alone(self, job: Job) -> None:
        try:
            job(self._places[0], 0, self.count)
        except KeyboardInterrupt:
            job(self._places[0], 0, self.count)
            raise

    def _together(self, job: Job) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "symvi-batch")
            self._places += [self._workplace() for _ in range(self.threads - 1)]
        size = -(-self.count // (self.threads * SHARES * PACK)) * PACK
        pieces: SimpleQueue[int] = SimpleQueue()
        for first in range(0, self.count, size):
            pieces.put(first)

        def work(place: Any) -> None:
            while True:
                try:
                    first = pieces.get_nowait()
                except Empty:
                    return
                job(place, first, min(first + size, self.count))

        found = [self._pool.submit(work, place) for place in self._places]
        _wait_for(found)
        for future in found:
            future.result()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _wait_for(found: list[Future]) -> None:
    """Until all are done; Ctrl-C is told then."""
    interrupt: KeyboardInterrupt | None = None
    while not all(future.done() for future in found):
        try:
            wait(found)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
