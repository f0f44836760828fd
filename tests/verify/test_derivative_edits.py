"""Single errors in correct derivatives are found, rewrites are not refused, and neither is said without looking."""

from __future__ import annotations

from collections import Counter
from os.path import commonprefix
from pathlib import Path
from random import Random

import pytest

from symvi.physics.rewriting import REWRITES
from tests.support.subset import first_of
from tests.verify.edits import c_edits, guarded, judge, running, trial
from tests.verify.edits.__main__ import main
from tests.verify.edits.c_rewrites import LAWS
from tests.verify.edits.subjects import BY_HAND, PRINTED, SYMPY, subjects
from tests.verify.edits.trial import ACCEPTED, CAUGHT, EQUIVALENT, ERROR, KEPT, REFUSED, REWRITE, UNREADABLE

SUBJECTS = subjects()
C_SUBJECTS = [subject for subject in SUBJECTS if subject.form != SYMPY]


def ids(subject) -> str:
    return f"{subject.name}, {subject.form}"


@pytest.mark.parametrize("subject", first_of(SUBJECTS, kept=6), ids=ids)
def test_subjects_are_right_and_an_error_in_them_is_caught(subject) -> None:
    """Two independent words for each: the engine's, and fifty digits."""
    claimed, values = trial._given(subject, subject.claim.derivative if subject.form == SYMPY else subject.text)
    assert judge.effect(trial._original(subject), values, trial._points(subject)) == judge.SAME_AS
    assert trial.quick(subject, claimed) == (True, [])
    found = trial.trial(subject, ERROR, ids(subject), trial.quick)
    assert found.outcome in (CAUGHT, EQUIVALENT, UNREADABLE), found.said
    kept = trial.trial(subject, REWRITE, ids(subject), trial.quick)
    assert kept.outcome == KEPT, kept.said


def test_all_forms_are_there() -> None:
    forms = Counter(subject.form for subject in SUBJECTS)
    assert forms[SYMPY] >= 14 and forms[PRINTED] >= 13 and forms[BY_HAND] >= 8


@pytest.mark.thorough
def test_every_law_that_rewrites_follow_holds() -> None:
    """Of SymPy and of C; the judge says that none of them changes the derivative of a length, which has a root."""
    for form in (SYMPY, PRINTED):
        subject = next(s for s in SUBJECTS if (s.name, s.form) == ("length", form))
        seen, laws = {}, REWRITES if form == SYMPY else LAWS
        for seed in range(200):
            kind, changed = trial._change(subject, REWRITE, Random(seed))
            seen.setdefault(kind, changed)
            if seen.keys() == laws.keys():
                break
        assert seen.keys() == laws.keys()
        for kind, changed in seen.items():
            _, values = trial._given(subject, changed)
            effect = judge.effect(trial._original(subject), values, trial._points(subject)[:2])
            assert effect == judge.SAME_AS, (kind, changed)


@pytest.mark.thorough
@pytest.mark.parametrize(("verdict", "what", "outcome"), [(True, ERROR, ACCEPTED), (False, REWRITE, REFUSED)])
def test_a_verdict_without_looking_is_found_out(verdict: bool, what: str, outcome: str) -> None:
    found = [trial.trial(s, what, "0", lambda subject, claimed: (verdict, "")) for s in SUBJECTS[:6]]
    assert [each.outcome for each in found].count(outcome) >= 4


def test_the_judge_sees_a_part_in_ten_to_the_25() -> None:
    subject = SUBJECTS[0]
    values, points = trial._original(subject), trial._points(subject)
    for part, said in ((1e-25, judge.OTHER), (1e-45, judge.SAME_AS)):
        changed = judge.effect(
            values, lambda point, part=part: [x * (1 + judge.mp.mpf(part)) for x in values(point)], points
        )
        assert changed == said


def test_the_judges_points_are_on_the_manifold() -> None:
    for subject in SUBJECTS:
        for point in trial._points(subject)[:3]:
            for name, kind in subject.claim.arguments.items():
                square = sum(x * x for x in point[name])
                if kind in ("body", "world", "half"):
                    assert abs(square - 1) < 1e-15
                elif kind == "angular velocity":
                    assert point["h"][0] ** 2 * square < 4


@pytest.mark.parametrize("subject", C_SUBJECTS, ids=ids)
def test_an_error_in_c_is_one_place_of_the_text(subject) -> None:
    for seed in range(20):
        kind, changed = c_edits.edited(subject.text, Random(seed))
        before, after = (
            len(commonprefix([subject.text, changed])),
            len(commonprefix([subject.text[::-1], changed[::-1]])),
        )
        spread = len(subject.text) - before - after
        assert changed != subject.text and (spread <= 30 or kind == "term"), (kind, changed)


@pytest.mark.thorough
def test_the_same_seed_makes_the_same_changes(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    """By any number of processes, and from a journal of parts that were done before."""
    printed, journal = [], ["--journal", str(tmp_path / "edits.jsonl")]
    for more in (["--jobs", "1"], ["--jobs", "2"], journal, journal):
        assert main(["--to", "10", "--seed", "7", *more]) == 0
        printed.append(capsys.readouterr().out.splitlines()[:-1])
    assert printed[0] == printed[1] == printed[2] == printed[3]
    assert any("errors, SymPy" in line for line in printed[0]) and any("rewrites, " in line for line in printed[0])


def test_a_journal_is_gone_on_from(tmp_path: Path) -> None:
    """Chunks that are kept are not done again, whoever kept them; others are."""
    path, asked = tmp_path / "journal.jsonl", []

    def job(numbers: range, seed: int) -> list[guarded.Tried]:
        asked.extend(numbers)
        return [guarded.Tried("a turn", f"seed {seed}", guarded.CAUGHT, float(number)) for number in numbers]

    def effects(numbers: range, seed: int) -> list[float]:
        found = running.done(job, numbers, (seed,), 1, running.Journal(path, guarded.Tried))
        return [one.effect for chunk in found for one in chunk]

    assert effects(range(50, 100), 1) == list(range(50, 100)) and effects(range(0, 120), 1) == list(range(120))
    assert asked == [*range(50, 100), *range(0, 50), *range(100, 120)]
    effects(range(0, 50), 2)
    assert asked[120:] == list(range(50))


@pytest.mark.thorough
@pytest.mark.slow
def test_whole_reports_on_errors() -> None:
    """The verdict as users get it, diagnosis and counterexamples included: none of them raises, none is wrong."""
    outcomes = Counter(each.outcome for each in trial.trials(range(len(SUBJECTS)), ERROR, seed=3, is_whole=True))
    assert 2 * outcomes[CAUGHT] > len(SUBJECTS) and not outcomes[ACCEPTED] and not outcomes[REFUSED]


# --- code with conditions -------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["C", "Python"])
@pytest.mark.parametrize("number", range(2 * len(guarded.SUBJECTS)))
def test_errors_in_guarded_code_are_judged_by_their_effect(number: int, name: str) -> None:
    found = guarded.tried(number, seed=1, name=name)
    assert found.outcome not in (guarded.MISSED, guarded.ALARM), str(found)


@pytest.mark.parametrize(
    ("right", "effect", "is_defined", "outcome"),
    [
        (True, 1e-3, True, guarded.MISSED),
        (True, 1e-9, True, guarded.NOTED),
        (True, 0.0, True, guarded.EQUIVALENT),
        (False, 0.0, True, guarded.ALARM),
        (False, 1e-9, True, guarded.NOTED),
        (False, 1e-3, True, guarded.CAUGHT),
        (False, 0.0, False, guarded.CAUGHT),
    ],
)
def test_what_a_verdict_on_guarded_code_is_worth(right: bool, effect: float, is_defined: bool, outcome: str) -> None:
    assert guarded._outcome(right, effect, is_defined) == outcome
