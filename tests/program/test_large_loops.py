"""Large loops are analysed by sums of squares, small ones by singular values: both say the same (analysis/dense.py)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symvi.analysis import dense
from symvi.analysis.loops import analyse
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from tests.support import loops

MECHANISMS = {
    "strandbeest": lambda: Mechanism.from_file(demo_file("strandbeest")),
    "walker": lambda: Mechanism.from_file(demo_file("walker")),
    "lift": lambda: loops.scissor_lift(6),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_sums_of_squares_choose_what_singular_values_choose(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every matrix of three rows and more taken for a large one."""
    mechanism = MECHANISMS[name]()
    expected = analyse(mechanism)
    monkeypatch.setattr(dense, "LARGE", 3)
    found = analyse(mechanism)
    measured = {"limit", "choice"}
    for notes in (found.notes, expected.notes):
        assert measured < notes.keys()
    assert {name: found.notes[name] for name in measured} == pytest.approx(
        {name: expected.notes[name] for name in measured}, rel=0.1
    )
    said = [{name: x for name, x in c.notes.items() if name not in measured} for c in (found, expected)]
    assert said[0] == said[1]
    assert [replace(c, notes={}) for c in (found, expected)] == [replace(expected, notes={})] * 2
