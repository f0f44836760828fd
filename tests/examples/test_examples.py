"""Every example runs, meets its bounds and draws its figure: in short for all, at full length where that is cheap."""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import runpy
import shutil
import subprocess
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

from symvi import Simulator, SolverOptions
from tests.support.quick import compiling_quickly

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"
# Prints a file instead of claims; tests/demos compares that file with the packaged one.
GENERATORS = {"strandbeest_geometry", "walker_geometry"}
NAMES = sorted({path.stem for path in EXAMPLES.glob("[!_]*.py")} - GENERATORS)
# At full length these build some dozens of solvers, toss hundreds of boxes, or measure time, which needs a quiet
# machine; learning takes minutes, and walking a library that is not installed.
LONG = {
    "box_toss",
    "closed_chains",
    "constraint_drift",
    "double_four_bar",
    "exoskeleton",
    "four_bar_chain",
    "hopper",
    "learning",
    "linear_time_step",
    "newton_convergence",
    "pendulums_of_links",
    "quadrature_rules",
    "quasi_newton",
    "scissor_lift",
    "sphere_chain",
    "spring_flamingo",
    "trot_by_gradient",
    "walking",
}

# Show what a compiler makes of C, or run so long that it pays. The others take the quick one: the same bits, as
# tests/simulate/test_golden.py shows.
BY_THE_USUAL_COMPILER = {
    "box_toss",
    "closed_chain_device",
    "energy_conservation",
    "linear_time_step",
    "newton_convergence",
    "pendulums_of_links",
    "quadruped",
    "quasi_newton",
    "scissor_lift",
    "sparse_elimination",
}

# Run as a user would, in a process of their own: those that measure, and one more. The others run here, which saves
# each of them the second or two that imports take.
AS_A_PROCESS = BY_THE_USUAL_COMPILER | {
    "controller_on_board",
    "damped_pendulum",
    "firmware_export",
    "predictive_control",
}

PACKAGES = {  # example -> what it needs, and the extra that brings it
    "constraints_of_trees": ("scipy", "sweep"),
    "direct_transcription": ("casadi", "casadi"),
    "predictive_control": ("osqp", "mpc"),
    "walking": ("gymnasium", "learn"),
}
PROGRAMS = {  # example -> program that it needs -> the package that brings it
    "controller_on_board": {"arm-none-eabi-gcc": "gcc-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"},
    "predictive_control": {"arm-none-eabi-gcc": "gcc-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"},
}


def run(name: str, figure: Path, *options: str) -> None:
    """Run an example outside the checkout. A missed bound is a failure, with the table shown."""
    for program, package in PROGRAMS.get(name, {}).items():
        if shutil.which(program) is None:
            pytest.skip(f"needs the package {package}")
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name][0], reason=f"needs the extra {PACKAGES[name][1]}")
    words = [str(EXAMPLES / f"{name}.py"), "--plot", str(figure), *options]
    with nullcontext() if name in BY_THE_USUAL_COMPILER else compiling_quickly():
        code, said = (in_a_process if name in AS_A_PROCESS else in_this_process)(words, figure.parent)
    assert code == 0, said
    assert "pass" in said
    assert "MISS" not in said
    assert figure.read_bytes().startswith(b"\x89PNG")


def in_a_process(words: list[str], folder: Path) -> tuple[int, str]:
    """Its exit code and what it printed."""
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def in_this_process(words: list[str], folder: Path) -> tuple[int, str]:
    """The same of the script, run as a program with modules and settings of its own."""
    before, printed = set(sys.modules), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, matplotlib.rc_context(), redirect_stdout(printed):
        patch.setattr(sys, "argv", words)
        patch.syspath_prepend(str(EXAMPLES))
        patch.chdir(folder)
        with pytest.raises(SystemExit) as end:
            runpy.run_path(words[0], run_name="__main__")
        pyplot.close("all")
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == EXAMPLES:
            del sys.modules[name]
    return end.value.code, printed.getvalue()


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_a_run_meets_its_bounds(name: str, tmp_path: Path) -> None:
    """An hour of a double pendulum and ten minutes of a loop are seconds in C."""
    run(name, tmp_path / "figure.png", *(["--quick"] if name in LONG else []))


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("count", [20, 100])
def test_long_closed_chains_swing_for_ten_seconds(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the long example shows for many counts: no failed step, and a gap of round-off, dropped rows included."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    chain = importlib.import_module("closed_chains").closed_chain(count, "revolute")
    trajectory = Simulator(chain).simulate(10, 0.01, options=SolverOptions(tolerance=1e-12))
    assert trajectory.time[-1] == pytest.approx(10)
    assert trajectory.closure.max() < 1e-12


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch):
    """What examples print their claims with."""
    spec = importlib.util.spec_from_file_location("_report", EXAMPLES / "_report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["example"])
    return module.Report("A claim.")


def test_claims_that_hold_end_well(report, capsys: pytest.CaptureFixture[str]) -> None:
    report.at_most("gap", 1e-15, 1e-12, "m")
    report.between("order", 2.01, 1.95, 2.05)
    report.equal("rank", (20, 17), (20, 17))
    assert report.end() == 0
    assert "MISS" not in capsys.readouterr().out


@pytest.mark.parametrize("value", [2e-12, float("nan"), float("inf")])
def test_a_missed_bound_fails_the_run(report, value: float, capsys: pytest.CaptureFixture[str]) -> None:
    report.at_most("gap", value, 1e-12, "m")
    report.at_most("other gap", 0.0, 1e-12, "m")
    assert report.end() == 1
    assert capsys.readouterr().out.count("MISS") == 1


@pytest.mark.parametrize("value", [1.9, 2.1, float("nan")])
def test_a_missed_range_fails_the_run(report, value: float) -> None:
    report.between("order", value, 1.95, 2.05)
    assert report.end() == 1


def test_another_result_fails_the_run(report) -> None:
    report.equal("rank", (20, 18), (20, 17))
    assert report.end() == 1
