"""The sweeps over a tree, in numbers of 50 digits: they leave what the matrix of maximal coordinates leaves.

On the joints, at the same velocities, the increment of joint coordinates is that of Newton's method on bodies and rows:
s = N2 q solves the whole system, whose program is proved by itself. Newton's method shows that its slope is exact: what
is open is squared in every iteration, down to 38 digits. Operations are counted as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from symvi.analysis.loops import analyse
from symvi.mechanism import Body, Box, Joint, Mechanism
from symvi.program.compose import compose
from symvi.program.info import ITERATION
from symvi.program.tree import TreeCoordinates
from symvi.simulate import Simulator, SolverOptions, SolverStatus
from symvi.simulate.reference_memory import Memory, Runner
from symvi.simulate.solver_build import composed
from tests.tree.chains import AXES, lawful, somewhere, trees
from tests.tree.test_same_motion import planar

mp.dps = 50
NUMBERS = {
    "number": lambda top, bottom=1: mpf(top) / mpf(bottom),
    "sqrt": mp.sqrt,
    "angle": lambda y, x, near: 2 * mp.atan2(y, x) + 2 * mp.pi * mp.nint((near - 2 * mp.atan2(y, x)) / (2 * mp.pi)),
    "min": min,
    "max": max,
    "sin": mp.sin,
    "cos": mp.cos,
    "abs": abs,
}
SMALL = mpf(10) ** -13  # axes and frames of a description have 16 digits
H = mpf(1) / 100


def prepared(mechanism, formulation=None):
    """A program on numbers of 50 digits: its memory, and what runs its phases."""
    choices = analyse(mechanism, "drop-redundant")
    program = compose(mechanism, choices, formulation) if formulation else compose(mechanism, choices)
    memory = Memory(program, mpf(0))
    run = Runner(program, memory, NUMBERS)
    memory.parameters["common"][0].h[0] = memory.work["common"][0].step[0] = H
    run("setup")
    return memory, run


def switched(memory, impulse=H, carry=1, closure=1 / H) -> None:
    common = memory.work["common"][0]
    common.impulse[0], common.carry[0], common.closure[0] = mpf(impulse), mpf(carry), mpf(closure)


def on_the_joints(mechanism):
    """Records of joint coordinates after a step, whose bodies lie on their joints to the last digit."""
    memory, run = prepared(mechanism, TreeCoordinates)
    state = somewhere(mechanism)
    for k, body in enumerate(memory.state["body"]):
        for name, values in (("x", state.position[k]), ("q", state.orientation[k])):
            getattr(body, name)[:] = [mpf(float(x)) for x in values]
    switched(memory)
    common = memory.work["common"][0]
    for _ in range(2):
        _set_rates(memory)
        run("prepare")
        common.length[0] = mpf(0)
        run("begin")
        run("evaluate")
        run("finish")
    _set_rates(memory)
    run("prepare")
    run("begin")
    return memory, run


def _set_rates(memory) -> None:
    """Rates of some size for all unknowns."""
    number = 0
    for kind, records in memory.state.items():
        for record in records:
            fields = ("u",) if kind != "body" else ("v", "w")
            for name in fields:
                for i in range(len(getattr(record, name, ()))):
                    number += 1
                    getattr(record, name)[i] = mpf((7 * number) % 11 - 5) / 8


@pytest.mark.parametrize("name", [n for n in trees() if "planes" not in n])
def test_increments_are_those_of_maximal_coordinates(name: str) -> None:
    mechanism = trees()[name]
    tree, run = on_the_joints(mechanism)
    maximal, run_maximal = prepared(mechanism)
    switched(maximal)
    for own, other in zip(maximal.state["body"], tree.state["body"], strict=True):
        for field in ("x", "q", "p", "l"):
            getattr(own, field)[:] = getattr(other, field)
    run_maximal("prepare")
    for own, other in zip(maximal.work["body"], tree.work["body"], strict=True):
        own.v[:], own.w[:] = other.v, other.w
    for phases in (run_maximal, run):
        for phase in ("evaluate", "linearize", "eliminate", "substitute"):
            phases(phase)
    rows = [f for records in maximal.work.values() for r in records if hasattr(r, "y") for f in r.g]
    assert max(map(abs, rows)) < SMALL
    for own, other in zip(maximal.work["body"], tree.work["body"], strict=True):
        s, arm = other.s, getattr(other, "arm2", [mpf(0)] * 3)
        moved = [s[0] + s[4] * arm[2] - s[5] * arm[1], s[1] + s[5] * arm[0] - s[3] * arm[2],
                 s[2] + s[3] * arm[1] - s[4] * arm[0], *s[3:]]  # fmt: skip
        assert max(abs(a - b) for a, b in zip(own.s, moved, strict=True)) < SMALL * (1 + max(map(abs, own.s)))


@pytest.mark.parametrize(
    "name",
    [
        *("hinges", "Hooke's", "sleeves", "free root", "ball and Hooke's inward"),
        *("sprung balls", "sprung balls inward", "sprung slides and balls", "screws", "sprung screws"),
        *("driven", "driven inward"),
    ],
)
def test_newton_s_method_converges_quadratically(name: str) -> None:
    """The direction is exact: what is open falls to its square, down to the digits that there are."""
    memory, run = on_the_joints({**trees(), **lawful()}[name])
    common, sizes = memory.work["common"][0], []
    common.length[0] = mpf(1)
    for _ in range(8):
        run("evaluate")
        common.merit[0] = mpf(0)
        run("merit")
        sizes.append(mp.sqrt(common.merit[0]))
        for phase in ("linearize", "eliminate", "substitute", "advance"):
            run(phase)
    assert sizes[-1] < mpf(10) ** -38
    falling = [k for k in range(1, 7) if mpf(10) ** -30 < sizes[k] < mpf(10) ** -3]
    assert falling and all(sizes[k] < 1e3 * sizes[k - 1] ** 2 for k in falling)


@pytest.mark.parametrize(
    "name", ["hinges", "sprung balls", "driven", "driven slide of a ball", "turning slides inward"]
)
def test_factors_that_are_kept_give_the_same_increments(name: str) -> None:
    """A right-hand side that comes again is solved for by the factors of the first one, without new ones."""
    memory, run = on_the_joints({**trees(), **lawful()}[name])
    for phase in ("evaluate", "linearize", "eliminate", "substitute"):
        run(phase)
    first = [list(body.s) for body in memory.work["body"]]
    for phase in ("resolve", "substitute"):
        run(phase)
    for before, body in zip(first, memory.work["body"], strict=True):
        assert max(abs(a - b) for a, b in zip(before, body.s, strict=True)) < SMALL**2


def mean_of_links(make, count: int = 12) -> float:
    """Operations that one more link adds to an iteration."""
    sizes = [sum(composed(make(n), coordinates="tree").flops(phase) for phase in ITERATION) for n in (count, count + 3)]
    return (sizes[1] - sizes[0]) / 3


def chain(count: int, kind: str):
    from tests.tree.chains import tree

    mechanism = tree("chain", (kind,) * count)
    return mechanism.changed(joints=[j.changed(axis=AXES[k % 3]) for k, j in enumerate(mechanism.joints)])


@pytest.mark.parametrize(
    ("make", "most"),
    [(lambda n: chain(n, "revolute"), 750), (planar, 170), (lambda n: chain(n, "spherical"), 600)],
    ids=["general hinge", "planar hinge", "ball"],
)
def test_an_inner_link_costs_no_more_operations(make, most: int) -> None:
    assert mean_of_links(make) <= most


def planar_boxes(count: int) -> Mechanism:
    """A chain of boxes of a metre on parallel hinges, the first of them lifted by 45 degrees."""
    bodies = [Body(name=f"link{k}", mass=1.0, shape=Box(size=(0.1, 0.1, 1.0))) for k in range(count)]
    joints = [
        Joint(
            name=f"joint{k}", type="revolute", parent=f"link{k - 1}" if k else "world", child=f"link{k}",
            parent_anchor=(0.0, 0.0, -0.5 if k else 0.0), child_anchor=(0.0, 0.0, 0.5), axis=(1.0, 0.0, 0.0),
            coordinate=0.0 if k else 0.7,
        )
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name="boxes", bodies=bodies, joints=joints)


@pytest.mark.parametrize("count", [10, 100])
def test_a_long_chain_takes_no_iteration_for_round_off_of_long_levers(count: int) -> None:
    """What joints lack is round-off of what hangs on them; steps of two iterations still end within the tolerance.

    The witness is the same step by six whole iterations.
    """
    simulator = Simulator(planar_boxes(count), coordinates="tree", backend="c")
    simulator.start(step=0.01)
    engine, inputs, iterations = simulator.engine, np.zeros((1, 0)), simulator.plan.frame["iterations"][0]
    taken, errors = [], []
    for _ in range(30):
        begin = engine.state.copy()
        assert engine.rollout(inputs, False, 1, 1, SolverOptions(fixed_iterations=6))[0] == SolverStatus.OK
        solved, engine.state[:] = engine.state.copy(), begin
        status, _, frames = engine.rollout(inputs, False, 1, 1, SolverOptions())
        assert status == SolverStatus.OK
        taken.append(frames[1, iterations])
        errors.append(np.abs(engine.state - solved).max())
    assert max(errors) <= 1e-10
    assert np.mean(taken) <= 2.2
