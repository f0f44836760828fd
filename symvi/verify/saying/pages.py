"""Reports for readers: a page of its own, and LaTeX for a paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


# --- LaTeX --------------------------------------------------------------------------------------------------------
PAGE, GAP, BOX, SMALL = 66.0, 3.0, 6.0, 0.8  # in letters: a line, a column's gap, with a box, a fraction's letter
ESCAPES = {"\\": r"\textbackslash{}", "_": r"\_", "^": r"\^{}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
           "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}"}  # fmt: skip
LETTERS = {"²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "ᵀ": r"\textsuperscript{T}", "·": r"$\cdot$",
           "½": r"\textonehalf{}"}  # fmt: skip


def latex(report: Report) -> str:
    """One report as a fragment: the matrix of verdicts, wrong entries boxed, then what is wrong with them."""
    return latex_of_all({f"d {report.function} / d ({', '.join(report.wrt)})": report})


def latex_of_all(reports: Mapping[str, Report]) -> str:
    """Several reports as one fragment; it needs amsmath."""
    return "\n".join(_fragment(name, report) for name, report in reports.items())


def _fragment(name: str, report: Report) -> str:
    asked = " ".join(f"{_tex(line)}." for line in report.question)
    items = "\n".join(rf"\item {_tex(text)}" for text in _said(report))
    return "\n".join(
        [
            rf"\paragraph{{{_tex(name)}}} {_tex(verdict_line(report))}.",
            f"Asked of symvi: {asked}",
            *_matrices(report),
            rf"\begin{{itemize}}{chr(10)}{items}{chr(10)}\end{{itemize}}",
        ]
    )


def _matrices(report: Report) -> Iterator[str]:
    """The matrix, in parts that are no wider than a page, each with the names of its columns."""
    rows = rows_of(report)
    for part in _parts([max(map(_width, column)) for column in zip(*rows, strict=True)]):
        body = (r" \\" + "\n").join(" & ".join(_mark(row[k]) for k in part) for row in rows)
        names = ", ".join(report.column_names[k] for k in part)
        # a matrix of amsmath has ten columns unless its counter says more
        wide = rf"\setcounter{{MaxMatrixCols}}{{{max(10, len(part))}}}"
        yield f"Columns {_tex(names)}:" if len(part) > 1 else f"Column {_tex(names)}:"
        yield rf"\[{wide}\begin{{bmatrix}}"
        yield body
        yield r"\end{bmatrix}\]"


def _parts(widths: list[float]) -> Iterator[list[int]]:
    """Columns, as many together as a page has room for."""
    part: list[int] = []
    for k, width in enumerate(widths):
        if part and sum(widths[i] for i in part) + width > PAGE:
            yield part
            part = []
        part.append(k)
    yield part


def _width(entry: Entry) -> float:
    """Of what stands in a matrix for an entry, in letters."""
    example = None if entry.right else entry.counterexample
    return GAP if example is None else BOX + _letters(example.claimed) + _letters(example.true)


def _letters(number: str) -> float:
    above, slash, below = number.partition("/")
    return SMALL * max(len(above), len(below)) if slash else len(number)


def _mark(entry: Entry) -> str:
    if entry.right:
        return "=" if MARKS[entry.verdict] == "=" else r"\approx"
    example = entry.counterexample
    return r"\boxed{\neq}" if example is None else rf"\boxed{{{_number(example.claimed)} \neq {_number(example.true)}}}"


def _number(text: str) -> str:
    above, slash, below = text.partition("/")
    sign = "-" if above.startswith("-") else ""
    return rf"{sign}\tfrac{{{above.removeprefix('-')}}}{{{below}}}" if slash else text


def _tex(text: str) -> str:
    return "".join(LETTERS.get(letter) or ESCAPES.get(letter, letter) for letter in text)
