"""The packaged mechanisms: closed where they start, moving as their joints allow, as redundant as they should be."""

import numpy as np
import pytest

from symvi.demos import demo_file, demo_names
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism, start_state
from tests.support.kinematics import driver_rates, jacobian, motion, worst_constraint

# rows of all joints, and how many of them are independent (a planar loop of hinges is redundant three times)
ROWS_AND_RANK = {
    "double_pendulum": (10, 10),
    "four_bar": (20, 17),
    "governor": (10, 10),
    "pendulum": (5, 5),
    "slider_crank": (20, 17),
    "strandbeest": (95, 77),
    "walker": (275, 221),
}


def load(name):
    return Mechanism.from_file(demo_file(name))


def test_every_demo_is_tested_here():
    assert demo_names() == tuple(ROWS_AND_RANK)


@pytest.mark.parametrize("name", demo_names())
def test_a_demo_is_closed_where_it_starts(name):
    mechanism = load(name)
    joint, gap = worst_constraint(mechanism, start_state(mechanism))
    assert gap < 1e-12, joint  # numbers of size one, written with all their digits: round-off is 1e-16


@pytest.mark.parametrize("name", demo_names())
def test_a_demo_starts_with_velocities_that_its_constraints_allow(name):
    mechanism = load(name)
    state = start_state(mechanism)
    assert np.allclose(
        jacobian(mechanism, state) @ motion(mechanism, state), driver_rates(mechanism), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", demo_names())
def test_the_rank_of_a_demo(name):
    mechanism = load(name).changed(drivers=())
    matrix = jacobian(mechanism, start_state(mechanism))
    sizes = np.linalg.svd(matrix, compute_uv=False)
    rows, rank = ROWS_AND_RANK[name]
    assert len(matrix) == rows
    assert np.sum(sizes > 1e-3 * sizes[0]) == rank
    assert np.sum(sizes > 1e-14 * sizes[0]) == rank  # no row is nearly redundant


@pytest.mark.parametrize("name", demo_names())
def test_a_demo_says_what_it_is(name):
    mechanism = load(name)
    assert mechanism.name == name
    assert mechanism.description


def test_an_unknown_demo_is_refused_with_the_nearest_one():
    with pytest.raises(MechanismError, match=r"no demo 'strandbeast'; did you mean 'strandbeest'\?"):
        demo_file("strandbeast")
