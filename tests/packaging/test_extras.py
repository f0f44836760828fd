"""What is missing is named with a command that brings it where it was missed: for this interpreter, here."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from symvi import extras
from symvi.errors import missing_extra
from symvi.extras import install_command

REPOSITORY = Path(__file__).parents[2]
EXTRAS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.fixture(autouse=True)
def fresh():
    install_command.cache_clear()
    yield
    install_command.cache_clear()


@pytest.mark.parametrize("extra", EXTRAS)
def test_in_a_checkout_the_packages_are_named_for_the_interpreter_that_runs(extra: str, monkeypatch) -> None:
    """symvi itself, installed, would stand in the place of the checkout."""
    monkeypatch.setattr(extras, "DESCRIPTION", REPOSITORY / "pyproject.toml")
    monkeypatch.setattr(extras, "find_spec", lambda name: object())
    python, *words = shlex.split(install_command(extra))
    assert python == sys.executable and words == ["-m", "pip", "install", *EXTRAS[extra]]
    assert install_command(extra) in str(missing_extra(extra, "numbers"))


def test_an_installed_symvi_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where some other project's description lies beside it."""
    other = tmp_path / "pyproject.toml"
    other.write_text('[project]\nname = "other"\n[project.optional-dependencies]\nmjcf = ["nothing"]\n')
    monkeypatch.setattr(extras, "find_spec", lambda name: object())
    for description in (tmp_path / "none.toml", other):
        install_command.cache_clear()
        monkeypatch.setattr(extras, "DESCRIPTION", description)
        assert install_command("mjcf").endswith(" -m pip install 'symvi[mjcf]'")


def test_uv_installs_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert shlex.split(install_command("mjcf")) == ["uv", "pip", "install", "--python", sys.executable, *EXTRAS["mjcf"]]


@pytest.mark.skipif(sys.platform == "win32", reason="the command is written for the system's own shell")
def test_the_command_is_one_that_its_shell_takes_as_it_stands(tmp_path: Path, monkeypatch) -> None:
    """Bounds of versions hold < and >, and folders have spaces: echoed by the shell, every word is what it was."""
    monkeypatch.setattr(sys, "executable", "/a folder/it's/python")
    done = subprocess.run(f"printf '%s\\n' {install_command('zig')}", shell=True, capture_output=True, cwd=tmp_path)
    assert done.stdout.decode().splitlines() == shlex.split(install_command("zig"))
    assert "/a folder/it's/python" in done.stdout.decode() and not list(tmp_path.iterdir())


def test_mjcf_without_its_compiler_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symvi.errors import SymviError
    from symvi.importers import load

    path = tmp_path / "arm.xml"
    path.write_text("<mujoco/>")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(SymviError, match=re.escape(install_command("mjcf"))):
        load(path)


def test_c_without_its_preprocessor_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else of symvi.verify does without."""
    import symvi.verify as verify
    from symvi.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "pcpp", None)
    variables = {"x": verify.vector(2)}
    verify.assert_derivative(lambda x: x @ x, lambda x: 2 * x, "x", variables)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("verify"))):
        verify.c("void f(const double x[2], double y[1]) { y[0] = x[0]; }", "f")


def test_no_text_names_a_command_that_installs_elsewhere() -> None:
    """A bare pip is that of another interpreter as often as not."""
    texts = {path: path.read_text(encoding="utf-8") for path in (REPOSITORY / "symvi").rglob("*.py")}
    assert not [path for path, text in texts.items() if re.search(r"(?<!-m )pip install '?symvi", text)]
