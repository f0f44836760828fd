"""Every benchmark runs at tiny sizes and prints its columns, as text and as JSON. Nothing here judges a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from importlib import metadata
from pathlib import Path

import pytest

from symvi import cli
from symvi.cli import commands
from symvi.extras import install_command
from tests.importers.real_robots import share
from tests.support.quick import compiling_quickly
from tests.support.subset import only

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("[!_]*.py") if not path.stem.startswith("test_"))
NAMES_OF_FILES = [*(f"{name}.py" for name in NAMES), "test_benchmarks.py", "__pycache__"]
COLUMNS = {  # benchmark -> some columns of its first table
    "batch": {"case", "real", "lanes", "gain"},
    "build_time": {"wall s", "processor s", "bound s"},
    "contacts": {"case", "iterations", "retries", "failed"},
    "coordinates": {"code", "us/step", "iterations", "operations", "gap m"},
    "derivatives": {"checker", "missed", "false alarms", "undecided", "median ms"},
    "embedded": {"flash B", "RAM B", "stack painted B", "stack summed B", "once", "each", "about us"},
    "elimination": {"sparse us", "dense us", "difference"},
    "instructions": {"once a step", "per iteration", "operations"},
    "knot": {"call", "us", "of mj_step"},
    "layouts": {"layout", "compiler", "code KB", "compile s", "ns/step/link"},
    "linear_time": {"ns/step/link", "once", "ns/it/link", "cycles/it/link"},
    "many": {"what", "variants", "seconds", "of the batch"},
    "mjcf": {"file", "outcome"},
    "operations": {"phase", "operations"},
    "orders": {"error rad", "code", "ms", "of the best peer"},
    "piles": {"balls", "friction", "solver", "ms/step"},
    "scale": {"kind", "bodies", "text MB", "compiler s", "world MB", "us/step"},
    "slopes": {"hinges", "maximal A, B us", "tree A, B us", "Pinocchio us", "MuJoCo us"},
    "stiff": {"k N/m", "d N s/m", "energy left", "largest rise", "undershoot"},
    "peers": {"us/step", "ns/step/link", "symvi / this", "medians"},
    "queries": {"robot", "rates", "question", "symvi us", "Pinocchio us", "of Pinocchio's"},
    "recording": {"recorded", "least us/step", "median us/step", "of the bare loop", "medians"},
    "robots": {"robot", "read", "bodies", "us/step", "contacts", "falls through"},
    "variants": {"mechanism", "coordinates", "ms", "built anew ms", "gain"},
}


PROGRAMS = {  # benchmark -> program that it needs -> the package that brings it
    "embedded": {"arm-none-eabi-gcc": "gcc-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"},
    "instructions": {"valgrind": "valgrind"},
}


def _is_installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


BY_THE_USUAL_COMPILER = {"instructions", "layouts"}  # their figures are those of its code


# benchmark -> the extra that it needs, and what that brings; large, and not among the packages of the tests
NEEDS = {
    "coordinates": ("bench", lambda: all(map(_is_installed, ("mujoco", "pin", "cmeel-eigen")))),
    "knot": ("bench", lambda: _is_installed("mujoco")),
    "mjcf": ("peers", lambda: all(map(_is_installed, ("mujoco", "gymnasium")))),
    "orders": ("bench", lambda: all(map(_is_installed, ("mujoco", "pin", "cmeel-eigen")))),
    "peers": ("bench", lambda: all(map(_is_installed, ("mujoco", "pin", "cmeel-eigen")))),
    "queries": ("peers", lambda: share() is not None and _is_installed("pin")),
    "robots": ("peers", lambda: share() is not None),
}


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str]):
    """Run `symvi bench ... --quick --json`; gives its exit code, its JSON, its text and its message."""

    def run(name: str) -> tuple[int, dict, str]:
        with nullcontext() if name in BY_THE_USUAL_COMPILER else compiling_quickly():
            code = cli.main(["bench", name, "--quick", "--json"])
        output, text = capsys.readouterr()
        return code, json.loads(output), text

    return run


def test_the_table_of_columns_names_every_benchmark() -> None:
    assert sorted(COLUMNS) == NAMES


@pytest.mark.parametrize("name", only({"elimination", "operations"}, sorted(set(NAMES) - NEEDS.keys())))
def test_a_benchmark_runs_and_prints_its_columns(name: str, bench) -> None:
    for program, package in PROGRAMS.get(name, {}).items():
        if shutil.which(program) is None:
            pytest.skip(f"needs the package {package}")
    code, result, text = bench(name)
    assert code == 0, text
    figures = result["benchmarks"][name]
    first = next(iter(figures["tables"].values()))
    assert first and COLUMNS[name] <= first[0].keys()
    assert all(bound["holds"] is not False for bound in figures["bounds"])
    assert all(column in text for column in COLUMNS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", NEEDS)
def test_others_run_or_name_what_is_missing(name: str, bench) -> None:
    code, result, text = bench(name)
    extra, is_there = NEEDS[name]
    if is_there():
        assert code == 0, text
        assert COLUMNS[name] <= next(iter(result["benchmarks"][name]["tables"].values()))[0].keys()
    else:
        assert code == 1
        assert install_command(extra) in text
        assert f"could not run: {name}" in result["error"]


def test_an_unknown_benchmark_is_answered_with_the_known_ones(bench) -> None:
    code, result, _ = bench("speed")
    assert code == 1
    assert result["error"] == f"no benchmark 'speed'; there are {', '.join(NAMES)}"


CLAIM = """
from _benchmark import run
raise SystemExit(run("A claim.", lambda report: report.at_most("gap", float("{value}"), 1.0, timed={timed})))
"""


def test_a_missed_bound_fails_the_run_and_its_figures_are_written(tmp_path: Path) -> None:
    code, figures = _run_script(tmp_path, CLAIM.format(value=2.0, timed=False))
    assert code == 1
    assert figures["bounds"] == [{"name": "gap", "value": 2.0, "bound": 1.0, "holds": False}]


def test_the_command_tells_the_figures_of_a_missed_bound_too(bench, tmp_path: Path, monkeypatch) -> None:
    """In a checkout whose only benchmark misses its bound."""
    folder = tmp_path / "tests" / "benchmarks"
    shutil.copytree(FOLDER, folder, ignore=lambda *_: NAMES_OF_FILES)
    (folder / "claim.py").write_text(CLAIM.format(value=2.0, timed=False), encoding="utf-8")
    monkeypatch.setattr(commands, "__file__", str(tmp_path / "symvi" / "cli" / "commands.py"))
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]))
    code, result, text = bench("claim")
    assert code == 1 and "MISS  gap: 2" in text
    assert result["error"] == "benchmarks missed a bound or could not run: claim"
    assert result["benchmarks"]["claim"]["bounds"][0]["value"] == 2.0


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_what_is_no_number_misses_its_bound(tmp_path: Path, value: str) -> None:
    code, figures = _run_script(tmp_path, CLAIM.format(value=value, timed=False))
    assert code == 1
    assert figures["bounds"][0]["value"] is None


def test_times_are_not_judged_in_a_quick_run(tmp_path: Path) -> None:
    script = CLAIM.format(value=2.0, timed=True)
    assert _run_script(tmp_path, script, "--quick")[0] == 0
    assert _run_script(tmp_path, script)[0] == 1


def _run_script(folder: Path, text: str, *options: str) -> tuple[int, dict]:
    (folder / "claim.py").write_text(text, encoding="utf-8")
    result = folder / "result.json"
    path = os.pathsep.join([str(FOLDER), str(FOLDER.parents[1])])
    done = subprocess.run(
        [sys.executable, str(folder / "claim.py"), "--result", str(result), *options],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(result.read_text(encoding="utf-8"))
