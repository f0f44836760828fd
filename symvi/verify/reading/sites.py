"""Where a condition stands in Python code: its line and, as several may stand in one, its own text.

A condition that is asked several times in one run, in a loop or for every number of an array, is one site for every
turn. Turns beyond MOST_TURNS are one.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType

MOST_TURNS = 16
LONGEST = 60  # characters of code that are quoted
OF_AN_ARRAY = ", of an array"


class _Arrays:
    """Whether NumPy compares the numbers of an array at the moment."""

    depth = 0


ARRAYS = _Arrays()
_KNOWN: dict[tuple[int, int], tuple[CodeType, str]] = {}  # code objects are kept, so that their ids stay theirs


def user_frame(inside: Sequence[str]) -> FrameType:
    """The innermost frame of code of which the file's name has none of these parts."""
    frame = sys._getframe(1)
    while frame.f_back is not None and any(part in frame.f_code.co_filename for part in inside):
        frame = frame.f_back
    return frame


def place_in(code: CodeType, line: int | None) -> str:
    """file.py:12."""
    return f"{code.co_filename.replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}"


def condition_at(code: CodeType, instruction: int, line: Callable[[], str]) -> str:
    """condition in file.py:12: x > 1000; without its source the instruction's number stands for the text."""
    key = (id(code), instruction)
    if key not in _KNOWN:
        words = quoted(code, instruction) or f"instruction {instruction}"
        _KNOWN[key] = (code, f"condition in {line()}: {words}")
    return _KNOWN[key][1] + OF_AN_ARRAY * bool(ARRAYS.depth)


def quoted(code: CodeType, instruction: int) -> str:
    """The expression that an instruction belongs to; one that is too long ends with three dots."""
    places = list(code.co_positions())
    if instruction < 0 or instruction // 2 >= len(places):
        return ""
    first, last, start, end = places[instruction // 2]
    if first is None or first != last or start is None or end is None:
        return ""
    text = linecache.getline(code.co_filename, first).encode()[start:end].decode(errors="replace").strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def by_turns(path: Sequence[tuple]) -> list[tuple]:
    """(site, turn) of every condition of a path."""
    counted: dict[object, int] = {}
    found = []
    for site, _ in path:
        counted[site] = min(counted.get(site, 0) + 1, MOST_TURNS)
        found.append((site, counted[site]))
    return found


def all_alike(path: Sequence[tuple]) -> set[tuple]:
    """(site, way) of arrays of which all numbers went the same way."""
    ways: dict[object, set[bool]] = {}
    for site, way in path:
        if str(site).endswith(OF_AN_ARRAY):
            ways.setdefault(site, set()).add(way)
    return {(site, way) for site, found in ways.items() if len(found) == 1 for way in found}
