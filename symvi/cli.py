"""The command line: `symvi COMMAND`, or `python3 -m symvi COMMAND`."""

from __future__ import annotations

from collections.abc import Sequence

from symvi import commands  # the commands register themselves with `app`
from symvi.console import app, command

__all__ = ["app", "command", "commands", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, from `arguments` or from this process's own, and return its exit code."""
    try:
        app(args=arguments, prog_name="symvi")
    except SystemExit as end:  # typer ends every command this way
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
