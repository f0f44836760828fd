"""What a model is asked, in a prime field: printed kernels against d'Alembert on placements, exactly, and mutants.

The definitions (symvi/naive/posed_tree.py) know where bodies are and differentiate that; kernels sum over a tree. They
are themselves held against a pendulum's closed form here.
"""

from __future__ import annotations

import math

import pytest

from symvi.demos import demo_file
from symvi.exact.dual import Functions
from symvi.exact.field import PRIMES
from symvi.mechanism import Body, Coupling, Joint, Mechanism
from symvi.naive.posed_tree import Member, PosedTree, Weights
from symvi.proofs.model_kernels import ModelBench, model_subject
from symvi.proofs.mutation import score_of
from tests.simulate.test_joint_model import TYPES, body, tree
from tests.support.linkages import geared_cranks
from tests.support.loops import three_link_loop

ONE = [1.0, 0.0, 0.0, 0.0]
PLAIN = Functions({"sin": math.sin, "cos": math.cos})


def branching() -> Mechanism:
    """A body that nothing holds with a leg and a head, a cart on the ground, a floating base with an arm."""
    ends = {"parent_anchor": (0.3, 0.1, 0.2), "child_anchor": (0.1, 0.2, 0.3)}
    joints = [
        Joint(name="hip", type="revolute", parent="trunk", child="leg", axis=(0.6, 0, 0.8), **ends),
        Joint(name="neck", type="spherical", parent="trunk", child="head", **ends),
        Joint(name="rail", type="prismatic", child="cart", axis=(0, 0.6, 0.8)),
        Joint(name="lift", type="floating", child="drone", **ends),
        Joint(name="arm", type="universal", parent="drone", child="hand", axis=(0, 0.6, 0.8), child_axis=(1, 0, 0),
              **ends),
    ]  # fmt: skip
    names = ("trunk", "leg", "head", "cart", "drone", "hand")
    return Mechanism(name="branching", bodies=[body(name, 1.0 + k) for k, name in enumerate(names)], joints=joints)


def plain() -> Mechanism:
    """Everything along axes, so that kernels have most numbers for constants."""
    bodies = [Body(name=name, mass=1.0, inertia=(1.0, 2.0, 3.0)) for name in ("one", "two", "three")]
    joints = [
        Joint(name="a", type="revolute", child="one", axis=(0, 1, 0)),
        Joint(name="b", type="prismatic", parent="one", child="two", axis=(1, 0, 0), child_anchor=(0, 0, 1)),
        Joint(name="c", type="revolute", parent="two", child="three", axis=(0, 0, 1), parent_anchor=(0, 0, -1)),
    ]
    return Mechanism(name="plain", bodies=bodies, joints=joints)


def geared() -> Mechanism:
    """Hinges on either side of a joint, tied by a gear."""
    chain = tree("cylindrical")
    return chain.changed(couplings=[Coupling(name="gear", joints=("first", "last"), ratio=-0.4)])


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


TIED = {
    "four bar": lambda: demo("four_bar"),
    "slider crank": lambda: demo("slider_crank"),
    "loop with a gear": geared_cranks,
    "three links": three_link_loop,
    "geared": geared,
}
SUBJECTS = {
    **TIED,
    "branching": branching,
    "plain": plain,
    **{f"{kind}{' inward' * inward}": (lambda kind=kind, inward=inward: tree(kind, inward))
       for kind in TYPES for inward in (False, True)},
}  # fmt: skip


def failures(bench: ModelBench) -> list[str]:
    return [f"{stage.name}: {found}" for stage in bench.stages
            for found in bench.failures(stage, bench.left[stage.name])]  # fmt: skip


@pytest.mark.parametrize("name", SUBJECTS)
def test_answers_equal_dalembert_on_placements(name: str) -> None:
    """Frames, M, bias, inverse and forward dynamics, momentum, centre of mass and Jacobians, entry by entry."""
    of = model_subject(SUBJECTS[name]())
    for seed, prime in enumerate(PRIMES):
        assert failures(ModelBench(of, prime=prime, seed=seed)) == []


@pytest.mark.parametrize("name", ["branching", "four bar", "geared"])
def test_every_phase_and_every_kernel_runs(name: str) -> None:
    of = model_subject(SUBJECTS[name]())
    ran = {phase for stage in ModelBench(of).stages for phase in stage.phases}
    assert ran == set(of.printed.phases)
    called = {call.function.name for phase in ran for call in of.printed.phases[phase]}
    assert called == set(of.printed.kernels) and len(called) > 25


@pytest.mark.parametrize("name", ["branching", "screw", "universal inward", "plain", *TIED])
def test_planted_errors_are_caught(name: str) -> None:
    bench = ModelBench(model_subject(SUBJECTS[name]()), seed=3)
    found = score_of(bench, bench.of.printed.kernels.values(), 2)
    assert found.missed == [] and found.of("caught") > 0.5 * found.planted, str(found)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["cylindrical_free inward", "loop with a gear"])
def test_every_planted_error_is_caught(name: str) -> None:
    bench = ModelBench(model_subject(SUBJECTS[name]()), seed=3)
    found = score_of(bench, bench.of.printed.kernels.values(), None)
    assert found.missed == [], str(found)


def test_definitions_are_those_of_a_pendulum() -> None:
    """A bob of inertia J at l below a hinge about z: M = J + m l², tau = M a + m g l sin q, whatever the rate."""
    m, j, length, g, q = 2.0, 0.3, 0.7, 9.81, 0.4
    hinge = Member("bob", None, True, 0, 1, False, ONE, ONE, [0.0] * 3, [0.0, length, 0.0], [])
    bob = Weights(m, [1.0, 1.0, j, 0.0, 0.0, 0.0], [0.0] * 3)
    pendulum = PosedTree([hinge], {"bob": bob}, {"bob": [q]}, [0.0, -g, 0.0], PLAIN, 0.0)
    (matrix,) = pendulum.mass_matrix().values()
    assert matrix == pytest.approx(j + m * length**2)
    force = pendulum.forces({"bob": [1.3]}, {"bob": [0.8]})["bob"][0]
    assert force == pytest.approx((j + m * length**2) * 0.8 + m * g * length * math.sin(q))
    momentum = pendulum.momentum({"bob": [1.3]})
    assert momentum[:2] == pytest.approx([m * length * 1.3 * math.cos(q), m * length * 1.3 * math.sin(q)])
    assert momentum[5] == pytest.approx(j * 1.3)
