"""What the proofs found, printed at the end of a test run: kernels, numbers, planted errors.

A test hands its figures over by `record_property`; they come with its report, from whatever process it ran in.
"""

from __future__ import annotations

from collections import Counter

import pytest

PROVED, MUTANTS = "proved kernels", "planted errors"


class Figures:
    """Collects figures from the reports of tests and prints their sums."""

    def __init__(self) -> None:
        self.found: dict[str, list[dict]] = {PROVED: [], MUTANTS: []}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for name, figures in report.user_properties:
                if name in self.found:
                    self.found[name].append(figures)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines = [*self._proofs(), *self._mutants()]
        if lines:
            terminalreporter.section("proofs of printed kernels")
            for line in lines:
                terminalreporter.line(line)

    def _proofs(self) -> list[str]:
        if not self.found[PROVED]:
            return []
        from symvi.proofs.proof import Tally  # here, so that a run without proofs does not load it

        total = Tally()
        for figures in self.found[PROVED]:
            total.merge(Tally(**figures))
        return [str(total)]

    def _mutants(self) -> list[str]:
        total: Counter = Counter()
        for figures in self.found[MUTANTS]:
            total.update(figures)
        if not total:
            return []
        verdicts = ("caught", "equivalent", "inside", "missed")
        return [
            f"mutants: {total['planted']} planted in {total['kernels']} kernels, "
            + ", ".join(f"{total[verdict]} {verdict}" for verdict in verdicts)
        ]
