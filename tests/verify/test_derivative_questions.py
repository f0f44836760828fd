"""What was asked stands in every report; a claim that answers another usual question is said to."""

from __future__ import annotations

import pytest

import symvi.verify as verify
from tests.verify import hand_written as hand

OTHERS = {
    "--axes joint": {"axes": "joint"},
    "--scale 1": {"scale": 1},
    "--tangent half": {"tangent": "half"},
    "--side world": {"side": "world"},
    "--axes joint --side world": {"axes": "joint", "side": "world"},
}


@pytest.fixture(scope="module")
def wrong() -> verify.Report:
    return verify.derivative(verify.own("revolute"), hand.revolute("sign"), wrt=hand.PLACEMENTS)


@pytest.mark.parametrize("form", ["text", "JSON", "HTML", "LaTeX"])
def test_a_report_says_what_was_asked(wrong: verify.Report, form: str) -> None:
    shown = {"text": str, "JSON": lambda r: str(r.json()), "HTML": verify.Report.html, "LaTeX": verify.Report.latex}
    said = shown[form](wrong)
    assert "axes world, scale 2" in said and "unit quaternion, rotation vector, body side" in said


@pytest.mark.parametrize("said", OTHERS)
def test_a_claim_that_answers_another_question_is_said_to(said: str) -> None:
    """The derivative of the joint in other axes, scale, tangent or side, claimed for the usual one."""
    asked = verify.own("revolute")
    other = verify.own("revolute", **OTHERS[said])
    report = verify.derivative(asked, as_claim(other), wrt=hand.PLACEMENTS)
    assert not report.right
    assert [(d.kind, d.says) for d in report.diagnoses] == [("convention", f"right with {said}")], str(report)


def as_claim(function):
    """The derivative of one of symvi's own functions as a function to claim."""
    from symvi.verify.derivatives.function import Function, Outputs
    from symvi.verify.derivatives.question import question
    from symvi.verify.derivatives.truth import true_derivative

    asked = question(hand.PLACEMENTS, function.variables, 1, None, 5)

    def evaluate(values, world):
        return Outputs(asked.shape(5), true_derivative(function, asked, values, world))

    return Function("other", tuple(function.variables), evaluate, "symvi")
