"""Reports for readers: a page of its own."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from symvi.verify.judging.entries import DIGITS, FLOATS, ROUNDED, Entry
from symvi.verify.saying.forms import MARKS, diagnosis_lines, rows_of, verdict_line, work

if TYPE_CHECKING:
    from symvi.verify.saying.report import Report

TITLE = "Derivatives by hand, verified by symvi"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
th { font-weight: 400; color: #57606a; padding: .2rem .5rem; white-space: nowrap }
td { border: 1px solid #d0d7de; padding: .3rem .6rem; text-align: center; font-family: ui-monospace, monospace }
.right { background: #e6f4ea } .near { background: #fff8e1 } .wrong { background: #fdecea; color: #a40e26 }
.wrong small { display: block; color: #57606a } h2 { border-top: 1px solid #d0d7de; padding-top: 1rem }
.verdict { font-weight: 600 } li { margin: .2rem 0 }
"""
KINDS = {"wrong": "wrong", DIGITS: "near", FLOATS: "near", ROUNDED: "near"}


def html(report: Report) -> str:
    """One report as a page, without anything from elsewhere."""
    return html_of_all({f"d {report.function} / d ({', '.join(report.wrt)})": report})


def html_of_all(reports: Mapping[str, Report]) -> str:
    """Several reports as one page."""
    parts = "\n".join(f"<h2>{escape(name)}</h2>\n{_section(report)}" for name, report in reports.items())
    head = f'<meta charset="utf-8"><title>{TITLE}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n<h1>{TITLE}</h1>\n{parts}\n</body></html>\n'


def _section(report: Report) -> str:
    columns = "".join(f"<th>{escape(name)}</th>" for name in report.column_names)
    rows = "\n".join(
        f"<tr><th>{escape(row[0].row)}</th>{''.join(map(_cell, row))}</tr>" for row in rows_of(report)
    )  # fmt: skip
    table = f"<table><tr><th></th>{columns}</tr>\n{rows}</table>"
    asked = "<br>".join(escape(line) for line in report.question)
    verdict = f'<p class="verdict">{escape(verdict_line(report))}</p>\n<p>{asked}</p>'
    said = _said(report)
    return f"{verdict}\n{table}\n<ul>{''.join(f'<li>{escape(text)}</li>' for text in said)}</ul>"


def _cell(entry: Entry) -> str:
    example = entry.counterexample
    values = "" if example is None else f"<small>{escape(example.claimed)}; true: {escape(example.true)}</small>"
    title = escape(entry.verdict if example is None else f"at {example.pasted}")
    kind = KINDS.get(entry.verdict, "right")
    return f'<td class="{kind}" title="{title}">{escape(MARKS[entry.verdict])}{values}</td>'


def _said(report: Report) -> list[str]:
    """Everything below the matrix."""
    wrong = [] if report.right else diagnosis_lines(report)
    return [*_points(report), *wrong, *report.notes, f"method: {report.method}; {work(report)}"]


def _points(report: Report) -> list[str]:
    """Every point at which values are shown, with the entries that have them there."""
    entries: dict[str, list[str]] = {}
    for entry in report.wrong:
        if entry.counterexample:
            entries.setdefault(entry.counterexample.pasted, []).append(str(list(entry.index)))
    return [f"counterexample of {', '.join(indices)}: {point}" for point, indices in entries.items()]
