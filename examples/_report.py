"""What the examples share: their two options, claims with pass or miss, an exit code, figures of one look."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symvi.errors import missing_extra

OURS, OTHER, THIRD, EXACT = "#1f5fa8", "#c0392b", "#e0a526", "#444444"
LOOK: dict[Any, Any] = {
    "font.size": 9, "axes.titlesize": 9, "axes.titlelocation": "left", "axes.grid": True, "grid.color": "#e4e4e4",
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 8, "lines.linewidth": 1.2, "figure.constrained_layout.use": True, "savefig.dpi": 150,
}  # fmt: skip


class Report:
    """Reads the command line of an example, prints its claims, and remembers whether one was missed.

    text: the example's docstring; its first line is the claim and the head of the table.
    """

    def __init__(self, text: str | None):
        parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--quick", action="store_true", help="a shorter run, of a few seconds")
        parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the figure")
        options = parser.parse_args()
        self.quick: bool = options.quick
        self.plot: Path | None = options.plot
        self.missed = 0
        print((text or "").partition("\n")[0])

    def note(self, name: str, value: float | str, unit: str = "") -> None:
        """A figure without a bound."""
        self._line("    ", name, value, unit, "")

    def at_most(self, name: str, value: float, bound: float, unit: str = "") -> None:
        """A claim: value <= bound. Not a number is a miss."""
        self._claim(value <= bound, name, value, unit, f"at most {bound:g}")

    def between(self, name: str, value: float, least: float, most: float, unit: str = "") -> None:
        """A claim: least <= value <= most."""
        self._claim(least <= value <= most, name, value, unit, f"{least:g} to {most:g}")

    def equal(self, name: str, value: object, expected: object) -> None:
        """A claim: value == expected."""
        self._claim(value == expected, name, str(value), "", f"exactly {expected}")

    def table(self, head: tuple[str, ...], rows: list[tuple]) -> None:
        """Figures in columns."""
        for row in (head, *rows):
            print("      " + "".join(f"{x:>16.4g}" if isinstance(x, float) else f"{x!s:>16}" for x in row))

    def _claim(self, holds: bool, name: str, value: float | str, unit: str, condition: str) -> None:
        self.missed += not holds
        self._line("pass" if holds else "MISS", name, value, unit, condition)

    @staticmethod
    def _line(word: str, name: str, value: float | str, unit: str, condition: str) -> None:
        shown = value if isinstance(value, str) else f"{value:.4g}"
        print(f"{word}  {name:<58}{shown + ' ' + unit:<16}{condition}".rstrip())

    def figure(
        self, rows: int = 1, columns: int = 1, width: float = 9.0, height: float = 3.2, **options: Any
    ) -> tuple[Any, Any]:
        """A figure and its axes. Raises MissingExtraError without matplotlib."""
        try:
            import matplotlib
        except ImportError as error:
            raise missing_extra("plot", "matplotlib") from error
        matplotlib.use("Agg")
        matplotlib.rcParams.update(LOOK)
        from matplotlib import pyplot

        return pyplot.subplots(rows, columns, figsize=(width, height), **options)

    def save(self, figure) -> None:
        """Write the figure to the file that was asked for."""
        figure.savefig(self.plot)
        print(f"      figure: {self.plot}")

    def end(self) -> int:
        """The exit code: 1 if a claim was missed."""
        if self.missed:
            print(f"{self.missed} missed")
        return int(self.missed > 0)
