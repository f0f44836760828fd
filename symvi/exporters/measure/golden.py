"""The golden hash of an export: what its example prints after 1000 steps, on this machine and on emulated boards.

The hash is FNV-1a over the bits of every body's placement and velocities after every step, so that equal hashes mean
equal bits all the way.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from symvi.exporters.bits import ON_HOST
from symvi.exporters.measure.board_build import compile_object, link, write
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.emulator import emulate
from symvi.exporters.measure.tools import NotMeasured
from symvi.native import Compiler
from symvi.native.command import CompilationError, run_compiler
from symvi.native.flags import math_library, program_file

__all__ = ["golden_on_board", "golden_on_host"]

MAIN, PROGRAM = "main", "golden"
DIFFERENT = 1  # what the example returns where its hash is not the one that was shipped
_HASH = re.compile(r"^# hash (0x[0-9a-f]{16})$", re.M)


def golden_on_host(files: Mapping[str, str], prefix: str, compiler: Compiler, flags: tuple[str, ...] = ()) -> str:
    """The hash on this machine. files: PREFIX.h, PREFIX.c, main.c and what that includes; flags: given last.

    Raises NotMeasured where the compiler or the program fails.
    """
    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        folder = Path(name)
        write(files, folder)
        program = program_file(PROGRAM)
        given = (*ON_HOST[compiler.kind], *flags, "-o", program, f"{MAIN}.c", f"{prefix}.c", *math_library())
        try:
            run_compiler(compiler.command, given, folder)
            done = subprocess.run([folder / program], capture_output=True, text=True, check=False)
        except (CompilationError, OSError) as error:
            raise NotMeasured(str(error)) from error
        return _hash(done.stdout)


def golden_on_board(
    files: Mapping[str, str], prefix: str, board: Board, flags: tuple[str, ...] = ()
) -> tuple[str, str]:
    """The hash on an emulated board, and how the program was compiled. files, flags: as above.

    Raises NotMeasured where a tool is missing, the program does not fit, or it fails.
    """
    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        folder = Path(name)
        write(files, folder)
        how = compile_object(board, prefix, folder, flags)
        compile_object(board, MAIN, folder, flags)
        program = link(board, (MAIN, prefix), folder, PROGRAM)
        return _hash(emulate(board, program.path, ends=(0, DIFFERENT))), how


def _hash(output: str) -> str:
    found = _HASH.findall(output)
    if not found:
        raise NotMeasured("the example printed no hash")
    return found[-1]
