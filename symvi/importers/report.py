"""What became of a file: every element of it taken over, approximated, ignored, ..., with its place and the reason.

An importer notes as it goes, in a `Findings`; what it cannot use it refuses, and all that was refused is raised at
once, with file and line. What is left at the end is the `Report`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from symvi.errors import MechanismError

__all__ = ["KINDS", "LOSSES", "Findings", "Kind", "Notice", "Report", "Source"]

Kind = Literal["taken", "merged", "renamed", "repaired", "skipped", "approximated", "dropped", "ignored"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# The mechanism says something else than the file, or less.
LOSSES: tuple[Kind, ...] = ("approximated", "dropped", "ignored")
MOST_SHOWN = 4  # elements of one group in the table; the JSON form has all
MOST_PROBLEMS = 1000


@dataclass(frozen=True, order=True)
class Source:
    """A place in a file: its printable path, and the line, from 1 (0: the file as a whole)."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Notice:
    """What was done with one element.

    kind: taken (exactly as the file says), merged (links without motion between them are one body, exactly), renamed,
        repaired (because it was asked for), skipped (it says nothing about the mechanism: pictures, settings of a
        solver, the format's own defaults), approximated, dropped (an element that has no effect), ignored.
    what: what of the element this is about. why: the reason, or what it became, or what would do instead.
    element: the element as the file names it, "joint 'knee'"; empty for the file as a whole.
    """

    kind: Kind
    what: str
    why: str
    element: str
    source: Source

    def __str__(self) -> str:
        about = f"{self.element}: {self.what}" if self.element else self.what
        return f"{self.source}: {self.kind}: {about}: {self.why}"

    def plain(self) -> dict[str, Any]:
        """The notice as texts and numbers."""
        own = {"kind": self.kind, "what": self.what, "why": self.why, "element": self.element}
        return {**own, "file": self.source.file, "line": self.source.line}


@dataclass(frozen=True)
class Report:
    """All notices of one import, in the order of the kinds, then of the file."""

    file: str
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        return f"<Report of {self.summary()}>"

    def of(self, *kinds: Kind) -> tuple[Notice, ...]:
        """The notices of some kinds."""
        return tuple(notice for notice in self.notices if notice.kind in kinds)

    @property
    def counts(self) -> dict[str, int]:
        """Kind -> number of notices, without those that do not occur."""
        counts = {kind: len(self.of(kind)) for kind in KINDS}
        return {kind: count for kind, count in counts.items() if count}

    def groups(self) -> Iterator[tuple[Kind, str, str, tuple[Notice, ...]]]:
        """(kind, what, why, notices): what happened to many elements for one reason is said once."""
        grouped: dict[tuple[Kind, str, str], list[Notice]] = {}
        for notice in self.notices:
            grouped.setdefault((notice.kind, notice.what, notice.why), []).append(notice)
        for (kind, what, why), notices in grouped.items():
            yield kind, what, why, tuple(notices)

    def summary(self) -> str:
        """One line: how often what was done."""
        counts = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        return f"{self.file}: {counts or 'nothing to report'}"

    def __str__(self) -> str:
        lines = [self.summary()]
        for kind, what, why, notices in self.groups():
            places = [_place(notice) for notice in notices[:MOST_SHOWN]]
            more = f" and {len(notices) - MOST_SHOWN} more" if len(notices) > MOST_SHOWN else ""
            lines.append(f"  {kind:<13}{what}: {why} [{', '.join(places)}{more}]")
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """The report as lists and dictionaries of texts and numbers."""
        return {"file": self.file, "counts": self.counts, "notices": [notice.plain() for notice in self.notices]}

    def strict(self) -> None:
        """Raise MechanismError if anything was approximated, dropped or ignored."""
        losses = [str(notice) for notice in self.of(*LOSSES)]
        if losses:
            count = f"{len(losses)} losses" if len(losses) > 1 else "1 loss"
            raise MechanismError([*losses, f"{self.file}: {count}, and strict allows none"])


def _place(notice: Notice) -> str:
    line = f"line {notice.source.line}" if notice.source.line else notice.source.file
    return f"{notice.element}, {line}" if notice.element else line


@dataclass
class Findings:
    """The notices and the refusals of an import that is under way."""

    file: str
    notices: list[Notice] = field(default_factory=list)
    problems: list[tuple[Source, str]] = field(default_factory=list)

    def note(self, kind: Kind, source: Source, element: str, what: str, why: str) -> None:
        """Add a notice."""
        self.notices.append(Notice(kind, what, why, element, source))

    def refuse(self, source: Source, problem: str) -> None:
        """Add a problem for which the file cannot be imported; the importer goes on to find more of them."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append((source, problem))

    def check(self) -> None:
        """Raise MechanismError with all problems so far, in the order of the file, if there are any."""
        if self.problems:
            ordered = sorted(self.problems, key=lambda item: item[0])
            raise MechanismError(list(dict.fromkeys(f"{source}: {problem}" for source, problem in ordered)))

    def report(self) -> Report:
        """The finished report."""
        key = {kind: number for number, kind in enumerate(KINDS)}
        return Report(self.file, tuple(sorted(self.notices, key=lambda notice: (key[notice.kind], notice.source))))
