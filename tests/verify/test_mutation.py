"""Planted errors: what the proof catches, counted. The full run is `python -m symvi.verify.mutation --all`."""

from __future__ import annotations

import pytest

from symvi.verify.ctext import read_function
from symvi.verify.edits import KINDS, edits_of
from symvi.verify.kernels import Bench, subject
from symvi.verify.mutation import CAUGHT, EQUIVALENT, outcome, score
from symvi.verify.zoo import zoo
from tests.verify.subjects import of_zoo

PER_KERNEL = 2  # edits of every kernel of the zoo: some 3000 in all
KERNEL = """static void k(const m *restrict a_p, m *restrict a)
{
    const real q0 = a_p->q[0];
    const real q1 = a_p->q[1];
    const real t1 = q0*q1 - 2.0*q1;
    a->f[0] = -t1 + q0;
    a->f[1] = t1;
}
"""


def test_edits_are_single_and_readable() -> None:
    function = read_function(KERNEL)
    edits = edits_of(function)
    assert {edit.kind for edit in edits} == set(KINDS)
    for edit in edits:
        assert edit.text != KERNEL and edit.before != edit.after
        changed = read_function(edit.text)
        assert [s.target for s in changed.statements] == [s.target for s in function.statements]
        assert (
            sum(a.expression != b.expression for a, b in zip(function.statements, changed.statements, strict=True)) == 1
        )


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("sign", "const real t1 = q0*q1 + 2.0*q1;"), ("sign", "a->f[0] =  t1 + q0;"),
        ("factor", "const real t1 = q0*q1 - 4.0*q1;"), ("factor", "a->f[1] = 2.0*(t1);"),
        ("term", "const real t1 = q0*q1 ;"), ("term", "const real t1 = - 2.0*q1;"), ("term", "a->f[0] = q0;"),
        ("index", "const real q0 = a_p->q[1];"), ("exchange", "const real t1 = q1*q0 - 2.0*q0;"),
    ],
)  # fmt: skip
def test_every_kind_of_edit_is_made(kind: str, after: str) -> None:
    assert (kind, after) in {(edit.kind, edit.after) for edit in edits_of(read_function(KERNEL))}


def test_an_exchange_in_a_symmetric_product_changes_nothing() -> None:
    of = of_zoo("along_revolute")
    bench = Bench(of, guarded=True)
    function = of.printed.kernels["merit_body"]
    verdicts = {edit.after: outcome(bench, edit) for edit in edits_of(function)}
    assert set(verdicts.values()) == {CAUGHT, EQUIVALENT}
    assert all(verdict == CAUGHT for after, verdict in verdicts.items() if "2.0*(" in after)


@pytest.mark.slow
def test_planted_errors_are_caught(capsys: pytest.CaptureFixture) -> None:
    """In every kernel of the zoo, some."""
    result = score((subject(*pair) for pair in zoo()), PER_KERNEL)
    with capsys.disabled():
        print(f"\nmutation score of the proof: {result}")
    assert result.missed == []
    assert set(result.caught) == set(KINDS) and result.changing > 2000
