"""What code of another language asks of numbers: a world as a small set of operations by name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symvi.verify.errors import NeedsFloats, OutsideDomain
from symvi.verify.reading.elementary import NAMES, absolute, call, power
from symvi.verify.reading.worlds import MachineWorld, World


class Arithmetic:
    """number(Fraction), root(x), absolute(x), power(x, p/q), pi, less, less_equal, equal, and sin, cos, ... by name.

    Numbers are a world's, or dual numbers over them; + - * / and unary minus are their own. `site` says where a
    condition stands, "line 12: x < 0": the ways that it goes are tested one by one.
    """

    def __init__(self, world: World):
        self.world = world

    def number(self, value: int | Fraction):
        return self.world.constant(value)

    def rounded(self, value: Fraction, unit: Fraction):
        """A number that was rounded by up to a few units of its last place."""
        return self.world.rounded(value, unit)

    @property
    def pi(self):
        return self.world.pi

    def root(self, x):
        return self.world.functions.sqrt(x)

    def power(self, x, exponent: int | Fraction):
        return power(self.world, x, exponent)

    def absolute(self, x):
        return absolute(self.world, x)

    def less(self, a, b, site: object = "condition") -> bool:
        return self.world.decide(self.world.compare(a, b) < 0, site)

    def less_equal(self, a, b, site: object = "condition") -> bool:
        return self.world.decide(self.world.compare(a, b) <= 0, site)

    def equal(self, a, b, site: object = "condition") -> bool:
        return self.world.decide(self.world.compare(a, b) == 0, site)

    def told(self, outcome: bool, site: object) -> bool:
        """A condition that always goes one way on these numbers: its other way is told as not reached."""
        return self.world.decide(outcome, site)

    def __getattr__(self, name: str) -> Callable:
        if name not in NAMES:
            raise AttributeError(name)
        return lambda *arguments: call(self.world, name, list(arguments))

    def of_machine(self, function: Callable, *numbers):
        """A function that only machine numbers have, as int(x). Raises NeedsFloats, OutsideDomain."""
        if not isinstance(self.world, MachineWorld):
            raise NeedsFloats("a function that jumps has no exact values")
        try:
            return function(*numbers)
        except (ValueError, OverflowError) as error:
            raise OutsideDomain(str(error)) from None

    def at(self, value: object, text: str) -> None:
        """Where the number that was just computed stands in the code: "line 12: a * b"; diagnoses name it."""
        if self.world.at is not None:
            self.world.at(value, text)
