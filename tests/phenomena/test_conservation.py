"""Two bodies in free space, tossed with random velocities: what acts between them changes neither momentum.

Every joint type, alone, with every force that it has an axis for, and with all of them; joints whose coordinates are
driven; gears between joints. Public codes lose momentum in springs that pull without their lever.
"""

import numpy as np
import pytest

from symvi.mechanism import JOINT_TYPES, Body, Coupling, Joint, Mechanism, coordinate_kinds
from symvi.mechanism.forces import FORCES
from symvi.mechanism.rotation import about
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.loaded_pairs import ACTING, CONSERVATIVE, DRIVEN, LoadedPair, driven_pair, loaded_pair, tossed
from tests.support.measuring import largest, momenta, observed_order

# 200 steps with momenta of about 1 N s and 1 N m s, each solved to round-off: nothing but that may be left
DRIFT = 1e-12
OPTIONS = SolverOptions(tolerance=1e-12)
ONE_AXIS = tuple(name for name in JOINT_TYPES if len(coordinate_kinds(name)) == 1)


def assert_conserved(trajectory: Trajectory) -> None:
    for momentum in momenta(trajectory):
        assert largest(momentum - momentum[0]) < DRIFT
    assert trajectory.closure.max() < 1e-12
    moved = trajectory.position - trajectory.position[0]
    assert largest(moved) > 0.1  # it was not at rest


def identity(value: object) -> str:
    return value if isinstance(value, str) else {0: "alone"}.get(len(value), value[0] if len(value) == 1 else "all")


def test_every_force_between_two_bodies_is_tried() -> None:
    """A wrench comes from outside, dry friction is tried in tests/contact; whatever else there is acts on a pair."""
    tried = {force.kind for joint_type in JOINT_TYPES for force in loaded_pair(joint_type).forces}
    assert tried == set(FORCES) - {"wrench", "dry_friction"}


@pytest.mark.parametrize("joint_type, kinds", ACTING, ids=identity)
def test_momenta_of_a_pair(joint_type: str, kinds: tuple[str, ...]) -> None:
    pair = LoadedPair(joint_type, kinds)
    start = tossed(pair.mechanism, seed=len(kinds))
    assert_conserved(pair.simulate(2.0, 0.01, start=start, project=True, push=0.4, options=OPTIONS))


@pytest.mark.parametrize("joint_type", DRIVEN)
def test_momenta_of_a_driven_pair(joint_type: str) -> None:
    """All coordinates of the joint follow signals at once: the drivers' forces are as inner as any."""
    pair = driven_pair(joint_type)
    assert_conserved(Simulator(pair).simulate(2.0, 0.01, start=tossed(pair, 1), project=True, options=OPTIONS))


@pytest.mark.parametrize("types", [*zip(ONE_AXIS, (*ONE_AXIS[1:], ONE_AXIS[0]), strict=True)], ids="-".join)
def test_momenta_with_a_gear(types: tuple[str, str]) -> None:
    """Three bodies in a row, the coordinates of their two joints geared: a node with edges to all three."""
    mechanism = geared(types, ("body0", "body1"))
    assert_conserved(
        Simulator(mechanism).simulate(2.0, 0.01, start=tossed(mechanism, 2), project=True, options=OPTIONS)
    )


def test_momenta_with_a_gear_between_two_pairs() -> None:
    """The gear is all that ties one pair to the other; its torques are inner ones of each."""
    mechanism = geared(("revolute", "screw"), ("body0", "body2"))
    start = tossed(mechanism, 3)
    trajectory = Simulator(mechanism).simulate(2.0, 0.01, start=start, project=True, options=OPTIONS)
    assert_conserved(trajectory)
    for pair in (("body0", "body1"), ("body2", "body3")):
        for momentum in momenta(trajectory, pair):
            assert largest(momentum - momentum[0]) < DRIFT


def geared(types: tuple[str, str], parents: tuple[str, str]) -> Mechanism:
    """Two joints of these types on these parents, each with a body of its own, geared with the ratio -3/2."""
    children = ("body1", f"body{int(parents[1][-1]) + 1}")
    names = dict.fromkeys((parents[0], children[0], parents[1], children[1]))
    solid = {"mass": 0.8, "inertia": (0.02, 0.03, 0.04, 0.002, -0.003, 0.004), "center_of_mass": (0.05, -0.04, 0.03)}
    places = {
        parent: {"position": (0.1 + k, 0.2, 0.3)} for k, parent in enumerate(parents) if k == 0 or parent != "body1"
    }
    joints = [
        Joint(name=f"joint{k}", type=joint_type, parent=parents[k], child=children[k], axis=(1, 2, k),
              parent_anchor=(0.3, 0.1 * k, 0.2), child_anchor=(-0.2, 0.1, 0.05), orientation=about((1, 0, 1), 0.5 + k),
              pitch=0.1 if joint_type == "screw" else None)
        for k, joint_type in enumerate(types)
    ]  # fmt: skip
    return Mechanism(
        name="geared", gravity=(0, 0, 0), joints=[joints[0], joints[1].changed(coordinate=-0.2)],
        bodies=[Body(name=name, **solid, **places.get(name, {})) for name in names],
        couplings=[Coupling(name="gear", joints=("joint0", "joint1"), ratio=-1.5)],
    )  # fmt: skip


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_energy_of_a_pair_stays_in_a_band_of_second_order(joint_type: str) -> None:
    """With all springs and potentials in an oblique gravity: the energy is that of the forces that act."""
    pair, bands = LoadedPair(joint_type, CONSERVATIVE, gravity=(1.0, 2.0, -9.81)), []
    for step in (0.004, 0.002, 0.001):
        trajectory = pair.simulate(0.4, step)
        bands.append(np.ptp(trajectory.energy) / np.ptp(trajectory.kinetic_energy))
    assert bands[-1] < 1e-4
    assert bands[-1] < 1e-10 or observed_order(bands) == pytest.approx(2.0, abs=0.1)
