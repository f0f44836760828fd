"""The correct derivatives that edits start from: every claim of physics as SymPy and as printed C, some by hand too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from symvi.verify.asking import variables as kinds
from symvi.verify.asking.variables import Variable
from tests.verify.edits.by_hand import TEXTS
from tests.verify.edits.printed import printed

if TYPE_CHECKING:
    from symvi.physics.claims import Claim

SYMPY, PRINTED, BY_HAND = "SymPy", "printed C", "C by hand"
KINDS = {
    "vector": lambda s: kinds.vector(3, symbols=s),
    "angular velocity": lambda s: kinds.angular_velocity("h", symbols=s),
    "body": lambda s: kinds.quaternion(symbols=s),
    "world": lambda s: kinds.quaternion(side="world", symbols=s),
    "half": lambda s: kinds.quaternion("half", symbols=s),
    "scalar": lambda s: kinds.scalar(symbols=s),
    "positive": lambda s: kinds.scalar(positive=True, symbols=s),
    "step": lambda s: kinds.step(),
}


@dataclass(frozen=True, eq=False)
class Subject:
    """A claim of physics in one form: SYMPY, PRINTED or BY_HAND."""

    claim: Claim
    form: str

    @property
    def name(self) -> str:
        return self.claim.name

    @cached_property
    def text(self) -> str:
        """Of the C function; empty for SymPy."""
        if self.form == PRINTED:
            return printed(self.claim.name, self.claim.symbols, self.claim.derivative.flat())
        return TEXTS[self.name] if self.form == BY_HAND else ""

    @property
    def variables(self) -> dict[str, Variable]:
        return {name: KINDS[kind](self.claim.symbols[name]) for name, kind in self.claim.arguments.items()}


@cache
def subjects() -> tuple[Subject, ...]:
    """All subjects, the forms of one claim side by side."""
    from symvi.physics.claims import CLAIMS

    found = []
    for claim in CLAIMS:
        found.append(Subject(claim, SYMPY))
        if claim.name != "penalty":  # symvi prints no branches
            found.append(Subject(claim, PRINTED))
        if claim.name in TEXTS:
            found.append(Subject(claim, BY_HAND))
    return tuple(found)
