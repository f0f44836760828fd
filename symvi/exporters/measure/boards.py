"""The boards on which exports are measured, as QEMU has them, and what is assumed of the processors they stand for.

QEMU counts instructions and knows nothing of cycles. `cycles` turns instructions into an estimate of time; it is
assumed, not measured, and meant to be on the careful side for code that is mostly floating-point arithmetic, loads and
stores. A Cortex-M4F starts an operation in float every cycle, waits where the next needs its result, and takes two for
most loads; a Cortex-M7 starts up to two instructions a cycle, but operations in double less often than that. Waiting
for flash is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BOARDS", "Board", "boards_for"]


@dataclass(frozen=True)
class Board:
    """machine: QEMU's name. flags: of gcc, for the processor. reals: in which its processor computes in hardware.

    clock [Hz], cycles per instruction by real: for the estimate of time only.
    """

    name: str
    title: str
    machine: str
    flags: tuple[str, ...]
    reals: tuple[str, ...]
    clock: float
    cycles: dict[str, float]

    def seconds(self, instructions: float, real: str) -> float:
        """About how long the processor takes for so many instructions [s]."""
        return instructions * self.cycles[real] / self.clock


BOARDS = {
    board.name: board
    for board in (
        Board(
            "cortex-m4f", "Cortex-M4F", "mps2-an386",
            ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
            ("float",), 168e6, {"float": 1.5},
        ),
        Board(
            "cortex-m7", "Cortex-M7", "mps2-an500",
            ("-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard"),
            ("double", "float"), 480e6, {"double": 2.0, "float": 1.0},
        ),
    )
}  # fmt: skip


def boards_for(real: str) -> tuple[Board, ...]:
    """The boards that compute in this type in hardware; in software its bits would depend on the compiler's library."""
    return tuple(board for board in BOARDS.values() if real in board.reals)
