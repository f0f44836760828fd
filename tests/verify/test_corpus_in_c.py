"""The corpus's C files say what its Python says, right or wrong: compiled and run in double precision.

Only the corpus is compiled here, to confirm that its two languages agree; symvi itself never compiles C that it is
asked about. Both do some hundred operations on numbers near one, so they agree to 1e-12.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from symvi.native import compile_library, load_library
from tests.verify.corpus.case import Case
from tests.verify.corpus.differences import claimed
from tests.verify.corpus.loading import load
from tests.verify.corpus.points import Point, point

FOLDER = Path(__file__).parent / "corpus" / "c"
CASES = {name: case for name, case in load().items() if case.c}


@cache
def library(file: str):
    """A compiled file, and the arguments of its functions by name."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    sources = {file: text, "algebra.h": (FOLDER / "algebra.h").read_text(encoding="utf-8")}
    prototypes = re.findall(r"^(?:void|double) \w+\([^)]*\)", text, re.MULTILINE)
    path = compile_library(sources, f"corpus_{Path(file).stem}", flags=("-fvisibility=default",))
    arguments = {
        re.match(r"\w+ (\w+)", each)[1]: [
            (re.search(r"(\w+)(?:\[\d+\])*$", argument)[1], "[" in argument)
            for argument in each[each.index("(") + 1 : -1].replace("\n", " ").split(", ")
        ]
        for each in prototypes
    }
    return load_library(path, "\n".join(f"{each};" for each in prototypes)), arguments


def called(file: str, name: str, at: Point, size: int) -> np.ndarray:
    """What a function returns, or what it writes to the argument that is no variable."""
    loaded, arguments = library(file)
    result = np.full(size, np.nan)
    given = []
    for argument, is_array in arguments[name]:
        value = np.ascontiguousarray(at[argument] if argument in at else result, dtype=float)
        result = result if argument in at else value
        given.append(loaded.ffi.cast("void *", value.ctypes.data) if is_array else value.item())
    returned = getattr(loaded.lib, name)(*given)
    return result if returned is None else np.array([returned])


@pytest.mark.parametrize("name", CASES)
def test_c_and_python_of_a_case_are_the_same_function_and_the_same_claim(name: str) -> None:
    case: Case = CASES[name]
    file, function, claim = case.c
    for seed in range(3):
        at = point(case, Random(f"{name} {seed}"))
        values, entries = np.asarray(case.function(**at), dtype=float).reshape(-1), claimed(case, at)
        assert called(file, function, at, values.size) == pytest.approx(values, rel=1e-12, abs=1e-12)
        in_c = called(file, claim, at, entries.size).reshape(entries.shape)
        assert in_c == pytest.approx(entries, rel=1e-12, abs=1e-12)


def test_at_least_fifteen_claims_are_in_c_and_about_half_of_them_right() -> None:
    right = sum(case.right for case in CASES.values())
    assert len(CASES) >= 15 and 0.4 <= right / len(CASES) <= 0.6
