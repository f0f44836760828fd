"""Checks that several elements share: which bodies are joined, and whether texts are in the grammar."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from symvi.mechanism.description import Complaint
from symvi.mechanism.grammar import FUNCTIONS, PLACEMENT_NAMES, GrammarError, parse
from symvi.mechanism.names import WORLD, shown
from symvi.mechanism.signals import signal_tree

__all__ = ["expression_complaints", "pair_complaints", "parameter_complaints", "sign_complaints", "signal_complaints"]

TAKEN_NAMES = frozenset({*PLACEMENT_NAMES, *FUNCTIONS, "pi", "t"})


def pair_complaints(parent: str, child: str) -> Iterator[Complaint]:
    """Two bodies must be joined, or the world and a body."""
    if child == WORLD:
        yield Complaint(("child",), "child is the world; make the world the parent")
    elif child == parent:
        yield Complaint(("child",), f"joins the body {shown(child)} to itself; give two different bodies")


def signal_complaints(texts: Sequence[str | None]) -> Iterator[Complaint]:
    """Every text must be an expression in t."""
    for i, text in enumerate(texts):
        try:
            if text is not None:
                signal_tree(text)
        except GrammarError as error:
            yield Complaint(("signal", i), f"signal {shown(text)}, {error}")


def expression_complaints(path: tuple[str | int, ...], text: str, parameters: Collection[str]) -> Iterator[Complaint]:
    """The text must be an expression in placements and these parameters."""
    try:
        parse(text, frozenset(parameters), placements=True)
    except GrammarError as error:
        yield Complaint(path, f"expression {shown(text)}, {error}")


def parameter_complaints(parameters: Collection[str]) -> Iterator[Complaint]:
    """A parameter must not hide a name of the grammar."""
    for name in parameters:
        if name in TAKEN_NAMES:
            yield Complaint(("parameters", name), f"parameter '{name}' has a name of the grammar; choose another")


def sign_complaints(name: str, values: float | Sequence[float]) -> Iterator[Complaint]:
    """No value may be negative."""
    if min([values] if isinstance(values, (int, float)) else values, default=0.0) < 0.0:
        yield Complaint((name,), f"{name} {shown(values)} must not be negative")
