"""Print the table of known errors and what symvi says of them, as Markdown: python -m tests.verify.corpus.table."""

from __future__ import annotations

from tests.verify.corpus.asking import ask
from tests.verify.corpus.case import Case
from tests.verify.corpus.known_errors import CASES

HEAD = ("where", "what is written", "what symvi finds")


def row(case: Case) -> tuple[str, str, str]:
    """Source, error, verdict and diagnosis of a wrong claim."""
    source, _, error = case.source.partition(": ")
    report = ask(case)
    found = f"{len(report.wrong)} of {len(report.entries)} entries wrong"
    if report.diagnoses:
        found += f"; {report.diagnoses[0]}"
    return source, f"{case.name}: {error}", found


def table() -> str:
    rows = [HEAD, ("---",) * len(HEAD), *(row(case) for case in CASES if not case.right)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows)


if __name__ == "__main__":
    print(table())
