"""Names of a file as names of symvi: letters, digits and underscores, unique over all elements of the mechanism."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symvi.importers.report import Findings, Source
from symvi.mechanism.names import checked_name, shown

__all__ = ["FreeNames", "Names"]

LONGEST = 63


class FreeNames:
    """Names for what a file gives none, or one that its own kind has already: none that the file gives anything.

    given: all names of the file. Those that are made differ from them and from each other, in any case of their
    letters, so that none of the file's own has to give way to them in the mechanism.
    """

    def __init__(self, given: Iterable[str], findings: Findings):
        self.taken, self.findings = {name.lower() for name in given}, findings

    def make(self, wanted: str, kind: str, source: Source) -> str:
        """The wanted name, or one with a number behind it that nothing has; the report says where it has one."""
        found, number = wanted, 2
        while found.lower() in self.taken:
            found, number = f"{wanted}_{number}", number + 1
        self.taken.add(found.lower())
        if found != wanted:
            why = f"made here, with a number: {shown(wanted)} is the name of something else"
            self.findings.note("renamed", source, f"{kind} {shown(found)}", "name", why)
        return found


class Names:
    """The names given so far; no two are alike, in any case of their letters."""

    def __init__(self, findings: Findings, prefix: str = ""):
        # an underscore stands between, unless the prefix ends with one, as those of ROS do
        self.prefix = prefix if not prefix or prefix.endswith("_") else f"{prefix}_"
        self.findings, self.taken = findings, set()

    def give(self, wanted: str, kind: str, source: Source) -> str:
        """The name nearest to the wanted one; the report says where it is another.

        kind: of the element, "link" or "joint"; put behind a name that another element has already.
        """
        name = self.make(wanted, kind)
        if name != self.prefix + wanted:
            why = f"'{name}': names are letters, digits and underscores, unique over all elements, no words of C"
            self.findings.note("renamed", source, f"{kind} {shown(wanted)}", "name", why)
        return name

    def derive(self, owner: str, what: str) -> str:
        """A name for something that the file gives no name: its owner's and what it is."""
        return self._take(self._cut(owner, f"_{what}"), "")

    def make(self, wanted: str, kind: str) -> str:
        """Such a name, without a word in the report: for what the file itself gives no name."""
        text = re.sub(r"[^A-Za-z0-9_]", "_", wanted[:200])
        text = self.prefix + text
        if not re.match("[A-Za-z]", text):
            text = f"{kind}_{text}".replace("__", "_")
        return self._take(self._cut(text, ""), kind)

    def _take(self, name: str, kind: str) -> str:
        candidate, number = name, 1
        while candidate.lower() in self.taken or not _passes(candidate):
            ending = f"_{kind}" if number == 1 and kind else f"_{number}"
            candidate, number = self._cut(name, ending), number + 1
        self.taken.add(candidate.lower())
        return candidate

    def _cut(self, name: str, ending: str) -> str:
        return name[: LONGEST - len(ending)] + ending


def _passes(name: str) -> bool:
    try:
        return bool(checked_name(name))
    except ValueError:
        return False
