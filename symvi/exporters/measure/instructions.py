"""Instructions that functions take on an emulated board: exact, and the same in every run.

A plugin of QEMU (templates/measure/instructions.c), compiled with this machine's own compiler, notes each call of the
functions that are asked for. Interrupts and caches are none, so that a count belongs to the program alone.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symvi.emit.template_files import templates_folder
from symvi.errors import CompilerError
from symvi.exporters.measure.board_build import Program
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.emulator import emulate
from symvi.exporters.measure.tools import NotMeasured, emulator
from symvi.native import Compiler, compile_library, find_compiler
from symvi.native.command import CompilationError
from symvi.native.compiler import identify, usual_commands

__all__ = ["Fit", "count_calls", "counted", "counting", "fit"]

# QEMU refuses a plugin that was written for another of its interfaces; what is used here is the same in all of these
INTERFACES = (1, 2, 3, 4)
COUNTS = "instructions.txt"


@dataclass(frozen=True)
class Fit:
    """A step takes once + each x iterations instructions, at most `above` more in the steps that were counted."""

    once: float
    each: float
    above: float


def count_calls(board: Board, program: Program, functions: Sequence[str]) -> tuple[str, dict[str, list[int]]]:
    """What the program printed, and the instructions of every call of each function, in the order of the calls.

    A call inside another one that is counted counts there. Raises NotMeasured where it cannot be counted.
    """
    output = emulate(board, program.path, counting(program, functions))
    return output, counted(program, functions)


def counting(program: Program, functions: Sequence[str]) -> str:
    """The plugin for a run of a program in which calls of some functions are counted. Raises NotMeasured."""
    places = [program.addresses[name] for name in functions]
    plugin = _escaped(_plugin(emulator()))
    return ",".join([plugin, f"output={COUNTS}", *(f"function={place:#x}" for place in places)])


def counted(program: Program, functions: Sequence[str]) -> dict[str, list[int]]:
    """What was counted in that run: function -> the instructions of each of its calls."""
    calls: dict[str, list[int]] = {name: [] for name in functions}
    for line in (program.path.parent / COUNTS).read_text(encoding="ascii").splitlines():
        number, count = line.split()
        calls[functions[int(number)]].append(int(count))
    return calls


def fit(iterations: Sequence[int], instructions: Sequence[int]) -> Fit:
    """The line of least squares through steps.

    Raises NotMeasured where all of them took as many iterations, or where the line makes no sense: where a step would
    cost less than nothing before its first iteration, or an iteration would cost nothing.
    """
    n = len(iterations)
    if len(set(iterations)) < 2:
        raise NotMeasured("every step took as many iterations: what one costs cannot be told from the rest of a step")
    mean, level = sum(iterations) / n, sum(instructions) / n
    each = sum((x - mean) * (y - level) for x, y in zip(iterations, instructions, strict=True)) / sum(
        (x - mean) ** 2 for x in iterations
    )
    once = level - each * mean
    if once < 0 or each <= 0:
        raise NotMeasured(
            f"the steps lie on no line: with {min(iterations)} to {max(iterations)} iterations they took "
            f"{min(instructions)} to {max(instructions)} instructions"
        )
    above = max(y - (once + each * x) for x, y in zip(iterations, instructions, strict=True))
    return Fit(once, each, above)


@cache
def _plugin(program: str) -> Path:
    """The plugin, with the interface of this emulator: which one that is, only a trial tells."""
    complaints = []
    for path in map(_compiled, INTERFACES):
        complaints.append(_complaint(program, path))
        if not complaints[-1]:
            return path
    raise NotMeasured(f"instructions cannot be counted by this emulator: {complaints[0]}")


def _complaint(program: str, plugin: Path) -> str:
    """What an emulator without a board says against a plugin; nothing if it takes it."""
    with tempfile.TemporaryDirectory(prefix="symvi-") as folder:
        line = (program, "-M", "none", "-nographic", "-monitor", "stdio", "-serial", "none")
        done = subprocess.run(
            (*line, "-plugin", f"{_escaped(plugin)},output={COUNTS}"),
            cwd=folder,
            input=b"quit\n",
            capture_output=True,
            check=False,
        )
    return " ".join(done.stderr.decode(errors="replace").split())[-200:] if done.returncode else ""


def _escaped(path: Path) -> str:
    """A path as QEMU reads it among options that commas part."""
    return str(path).replace(",", ",,")


def _compiler() -> Compiler:
    """The one that is asked for, but tcc: its libraries want all symbols when they are loaded, and these are QEMU's."""
    found = find_compiler()
    for command in usual_commands() if found is not None and found.kind == "tcc" else ():
        try:
            found = identify(command)
        except CompilationError:
            continue
        break
    if found is None or found.kind == "tcc":
        raise NotMeasured("no C compiler for the emulator's plugin that counts: install gcc")
    return found


def _compiled(interface: int) -> Path:
    """The plugin for one interface, compiled once and kept in the cache folder."""
    text = (templates_folder() / "measure" / "instructions.c").read_text(encoding="utf-8")
    try:
        flags = (f"-DINTERFACE={interface}",)
        return compile_library({"instructions.c": text}, "instructions", compiler=_compiler(), flags=flags)
    except CompilerError as error:
        raise NotMeasured(str(error)) from error
