"""What a motion was asked for, and the error that was found of it (accuracy.py chooses)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Accuracy:
    """What a motion was asked for, and what it has.

    asked: largest error of positions [m] and turns [rad]. found: an estimate of it over all recorded knots, of three
    runs. order, composition: of the steps ("" of order 2). step: their length [s]. iterations: of all runs.
    """

    asked: float
    found: float
    order: int
    composition: str
    step: float
    iterations: int

    @property
    def is_met(self) -> bool:
        return self.found <= self.asked

    def __str__(self) -> str:
        name = f" ('{self.composition}')" if self.composition else ""
        return (
            f"order {self.order}{name} in steps of {self.step:g} s: error {self.found:.2g}, asked {self.asked:g} m, rad"
        )
