"""The question in words, as every report states it."""

from __future__ import annotations

from itertools import groupby

from symvi.verify.asking.question import Question
from symvi.verify.judging.problem import Problem


def asked_lines(problem: Problem) -> tuple[str, ...]:
    """The function with its options, the derivative's order, and how every variable of it moves."""
    question, function = problem.question, problem.function
    what = {1: "the derivative", 2: "the second derivatives"}[question.order]
    if question.weights:
        what = {1: f"Gᵀ {question.weights}", 2: f"the derivative of Gᵀ {question.weights}"}[question.order]
    lines = [f"{what} of {function.said} with respect to {wrt_said(question)}"]
    if function.equation:
        lines.append(f"{function.name}: {function.equation}")
    return tuple(lines)


def wrt_said(question: Question) -> str:
    """Names of a type together: x_a, x_b (vector of 3)."""
    groups = groupby(sorted(question.wrt, key=lambda name: question.variables[name].said), _type_in(question))
    return "; ".join(f"{', '.join(names)} ({said})" for said, names in groups)


def _type_in(question: Question):
    return lambda name: question.variables[name].said
