"""From generated C to a program for a board: objects, what the linker keeps of them, frames and calls.

The flags are those of the shipped Makefile: for size, each function in a section of its own, and the linker leaves out
what nothing calls. Nothing is contracted, so that a board computes the bits of the host.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symvi.exporters.bits import SAME_BITS, SECTIONS
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.tools import NotMeasured, cross_compiler
from symvi.native.command import CompilationError, run_compiler

__all__ = ["Program", "compile_object", "link", "write"]

_FLAGS = ("-Os", "-std=c99", *SAME_BITS["gcc"], *SECTIONS)
# an unmodified main with printf, its output through the emulator; memory as the boards of QEMU have it
_LINK = (
    "--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted", "-Wl,--gc-sections",
    "-Wl,--defsym=__flash=0x0", "-Wl,--defsym=__flash_size=0x400000", "-Wl,--defsym=__ram=0x20000000",
    "-Wl,--defsym=__ram_size=0x400000", "-Wl,--defsym=__stack_size=0x40000",
)  # fmt: skip
# a section that the linker kept: its name, address, size, object; the name stands on a line of its own where it is long
_KEPT = re.compile(r"^ (\.[a-z]+)\S*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+\.o)$", re.M)
_SYMBOL = re.compile(r"^\s+0x([0-9a-f]+)\s+(\w+)$", re.M)


@dataclass(frozen=True)
class Program:
    """What was linked. sections: object -> kind of section (".text", ".rodata", ".data", ".bss") -> bytes.
    addresses: function -> where it begins, of those that other objects can call."""

    path: Path
    sections: Mapping[str, Mapping[str, int]]
    addresses: Mapping[str, int]

    def text(self, name: str) -> int:
        """Bytes in flash of the object NAME.o: machine code and constants."""
        kept = self.sections.get(f"{name}.o", {})
        return sum(kept.get(kind, 0) for kind in (".text", ".rodata", ".data"))

    def data(self, name: str) -> int:
        """Bytes in RAM of the object NAME.o, before anybody has made a struct."""
        kept = self.sections.get(f"{name}.o", {})
        return sum(kept.get(kind, 0) for kind in (".data", ".bss"))


def write(files: Mapping[str, str], folder: Path) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def compile_object(board: Board, name: str, folder: Path, flags: tuple[str, ...] = ()) -> str:
    """Compile NAME.c of a folder to NAME.o there, and NAME.ci beside it: its frames and calls. Returns how.

    flags: more of them; being last they win.
    Raises NotMeasured where the compiler is missing or fails.
    """
    command, described = cross_compiler()
    given = (*_FLAGS, *flags)
    _run(command, (*board.flags, *given, "--specs=picolibc.specs", "-fcallgraph-info=su", "-c", f"{name}.c", "-o",
                   f"{name}.o"), folder)  # fmt: skip
    return " ".join((described, *board.flags, *given))


def link(board: Board, names: tuple[str, ...], folder: Path, output: str = "firmware") -> Program:
    """Link objects of a folder to OUTPUT.elf there. Raises NotMeasured where that fails."""
    command, _ = cross_compiler()
    objects = [f"{name}.o" for name in names]
    _run(command, (*board.flags, *_LINK, f"-Wl,-Map={output}.map", *objects, "-o", f"{output}.elf"), folder)
    text = (folder / f"{output}.map").read_text(encoding="utf-8", errors="replace")
    kept = text.partition("Memory Configuration")[2]  # what was left out stands before
    sections: dict[str, dict[str, int]] = {name: {} for name in objects}
    for kind, _, size, name in _KEPT.findall(kept):
        if name in sections:
            sections[name][kind] = sections[name].get(kind, 0) + int(size, 16)
    addresses = {symbol: int(address, 16) for address, symbol in _SYMBOL.findall(kept)}
    return Program(folder / f"{output}.elf", sections, addresses)


def _run(command: str, arguments: tuple[str, ...], folder: Path) -> None:
    try:
        run_compiler((command,), arguments, folder)
    except CompilationError as error:
        raise NotMeasured(str(error)) from error
