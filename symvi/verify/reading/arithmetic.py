"""What code of another language asks of numbers: a world as a small set of operations by name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symvi.verify.errors import NeedsFloats, OutsideDomain
from symvi.verify.reading.elementary import NAMES, call, power
from symvi.verify.reading.worlds import MachineWorld, World


class Arithmetic:
    """number(Fraction), rounded(Fraction, unit), root(x), power(x, p/q), pi, less, equal, and sin, cos, ... by name.

    Numbers are a world's, or dual numbers over them; + - * / and unary minus are their own. `site` says where a
    condition stands, "line 12: x < 0": the ways that it goes are tested one by one. at(value, text), where the world
    has it, hears where a number that was just computed stands in the code; diagnoses name it.
    """

    def __init__(self, world: World):
        self.world, self.at = world, world.at
        self.number, self.rounded, self.root = world.constant, world.rounded, world.functions.sqrt

    @property
    def pi(self):
        return self.world.pi

    def power(self, x, exponent: int | Fraction):
        return power(self.world, x, exponent)

    def less(self, a, b, site: object = "condition") -> bool:
        return self.world.decide(self.world.compare(a, b) < 0, site)

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
