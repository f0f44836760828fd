"""Planted errors: what the proof catches, counted. The full run is `python -m symvi.proofs.mutation --all`."""

from __future__ import annotations

import json

import pytest

from symvi.proofs.ctext import read_function
from symvi.proofs.edits import KINDS, edits_of
from symvi.proofs.kernels import Bench
from symvi.proofs.mutation import CAUGHT, EQUIVALENT, INSIDE, MISSED, main, outcome
from symvi.proofs.unseen import Place
from tests.proofs.subjects import of_zoo

KERNEL = """static void k(const m *a_p, m *a)
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


def test_only_what_nobody_sees_may_differ() -> None:
    """An error in what elimination keeps for itself is harmless; one in what is reported would be missed."""
    of = of_zoo("along_universal")
    bench = Bench(of, guarded=True)
    function = of.printed.kernels["eliminate_body_into_universal_body"]
    factors = [edit for edit in edits_of(function) if "i->D[21]" in edit.after]
    assert INSIDE in {outcome(bench, edit) for edit in factors}
    assert Place("work", "body", 0, "D", 21) in bench.unseen
    bench.unseen.named |= {("body", "D")}
    assert MISSED in {outcome(bench, edit) for edit in factors}


def test_what_is_handed_out_is_seen() -> None:
    unseen = Bench(of_zoo("four_bar"), guarded=True).unseen
    handed_out = [("state", "body", "x"), ("state", "body", "l"), ("work", "body", "v"), ("work", "body", "e"),
                  ("work", "revolute", "reaction"), ("work", "revolute", "y"), ("work", "common", "merit"),
                  ("work", "revolute_ground_dropped", "g")]  # fmt: skip
    for store, kind, name in handed_out:
        assert Place(store, kind, 0, name, 0) not in unseen, name


def test_the_command_counts_and_refuses(capsys: pytest.CaptureFixture) -> None:
    assert main(["--json", "--per-kernel", "1", "body_forces"]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert total["planted"] == total["kernels"] == sum(total[v] for v in (CAUGHT, EQUIVALENT, INSIDE, MISSED))
    assert main(["body_force"]) == 2
    assert "did you mean 'body_forces'?" in capsys.readouterr().err
