"""Dry friction along a joint: an inequality within the step (physics/inequalities.py, kernels/limit.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import DryFriction

    return DryFriction


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Bounds per axis; an axis that is described without any keeps the least one, which stands for none."""
    from symvi.mechanism.forces import LEAST_BOUND
    from symvi.numbers.settings import Described, per_axis

    for name, described in per_axis(mechanism, force, "bound"):

        def with_room(values: tuple, of: tuple = described.value, name: str = name) -> dict:
            return {name: tuple(LEAST_BOUND if v == was == 0.0 else v for v, was in zip(values, of, strict=True))}

        yield name, Described(described.value, with_room)


register_force(
    ForceKind(
        name="dry_friction",
        description=description,
        model=None,
        numbers=numbers,
        per_axis=("bound",),
    )
)
