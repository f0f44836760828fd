"""Run a program on an emulated board: what it printed, and how it ended."""

from __future__ import annotations

import subprocess
from pathlib import Path

from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.tools import NotMeasured, emulator

__all__ = ["emulate", "launch"]

PATIENCE = 300.0  # s; a program that does not end is ended
# no window, no monitor; what the program reads and prints goes through semihosting to this process
_OPTIONS = (
    "-nographic", "-monitor", "none", "-serial", "none", "-chardev", "stdio,id=board",
    "-semihosting-config", "enable=on,target=native,chardev=board",
)  # fmt: skip


def launch(board: Board, program: Path, plugin: str = "") -> tuple[str, ...]:
    """The command that runs a program. plugin: one of the emulator's, with its arguments."""
    extra = ("-plugin", plugin) if plugin else ()
    return (emulator(), "-M", board.machine, *_OPTIONS, *extra, "-kernel", program.name)


def emulate(board: Board, program: Path, plugin: str = "", *, ends: tuple[int, ...] = (0,)) -> str:
    """Run a program in its folder and return what it printed.

    ends: what main may return. Raises NotMeasured where it returns something else, the program does not end, or the
    emulator is missing.
    """
    line = launch(board, program, plugin)
    try:
        done = subprocess.run(
            line, cwd=program.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotMeasured(f"{program.stem} on {board.title} did not end within {PATIENCE:g} s") from error
    output, complaint = (text.decode("utf-8", errors="replace") for text in (done.stdout, done.stderr))
    if done.returncode not in ends:
        said = " ".join((complaint.strip() or output.strip())[-400:].split())
        raise NotMeasured(f"{program.stem} on {board.title} ended with {done.returncode}: {said}")
    return output
