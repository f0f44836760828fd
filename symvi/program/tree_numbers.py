"""Numbers of a tree that patterns may not take for zero, and numbers that nobody but kernels reads.

A start gives the rates of all joints. No force need be there that changes them: a body that spins in free fall keeps
its rate for ever. What follows from rates (orientations, velocities, momenta) the kernels themselves make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symvi.kernels.body_kernels import BODY
from symvi.kernels.carried_joint import AGES, MEANINGS, OF_JOINT, Link
from symvi.kernels.tracing import KEPT
from symvi.program.border import Border
from symvi.program.patterns import Place

_OF_BODIES_ONLY = (*MEANINGS, "r", "j", "c", "a", "jw", "D", "q1")
_READ_OF_BODIES = ("rest", "held")
_READ_OF_JOINTS = ("bearing", "wrench")


def given_rates(links: Iterable[Link]) -> Callable[[Place], bool]:
    """Whether a start gives a number of the state: rates of joints, and of bodies that turn or move freely."""
    links = list(links)
    of_bodies = "v" * any(link.is_free for link in links) + "w" * any(link.is_absolute for link in links)
    rates = {(True, f"{name}{old}") for name in of_bodies for old in AGES} | {(False, f"u{old}") for old in AGES}

    def is_given(place: Place) -> bool:
        kind, store, name, _ = place
        return store == "state" and (kind == BODY, name) in rates

    return is_given


def needed_numbers(border: Border, closes: bool) -> Callable[[Place], bool]:
    """Whether control, or a user, reads a number.

    border: rows beside the tree. closes: whether joints are among them, which close loops.
    """

    def is_needed(place: Place) -> bool:
        kind, _, name, _ = place
        if kind in border.kinds:
            return border.is_needed(kind, name)
        if kind == BODY:
            alone = name in _OF_BODIES_ONLY or name.startswith(KEPT)
            return not alone or name in _READ_OF_BODIES
        read = (*_READ_OF_JOINTS, *(("u", "base", "s") if closes else ()))
        return name not in OF_JOINT or name in read

    return is_needed
