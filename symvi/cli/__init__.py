"""The command line: `symvi COMMAND`, or `python3 -m symvi COMMAND`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from symvi.cli import (  # the commands register themselves with `app`
    commands,
    exporting,
    importing,
    reading,
    sweeping,
    verifying,
    viewing,
)
from symvi.cli.console import app, command, print_json

__all__ = [
    "app",
    "command",
    "commands",
    "exporting",
    "importing",
    "main",
    "reading",
    "sweeping",
    "verifying",
    "viewing",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, from `arguments` or from this process's own, and return its exit code.

    A mistake of use (an unknown option, a wrong kind of value) ends with exit code 2, and with --json in an object on
    standard output like that of any other error.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _use_one_thread()
    try:
        code = app(args=given, prog_name="symvi", standalone_mode=False)
    except typer.Abort:
        return 1
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        if not hasattr(error, "format_message"):  # the mark of typer's own errors, whose class is not public
            raise
        of_typer: Any = error
        of_typer.show()
        print_json({"error": of_typer.format_message(), "kind": "UsageError"}, "--json" in given)
        return of_typer.exit_code
    return code if isinstance(code, int) else 0


def _use_one_thread() -> None:
    """NumPy's matrices are small here: threads for them wait for each other, on a busy machine for most of a command.

    Whoever has set the variables, or has imported NumPy before, decides.
    """
    if "numpy" not in sys.modules:
        for library in ("OPENBLAS", "MKL", "OMP"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
