"""Instructions that functions take on an emulated board: exact, and the same in every run.

A plugin of QEMU (templates/measure/instructions.c), compiled with this machine's own compiler, notes each call of the
functions that are asked for. Interrupts and caches are none, so that a count belongs to the program alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symvi.emit.templates import templates_folder
from symvi.errors import CompilerError
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.build import Program
from symvi.exporters.measure.emulator import emulate
from symvi.exporters.measure.tools import NotMeasured, emulator
from symvi.native import compile_library, find_compiler

__all__ = ["Fit", "count_calls", "fit"]

# QEMU refuses a plugin that was written for another of its interfaces; what is used here is the same in all of these
INTERFACES = (1, 2, 3, 4)
COUNTS = "instructions.txt"


@dataclass(frozen=True)
class Fit:
    """A step takes once + each x iterations instructions, at most `above` more in the steps that were counted."""

    once: float
    each: float
    above: float


def count_calls(board: Board, program: Program, functions: Sequence[str]) -> tuple[str, Mapping[str, list[int]]]:
    """What the program printed, and the instructions of every call of each function, in the order of the calls.

    A call inside another one that is counted counts there. Raises NotMeasured where it cannot be counted.
    """
    places = [program.addresses[name] for name in functions]
    record = program.path.parent / COUNTS
    record.unlink(missing_ok=True)
    arguments = ",".join([f"output={COUNTS}", *(f"function={place:#x}" for place in places)])
    output = _with_plugin(board, program.path, arguments)
    calls: dict[str, list[int]] = {name: [] for name in functions}
    for line in record.read_text(encoding="ascii").splitlines():
        number, count = line.split()
        calls[functions[int(number)]].append(int(count))
    return output, calls


def fit(iterations: Sequence[int], instructions: Sequence[int]) -> Fit:
    """The line of least squares through steps. Raises NotMeasured where all of them took as many iterations."""
    n = len(iterations)
    if len(set(iterations)) < 2:
        raise NotMeasured("every step took as many iterations: what one costs cannot be told from the rest of a step")
    mean, level = sum(iterations) / n, sum(instructions) / n
    each = sum((x - mean) * (y - level) for x, y in zip(iterations, instructions, strict=True)) / sum(
        (x - mean) ** 2 for x in iterations
    )
    once = level - each * mean
    above = max(y - (once + each * x) for x, y in zip(iterations, instructions, strict=True))
    return Fit(once, each, above)


def _with_plugin(board: Board, program: Path, arguments: str) -> str:
    """Try the interfaces one after the other: which one an emulator has, only a trial tells."""
    emulator()  # without one there is nothing to try
    reasons = []
    for interface in INTERFACES:
        try:
            return emulate(board, program, f"{_plugin(interface)},{arguments}")
        except NotMeasured as error:
            if (program.parent / COUNTS).exists():  # the plugin ran: something else is wrong
                raise
            reasons.append(str(error))
    raise NotMeasured(f"instructions cannot be counted by this emulator: {reasons[0]}")


@cache
def _plugin(interface: int) -> Path:
    """The plugin, compiled once and kept in the cache folder."""
    text = (templates_folder() / "measure" / "instructions.c").read_text(encoding="utf-8")
    try:
        if find_compiler() is None:
            raise NotMeasured("no C compiler for the emulator's plugin that counts: install gcc")
        flags = (f"-DINTERFACE={interface}",)
        return compile_library({"instructions.c": text}, "instructions", flags=flags)
    except CompilerError as error:
        raise NotMeasured(str(error)) from error
