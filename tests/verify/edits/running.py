"""Many trials by their numbers, in chunks and side by side; with a journal, from which a later run goes on."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

CHUNK = 10  # trials that a process does before it hands them in

Job = Callable[..., list[Any]]  # (numbers, *arguments) -> trials, each a dataclass of texts and numbers


class Journal:
    """A file with a line for every chunk that is done; several runs may write to one. Without a path it keeps nothing.

    kind: the class of the trials.
    """

    def __init__(self, path: Path | None, kind: type):
        self.path, self.kind, self.known = path, kind, {}
        if path is not None and path.exists():
            lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
            self.known = {line["chunk"]: line["trials"] for line in lines}

    def of(self, chunk: str) -> list[Any] | None:
        """The trials of a chunk that is done; None for another one."""
        found = self.known.get(chunk)
        return None if found is None else [self.kind(**one) for one in found]

    def keep(self, chunk: str, trials: list[Any]) -> None:
        if self.path is not None:
            line = json.dumps({"chunk": chunk, "trials": [asdict(one) for one in trials]})
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")


def done(job: Job, numbers: range, arguments: tuple, jobs: int, journal: Journal) -> Iterator[list[Any]]:
    """The trials of some numbers, chunk by chunk in their order. jobs: how many processes."""
    chunks = [range(first, min(first + CHUNK, numbers.stop)) for first in range(numbers.start, numbers.stop, CHUNK)]
    names = [" ".join(map(str, (*arguments, chunk.start, chunk.stop))) for chunk in chunks]
    found = {name: journal.of(name) for name in names}
    open_chunks = [(name, chunk) for name, chunk in zip(names, chunks, strict=True) if found[name] is None]
    with ProcessPoolExecutor(jobs) as pool:
        given = [chunk for _, chunk in open_chunks]
        new = pool.map(job, given, *([each] * len(given) for each in arguments)) if jobs > 1 else None
        for name, chunk in zip(names, chunks, strict=True):
            trials = found[name]
            if trials is None:
                trials = next(new) if new is not None else job(chunk, *arguments)
                journal.keep(name, trials)
            yield trials


def add_options(parser: argparse.ArgumentParser, end: int, what: str) -> None:
    """Which numbers, how many at a time, and the journal."""
    parser.add_argument("--from", type=whole, default=0, metavar="N", dest="first", help=f"the first of the {what}")
    parser.add_argument("--to", type=whole, default=end, metavar="N", help=f"the end of the {what} (default {end})")
    parser.add_argument("--jobs", type=whole, default=1, metavar="N", help="processes at a time (default 1)")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="keep what is done, and go on from what is kept")
    parser.add_argument("--seed", type=int, default=0, help="other changes")


def whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)
