"""What all tests share: a cache of their own, repeatable random examples, and no skipped test in CI."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from tests.verify.figures import Figures

IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")

# A first example may derive and compile, so no deadline; in CI the same examples every time.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if IN_CI else "local")


class SharedCache:
    """One cache folder for the whole session, shared by its worker processes and removed at the end.

    The user's own cache is neither used (a stale entry could make a test pass) nor filled.
    """

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="symvi-tests-")
        os.environ["SYMVI_CACHE"] = self.folder

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.environ.pop("SYMVI_CACHE", None)


class NoSkips:
    """In CI a skipped test is a failure: what a test needs is installed there, so a skip hides a missing install."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.skipped.append(f"{report.nodeid}: {reason}")

    pytest_runtest_logreport = note
    pytest_collectreport = note

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.section("skipped, which fails the run in CI", red=True)
            for line in sorted(set(self.skipped)):
                terminalreporter.line(line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first: one that starts last would keep a single processor busy at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if not is_worker and "SYMVI_CACHE" not in os.environ:
        config.pluginmanager.register(SharedCache(), "symvi-shared-cache")
    if not is_worker:
        config.pluginmanager.register(Figures(), "symvi-figures-of-proofs")
    if not is_worker and IN_CI:
        config.pluginmanager.register(NoSkips(), "symvi-no-skips")
