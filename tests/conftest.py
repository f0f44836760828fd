"""What all tests share: which of them run, a cache of their own, repeatable random examples, no skipped test in CI."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile

# Matrices here are small, and every processor has tests of its own: NumPy's threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from tests.proofs.figures import Figures
from tests.support.subset import EVERY_TEST, is_thorough

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="every test, those marked `thorough` too")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """Tell a worker process, whose own command line names files in any case."""
    node.workerinput["all"] = node.config.option.all


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The subset, unless all are asked for or some are named; the slow ones first.

    One that starts last would keep a single processor busy at the end.
    """
    config.stash[EVERY_TEST] = {item.nodeid: is_thorough(item) for item in items}
    if not config.option.all:
        config.hook.pytest_deselected(items=[item for item in items if is_thorough(item)])
        items[:] = [item for item in items if not is_thorough(item)]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput")
    if is_worker:
        config.option.all = config.workerinput["all"]
    elif config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        config.option.all = True  # what is named runs whole
    if not is_worker and "SYMVI_CACHE" not in os.environ:
        config.pluginmanager.register(SharedCache(), "symvi-shared-cache")
    if not is_worker:
        config.pluginmanager.register(Figures(), "symvi-figures-of-proofs")
    if not is_worker and IN_CI:
        config.pluginmanager.register(NoSkips(), "symvi-no-skips")


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def heeds_ctrl_c():
    """Ctrl-C counts here and in processes that are started: what a shell starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
