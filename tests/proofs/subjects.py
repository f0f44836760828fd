"""Mechanisms of the zoo by name, composed, printed and read back; the last few are kept."""

from __future__ import annotations

from functools import lru_cache

from symvi.proofs.choosing import chosen
from symvi.proofs.kernels import Subject, subject
from symvi.proofs.zoo import zoo

ZOO = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
CASES = {case.name: case for case in chosen(())}
MAXIMAL = tuple(name for name, case in CASES.items() if case.coordinates == "maximal")
TREES = tuple(name for name, case in CASES.items() if case.coordinates == "tree")
NAMES = (*MAXIMAL, *TREES)


@lru_cache(maxsize=4)
def of_zoo(name: str) -> Subject:
    case = CASES[name]
    return subject(case.mechanism, case.choices, coordinates=case.coordinates)
