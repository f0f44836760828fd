"""Loops of the looped layout: what repeats along a chain is found, and written out again it is the same schedule."""

from __future__ import annotations

from random import Random

import pytest

from symvi.demos import demo_file
from symvi.emit.c import generate
from symvi.emit.repetitions import Repetition, repetitions_in
from symvi.mechanism import Body, Joint, Mechanism
from symvi.program.program import Program
from symvi.proofs.layout_equality import differences_between_layouts
from symvi.simulate.solver_build import composed


def tree(name: str, parents: list[str]) -> Program:
    """Links of one kind, each on the parent that stands in its place of the list; link k is called link<k>."""
    bodies = [Body(name=f"link{k}", mass=1.0, inertia=(0.1, 0.1, 0.1)) for k in range(len(parents))]
    joints = [
        Joint(name=f"joint{k}", type="spherical", parent=parent, child=f"link{k}", child_anchor=(0.0, 0.0, 0.5))
        for k, parent in enumerate(parents)
    ]
    return composed(Mechanism(name=name, bodies=bodies, joints=joints))


def chain(count: int) -> Program:
    return tree("chain", ["world", *(f"link{k}" for k in range(count - 1))])


def bush() -> Program:
    """No regular order: every link hangs on some earlier one."""
    generator = Random(1)
    return tree("bush", ["world", *(f"link{generator.randrange(k)}" for k in range(1, 20))])


PROGRAMS = {
    "chain": lambda: chain(20),
    "comb": lambda: tree("comb", ["world", *(f"link{k}" for k in range(9)), *(f"link{k}" for k in range(10))]),
    "bush": bush,
    "strandbeest": lambda: composed(Mechanism.from_file(demo_file("strandbeest"))),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request) -> Program:
    return PROGRAMS[request.param]()


def written_out(part) -> list[tuple]:
    """(kernel, (kind, index) of its nodes) of every call of a part."""
    if not isinstance(part, Repetition):
        return [(call.kernel, tuple((node.kind, node.index) for node in call.nodes)) for call in part]
    return [
        (call.kernel, tuple((n.kind, n.index + turn * shift) for n, shift in zip(call.nodes, shifts, strict=True)))
        for turn in range(part.turns)
        for call, shifts in zip(part.pattern, part.shifts, strict=True)
    ]


def test_written_out_again_it_is_the_same_schedule(program: Program) -> None:
    for phase, calls in program.phases.items():
        parts = repetitions_in(calls)
        assert [call for part in parts for call in written_out(part)] == written_out(calls), phase


@pytest.mark.thorough
def test_the_looped_text_means_what_the_unrolled_text_means(program: Program) -> None:
    """Read back from the C by the proofs' own reader, in both precisions."""
    assert list(differences_between_layouts(program)) == []


def test_a_chain_needs_loops_alone() -> None:
    """Bodies in turn, or body and joint in turn: but for the ends, each phase is a loop or two and no table."""
    program = chain(20)
    for phase, calls in program.phases.items():
        parts = repetitions_in(calls)
        assert sum(len(part) for part in parts if not isinstance(part, Repetition)) <= 6, phase
        assert sum(isinstance(part, Repetition) for part in parts) <= 3, phase


def test_the_text_of_a_chain_does_not_grow_with_it() -> None:
    """Nothing but default parameters, names and comments: the functions that run are as long for 40 links as for 20."""
    lengths = []
    for count in (20, 40):
        text = generate(chain(count), layout="looped").files["chain.c"]
        lengths.append(text[text.index("run_prepare") : text.index("/* the switches")].count("\n"))
    assert lengths[0] == lengths[1]
