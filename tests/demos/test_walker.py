"""The walker: as its script makes it, closed, and walking ahead without sinking in or falling over."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.mechanism import Mechanism, start_state
from symvi.simulate import Simulator
from tests.support.contact_geometry import gaps
from tests.support.subset import first_of

SCRIPT = Path(__file__).parents[2] / "examples" / "walker_geometry.py"
WALKER = Mechanism.from_file(demo_file("walker"))


@pytest.mark.thorough
@pytest.mark.slow
def test_the_file_is_what_its_script_makes():
    spec = importlib.util.spec_from_file_location("walker_geometry", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert demo_file("walker").read_text(encoding="utf-8") == module.HEADER + module.walker().to_toml()


def test_it_starts_just_above_the_ground():
    found = gaps(WALKER, start_state(WALKER))
    assert min(found.values()) == pytest.approx(1e-4, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("step", first_of([0.01, 0.005, 0.004]))
def test_it_walks(step):
    """Ten seconds, three turns of the crank: four metres ahead, hardly aside, the hull level."""
    trajectory = Simulator(WALKER).simulate(10.0, step)
    assert trajectory.status[-1] >= 0
    ahead, aside, _ = trajectory.position[-1, 0] - trajectory.position[0, 0]
    assert ahead > 3.5 and abs(aside) < 0.3
    assert np.ptp(trajectory.position[:, 0, 2]) < 0.03
    assert trajectory.closure.max() < 1e-10
    contacts = trajectory.contacts
    assert min(contact.gap.min() for contact in contacts.values()) > 0.0
    standing = sum(contact.closed.astype(int) for contact in contacts.values())
    assert np.median(standing[10:]) >= 2  # three are down, but at this pace it rocks from foot to foot
    assert all(contact.normal_force.min() >= 0.0 for contact in contacts.values())
    weight = 9.81 * sum(body.mass for body in WALKER.bodies)
    load = sum(contact.normal_force for contact in contacts.values())
    assert load[10:].mean() == pytest.approx(weight, rel=0.01)
