"""One change to a correct derivative, the verdict on it, and whether the verdict is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

import mpmath

from symvi.errors import SymviError
from symvi.verify.asking.question import question
from symvi.verify.judging.decide import decide
from symvi.verify.reading.c_function import c
from symvi.verify.reading.sources import read
from symvi.verify.verdict import POINTS, derivative, fit, output_shape
from tests.verify.edits import c_edits, c_rewrites, judge
from tests.verify.edits.subjects import SYMPY, Subject, subjects

ERROR, REWRITE = "error", "rewrite"
# What can come of a trial. The last two are failures.
CAUGHT, EQUIVALENT, UNREADABLE, KEPT, ACCEPTED, REFUSED = (
    "caught", "equivalent", "unreadable", "kept", "accepted", "refused",
)  # fmt: skip
FAILURES = (ACCEPTED, REFUSED)


@dataclass(frozen=True)
class Trial:
    """What came of a change to a subject (what: an error or a rewrite). said: the changed text, and the reason."""

    subject: str
    form: str
    what: str
    kind: str
    outcome: str
    said: str = ""


def trial(subject: Subject, what: str, seed: str, verdict: Callable) -> Trial:
    """Change a subject as the seed says, and compare the verdict, whole or quick, with the judge."""
    kind, changed = _change(subject, what, Random(seed))

    def result(outcome: str, reason: str = "") -> Trial:
        said = f"{changed}\n{reason}" if outcome in FAILURES else reason
        return Trial(subject.name, subject.form, what, kind, outcome, said)

    try:
        claimed, values = _given(subject, changed)
        effect = judge.effect(_original(subject), values, _points(subject))
    except SymviError as error:
        return result(REFUSED if what == REWRITE else UNREADABLE, str(error))
    try:
        is_right, report = verdict(subject, claimed)
    except SymviError as error:
        return result(REFUSED if effect == judge.SAME_AS else CAUGHT, str(error))
    if what == REWRITE and effect != judge.SAME_AS:
        raise AssertionError(f"the rewrite {kind} of {subject.name} ({subject.form}) changes it:\n{changed}")
    if is_right:
        return result({ERROR: EQUIVALENT, REWRITE: KEPT}[what] if effect == judge.SAME_AS else ACCEPTED)
    return result(CAUGHT if effect != judge.SAME_AS else REFUSED, str(report) if effect == judge.SAME_AS else "")


def _change(subject: Subject, what: str, random: Random) -> tuple[str, object]:
    """The kind of a change, and the changed matrix or text."""
    claim = subject.claim
    if subject.form == SYMPY:
        from symvi.physics import rewriting

        symbols = [symbol for each in claim.symbols.values() for symbol in each]
        if what == ERROR:
            return rewriting.edited(claim.derivative, symbols, random)
        return rewriting.rewritten(claim.derivative, claim.units(), random)
    if what == ERROR:
        return c_edits.edited(subject.text, random)
    units = [f"({'+'.join(f'{q}[{k}]*{q}[{k}]' for k in range(4))})" for q in _quaternions(subject)]
    return c_rewrites.rewritten(_plain(subject), subject.name, units, random)


def _quaternions(subject: Subject) -> list[str]:
    return [name for name, kind in subject.claim.arguments.items() if kind in ("body", "world", "half")]


def _plain(subject: Subject) -> str:
    """The text without the lines of the preprocessor, of which subjects have an include and the number N."""
    kept = "\n".join(line for line in subject.text.splitlines() if not line.startswith("#"))
    return c_edits.without_comments(kept).replace("[N]", "[3]").replace("< N", "< 3").replace("% N", "% 3")


def _given(subject: Subject, changed) -> tuple[object, judge.Values]:
    """The changed derivative as a user gives it, and as the judge evaluates it."""
    if subject.form == SYMPY:
        return changed, judge.of_sympy(subject.claim, changed)
    given = c(changed, subject.name)
    return given, judge.of_c(given.source)


@cache
def _original(subject: Subject) -> judge.Values:
    """The correct derivative at the judge's points, remembered; always SymPy's, whichever form is changed."""
    values = judge.of_sympy(subject.claim, subject.claim.derivative)
    with mpmath.workdps(judge.DIGITS):
        known = {id(point): values(point) for point in _points(subject)}
    return lambda point: known[id(point)]


@cache
def _points(subject: Subject) -> list:
    return judge.points(subject.claim, 0)


def whole(subject: Subject, claimed) -> tuple[bool, object]:
    """The verdict as users get it: with counterexamples and diagnosis where it is wrong."""
    report = derivative(subject.claim.function, claimed, wrt=subject.claim.by, variables=subject.variables)
    return report.right, report


def quick(subject: Subject, claimed) -> tuple[bool, object]:
    """The decision alone, which is all that `right` depends on."""
    judged, asked, outer = _judged(subject)
    decision = decide(fit(judged, read(claimed, asked.variables, "claimed"), asked, outer, 0), POINTS)
    return not decision.wrong, decision.wrong


@cache
def _judged(subject: Subject) -> tuple:
    """A subject's function and question, read once."""
    variables = subject.variables
    asked, judged = (
        question(subject.claim.by, variables, 1, None, None),
        read(subject.claim.function, variables, "function"),
    )
    return judged, asked, output_shape(judged, asked, 0)


def trials(numbers: range, what: str, seed: int, is_whole: bool = False) -> list[Trial]:
    """The trials of these numbers: subjects in turn."""
    some, verdict = subjects(), whole if is_whole else quick
    return [trial(some[n % len(some)], what, f"{seed} {what} {n}", verdict) for n in numbers]
