"""What was asked stands in every report; quaternions that are stored in another order are said to be."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from symvi.derive import own
from tests.verify import hand_written as hand


@pytest.fixture(scope="module")
def wrong() -> verify.Report:
    return verify.derivative(own("revolute"), hand.revolute("sign"), wrt=hand.PLACEMENTS)


@pytest.mark.parametrize("form", ["text", "JSON", "HTML"])
def test_a_report_says_what_was_asked(wrong: verify.Report, form: str) -> None:
    shown = {"text": str, "JSON": lambda r: str(r.json()), "HTML": verify.Report.html}
    said = shown[form](wrong)
    assert "axes world, scale 2" in said and "unit quaternion, rotation vector, body side" in said


def turned_last(q, p):
    w, u = q[3], q[:3]
    return p + 2 * np.cross(u, w * p + np.cross(u, p))


def turned_last_by_q(q, p):
    """By a rotation in body axes, R(q) p gives -R(q) p^."""
    rows = [[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]]
    return -np.array([turned_last(q, column) for column in np.array(rows).T]).T


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "right_there"),
    [
        (lambda found: found, True),
        (lambda found: np.array([[float(x) for x in row] for row in found]), True),
        (lambda found: 2 * found, False),
    ],
    ids=["exact", "floats", "wrong there too"],
)
def test_quaternions_that_function_and_claim_store_as_xyzw_are_said_to(change, right_there: bool) -> None:
    variables = {"q": verify.quaternion(), "p": verify.vector(3)}
    report = verify.derivative(turned_last, lambda q, p: change(turned_last_by_q(q, p)), "q", variables)
    said = [(d.kind, d.says) for d in report.diagnoses]
    assert not report.right and (len(said) == 1 and said[0][0] == "convention") == right_there, str(report)


def test_symbols_that_are_named_in_another_order_are_said_to() -> None:
    q, p = sp.symbols("qx qy qz qw"), sp.symbols("p:3")
    function, claimed = (sp.Matrix(of(np.array(q), np.array(p))) for of in (turned_last, turned_last_by_q))
    variables = {"q": verify.quaternion(symbols=q), "p": verify.vector(3, symbols=p)}
    report = verify.derivative(function, claimed, "q", variables)
    assert [d.says for d in report.diagnoses] == [
        "right if q is stored as x, y, z, w: here the scalar part is the first"
    ]
