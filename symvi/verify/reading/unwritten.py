"""What np.empty gives before something is written there: nothing, and nobody may read it."""

from __future__ import annotations

from symvi.verify.errors import VerificationError
from symvi.verify.reading.exact_scalars import user_line

OPERATORS = "add sub mul truediv pow radd rsub rmul rtruediv rpow neg pos abs lt le gt ge eq ne bool float int"


class Unwritten:
    """An entry of np.empty that nothing was written to: on a computer any number that lay in memory there."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "a number of np.empty that nothing was written to"

    def _read(self, *others):
        raise VerificationError(f"{user_line()}: reads {self!r}; write to it first, or take np.zeros")


for _name in OPERATORS.split():
    setattr(Unwritten, f"__{_name}__", Unwritten._read)
