"""symvi's verdicts about the corpus: every entry of every claim, no false alarm, and what is wrong by its name.

The truth about each claim is written beside it by hand and confirmed by differences with a hundred digits
(test_corpus.py), so nothing here compares symvi with itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi.verify import Report
from tests.support.subset import first_of
from tests.verify.corpus.asking import ask, ask_by_name, explained, known_to_symvi
from tests.verify.corpus.case import Case
from tests.verify.corpus.differences import columns
from tests.verify.corpus.known_errors import CASES as KNOWN_ERRORS
from tests.verify.corpus.loading import load, written_in_sympy
from tests.verify.corpus.table import asked, line

CASES = {**load(), **written_in_sympy()}
IN_C = {name: case for name, case in CASES.items() if case.c}


def assert_entries(case: Case, report: Report) -> None:
    """Right and wrong entries are those that the case names, and nothing is said against a right claim."""
    places = [divmod(k, columns(case)) for k in range(len(report.entries))]
    wrong = {place for place, entry in zip(places, report.entries, strict=True) if not entry.right}
    assert wrong == {place for place in places if case.wrong(*place)}, str(report)
    assert report.right == case.right
    assert not (case.right and report.diagnoses)


def assert_named(case: Case, report: Report) -> None:
    """The error is explained; one that has no simple name is not explained as a whole."""
    if case.diagnoses:
        assert explained(case, report), str(report)
    else:
        assert not any("whole" in each.where for each in report.diagnoses), str(report)


@pytest.mark.parametrize("name", first_of(CASES, kept=12))
def test_every_entry_is_judged_as_it_is_and_its_error_is_named(name: str) -> None:
    case, report = CASES[name], ask(CASES[name])
    assert_entries(case, report)
    assert_named(case, report)


@pytest.mark.parametrize("name", first_of(IN_C, kept=6))
def test_every_entry_of_a_claim_in_c_is_judged_as_it_is_and_its_error_is_named(name: str) -> None:
    case, report = IN_C[name], ask(IN_C[name], in_c=True)
    assert_entries(case, report)
    assert_named(case, report)


@pytest.mark.parametrize("name", first_of([name for name, case in CASES.items() if known_to_symvi(case)], kept=6))
def test_a_claim_about_one_of_symvis_own_functions_is_judged_as_it_is(name: str) -> None:
    assert_entries(CASES[name], ask_by_name(CASES[name]))


def test_the_corpus_is_large_enough_and_half_right() -> None:
    assert len(CASES) >= 60
    assert 0.45 <= sum(case.right for case in CASES.values()) / len(CASES) <= 0.55


def test_most_known_errors_have_a_name() -> None:
    """Not so a sign between two knots, levers, weights and inverses in another one's place, and two errors at once."""
    wrong = [case for case in KNOWN_ERRORS if not case.right]
    assert [case.name for case in wrong if not case.diagnoses] == [
        "residual of a turning body, gyroscopic sign",
        "actuator's moment, lever held fixed",
        "multiplier of a constraint, inverse missing",
        "scissor lift, as printed",
        "force at a midpoint, as printed",
    ]
    assert sum(bool(case.diagnoses) for case in wrong) >= 20


def test_known_errors_are_told_as_such() -> None:
    """Every wrong one of them says where it is from."""
    assert all(case.source for case in KNOWN_ERRORS if not case.right)


@pytest.mark.thorough
def test_the_manual_lists_every_known_error() -> None:
    """What the command prints, but for symvi's words, which may get better."""
    page = (Path(__file__).parents[2] / "symvi" / "manual" / "verify.md").read_text(encoding="utf-8")
    assert [what for case in KNOWN_ERRORS if not case.right if (what := line(asked(case))) not in page] == []
