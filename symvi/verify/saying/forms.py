"""A report as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symvi.verify.judging.entries import DIGITS, EQUAL, FLOATS, NOTED, ROUNDED, WRONG, Entry

if TYPE_CHECKING:
    from symvi.verify.saying.report import Report

MARKS = {EQUAL: "=", DIGITS: "~", FLOATS: "~", ROUNDED: "~", NOTED: "~", WRONG: "X"}
SHOWN_ENTRIES = 6
SHOWN_UNREACHED = 3


def text(report: Report) -> str:
    """Verdict, the matrix with its wrong entries marked, counterexamples, diagnoses, notes."""
    lines = [verdict_line(report), *(f"question: {line}" for line in report.question), *matrix_lines(report)]
    lines += example_lines(report.wrong[:SHOWN_ENTRIES])
    if len(report.wrong) > SHOWN_ENTRIES:
        lines.append(f"... and {len(report.wrong) - SHOWN_ENTRIES} more wrong entries")
    if not report.right:
        lines += diagnosis_lines(report)
    lines += [f"branch: {branch}" for branch in report.branches]
    lines += [f"note: {note}" for note in report.notes]
    lines.append(f"method: {report.method}; {work(report)}")
    return "\n".join(lines)


def work(report: Report) -> str:
    """What it cost."""
    counted = f"{report.operations:.1e} operations, " if report.operations else ""
    return f"{counted}{report.seconds:.2f} s"


def verdict_line(report: Report) -> str:
    what = f"d {report.function} / d ({', '.join(report.wrt)})"
    count, wrong = len(report.entries), len(report.wrong)
    if report.transposed:
        apart = f"{wrong} of its {count} entries are wrong as well" if wrong else "its entries are right"
        return f"WRONG: {what}, claimed by {report.claimed}: this is the transpose; {apart}"
    if wrong:
        return f"WRONG: {wrong} of {count} entries of {what}, claimed by {report.claimed}"
    words = sorted({entry.verdict for entry in report.entries})
    if report.unreached:
        some = "; ".join(report.unreached[:SHOWN_UNREACHED])
        more = len(report.unreached) - SHOWN_UNREACHED
        right = f"all {count} entries {' or '.join(words)}"
        said = f"{some}; {more} more" if more > 0 else some
        return f"RIGHT WHERE TESTED: {what}, claimed by {report.claimed}: {right}; not reached: {said}"
    return f"RIGHT: {what}, claimed by {report.claimed}: all {count} entries {' or '.join(words)}"


def matrix_lines(report: Report) -> list[str]:
    """One mark per entry: = equal, ~ equal as far as numbers say, X wrong."""
    rows = rows_of(report)
    widest = max(len(row[0].row) for row in rows)
    lines = [f"  {row[0].row:>{widest}}  [ {' '.join(MARKS[entry.verdict] for entry in row)} ]" for row in rows]
    lines.append(f"  columns: {', '.join(report.column_names)}")
    return lines


def rows_of(report: Report) -> list[list[Entry]]:
    width = report.shape[1] if len(report.shape) == 2 else 1
    return [list(report.entries[i : i + width]) for i in range(0, len(report.entries), width)]


def example_lines(entries: Sequence[Entry]) -> list[str]:
    """Wrong entries with both of their values, under the point where they have them: a line of its own, to paste."""
    lines: list[str] = []
    points = [entry.counterexample.point if entry.counterexample else None for entry in entries]
    for number, point in enumerate(points):
        if point in points[:number]:
            continue
        example = entries[number].counterexample
        lines += ["counterexample:"] if example is None else ["counterexample: at", example.pasted]
        lines += [f"    {entry_line(entry)}" for entry, of in zip(entries, points, strict=True) if of == point]
    return lines


def entry_line(entry: Entry) -> str:
    where = f"entry {list(entry.index)} ({entry.row}, {entry.column})"
    where += f", where {' or '.join(entry.branches)}, by {entry.relative:.1e} of its size" if entry.branches else ""
    example = entry.counterexample
    if example is None:
        return f"{where} differs, at no simple point that was tried"
    about = "" if example.exact else "about "
    return f"{where}: claimed {about}{example.claimed}, true {about}{example.true}"


def diagnosis_lines(report: Report) -> list[str]:
    if not report.diagnoses:
        return ["diagnosis: none of the usual errors explains this"]
    lines = [f"diagnosis: {diagnosis}" for diagnosis in report.diagnoses]
    explained = frozenset().union(*(diagnosis.entries for diagnosis in report.diagnoses))
    left = [list(entry.index) for k, entry in enumerate(report.entries) if not entry.right and k not in explained]
    if left:
        lines.append(f"no usual error explains the entries {', '.join(map(str, left[:8]))}")
    return lines


def plain(report: Report) -> dict:
    """The report in JSON's own types."""
    return {
        "right": report.right,
        "everywhere": report.everywhere,
        "function": report.function,
        "claimed": report.claimed,
        "wrt": list(report.wrt),
        "question": list(report.question),
        "shape": list(report.shape),
        "columns": list(report.column_names),
        "entries": [_plain_entry(entry) for entry in report.entries],
        "diagnoses": [{"where": d.where, "says": d.says, "entries": sorted(d.entries)} for d in report.diagnoses],
        "notes": list(report.notes),
        "branches": list(report.branches),
        "unreached": list(report.unreached),
        "method": report.method,
        "seconds": report.seconds,
        "operations": report.operations,
    }


def _plain_entry(entry: Entry) -> dict:
    found = {"index": list(entry.index), "verdict": entry.verdict, "row": entry.row, "column": entry.column}
    if entry.counterexample is not None:
        point = {name: [str(value) for value in values] for name, values in entry.counterexample.point.items()}
        found["counterexample"] = {
            "point": point,
            "pasted": entry.counterexample.pasted,
            "claimed": entry.counterexample.claimed,
            "true": entry.counterexample.true,
            "exact": entry.counterexample.exact,
        }
    if entry.branches:
        found |= {"branches": list(entry.branches), "relative": entry.relative}
    return found
