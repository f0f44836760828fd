"""Print the table of known errors and what symvi says of them, as Markdown: python -m tests.verify.corpus.table."""

from __future__ import annotations

from collections.abc import Sequence

from symvi.verify import Report
from tests.verify.corpus.asking import ask
from tests.verify.corpus.case import Case
from tests.verify.corpus.known_errors import CASES

HEAD = ("source", "formula", "error", "symvi")


def asked(case: Case) -> tuple[str, str, str]:
    """Source, formula and error."""
    source, _, error = case.source.partition(": ")
    return source, case.name.split(",")[0], error


def answer(report: Report) -> str:
    """How many entries are wrong, and the simplest explanation."""
    found = f"{len(report.wrong)} of {len(report.entries)} entries wrong"
    if not report.diagnoses:
        return found
    first = report.diagnoses[0]
    return f"{found}: {first.says if first.where == 'the whole derivative' else first}"


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table() -> str:
    rows = [(*asked(case), answer(ask(case))) for case in CASES if not case.right]
    return "\n".join(map(line, [HEAD, ("---",) * len(HEAD), *rows]))


if __name__ == "__main__":
    print(table())
