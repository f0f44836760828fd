"""Large loops are analysed by sums of squares, small ones by singular values: both say the same (analysis/dense.py)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from symvi.analysis import dense
from symvi.analysis.loops import analyse
from symvi.demos import demo_file
from symvi.mechanism import Body, Joint, Mechanism
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


def bars(count: int, kind: str) -> Mechanism:
    """A square net of bars, `count` nodes a side; every two bars of a node are joined there."""
    axis = {"axis": (0, 0, 1)} if kind == "revolute" else {}
    bodies, ends = [], {}
    for i, j in product(range(count), repeat=2):
        for name, (k, m) in {"across": (i + 1, j), "along": (i, j + 1)}.items():
            if max(k, m) < count:
                half = (0.5 * (k - i), 0.5 * (m - j), 0.0)
                place = (0.5 * (i + k), 0.5 * (j + m), 0.0)
                bodies.append(Body(name=f"{name}_{i}_{j}", mass=1, inertia=(0.1, 0.1, 0.1), position=place))
                ends.setdefault((i, j), []).append((bodies[-1].name, tuple(-x for x in half)))
                ends.setdefault((k, m), []).append((bodies[-1].name, half))
    joints = [Joint(name="ground", type=kind, child="across_0_0", child_anchor=(-0.5, 0, 0), **axis)]
    for (i, j), ((parent, at), *others) in ends.items():
        for child, anchor in others:
            name = f"node_{i}_{j}_{child}"
            joints.append(
                Joint(name=name, type=kind, parent=parent, child=child, parent_anchor=at, child_anchor=anchor, **axis)
            )
    return Mechanism(name="bars", bodies=bodies, joints=joints)


def test_a_net_of_hinged_bars_is_known() -> None:
    """Of n² nodes in a plane, two rows a node beyond a tree are independent, of hinges that lean three are not."""
    count = 9
    squares = (count - 1) ** 2
    found = analyse(bars(count, "revolute"))
    assert len(found.dropped) == squares
    assert all(len(rows) == 3 for rows in found.dropped.values())
    # rows of bars stay parallel: a square net shears along each of its lines, and turns
    assert found.notes["mobility"] == 2 * (count - 1)
    assert found.notes["singular_positions"] == 0
