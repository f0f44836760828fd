"""Ten seconds of every demo and of robots as files have them: both formulations follow one motion.

Round-off grows in a motion, and so does what a tolerance leaves. How much is seen in each formulation alone, beside the
same motion to tighter tolerances; the two may differ by no more than a multiple of that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import Mechanism, Simulator, SolverOptions, demos
from symvi.demos import demo_file
from tests.importers.real_robots import robot_file, share

DEMOS = sorted(path.stem for path in Path(demos.__file__).parent.glob("*.toml"))
FEET = {"walker": 0.005}  # steps of what stands on contacts [s]
ROBOTS = ("a1.urdf", "allegro_left_hand.urdf", "panda.urdf")
TIGHT = SolverOptions(tolerance=1e-13, complementarity=1e-13)
GROWTH, LEAST = 100.0, 1e-9  # of what tolerances leave in each alone; m, below which nothing is told


def apart(one, other) -> np.ndarray:
    """How far bodies have been apart up to each knot, at most [m]."""
    return np.maximum.accumulate(np.abs(one.position - other.position).max(axis=(1, 2)))


def check_one_motion(mechanism: Mechanism, other: Mechanism, time: float, step: float) -> None:
    """The first in maximal coordinates, the other in joint coordinates."""
    whole, rates = Simulator(mechanism, coordinates="maximal"), Simulator(other, coordinates="tree")
    maximal, tree = whole.simulate(time, step), rates.simulate(time, step)
    own = apart(maximal, whole.simulate(time, step, options=TIGHT))
    own += apart(tree, rates.simulate(time, step, options=TIGHT))
    assert (apart(maximal, tree) <= GROWTH * own + LEAST).all()


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_moves_alike_for_ten_seconds(name: str) -> None:
    mechanism = Mechanism.from_file(demo_file(name))
    check_one_motion(mechanism, mechanism, 10.0, FEET.get(name, 0.01))


@pytest.mark.skipif(share() is None, reason="PyPI's example-robot-data is not installed")
@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_moves_alike_for_ten_seconds(name: str) -> None:
    mechanism = symvi.load(robot_file(name)).mechanism
    check_one_motion(mechanism, mechanism, 10.0, 0.002)


def heavier(mechanism: Mechanism) -> Mechanism:
    """The same, gravity a ten-millionth more."""
    return mechanism.changed(gravity=tuple(1.0000001 * g for g in mechanism.gravity))


def turned(mechanism: Mechanism) -> Mechanism:
    """The same, gravity turned by a millionth."""
    x, y, z = mechanism.gravity
    return mechanism.changed(gravity=(x + 1e-6 * z, y, z))


@pytest.mark.parametrize("change", [heavier, turned])
def test_another_motion_would_be_seen(change: Callable[[Mechanism], Mechanism]) -> None:
    mechanism = Mechanism.from_file(demo_file("double_pendulum"))
    with pytest.raises(AssertionError):
        check_one_motion(mechanism, change(mechanism), 10.0, 0.01)
