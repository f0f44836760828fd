"""Where something stands in a C text, what is to be noted about it, and what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from symvi.errors import SHOWN_PROBLEMS
from symvi.verify.errors import VerificationError

DEEPEST = 10_000  # calls of Python inside one another, for brackets inside brackets
TEXT = "text"  # the file of C that came without one


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file; the file is named as the user named it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line}" if self.file == TEXT else f"{self.file}:{self.line}"


@dataclass(frozen=True, order=True)
class Note:
    """Something that a reader of the verdict should know: its place, its kind, a sentence.

    kind: "integer division", "rounded number", "skipped include", "skipped call", "global",
    "single precision".
    """

    place: Place
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class SourceError(VerificationError):
    """C that cannot be read or evaluated.

    problems: one sentence each, with its file and line in front. places: where each of them is.
    """

    def __init__(self, problems: Iterable[tuple[Place, str]]):
        found = tuple(dict.fromkeys(problems))
        self.places = tuple(place for place, _ in found)
        self.problems = tuple(f"{place}: {text}" for place, text in found)
        super().__init__(self.problems)

    def __str__(self) -> str:
        hidden = len(self.problems) - SHOWN_PROBLEMS
        return "\n".join(self.problems[:SHOWN_PROBLEMS]) + (f"\n... and {hidden} more problems" if hidden > 0 else "")


def refused(place: Place, text: str) -> SourceError:
    """The error of one problem: raise refused(place, "what was found; what to do")."""
    return SourceError([(place, text)])


@contextmanager
def deep(place: Place) -> Iterator[None]:
    """Let recursion go deeper than usual; beyond that, a text is nested too deeply. Raises SourceError."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, DEEPEST))
    try:
        yield
    except RecursionError:
        raise refused(place, "brackets, statements or conditions are nested too deeply") from None
    finally:
        sys.setrecursionlimit(usual)
