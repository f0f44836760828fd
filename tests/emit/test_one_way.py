"""Sweeps of joint coordinates that go one way together: one kernel for a link, one loop for two sweeps."""

from __future__ import annotations

import pytest

from symvi.mechanism import Body, Joint, Mechanism
from symvi.program.program import Call
from symvi.proofs.ctext import Function
from symvi.proofs.kernels import read_printed
from symvi.proofs.layout_equality import Meanings, differences_between_layouts, is_one_way
from symvi.simulate.solver_build import composed


def tree(kind: str = "revolute", links: int = 14) -> Mechanism:
    """A chain with a branch at its third link, so that sweeps meet more than one child."""
    bodies = [Body(name=f"link{k}", mass=1.0, inertia=(0.2, 0.25, 0.3, 0.01, 0.02, 0.03)) for k in range(links)]
    joints = [
        Joint(
            name=f"joint{k}", type=kind, parent="world" if k == 0 else f"link{2 if k == links - 3 else k - 1}",
            child=f"link{k}", parent_anchor=(0.1, 0.0, -0.5), child_anchor=(0.0, 0.0, 0.5), axis=(1.0, 0.2, 0.1 * k),
        )
        for k in range(links)
    ]  # fmt: skip
    return Mechanism(name="tree", bodies=bodies, joints=joints, gravity=(0.0, 0.0, -9.81))


def calls_of(mechanism: Mechanism) -> dict[str, list[tuple]]:
    program = composed(mechanism, coordinates="tree")
    return Meanings().of_program(read_printed(program, "looped"))


@pytest.mark.parametrize("kind", ("revolute", "spherical", "prismatic"))
def test_two_sweeps_in_one_loop_do_what_they_do_one_after_the_other(kind: str) -> None:
    program = composed(tree(kind), coordinates="tree")
    assert not list(differences_between_layouts(program))
    calls = calls_of(tree(kind))
    assert calls["follow"] != calls["substitute"] + calls["advance"]
    assert is_one_way(calls["follow"], calls["substitute"], calls["advance"])


def test_a_sweep_that_comes_too_early_or_lacks_a_call_is_found() -> None:
    calls = calls_of(tree())
    follow, substitute, advance = (calls[phase] for phase in ("follow", "substitute", "advance"))
    assert is_one_way(substitute + advance, substitute, advance)
    assert not is_one_way(advance + substitute, substitute, advance)
    assert not is_one_way(follow[:-1], substitute, advance)
    assert not is_one_way([*follow, follow[-1]], substitute, advance)
    # of each link, the increment is solved for before it is taken
    places = [k for k in range(len(follow) - 1) if follow[k] in substitute and follow[k + 1] in advance]
    assert places
    for k in places:
        swapped = [*follow[:k], follow[k + 1], follow[k], *follow[k + 2 :]]
        assert not is_one_way(swapped, substitute, advance)


def test_a_link_has_one_kernel_in_a_phase() -> None:
    """Bodies have none beside those of the joints that carry them, and blocks of theirs are stored nowhere."""
    program = composed(tree(), coordinates="tree")

    def kinds(call: Call) -> set[str]:
        return {node.kind for node in call.nodes}

    for phase in ("prepare", "evaluate", "eliminate"):
        assert not [call for call in program.phases[phase] if kinds(call) <= {"body", "common"}], phase
        assert len(program.phases[phase]) == 14
    assert not program.phases["linearize"]
    assert "D" not in {field.name for field in program.records.of("body", "work")}


def test_what_is_zero_for_ever_is_stored_once_a_step() -> None:
    """Of inner links in a plane, no kernel of an iteration stores a constant."""
    flat = tree().changed(
        bodies=[body.changed(inertia=(0.2, 0.25, 0.3, 0.0, 0.0, 0.0)) for body in tree().bodies],
        joints=[joint.changed(axis=(0.0, 1.0, 0.0), parent_anchor=(0.0, 0.0, -0.5)) for joint in tree().joints],
    )
    printed = read_printed(composed(flat, coordinates="tree"), "unrolled")

    def constants(function: Function) -> list:
        return [s for s in function.statements if not isinstance(s.target, str) and s.expression[0] == "number"]

    for phase in ("begin", "evaluate", "substitute", "advance", "resolve"):
        inner = [c.function for c in printed.phases[phase] if not c.function.name.endswith(("ground", "leaf", "more"))]
        assert inner
        for function in inner:
            assert not constants(function), (phase, function.name)
    assert any(constants(call.function) for call in printed.phases["setup"])
