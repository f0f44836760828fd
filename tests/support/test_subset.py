"""What runs without `--all` leaves nothing of physics out, and says what it leaves out."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.proofs.subjects import NAMES
from tests.support.subset import EVERY_TEST

# Folders whose tests are all thorough, or files, and why.
LEFT_OUT = {
    "tests/export/test_static_checks.py": "compilers, checkers and provers of other people read the generated C",
    "tests/packaging/test_fresh_clone.py": "an environment is made twice, from a registry",
    "tests/packaging/test_wheel.py": "a wheel is built and installed",
    "tests/page/test_picture.py": "a browser draws the picture of README, and no other test needs it",
    "tests/program/test_random_mechanisms.py": "random examples of what the other files show on chosen ones",
}


@pytest.fixture(scope="module")
def files(request: pytest.FixtureRequest) -> dict[str, dict[str, bool]]:
    """File -> its tests -> whether they are thorough; of a run that was given no paths."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for test, is_thorough in request.config.stash[EVERY_TEST].items():
        file, _, name = test.partition("::")
        found[file][name] = is_thorough
    if "tests/mechanism/test_units.py" not in found:
        pytest.skip("only a run of all files knows what it leaves out")
    return found


def test_every_file_has_a_test_in_the_subset(files: dict[str, dict[str, bool]]) -> None:
    assert {file for file, tests in files.items() if all(tests.values())} == LEFT_OUT.keys()


def test_every_kernel_is_proved_in_the_subset(files: dict[str, dict[str, bool]]) -> None:
    """The zoo has every joint, force, contact, limit and law, as tests/proofs/test_kernels.py shows."""
    tests = files["tests/proofs/test_kernels.py"]
    assert not any(tests[f"test_kernels_equal_the_naive_definitions[{name}]"] for name in NAMES)
    assert not any(thorough for name, thorough in tests.items() if name.startswith("test_the_zoo_has_"))


def test_every_motion_is_in_the_subset(files: dict[str, dict[str, bool]]) -> None:
    """Every phenomenon and every contact, with its independent witness, whole."""
    folders = ("tests/phenomena", "tests/contact", "tests/physics", "tests/graph", "tests/mechanism")
    sampled = "tests/physics/test_stated_forms.py"  # of every form, the first and the last entry is broken
    of_motion = {file: tests for file, tests in files.items() if file.startswith(folders) and file != sampled}
    assert len(of_motion) > 40
    assert [f"{file}::{name}" for file, tests in of_motion.items() for name in tests if tests[name]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("processes", ["0", "1"])
def test_what_is_named_runs_though_it_is_thorough(processes: str) -> None:
    test = "tests/emit/test_kernel_order.py::test_nothing_is_loaded_after_it_was_overwritten[four_bar]"
    command = [sys.executable, "-m", "pytest", "-q", "-n", processes, test]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
