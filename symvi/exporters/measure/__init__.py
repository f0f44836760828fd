"""Figures of exported C, measured on emulated boards: size, stack, instructions, golden hash.

Nothing here fails for want of a tool: a figure is {"value", "unit", "how"}, or {"not measured": why, and what to
install}. The same export and the same tools give the same figures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from symvi.exporters.measure.boards import BOARDS, Board, boards_for
from symvi.exporters.measure.figures import Figure, figures, not_measured
from symvi.exporters.measure.figures import compiled_sizes as sizes_on
from symvi.exporters.measure.golden import golden_on_board
from symvi.exporters.measure.subject import Subject, files_of
from symvi.exporters.measure.tools import NotMeasured

__all__ = ["BOARDS", "Figure", "Subject", "compiled_sizes", "measure"]


def measure(folder: Path) -> dict[str, dict[str, Figure]]:
    """Every figure of an exported folder, by board: cortex-m4f (float) and cortex-m7.

    folder: include/P.h, src/P.c, examples/main.c and golden.h, and manifest.json with "prefix" and "step" [s]; nothing
    is written there. "golden" is the hash that the example prints on the board, "0x" and 16 digits.
    """
    about = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    prefix = about["prefix"]
    subject = Subject(files_of(folder, prefix), prefix, about["step"])
    return {
        board.name: {**figures(subject, board), "golden": _golden(subject, board)} for board in boards_for(subject.real)
    }


def compiled_sizes(sources: Mapping[str, str], board: str) -> dict[str, Figure]:
    """Bytes of flash and of stack on a board, compiled and linked but never run: "text", and "stack of the deepest
    entry point". sources: P.h and P.c, name -> text."""
    prefix = next(name.removesuffix(".c") for name in sources if name.endswith(".c"))
    return sizes_on(sources, prefix, BOARDS[board])


def _golden(subject: Subject, board: Board) -> Figure:
    try:
        value, how = golden_on_board(subject.files, subject.prefix, board)
    except NotMeasured as error:
        return not_measured(error)
    return {"value": value, "unit": "hash", "how": f"{how}, on QEMU's {board.machine}"}
