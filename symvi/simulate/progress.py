"""How far a run is, at a notebook: a bar below the cell, as the command shows one in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

__all__ = ["Progress", "told_progress"]

Told = Callable[[int, int], None]
Progress = Told | bool | None
PATIENCE, EVERY = 0.5, 0.1  # s: before a bar comes, and between two of its pictures


def told_progress(progress: Progress) -> Told | None:
    """What a run tells its steps to: what the caller gave; a bar for True, and at a notebook for None; else nothing."""
    if callable(progress):
        return progress
    display = _notebook_display() if progress is not False else None
    if display is not None:
        return _Bar(display)
    return _in_terminal if progress else None


def _notebook_display() -> Callable[..., Any] | None:
    """IPython's display, where a notebook's kernel runs this; None in a terminal and without IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return import_module("IPython.display").display  # it runs already, so it is there


def _in_terminal(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\r{done} of {total} steps", end=end, file=sys.stderr, flush=True)


class _Bar:
    """A bar of HTML that is drawn anew; it goes away at the end, and stays where a run fails."""

    def __init__(self, display: Callable[..., Any]):
        self.display, self.begin, self.drawn, self.handle = display, perf_counter(), 0.0, None

    def __call__(self, done: int, total: int) -> None:
        now = perf_counter()
        if self.handle is None and (now - self.begin < PATIENCE or done == total):
            return
        if now - self.drawn < EVERY and done < total:
            return
        self.drawn = now
        picture = _Html(
            "" if done == total else f'<progress value="{done}" max="{total}"></progress> {done} of {total}'
        )
        if self.handle is None:
            self.handle = self.display(picture, display_id=True)
        else:
            self.handle.update(picture)


class _Html:
    """A piece of HTML; where only text can be shown, nothing."""

    def __init__(self, text: str):
        self.text = text

    def _repr_html_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return ""
