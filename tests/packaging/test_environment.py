"""Where a checkout's environment lies, when it is used as it is, and what is said when it cannot be made."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

from symvi import __main__, environment

LOCK = """\
mpmath==1 \\
    --hash=sha256:0
    # via
    #   symvi (pyproject.toml)
    #   sympy
pytest==3 \\
    --hash=sha256:1
    # via symvi (pyproject.toml)
sympy==2 \\
    --hash=sha256:2
    # via symvi (pyproject.toml)
ziglang==2 \\
    --hash=sha256:3
    # via symvi (pyproject.toml)
"""


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty checkout with a lock, and a user's cache folder beside it; nothing is installed in these tests."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "symvi"\ndependencies = ["sympy>=1"]\n')
    (folder / "requirements.lock").write_text(LOCK)
    monkeypatch.setattr(environment, "CHECKOUT", folder)
    monkeypatch.setattr(environment, "LOCK", folder / "requirements.lock")
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / "cache"))
    for name in ("CI", "CC", "SYMVI_CC"):
        monkeypatch.delenv(name, raising=False)
    return folder


def pretend_made(folder: Path, ziglang: str = "absent", tests: str = "absent") -> None:
    python = environment.interpreter_in(folder)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    environment._note(folder, {**environment._wanted(folder), "ziglang": ziglang, "tests": tests})


def test_it_lies_in_the_checkout(checkout: Path) -> None:
    assert environment._folder() == checkout / ".venv"


def test_the_environment_of_somebody_else_is_left_alone(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    assert environment._folder().parent == checkout.parent / "cache" / "environments"


def test_a_read_only_checkout_has_it_in_the_cache(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert environment._folder().parent == checkout.parent / "cache" / "environments"


@pytest.mark.parametrize("name", [".", "environments"])
def test_a_cache_that_others_can_write_to_holds_no_environment(checkout: Path, name: str) -> None:
    """What lies in an environment is run."""
    (checkout / ".venv").mkdir()
    folder = checkout.parent / "cache" / name
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    with pytest.raises(environment.SetUpError, match="other users can write|written by other users"):
        environment._folder()


@pytest.mark.skipif(sys.platform != "linux", reason="the cache folder of Linux")
def test_without_HOME_the_user_entry_counts(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: N802
    for name in ("SYMVI_CACHE", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert environment._cache() == Path(os.path.expanduser("~")) / ".cache" / "symvi"
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # no user entry either
    with pytest.raises(environment.SetUpError, match="set SYMVI_CACHE"):
        environment._cache()


def test_one_that_is_current_is_used_as_it_is(checkout: Path) -> None:
    pretend_made(checkout / ".venv")
    assert environment.python_of_checkout() == environment.interpreter_in(checkout / ".venv")


def test_it_is_renewed_after_a_change(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkout / ".venv"
    assert not environment._is_current(folder)
    pretend_made(folder)
    assert environment._is_current(folder)
    environment.LOCK.write_text("numpy==3\n")
    assert not environment._is_current(folder)
    environment._note(folder, environment._wanted(folder) | {"ziglang": "absent", "python": "2.7"})
    assert not environment._is_current(folder)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bool]]:
    """What would be installed, package by package, and whether all else would be removed."""
    found: list[tuple[list[str], bool]] = []

    def make_empty(folder: Path, uv: str | None) -> None:
        environment.interpreter_in(folder).parent.mkdir()
        environment.interpreter_in(folder).symlink_to(sys.executable)

    def install(folder: Path, uv: str | None, title: str, requirements: str, exactly: bool) -> None:
        found.append((sorted(environment.packages_of_lock(requirements)), exactly))

    monkeypatch.setattr(environment, "_make_empty", make_empty)
    monkeypatch.setattr(environment, "_install", install)
    monkeypatch.setattr(environment, "_add_ziglang", lambda *_: "absent")
    monkeypatch.setattr(environment.shutil, "which", lambda name: f"/usr/bin/{name}")
    return found


def test_what_only_tests_need_comes_with_the_first_test(checkout: Path, installed: list) -> None:
    environment.python_of_checkout()
    assert installed == [(["mpmath", "sympy"], True)]
    environment.python_of_checkout(for_tests=True)
    assert installed[1:] == [(["pytest"], False)]  # beside what somebody may have added
    for for_tests in (True, False):
        environment.python_of_checkout(for_tests)
    assert len(installed) == 2


def test_what_tests_need_is_kept_when_the_lock_changes(checkout: Path, installed: list) -> None:
    environment.python_of_checkout(for_tests=True)
    environment.LOCK.write_text(LOCK.replace("sympy==2", "sympy==3"))
    environment.python_of_checkout()
    assert installed == [(["mpmath", "pytest", "sympy"], True)] * 2
    assert environment._is_current(checkout / ".venv", for_tests=True)


def test_it_is_renewed_when_the_last_compiler_has_gone(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    pretend_made(checkout / ".venv")
    assert not environment._is_current(checkout / ".venv")
    (checkout / "gcc").symlink_to(sys.executable)
    assert environment._is_current(checkout / ".venv")


@pytest.mark.parametrize("variable", ["CC", "SYMVI_CC"])
@pytest.mark.parametrize("value", ["ccache gcc", "no-such-compiler", '"'])
def test_a_compiler_that_was_named_is_not_second_guessed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """Right or wrong: if it does not work, the job says so, and a wrong one must not set up anew on every run."""
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.setenv(variable, value)
    pretend_made(checkout / ".venv")
    assert environment._is_current(checkout / ".venv")


def test_a_ziglang_that_could_not_be_had_is_not_asked_for_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    pretend_made(checkout / ".venv", ziglang="failed")
    assert environment._is_current(checkout / ".venv")


def test_a_python_without_ensurepip_names_the_package(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else find_spec(name))
    monkeypatch.setenv("PATH", str(checkout))
    with pytest.raises(environment.SetUpError) as caught:
        environment.python_of_checkout()
    message = str(caught.value)
    assert f"apt install python3.{sys.version_info[1]}-venv" in message and "\n" not in message
    assert json.loads((checkout / ".venv" / environment.NOTE).read_text()) == {}  # known to be ours: taken up again


def test_an_old_python_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(__main__, "OLDEST_PYTHON", (99, 0))
    assert __main__.main(["demo"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_an_installed_package_has_no_tests(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.LOCK.unlink()
    assert __main__.main(["test"]) == 1
    assert "clone" in capsys.readouterr().err
