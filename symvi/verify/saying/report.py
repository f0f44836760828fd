"""The answer, a value: a verdict for every entry, counterexamples, diagnoses, notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from symvi.verify.judging.entries import Diagnosis, Entry


@dataclass(frozen=True)
class Report:
    """What was found of a claimed derivative.

    right: whether every entry is. transposed: the claim came as the transpose of the derivative, and its entries are
    judged where they belong. entries: row by row. diagnoses: simplest first. unreached: conditions of
    which only one side was tested, ways through them that were not. question: what was asked, in words. seconds: how
    long it took. operations: on numbers, of those that `effort` allows.
    """

    function: str
    claimed: str
    wrt: tuple[str, ...]
    shape: tuple[int, ...]
    entries: tuple[Entry, ...]
    column_names: tuple[str, ...]
    diagnoses: tuple[Diagnosis, ...] = ()
    notes: tuple[str, ...] = ()
    method: str = ""
    branches: tuple[str, ...] = ()
    transposed: bool = False
    unreached: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    operations: int = field(default=0, compare=False)

    @property
    def right(self) -> bool:
        return not self.transposed and all(entry.right for entry in self.entries)

    @property
    def everywhere(self) -> bool:
        """Whether every entry is right, and no way through the conditions was left out."""
        return self.right and not self.unreached

    @property
    def wrong(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if not entry.right)

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        from symvi.verify.saying.forms import text

        return text(self)

    def json(self) -> dict:
        """The report in JSON's own types."""
        from symvi.verify.saying.forms import plain

        return plain(self)

    def html(self) -> str:
        """A page of its own, without anything from elsewhere."""
        from symvi.verify.saying.pages import html

        return html(self)
