"""What a run keeps in memory, told before any of it is asked for."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from symvi.errors import ArgumentError
from symvi.simulate.plan import Plan
from symvi.simulate.recording import EVERYTHING, Holding, takes_whole, watched_every

MOST_STEPS = 2**31 - 1  # that C counts
UNTOLD = 64 * 2**30  # bytes that are taken for the memory of a machine that does not tell it
# Copies, as measured: of recorded frames (as they come, joined, in doubles, read for energies), and of knots' numbers.
FRAMES, ROWS, TIMES = 4, 3, 3
CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def needed(plan: Plan, gains: int, steps: int, every: int, names: tuple[str, ...] = EVERYTHING) -> int:
    """Bytes of a run at their most: frames of recorded knots; the times, inputs and gains of all. names: recorded."""
    each = FRAMES * plan.frame["size"][0]
    if names != EVERYTHING and not takes_whole(names):
        each = -(-each // watched_every(every)) + FRAMES * Holding.of(plan, names).size
    recorded = each * (1 + steps // every)
    return 8 * (recorded + (TIMES + ROWS * (len(plan.inputs) + gains)) * (1 + steps))


@lru_cache
def memory() -> int:
    """Bytes of memory that this machine has, or that its container may use; as at the first run of a process."""
    try:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, OSError, ValueError):  # Windows has no such call
        found = [UNTOLD]
    for place in CONTROL_GROUPS:
        try:
            found.append(int(Path(place).read_text()))
        except (OSError, ValueError):  # there is none, or it is without a bound
            continue
    return min(size for size in found if size > 0)


def check_room(plan: Plan, gains: int, steps: int, every: int, names: tuple[str, ...] = EVERYTHING) -> None:
    """Raises ArgumentError for a run that takes more memory than there is, with what it takes and what would do."""
    needs, has = needed(plan, gains, steps, every, names), memory()
    if needs <= has and steps <= MOST_STEPS:
        return
    each = needed(plan, gains, 1, 1, names) - needed(plan, gains, 0, 1, names)
    pieces = f"run in pieces of at most {min(has // each, MOST_STEPS)} steps that go on from each other, with start"
    if needs <= has:
        raise ArgumentError(f"{steps} steps are more than one run counts: {pieces}")
    fewer = "record fewer knots, with every, or " if needed(plan, gains, steps, steps, names) <= has else ""
    takes = f"{steps} steps, every {every}th of them recorded," if every > 1 else f"{steps} steps"
    raise ArgumentError(
        f"{takes} take about {told_size(needs)} of memory, and there are {told_size(has)}: {fewer}{pieces}, and save "
        "each"
    )


def told_size(size: int) -> str:
    """1536 MiB as "1.5 GiB"."""
    for power, unit in ((5, "PiB"), (4, "TiB"), (3, "GiB"), (2, "MiB")):
        if size >= 1024**power or power == 2:
            return f"{size / 1024**power:.3g} {unit}"
    raise AssertionError(size)
