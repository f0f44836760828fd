"""The two ways to set up a fresh clone, for real: with pip and a C compiler, with uv and without one.

The clone's path has spaces and HOME is not set. Both need a network once; what comes after must not.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symvi import __version__

pytestmark = [
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform == "win32", reason="links programs into a folder"),
]

# pip and uv keep off the network by their own switches, everything else meets a proxy that does not answer.
OFFLINE = {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "HTTP_PROXY": "127.0.0.1:9", "HTTPS_PROXY": "127.0.0.1:9"}


def run(command: list[str], folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if "is there a network?" in done.stderr and "connection" in done.stderr.lower():
        pytest.skip("no network")
    assert done.returncode == 0, done.stderr
    return done


def set_up_and_use_it(clone: Path, machine: dict[str, str]) -> str:
    """Run a command twice, the second time offline, and a few tests as often; return what the first set-up said."""
    python = f"{machine['PATH']}/python3"
    first = run([python, "-m", "symvi", "--version"], clone, machine)
    assert first.stdout == f"symvi {__version__}\n"  # a result's place is kept free of what the set-up says
    second = run([python, "-m", "symvi", "--version"], clone, machine | OFFLINE)
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert not installed(clone, "pytest") and not installed(clone, "matplotlib")
    for variables in (machine, machine | OFFLINE):
        tests = run([python, "-m", "symvi", "test", "-n", "0", "tests/cli/test_cli.py"], clone, variables)
        assert " passed in " in tests.stdout.splitlines()[-1]
    return first.stderr


def installed(clone: Path, package: str) -> bool:
    return any((clone / ".venv").glob(f"lib/*/site-packages/{package}"))


def compiler_of(clone: Path, machine: dict[str, str]) -> str:
    """The kind of C compiler that symvi finds in the clone's environment, asked from outside the clone."""
    code = "from symvi.native.compiler import find_compiler; print(find_compiler().kind)"
    return run([f"{clone}/.venv/bin/python", "-c", code], clone.parent, machine).stdout.strip()


def test_with_pip_and_a_compiler(clone: Path, bare_machine: dict[str, str], add_program) -> None:
    for name in ("cc", "as", "ld"):
        add_program(name)
    said = set_up_and_use_it(clone, bare_machine)
    assert "with venv and pip" in said and "ziglang" not in said
    assert not installed(clone, "ziglang")
    assert list((clone / ".venv").glob("lib/*/site-packages/sympy/__pycache__/*.pyc"))  # without, SymPy takes seconds
    assert compiler_of(clone, bare_machine) in ("gcc", "clang")


def test_with_uv_and_without_a_compiler(clone: Path, bare_machine: dict[str, str], add_program) -> None:
    add_program("uv")
    said = set_up_and_use_it(clone, bare_machine)
    assert "with uv" in said and "ziglang" in said
    assert list((clone / ".venv").glob("lib/*/site-packages/sympy/__pycache__/*.pyc"))
    assert compiler_of(clone, bare_machine) == "zig"
