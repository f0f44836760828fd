"""LOADING: the cases as they stand, or once more with another NumPy: a hundred digits, SymPy, SymEngine, JAX.

The formulas say `import numpy as np` like anybody's. What they mean by np.sqrt is decided when their files are loaded.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
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
    "unusual",
    "traps",
    "known_errors",
)
FORMULAS = ("algebra", *THEMES)


class ForeignNumbers(ModuleType):
    """NumPy's arrays of objects, with elementary functions and constants of the numbers that they hold."""

    def __init__(self, functions: Mapping[str, object]):
        super().__init__("numpy")
        for name, function in functions.items():
            if callable(function):
                setattr(self, name, np.frompyfunc(function, 2 if name == "arctan2" else 1, 1))
            else:
                setattr(self, name, function)
        self.linalg = SimpleNamespace(norm=lambda v: self.sqrt(v @ v))

    def __getattr__(self, name: str):
        return getattr(np, name)


def load(numpy: ModuleType = np) -> dict[str, Case]:
    """All cases by name, in the order of their files; numpy: what `np` means in them."""
    package = importlib.import_module(PACKAGE[:-1])
    kept = {name: sys.modules.pop(PACKAGE + name, None) for name in FORMULAS}
    try:
        modules = {name: _loaded(package, name, numpy) for name in FORMULAS}
    finally:
        for name, module in kept.items():
            vars(package).pop(name, None)
            sys.modules.pop(PACKAGE + name, None)
            if module is not None:
                sys.modules[PACKAGE + name] = module
                setattr(package, name, module)
    cases = [case for theme in THEMES for case in modules[theme].CASES]
    assert len({case.name for case in cases}) == len(cases), "two cases of one name"
    return {case.name: case for case in cases}


def _loaded(package: ModuleType, name: str, numpy: ModuleType) -> ModuleType:
    """A module as its file says, without its import of NumPy. Others find it under its name while they are loaded."""
    spec = importlib.util.find_spec(PACKAGE + name)
    module = sys.modules[PACKAGE + name] = importlib.util.module_from_spec(spec)
    setattr(package, name, module)
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    tree.body = [line for line in tree.body if not isinstance(line, ast.Import)]
    module.np = numpy
    exec(compile(tree, spec.origin, "exec"), module.__dict__)
    return module


def written_in_sympy() -> dict[str, Case]:
    """The cases whose function and claim are SymPy matrices, by name."""
    from tests.verify.corpus.sympy_forms import CASES

    return {case.name: case for case in CASES}


def numeric(case: Case, functions: Sequence | str, numpy: ModuleType = np) -> Case:
    """A case of SymPy matrices with functions of arrays in their place; functions: lambdify's modules."""
    import sympy

    def called(matrix: sympy.Matrix) -> Callable:
        @cache  # made when first asked for: tests are collected by their names
        def entries() -> Callable:
            symbols = [symbol for name in case.variables for symbol in _symbols(name, case)]
            return sympy.lambdify(symbols, list(matrix), functions)

        def values(**at):
            numbers = [number for name in case.variables for number in numpy.asarray(at[name]).reshape(-1)]
            return numpy.array(entries()(*numbers)).reshape(matrix.shape)

        return values

    return replace(case, function=called(case.function), claimed=called(case.claimed), symbolic=False)


def _symbols(name: str, case: Case) -> list:
    """The symbols of a variable, in the order of its entries, whether the case uses them or not."""
    import sympy

    variable = case.variables[name]
    used = {symbol.name: symbol for matrix in (case.function, case.claimed) for symbol in matrix.free_symbols}
    if variable.kind == "inertia":
        names = [f"{name}{min(i, j)}{max(i, j)}" for i in range(3) for j in range(3)]
    elif variable.size == 1:
        names = [name]
    else:
        names = [f"{name}{'_' * ('_' in name)}{k}" for k in range(variable.size)]
    seen: set[str] = set()
    found = []
    for each in names:  # the mirrored entries of an inertia are the same symbol; lambdify wants every one once
        found.append(used.get(each, sympy.Symbol(each)) if each not in seen else sympy.Dummy())
        seen.add(each)
    return found
