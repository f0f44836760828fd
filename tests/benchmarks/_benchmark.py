"""What the benchmarks share: their two options, tables, figures with bounds, the same as JSON, an exit code.

Every benchmark is a script with a function `measure(report)`. It prints text for a person; with --result FILE it also
writes {"tables": {title: [{column: value}]}, "bounds": [{name, value, bound, holds}]}.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from symvi.errors import SymviError

# Every benchmark imports this module first: NumPy's LAPACK, not loaded yet, would start threads that share one core.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

MISSED, CANNOT = 1, 3  # exit codes; 2 is argparse's own


class Report:
    """Prints what a benchmark found and remembers it.

    quick: sizes so small that the run shows no more than that it works; bounds on time are then not judged. plot: a PNG
    that a benchmark which draws writes.
    """

    def __init__(self, quick: bool = False, plot: Path | None = None):
        self.quick, self.plot = quick, plot
        self.tables: dict[str, list[dict[str, object]]] = {}
        self.bounds: list[dict[str, object]] = []

    def note(self, text: str) -> None:
        """A line between the tables."""
        print(text, flush=True)

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Figures in columns."""
        self.tables[title] = [dict(zip(head, row, strict=True)) for row in rows]
        cells = [list(head), *([_shown(value) for value in row] for row in rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
        print(f"\n{title}")
        for row in cells:
            print("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        print(flush=True)

    def at_most(self, name: str, value: float, bound: float, unit: str = "", *, timed: bool = True) -> None:
        """A figure and its bound: value <= bound; not a number is a miss. timed: depends on the machine's speed."""
        holds = bool(value <= bound)
        judged = not (timed and self.quick)
        self.bounds.append({"name": name, "value": value, "bound": bound, "holds": holds if judged else None})
        word = ("pass" if holds else "MISS") if judged else "    "
        print(f"{word}  {name}: {_shown(value)} {unit} (at most {bound:g})", flush=True)

    def end(self) -> int:
        """The exit code."""
        return MISSED if any(bound["holds"] is False for bound in self.bounds) else 0


def run(text: str, measure: Callable[[Report], None]) -> int:
    """Run a benchmark whose docstring is `text`; returns its exit code."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it runs, its times say little")
    parser.add_argument("--result", type=Path, metavar="FILE.json", help="write the figures to a file too")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the figures, where the benchmark draws")
    options = parser.parse_args()
    report = Report(options.quick, options.plot)
    print(text.splitlines()[0], flush=True)
    try:
        measure(report)
    except SymviError as error:
        print(f"cannot run here: {error}")
        return CANNOT
    if options.result:
        options.result.write_text(json.dumps(_plain({"tables": report.tables, "bounds": report.bounds})))
    return report.end()


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return "" if value is None else str(value)


def _plain(value):
    """JSON has no NaN and no infinity."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
