"""The command line: `symvi COMMAND`, or `python3 -m symvi COMMAND`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from symvi.cli import commands, exporting, importing, verifying, viewing  # the commands register themselves with `app`
from symvi.cli.console import app, command, print_json

__all__ = ["app", "command", "commands", "exporting", "importing", "main", "verifying", "viewing"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, from `arguments` or from this process's own, and return its exit code.

    A mistake of use (an unknown option, a wrong kind of value) ends with exit code 2, and with --json in an object on
    standard output like that of any other error.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=given, prog_name="symvi", standalone_mode=False)
    except typer.Abort:
        return 1
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        if not hasattr(error, "format_message"):  # the mark of typer's own errors, whose class is not public
            raise
        error.show()
        print_json({"error": error.format_message(), "kind": "UsageError"}, "--json" in given)
        return error.exit_code
    return code if isinstance(code, int) else 0
