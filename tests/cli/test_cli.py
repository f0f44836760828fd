"""The shared parts of the command line: results as JSON, errors as one message, quick help."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import typer

from symvi import MechanismError, __version__, cli
from symvi.cli import console


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a command line on an application with one command, `weigh`; give its exit code, output and error text."""
    app = typer.Typer(pretty_exceptions_enable=False)
    for module in (cli, console):
        monkeypatch.setattr(module, "app", app)
    app.callback()(lambda: None)

    @cli.command
    def weigh(console, file: Annotated[Path, typer.Argument()], scale: float = 1.0):
        """Weigh the bodies of a file."""
        console.print("weighing")
        if scale < 0:
            raise MechanismError(["body 'arm': a negative mass", "body 'leg': a negative mass"])
        if scale == 0:
            open(file, encoding="utf-8").close()
        return {"mass": scale * np.arange(2), "worst": np.float64("nan"), "file": file, "pair": (1, True, None)}

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        return code, *capsys.readouterr()

    return run


def test_people_read_text(run) -> None:
    assert run("weigh", "leg.toml") == (0, "weighing\n", "")


def test_programs_read_one_json_object(run) -> None:
    code, output, error = run("weigh", "leg.toml", "--scale", "2", "--json")
    assert (code, error) == (0, "weighing\n")
    assert json.loads(output) == {"mass": [0.0, 2.0], "worst": None, "file": "leg.toml", "pair": [1, True, None]}


def test_an_error_is_one_message_and_exit_code_1(run) -> None:
    message = "body 'arm': a negative mass\nbody 'leg': a negative mass"
    assert run("weigh", "leg.toml", "--scale", "-1") == (1, "weighing\n", f"symvi: {message}\n")
    code, output, _ = run("weigh", "leg.toml", "--scale", "-1", "--json")
    assert (code, json.loads(output)) == (1, {"error": message, "kind": "MechanismError"})


def test_a_missing_file_is_named(run) -> None:
    code, _, error = run("weigh", "no/such.toml", "--scale", "0")
    assert (code, error) == (1, "symvi: no/such.toml: No such file or directory\n")


def test_a_wrong_option_is_a_mistake_of_use(run) -> None:
    code, output, error = run("weigh", "leg.toml", "--sale", "2")
    assert (code, output) == (2, "") and "--sale" in error


def test_a_mistake_of_use_is_told_to_programs_too(run) -> None:
    for arguments, word in (
        (("weigh", "leg.toml", "--sale", "2", "--json"), "--sale"),
        (("weigh", "--json"), "file"),
        (("weigh", "leg.toml", "--scale", "much", "--json"), "--scale"),
        (("weight", "leg.toml", "--json"), "weight"),
    ):
        code, output, error = run(*arguments)
        found = json.loads(output)
        assert (code, found["kind"]) == (2, "UsageError") and word in found["error"].lower() and word in error.lower()


def test_help_lists_the_option_that_every_command_has(run) -> None:
    code, output, _ = run("weigh", "--help")
    assert code == 0 and "--json" in output and "console" not in output


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"symvi {__version__}\n"


@pytest.mark.parametrize("given", [None, "3"])
def test_a_command_computes_on_one_thread_unless_somebody_says_how_many(given: str | None) -> None:
    """Of its own process alone: threads for small matrices would wait for each other on a busy machine."""
    code = "import os, symvi.cli; symvi.cli.main(['--version']); print(os.environ['OPENBLAS_NUM_THREADS'])"
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": given} if given else {}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split()[-1] == (given or "1")
