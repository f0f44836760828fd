"""Numbers that write down what is done with them: a tape decides what it keeps of an operation (`done`)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE = range(5)
OPERATIONS: dict[int, Callable] = {
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
}


class Recorded:
    """A number of a tape, at an index. `_other` makes one of another operand, or gives None for what is no number."""

    __slots__ = ("value", "index", "tape")

    def __init__(self, value, index, tape):
        self.value, self.index, self.tape = value, index, tape

    def _other(self, other: object) -> Any:
        raise NotImplementedError

    def __neg__(self):
        return self.tape.done(NEGATE, self, None)

    def __pos__(self):
        return self


def _method(kind: int, turned: bool) -> Callable:
    def apply(self: Recorded, other: object):
        if (number := self._other(other)) is None:
            return NotImplemented
        return self.tape.done(kind, number, self) if turned else self.tape.done(kind, self, number)

    return apply


for _name, _kind in {"add": ADD, "sub": SUBTRACT, "mul": MULTIPLY, "truediv": DIVIDE}.items():
    setattr(Recorded, f"__{_name}__", _method(_kind, False))
    setattr(Recorded, f"__r{_name}__", _method(_kind, True))
