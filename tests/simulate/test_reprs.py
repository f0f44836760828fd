"""What a notebook and a debugger print of an object: a line with names and counts, however large the object is."""

from __future__ import annotations

import pytest

from symvi import Simulator, Trajectory
from symvi.mechanism import Body, Joint, Mechanism, start_state
from symvi.simulate.knot_states import state_at

LINKS = 40


def chain(links: int = LINKS) -> Mechanism:
    """Rods of 1 m that hang in a row."""
    bodies = [Body(name=f"rod{k}", mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0)) for k in range(links)]
    joints = [
        Joint(
            name=f"pin{k}",
            type="revolute",
            parent="world" if k == 0 else f"rod{k - 1}",
            child=f"rod{k}",
            parent_anchor=(0, 0, 0) if k == 0 else (0, 0, -0.5),
            child_anchor=(0, 0, 0.5),
            axis=(0, 1, 0),
            coordinate=0.01,
        )
        for k in range(links)
    ]
    return Mechanism(name="chain", bodies=bodies, joints=joints)


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator(chain(), backend="python", parameters={"rod3.mass": 2.0})


@pytest.fixture(scope="module")
def motion(simulator: Simulator) -> Trajectory:
    return simulator.simulate(0.03, 0.01)


def test_a_mechanism_is_told_by_its_name_and_counts() -> None:
    assert repr(chain()) == str(chain()) == "<Mechanism chain: 40 bodies, 40 joints>"
    assert repr(chain(1)) == "<Mechanism chain: 1 body, 1 joint>"


def test_a_simulator_tells_how_it_computes(simulator: Simulator) -> None:
    rows = 5 * LINKS  # each pin holds five
    assert repr(simulator) == (
        f"<Simulator of chain: 40 bodies, {rows} rows, tree coordinates, double, in Python, "
        "1 parameters set: rod3.mass>"
    )


def test_a_trajectory_is_told_by_its_knots(motion: Trajectory) -> None:
    assert repr(motion) == "<Trajectory of chain: 4 knots, 0 to 0.03 s, steps of 0.01 s>"


def test_what_a_trajectory_holds_is_short_too(motion: Trajectory) -> None:
    assert repr(state_at(motion, 0)) == "<State at 0 s: 40 bodies: rod0, rod1, rod2, rod3, rod4, rod5, ...>"
    assert repr(start_state(chain(2))) == "<State at 0 s: 2 bodies: rod0, rod1>"
    for value in (motion.reactions, motion.powers, motion.work, motion.multipliers, motion.contacts, motion.state()):
        assert len(repr(value)) < 200
