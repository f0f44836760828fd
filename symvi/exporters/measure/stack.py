"""How deep the stack gets: the deepest path of calls, from what gcc writes of frames and calls (-fcallgraph-info=su).

Nothing generated calls itself or through a pointer, so that the sum along the deepest path is a bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from symvi.exporters.measure.tools import NotMeasured

__all__ = ["deepest"]

_NODE = re.compile(r'node: \{ title: "([^"]*)" label: "[^"]*?(?:\\n(\d+) bytes \((\w[^)]*)\))?"')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')


def deepest(graph: Path, function: str) -> int:
    """Bytes of stack below a call of a function, itself included.

    graph: the .ci file of its object. Frames of functions elsewhere (a copy of memory, which gcc may call) count as
    none. Raises NotMeasured where a frame has no bound, or functions call each other in a circle.
    """
    text = graph.read_text(encoding="utf-8")
    frames = {_last(title): (int(size or 0), kind) for title, size, kind in _NODE.findall(text)}
    calls: dict[str, set[str]] = {}
    for source, target in _EDGE.findall(text):
        calls.setdefault(_last(source), set()).add(_last(target))
    return _below(function, frames, calls, ())


def _last(title: str) -> str:
    """gcc writes static functions with their file."""
    return title.rpartition(":")[2]


def _below(name: str, frames: Mapping, calls: Mapping, path: tuple[str, ...]) -> int:
    if name in path:
        raise NotMeasured(f"{name} calls itself: its stack has no bound")
    size, kind = frames.get(name, (0, ""))
    if kind == "dynamic":
        raise NotMeasured(f"{name}'s frame has no bound")
    return size + max((_below(called, frames, calls, (*path, name)) for called in calls.get(name, ())), default=0)
