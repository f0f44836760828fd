"""Repetitions in a schedule: stretches of calls in which a few kernels come again and again, on records further on.

Along a chain whole phases are such stretches: every body in turn, or body and joint in turn from the leaf to the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symvi.program.program import Call

LONGEST, FEWEST = 4, 4  # calls of a pattern; turns that are worth a loop


@dataclass(frozen=True)
class Repetition:
    """`turns` times the calls of a pattern; every turn moves the index of a node on by its shift.

    shifts: one tuple per call of the pattern, one number per node of the call.
    """

    pattern: tuple[Call, ...]
    shifts: tuple[tuple[int, ...], ...]
    turns: int


def repetitions_in(calls: Sequence[Call]) -> list[Repetition | tuple[Call, ...]]:
    """A sequence of calls as repetitions and the calls between them, in order."""
    alike = _alike(calls)
    parts: list[Repetition | tuple[Call, ...]] = []
    place, rest = 0, 0
    while place < len(calls):
        found = max((_repetition(calls, alike, place, length) for length in range(1, LONGEST + 1)), key=_calls)
        if found.turns < FEWEST:
            place += 1
            continue
        if rest < place:
            parts.append(tuple(calls[rest:place]))
        parts.append(found)
        rest = place = place + _calls(found)
    return [*parts, tuple(calls[rest:])] if rest < len(calls) else parts


def _alike(calls: Sequence[Call]) -> list[int]:
    """A number for every call, the same for those of one kernel on the same kinds of nodes."""
    numbers: dict[tuple, int] = {}
    return [numbers.setdefault((id(c.kernel), *(n.kind for n in c.nodes)), len(numbers)) for c in calls]


def _calls(repetition: Repetition) -> int:
    return repetition.turns * len(repetition.pattern) if repetition.turns >= FEWEST else 0


def _repetition(calls: Sequence[Call], alike: Sequence[int], place: int, length: int) -> Repetition:
    """The longest repetition of a pattern of so many calls that begins at a place; one turn if it does not repeat."""
    after = place + length
    if alike[place:after] != alike[after : after + length]:
        return Repetition((), (), 1)
    shifts = [_shift(calls[k], calls[k + length]) for k in range(place, after)]
    turns = 2
    while alike[place:after] == alike[place + turns * length : after + turns * length] and all(
        _shift(calls[k], calls[k + length]) == shifts[(k - place) % length]
        for k in range(place + (turns - 1) * length, place + turns * length)
    ):
        turns += 1
    return Repetition(tuple(calls[place:after]), tuple(shifts), turns)


def _shift(call: Call, moved: Call) -> tuple[int, ...]:
    """How far a call's nodes have moved in another call of the same kernel."""
    return tuple(other.index - node.index for node, other in zip(call.nodes, moved.nodes, strict=True))
