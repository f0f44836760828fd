"""What one of symvi's own functions is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symvi.verify.asking.variables import Variable
from symvi.verify.reading.worlds import World


@dataclass(frozen=True)
class Definition:
    """One of symvi's functions: of = function(world, **arguments) -> entries; equation and source as papers write it.

    wrt: what its derivative is usually taken by.
    """

    name: str
    equation: str
    source: str
    variables: Mapping[str, Variable]
    wrt: tuple[str, ...]
    of: Callable
    shape: tuple[int, ...] | None = None


def named(world: World, text: str, values: list) -> list:
    """Values under a name that diagnoses can say; for a single number, a list of it."""
    tell = getattr(world, "at", None)
    if tell is not None:
        for value in values:
            tell(value, text)
    return values
