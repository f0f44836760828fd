"""Print the table of known errors and what symvi says of them, as Markdown: python -m tests.verify.corpus.table."""

from __future__ import annotations

from symvi.verify import Report
from tests.verify.corpus.asking import ask
from tests.verify.corpus.case import Case
from tests.verify.corpus.known_errors import CASES

HEAD = ("source", "formula", "error", "symvi")


def row(case: Case) -> tuple[str, str, str, str]:
    """Source, formula and error of a wrong claim, and what is found."""
    source, _, error = case.source.partition(": ")
    return source, case.name.split(",")[0], error, answer(ask(case))


def answer(report: Report) -> str:
    """How many entries are wrong, and the simplest explanation."""
    found = f"{len(report.wrong)} of {len(report.entries)} entries wrong"
    if not report.diagnoses:
        return found
    first = report.diagnoses[0]
    return f"{found}: {first.says if first.where == 'the whole derivative' else first}"


def table() -> str:
    rows = [HEAD, ("---",) * len(HEAD), *(row(case) for case in CASES if not case.right)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows)


if __name__ == "__main__":
    print(table())
