"""LOADING: the cases as they stand, or once more with another NumPy: a hundred digits, SymPy, SymEngine, JAX.

The formulas say `import numpy as np` like anybody's. What they mean by np.sqrt is decided when their files are loaded.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType, SimpleNamespace

import numpy as np

from tests.verify.corpus.case import Case

PACKAGE = "tests.verify.corpus."
THEMES = (
    "rotations",
    "joints",
    "dynamics",
    "forces",
    "second",
    "known_errors",
)
FORMULAS = ("algebra", *THEMES)
ELEMENTARY = ("sqrt", "sin", "cos", "exp", "arctan2")


class ForeignNumbers(ModuleType):
    """NumPy's arrays of objects, with elementary functions of the numbers that they hold."""

    def __init__(self, functions: Mapping[str, Callable]):
        super().__init__("numpy")
        for name, function in functions.items():
            setattr(self, name, np.frompyfunc(function, 2 if name == "arctan2" else 1, 1))
        self.linalg = SimpleNamespace(norm=lambda v: self.sqrt(v @ v))

    def __getattr__(self, name: str):
        return getattr(np, name)


def load(numpy: ModuleType = np, themes: tuple[str, ...] = THEMES) -> dict[str, Case]:
    """All cases by name, in the order of their files; numpy: what `import numpy` gives while they are loaded."""
    kept = {name: sys.modules.pop(PACKAGE + name, None) for name in FORMULAS}
    before, sys.modules["numpy"] = sys.modules["numpy"], numpy
    try:
        modules = [importlib.import_module(PACKAGE + theme) for theme in themes]
    finally:
        sys.modules["numpy"] = before
        for name, module in kept.items():
            sys.modules.pop(PACKAGE + name, None)
            if module is not None:
                sys.modules[PACKAGE + name] = module
    cases = [case for module in modules for case in module.CASES]
    assert len({case.name for case in cases}) == len(cases), "two cases of one name"
    return {case.name: case for case in cases}
