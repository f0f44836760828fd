"""VERDICTS: one line for every question of the corpora, to be compared before and after a change of the engine.

    python -m tests.verify.corpus.verdicts > after.txt
    python -m tests.verify.corpus.verdicts --against before.txt    # prints the lines that differ

A line says which corpus, which case, what was said, whether that is so, and the kind of the first diagnosis. The
verdicts are counted at the end; one that passes a wrong derivative as right everywhere ends the command with 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import symvi.verify as verify
from tests.verify.corpus import guarded
from tests.verify.corpus.asking import ask, ask_by_name, known_to_symvi
from tests.verify.corpus.case import Case
from tests.verify.corpus.differences import columns
from tests.verify.corpus.loading import load, written_in_sympy

SO, NOT_SO, PASSED, UNJUDGED = "as stated", "NOT AS STATED", "A WRONG ONE PASSED", "not judged"


@dataclass(frozen=True)
class Line:
    """What was said of a question. seconds: of a processor."""

    corpus: str
    name: str
    verdict: str
    outcome: str
    kind: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        return " | ".join((f"{self.corpus}: {self.name}", self.verdict, self.outcome, self.kind or "-"))


def questions() -> dict[tuple[str, str], Callable[[], Line]]:
    """By corpus and name."""
    cases = {**load(), **written_in_sympy()}
    found: dict[tuple[str, str], Callable[[], Line]] = {}
    for name, case in cases.items():
        found["corpus", name] = lambda case=case: _stated("corpus", case, lambda: ask(case))
        if case.c:
            found["C", name] = lambda case=case: _stated("C", case, lambda: ask(case, in_c=True))
        if known_to_symvi(case):
            found["own", name] = lambda case=case: _stated("own", case, lambda: ask_by_name(case))
    for each in guarded.CASES:
        found["guarded", each.name] = lambda each=each: _guarded(each)
    return found


def _stated(corpus: str, case: Case, asked: Callable[[], verify.Report]) -> Line:
    """Of a case that states which of its entries are wrong."""
    began = process_time()
    try:
        report = asked()
    except verify.VerificationError as error:
        return Line(corpus, case.name, f"refused: {error}", UNJUDGED)
    places = [divmod(k, columns(case)) for k in range(len(report.entries))]
    wrong = {place for place, entry in zip(places, report.entries, strict=True) if not entry.right}
    if wrong == {place for place in places if case.wrong(*place)} and report.right == case.right:
        outcome = SO
    else:
        outcome = PASSED if report.everywhere and not case.right else NOT_SO
    return Line(corpus, case.name, _said(report), outcome, _kind(report), process_time() - began)


def _guarded(case: guarded.Guarded) -> Line:
    began = process_time()
    try:
        report = case.ask()
    except verify.VerificationError as error:
        return Line("guarded", case.name, f"refused: {error}", UNJUDGED)
    if guarded.as_expected(case.expected, report):
        outcome = SO
    else:
        outcome = PASSED if report.everywhere and case.expected != guarded.RIGHT else NOT_SO
    return Line("guarded", case.name, _said(report), outcome, _kind(report), process_time() - began)


def _said(report: verify.Report) -> str:
    if report.right:
        return "RIGHT" if report.everywhere else "RIGHT WHERE TESTED"
    return f"WRONG in {len(report.wrong)} of {len(report.entries)}"


def _kind(report: verify.Report) -> str:
    return report.diagnoses[0].kind if report.diagnoses else ""


def _line(key: tuple[str, str]) -> Line:
    return questions()[key]()


def lines(part: str = "", processes: int = 1) -> Iterator[Line]:
    """Of all questions whose names contain a text."""
    found = questions()
    keys = [key for key in found if part in f"{key[0]}: {key[1]}"]
    if processes == 1:
        yield from (found[key]() for key in keys)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_line, keys)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 1 where a wrong derivative was passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.verify.corpus.verdicts", description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="?", default="", help="of a name: guarded, C: friction")
    parser.add_argument("--against", type=Path, metavar="FILE", help="print the lines that are others there")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="at a time (default 1)")
    parser.add_argument("--times", action="store_true", help="with seconds of a processor")
    options = parser.parse_args(arguments)
    before = options.against.read_text(encoding="utf-8").splitlines() if options.against else None
    known = {line.split(" | ")[0]: line for line in before or ()}
    counts = dict.fromkeys((SO, NOT_SO, PASSED, UNJUDGED), 0)
    for line in lines(options.part, options.processes):
        counts[line.outcome] += 1
        was = known.get(str(line).split(" | ")[0])
        if before is None:
            print(f"{line} | {line.seconds:.1f} s" if options.times else line, flush=True)
        elif str(line) != was:
            print(f"- {was}\n+ {line}", flush=True)
    print(f"{sum(counts.values())} questions: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return int(counts[PASSED] > 0)


if __name__ == "__main__":
    sys.exit(main())
