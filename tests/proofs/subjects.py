"""Mechanisms of the zoo by name, composed, printed and read back; the last few are kept."""

from __future__ import annotations

from functools import lru_cache

from symvi.proofs.kernels import Subject, subject
from symvi.proofs.zoo import zoo

ZOO = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
NAMES = tuple(ZOO)


@lru_cache(maxsize=4)
def of_zoo(name: str) -> Subject:
    return subject(*ZOO[name])
