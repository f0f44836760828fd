"""Threads that share the worlds of a batch. Calls of C release the interpreter's lock, so that they run side by side.

A world is one thread's in one call, and no number of it depends on which: the same bits with any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
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
        self._each: dict[str, float] = {}  # kind of job -> s of all worlds by one thread, for an amount of 1

    def run(self, job: Job, kind: str, amount: float = 1.0) -> None:
        """A job for all worlds. amount: how much of its kind."""
        begin, alone = perf_counter(), self._is_small(kind, amount)
        if alone:
            self._alone(job)
        else:
            self._together(job)
        seconds = perf_counter() - begin
        each = seconds * (1 if alone else self.threads) / max(amount, 1e-9)
        # Worlds that failed take no time: what is known is forgotten slowly.
        self._each[kind] = max(each, 0.5 * self._each.get(kind, 0.0))

    def amount_in(self, kind: str, seconds: float) -> int:
        """How much of a kind of job these seconds hold, by the last one; 1 before there was any."""
        each = self._each.get(kind)
        return max(1, int(seconds * self.threads / max(each, 1e-9))) if each is not None else 1

    def _is_small(self, kind: str, amount: float) -> bool:
        return self.threads == 1 or self.count <= PACK or self._each.get(kind, WORTH) * amount < WORTH

    def _alone(self, job: Job) -> None:
        try:
            job(self._places[0], 0, self.count)
        except KeyboardInterrupt:
            job(self._places[0], 0, self.count)
            raise

    def _together(self, job: Job) -> None:
        """This thread works too: it would only wait, and a thread that need not be woken saves the time of waking."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, "symvi-batch")
            self._places += [self._workplace() for _ in range(self.threads - len(self._places))]
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

        try:
            found = [self._pool.submit(work, place) for place in self._places[1:]]
            work(self._places[0])
            wait(found)
        except KeyboardInterrupt:
            self._wait_for_all()
            self._alone(job)  # of pieces, the one that this thread had taken may be undone
            raise
        for future in found:
            future.result()

    def _wait_for_all(self) -> None:
        """Until no thread works any more, however often Ctrl-C comes."""
        while self._pool is not None:
            try:
                self.close()
            except KeyboardInterrupt:
                continue

    def close(self) -> None:
        """Let the threads go, once they have ended."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
