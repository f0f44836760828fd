"""Limits: end stops of a joint, as inequalities on one of its minimal coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.values import Name, Number, Text, field

__all__ = ["Limit"]


class Limit(Description):
    """End stops of a joint coordinate c: lower <= c <= upper, one of them or both; impacts are plastic.

    coordinate: which of the joint's minimal coordinates, counted from 0.
    lower, upper: [m] for a translation, [rad] for a rotation.
    """

    label: ClassVar[str] = "limit"
    name: Name = field(..., "name of the limit")
    joint: Text = field(..., "the joint")
    coordinate: int = Field(
        default=0, ge=0, strict=True, description="which minimal coordinate of the joint, counted from 0"
    )
    lower: Number | None = field(None, "least value of the coordinate", "coordinate")
    upper: Number | None = field(None, "largest value of the coordinate", "coordinate")

    def complaints(self) -> Iterator[Complaint]:
        if self.lower is None and self.upper is None:
            yield Complaint((), "has neither lower nor upper; give one or both")
        elif self.lower is not None and self.upper is not None and self.lower >= self.upper:
            yield Complaint(
                ("upper",),
                f"upper {self.upper} must be greater than lower {self.lower}; "
                "to hold a coordinate, take a driver, or a joint that does not have it",
            )
