"""Formulas in numbers: floats and rows of arrays have the same bits, and so have values that are none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from symvi.analysis import evaluation
from symvi.analysis.evaluation import evaluate
from symvi.physics import kinematics
from symvi.physics.formula import Formula
from symvi.physics.joints import rows
from symvi.physics.straight_line import Code, python_of

FORMULAS = [rows.coincidence, rows.offset_along, rows.alignment, rows.angle_about_axis, rows.screw_advance,
            kinematics.turned, kinematics.rotation_matrix]  # fmt: skip


def values(formula: Formula, count: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    return {argument.name: random.normal(size=(argument.size, count)) for argument in formula.inputs}


def both(formula: Formula, given: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """By floats, and by rows."""
    found = []
    for few in (1000, 0):
        monkeypatch.setattr(evaluation, "FEW", few)
        found.append(evaluate(formula, given))
    return found


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.name)
def test_floats_and_rows_have_the_same_bits(formula: Formula, monkeypatch) -> None:
    given = values(formula, 5)
    one, other = both(formula, given, monkeypatch)
    assert one.keys() == {argument.name for argument in formula.outputs}
    for name, entries in one.items():
        assert entries.shape[1] == 5 and entries.tobytes() == other[name].tobytes(), name


def test_what_has_no_value_is_none_in_both(monkeypatch) -> None:
    """The turn of a quaternion that is zero: a quotient by zero, which Python itself refuses."""
    given = {name: np.zeros_like(array) for name, array in values(rows.angle_about_axis, 2).items()}
    one, other = both(rows.angle_about_axis, given, monkeypatch)
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)
    scope: dict = {}
    exec(python_of(Code((Fraction(1),), (("div", (1, 0)),), {"y": (2,)}, {}), 1), scope)  # noqa: S102
    with pytest.raises(ZeroDivisionError):
        scope["compute"](0.0)


def test_constants_and_signs_are_those_of_the_code() -> None:
    """y = 1/3 - (-x), z = x."""
    code = Code((Fraction(1, 3),), (("neg", (0,)), ("sub", (1, 2))), {"y": (3,), "z": (0,)}, {})
    scope: dict = {}
    exec(python_of(code, 1), scope)  # noqa: S102
    assert scope["compute"](2.0) == (1 / 3 + 2.0, 2.0)
