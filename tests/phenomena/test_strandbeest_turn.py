"""A full turn of the Jansen crank: the toes where circles through the thirteen numbers put them, every row closed."""

from math import pi

import numpy as np
import pytest

from symvi.demos import TOES, demo_file
from symvi.mechanism import Mechanism
from symvi.simulate.simulator import Simulator
from tests.support.kinematics import closure

NUMBERS = (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15)
LENGTH = {letter: number / 100 for letter, number in zip("abcdefghijklm", NUMBERS, strict=True)}  # m
PAIR = Mechanism.from_file(demo_file("strandbeest"))


@pytest.fixture(scope="module")
def turn():
    """A little more than a turn: the signal is at 2 pi after 4.02 s."""
    return Simulator(PAIR).simulate(4.1, 0.01)


def meet(first, first_bar, second, second_bar, side):
    """Where two bars meet, in the plane of complex numbers x + i z; one of the two places belongs to each side."""
    gap, reach = second - first, LENGTH[first_bar]
    along = (reach**2 - LENGTH[second_bar] ** 2 + abs(gap) ** 2) / (2 * abs(gap))
    return first + gap / abs(gap) * (along + 1j * side * np.sqrt(reach**2 - along**2))


def toe(crank_angle, side):
    """The toe of one leg (side -1 left, +1 right) by circles alone, from the angle of the crank from upright."""
    hip, pin = side * LENGTH["a"] - 1j * LENGTH["l"], 1j * LENGTH["m"] * np.exp(-1j * crank_angle)
    shoulder, knee = meet(pin, "j", hip, "b", side), meet(hip, "c", pin, "k", side)
    heel = meet(shoulder, "e", hip, "d", side)
    return meet(meet(heel, "f", knee, "g", side), "h", knee, "i", side)


def turned(state, name):
    """The turn of a body about y as a complex number, which takes (x, z) in its frame to the world."""
    w, _, y, _ = state.orientation[state.index(name)]
    return complex(w, -y) ** 2


def test_the_crank_follows_its_signal_for_a_full_turn(turn):
    """A driver is a row like any other: at every knot its joint is where the signal says, to round-off."""
    signal = 2 * (np.sqrt(1 + turn.time**2) - 1)
    assert signal[-1] > 2 * pi
    found = np.array([turned(turn.state(knot), "crank") for knot in range(len(turn.time))])
    assert np.allclose(found, np.exp(-1j * signal), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("name", "side"), [("left_foot", -1), ("right_foot", 1)])
def test_the_toes_are_where_circles_put_them(turn, name, side):
    """For the crank's own angle. Round-off grows on the way through three loops: 1e-12 is a thousand times more."""
    point = dict(TOES)[name]
    for knot in range(0, len(turn.time), 5):
        state = turn.state(knot)
        crank_angle = -np.angle(turned(state, "crank"))
        foot = state.position[state.index(name)]
        found = complex(foot[0], foot[2]) + complex(point[0], point[2]) * turned(state, name)
        assert abs(found - toe(crank_angle, side)) < 1e-12


def test_every_row_stays_closed_dropped_ones_too(turn):
    """By the definition of the joints, not by the solver's own report; and the report says the same."""
    joints = PAIR.changed(drivers=())  # the crank's angle is known up to whole turns only
    gaps = [closure(joints, turn.state(knot)) for knot in range(0, len(turn.time), 20)]
    assert max(gaps) < 1e-13
    assert turn.closure.max() < 1e-13
    assert set(turn.status) == {0}


def test_a_step_is_longer_than_it_is_high():
    """What the numbers are for: 68 cm long, 22 cm high, and flat below."""
    path = np.array([toe(angle, -1) for angle in np.linspace(0, 2 * pi, 721)])
    assert np.ptp(path.real) == pytest.approx(0.679, abs=1e-3)
    assert np.ptp(path.imag) == pytest.approx(0.2246, abs=1e-3)
    on_the_ground = path.imag < path.imag.min() + 0.03
    assert np.ptp(path.real[on_the_ground]) > 0.8 * np.ptp(path.real)
    assert np.mean(on_the_ground) > 0.5
