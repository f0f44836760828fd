"""What a user asks of an export, checked before anything is derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symvi.errors import SymviError
from symvi.exporters.prefixes import check_prefix
from symvi.mechanism import Mechanism
from symvi.mechanism.names import shown
from symvi.mechanism.values import LARGEST, SMALLEST
from symvi.numbers.composition import composition_of
from symvi.numbers.control import MOST_ITERATIONS, MOST_PARTS, PARTS
from symvi.numbers.quadrature import is_rule

__all__ = ["Request"]

# the least and the largest numbers of float that have all their digits
_LEAST_FLOAT, _MOST_FLOAT = 2.0**-126, (2.0 - 2.0**-23) * 2.0**127
_LOOPS = ("drop-redundant", "rigid", "drop")
_COORDINATES = ("auto", "maximal", "tree")
_LAYOUTS = ("auto", "inline", "unrolled", "looped")


@dataclass(frozen=True)
class Request:
    """What to export, and how.

    real: "double" or "float". layout, loops, coordinates, order: as for Simulator. fixed_iterations: Newton iterations
    in every step, or 0 (until it converges). substeps: parts that a step which fails may be split into. prefix: of
    every symbol and file. step: of the exported defaults [s]. most_text, most_ram: budgets [bytes], or None. measure:
    whether figures of boards are measured. model: whether what a model is asked comes along. slopes: whether
    derivatives of a step do. lean: steps of that many fixed iterations alone, for little memory.

    Raises SymviError, naming the option, for what cannot be exported.
    """

    mechanism: Mechanism
    real: str
    layout: str
    fixed_iterations: int
    substeps: int
    prefix: str
    step: float
    loops: str
    coordinates: Literal["auto", "maximal", "tree"]
    most_text: int | None
    most_ram: int | None
    measure: bool
    model: bool = False
    slopes: bool = False
    order: int | str = 2
    lean: bool = False

    def __post_init__(self) -> None:
        _one_of("real", self.real, ("double", "float"))
        _one_of("layout", self.layout, _LAYOUTS)
        _one_of("loops", self.loops, _LOOPS)
        _one_of("coordinates", self.coordinates, _COORDINATES)
        composition_of(self.order)
        for name in ("measure", "model", "slopes", "lean"):
            if not isinstance(getattr(self, name), bool):
                raise SymviError(f"{name} {shown(getattr(self, name))}: must be True or False")
        if self.slopes and self.real != "double":
            raise SymviError(f"slopes: derivatives are computed in double, not in {self.real}; leave them out")
        if self.slopes and (composition_of(self.order) is not None or is_rule(self.order)):
            raise SymviError(
                f"slopes: derivatives are those of a step of order 2, and these are of {self.order!r}; use order 2"
            )
        check_prefix(self.prefix)
        if not _is_count(self.fixed_iterations, 0) or self.fixed_iterations > MOST_ITERATIONS:
            raise SymviError(
                f"fixed_iterations {shown(self.fixed_iterations)}: must be 0 or a number of iterations, at most "
                f"{MOST_ITERATIONS}"
            )
        if not _is_count(self.substeps, 1) or self.substeps not in PARTS:
            raise SymviError(f"substeps {shown(self.substeps)}: must be a power of two, from 1 to {MOST_PARTS}")
        if self.lean:
            self._check_lean()
        if isinstance(self.step, bool) or not isinstance(self.step, int | float) or not 0 < self.step < float("inf"):
            raise SymviError(f"step {shown(self.step)}: must be a positive number of seconds")
        if not SMALLEST <= self.step <= LARGEST:
            raise SymviError(f"step {shown(self.step)}: must lie between {SMALLEST:g} and {LARGEST:g} s")
        object.__setattr__(self, "step", float(self.step))
        if self.real == "float" and not _LEAST_FLOAT <= self.step <= _MOST_FLOAT:
            kind = "small" if self.step < _LEAST_FLOAT else "large"
            raise SymviError(
                f"step {self.step:g}: is too {kind} for a number in float; choose another, or --real double"
            )
        for name, value in (("max_text", self.most_text), ("max_ram", self.most_ram)):
            if value is not None and not _is_count(value, 1):
                raise SymviError(f"{name} {shown(value)}: must be a positive number of bytes")

    def _check_lean(self) -> None:
        """Raises SymviError for what a lean export leaves out."""
        if not self.fixed_iterations:
            raise SymviError(
                "lean: every step of a lean export takes the same number of iterations; "
                "give it, as --fixed-iterations 2"
            )
        if self.slopes:
            raise SymviError("lean: derivatives of a step are left out of a lean export; leave out one of the two")
        if composition_of(self.order) is not None or is_rule(self.order):
            raise SymviError(f"lean: steps of a lean export are of order 2, and these are of {self.order!r}")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        raise SymviError(f"{name} {shown(value)}: use {', '.join(map(repr, known[:-1]))} or {known[-1]!r}")
