"""The programs with which exports are measured. One that is missing is named, with the package that brings it."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from symvi.errors import SymviError

__all__ = ["CROSS_COMPILER", "EMULATOR", "NotMeasured", "cross_compiler", "emulator", "require"]

CROSS_COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
# program or library -> the package of Debian and its relatives that brings it
PACKAGES = {CROSS_COMPILER: "gcc-arm-none-eabi", "picolibc": "picolibc-arm-none-eabi", EMULATOR: "qemu-system-arm"}


class NotMeasured(SymviError):
    """A figure that cannot be had here: the message says why, and what to install where that would do."""


def require(program: str) -> str:
    """The program's name. Raises NotMeasured where it is not on this machine."""
    if shutil.which(program) is None:
        raise _missing(program)
    return program


def cross_compiler() -> tuple[str, str]:
    """The compiler for boards, and its name with its version. Raises NotMeasured where it lacks, or its C library."""
    command = require(CROSS_COMPILER)
    return command, _described(command, shutil.which(command))


def emulator() -> str:
    """The emulator. Raises NotMeasured where it is missing."""
    return require(EMULATOR)


@cache
def _described(command: str, place: str) -> str:
    """place: where the command is, so that another one is asked again."""
    # gcc gives a name back as it is where it finds no file for it
    if not Path(_answer(place, "-print-file-name=picolibc.specs")).is_absolute():
        raise _missing("picolibc")
    return f"{command} {_answer(place, '-dumpfullversion')}"


def _answer(*line: str) -> str:
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True, errors="replace").stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotMeasured(f"{' '.join(line)} does not work here: {error}") from error


def _missing(program: str) -> NotMeasured:
    return NotMeasured(f"{program} is missing: install the package {PACKAGES[program]}")
