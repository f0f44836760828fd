"""Is this derivative right? symvi beside finite differences, complex steps, JAX's check_grads, SymPy and SymEngine.

All of them answer the same corpus (tests/verify/corpus): formulas of joints, bodies, forces and contacts, right ones
and wrong ones, whose truth is known entry by entry. Missed: a wrong claim that passes. False alarm: a right one that is
refused. Undecided: no answer, or none in ten seconds. JAX and SymEngine are in the extra bench.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from statistics import median

import numpy as np
from _benchmark import Report, run
from _gradient_checkers import (
    RIGHT,
    UNDECIDED,
    algebra,
    case_of,
    complex_step,
    differences,
    installed,
    jax_check_grads,
    names,
    symvi,
    timed,
)

import symvi.verify as verify
from symvi.derive import own
from symvi.derive.derivation import derivation
from symvi.errors import SymviError
from symvi.extras import install_command
from tests.verify.corpus.asking import ask, explained
from tests.verify.corpus.case import Case

JOINTS = (("revolute", 5), ("universal", 4), ("screw", 5))  # and their rows
QUICK_JOINTS = (("distance", 1),)
SECONDS = 10.0  # for SymPy and SymEngine, per case
EVERY_QUICK = 100  # of the cases
KINDS = ("missed", "false alarm", "undecided")
HEAD = ("checker", "cases", "missed", "false alarms", "undecided", "median ms", "longest s", "all s")


def measure(report: Report) -> None:
    asked = names()[::EVERY_QUICK] if report.quick else names()
    answers = {checker: answers_of(verdict, asked) for checker, verdict in checkers(report).items()}
    report.table("verdicts", HEAD, [(checker, *figures(found)) for checker, found in answers.items()])
    if not report.quick:
        report.table("cases that not all get right", ("case", *answers), cases_of_note(asked, answers))
    bounds(report, answers["symvi"])
    diagnoses(report, asked)
    own_joints(report)


def answers_of(verdict: Callable[[str], str], asked: list[str]) -> dict[str, tuple[str, float]]:
    """What a checker makes of each case, and the seconds that it takes."""
    timed(verdict, asked[0])  # a first answer imports what it needs
    found = {name: timed(verdict, name) for name in asked}
    getattr(verdict, "close", lambda: None)()
    return {name: (outcome(name, answer), seconds) for name, (answer, seconds) in found.items()}


def figures(found: Mapping[str, tuple[str, float]]) -> tuple:
    counts = Counter(what for what, _ in found.values())
    seconds = [each for _, each in found.values()]
    return len(found), *(counts[kind] for kind in KINDS), 1e3 * median(seconds), max(seconds), sum(seconds)


def cases_of_note(asked: list[str], answers: Mapping[str, Mapping]) -> list[tuple]:
    rows = [(name, *(found[name][0] for found in answers.values())) for name in asked]
    return [row for row in rows if set(row[1:]) != {"right"}]


def bounds(report: Report, found: Mapping[str, tuple[str, float]]) -> None:
    """What symvi promises: no wrong verdict, a joint in a second, second derivatives in ten."""
    for kind in KINDS:
        report.at_most(f"symvi: {kind}", sum(what == kind for what, _ in found.values()), 0, timed=False)
    joints = [seconds for name, (_, seconds) in found.items() if of_a_joint(case_of(name))]
    report.at_most("symvi: longest verdict about a joint's Jacobian", max(joints, default=0.0), 1.0, "s")
    second = [seconds for name, (_, seconds) in found.items() if case_of(name).order == 2]
    report.at_most("symvi: longest verdict about second derivatives", max(second, default=0.0), 10.0, "s")


def of_a_joint(case: Case) -> bool:
    return case.order == 1 and getattr(case.function, "__module__", "").endswith("joints")


def checkers(report: Report) -> dict[str, Callable[[str], str]]:
    """By name; what is not installed is said and left out."""
    found = {
        "symvi": symvi,
        "differences, 1e-4": differences(1e-4),
        "differences, 1e-6": differences(1e-6),
        "complex step": complex_step,
    }
    seconds = 1.0 if report.quick else SECONDS
    found["SymPy simplify"] = algebra("sympy", seconds)
    found["SymPy, q.q = 1"] = algebra("sympy on the sphere", seconds)
    if installed("symengine"):
        found["SymEngine expand"] = algebra("symengine", seconds)
    if installed("jax"):
        found["JAX check_grads"] = jax_check_grads
    for package in ("symengine", "jax"):
        if not installed(package):
            report.note(f"{package} is not installed and left out: {install_command('bench')}")
    return found


def outcome(name: str, answer: str) -> str:
    if answer == UNDECIDED:
        return "undecided"
    if (answer == RIGHT) == case_of(name).right:
        return "right"
    return "missed" if answer == RIGHT else "false alarm"


def diagnoses(report: Report, asked: list[str]) -> None:
    """How often symvi says what is wrong, of the claims whose error has a name."""
    wrong = [case_of(name) for name in asked if case_of(name).diagnoses]
    unnamed = [case.name for case in wrong if not _is_named(case)]
    for name in unnamed:
        report.note(f"not diagnosed: {name}")
    report.at_most("symvi: share of errors that it does not name", len(unnamed) / max(len(wrong), 1), 0.1, timed=False)


# --- symvi's own joints, right claims and claims that no error explains ----------------------------------------------
def own_joints(report: Report) -> None:
    """Seconds for the Jacobian and the second derivatives of joints: what symvi derive prints, and ones everywhere."""
    rows = [(name, *seconds_of(name, rows)) for name, rows in (QUICK_JOINTS if report.quick else JOINTS)]
    report.table("seconds for symvi's own joints", ("joint", "Jacobian", "all ones", "second derivatives, ones"), rows)
    report.at_most("symvi: longest verdict about an own joint", max(max(row[1:3]) for row in rows), 1.0, "s")
    report.at_most("symvi: longest about its second derivatives", max(row[3] for row in rows), 10.0, "s")


def seconds_of(name: str, rows: int) -> tuple[float, ...]:
    """Of the printed Jacobian, of ones in its place, of ones in the place of the second derivatives."""
    found, function = derivation(name), own(name, offset=True)
    scope: dict = {"values": found.values}
    pairs = ", ".join(f"{argument}={argument}" for argument in function.variables)
    exec(f"def printed({', '.join(function.variables)}): return values(dict({pairs}))", scope)
    columns = len(found.wrt) * 3
    asked = [(scope["printed"], 1), *((_ones(rows, columns**order), order) for order in (1, 2))]
    return tuple(verify.derivative(function, claim, found.wrt, order=order).seconds for claim, order in asked)


def _ones(rows: int, columns: int) -> Callable:
    return lambda: np.ones((rows, columns))


def _is_named(case: Case) -> bool:
    try:
        return explained(case, ask(case))
    except SymviError:
        return False


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
