"""The chart of chords: what encoders see moves as steps say, by the chart of momenta and by differences of motions."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Actuator, ArgumentError, Body, Contact, Mechanism, Simulator, SolverOptions, state_from
from symvi.mechanism import JointSpring
from tests.slopes.test_linearize import INERTIA, LENGTH, MASS, pendulum
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import only

STEP, TIME = 0.01, 0.05
TIGHT = SolverOptions(tolerance=1e-12)
TURNING = {"free", "sphere"}  # of these differences of turns are no differences of coordinates: below


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_pendulum_in_balance_steps_by_its_recursion(coordinates: str, angle: float) -> None:
    """c'' - 2 c' + c = h (h u -+ m g l h c') / J: the recursion of two knots, in c' and (c' - c)/h."""
    mechanism = pendulum(forces=[Actuator(name="motor", joint="hinge")])
    simulator = Simulator(mechanism, coordinates=coordinates)
    found = simulator.linearize(state_from(mechanism, {"hinge": angle}), step=STEP, chart="chord")
    moment = INERTIA + MASS * LENGTH * LENGTH
    pull = -MASS * 9.81 * LENGTH / moment * np.cos(angle)
    expected = np.array([[1 + STEP**2 * pull, STEP], [STEP * pull, 1]])
    np.testing.assert_allclose(found.A, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.B, np.array([[STEP**2], [STEP]]) / moment, rtol=0, atol=1e-12)
    assert found.chart == "chord" and found.names == ("hinge", "hinge.rate")


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_both_charts_have_one_spectrum_in_balance(coordinates: str) -> None:
    """With a spring, which acts at both knots of a step, so that rates of momenta are no differences at all."""
    spring = JointSpring(name="spring", joint="hinge", stiffness=200.0, rest=0.0)
    simulator = Simulator(pendulum(forces=[spring]), coordinates=coordinates)
    knot, chord = (simulator.linearize(step=STEP, chart=chart) for chart in ("knot", "chord"))
    assert np.abs(knot.A - chord.A).max() > 0.01
    found, expected = (np.sort_complex(np.linalg.eigvals(each.A)) for each in (chord, knot))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", only(["pair", "servo"], [name for name in SCENES if name not in TURNING]))
def test_differences_of_knots_move_as_the_knots_do(name: str, coordinates: str) -> None:
    """Tangents that the chart of momenta takes along (differences of steps in fifty digits stand behind it), told as
    coordinates and their differences, are what the chart of chords makes of those of the knot before."""
    mechanism, inputs = scene(name)
    motion = Simulator(mechanism, coordinates=coordinates).simulate(TIME, STEP, inputs=inputs, options=TIGHT)
    knot, chord = (motion.linearize(options=TIGHT, chart=chart) for chart in ("knot", "chord"))
    n, f = len(knot.names), sum(f"{each}.rate" in knot.names for each in knot.names)
    kept = [knot.names.index(each.removesuffix(".before")) for each in chord.names[n:]]
    tangents = [np.eye(n, n + knot.B.shape[2])]
    for k, one in enumerate(knot.A):
        moved = one @ tangents[-1]
        if k == 0:
            moved[:, n:] += knot.B[0]
        tangents.append(moved)

    def told(k: int) -> np.ndarray:
        now, before = tangents[k], tangents[k - 1]
        return np.vstack([now[:f], (now[:f] - before[:f]) / STEP, now[2 * f :], before[kept]])

    for k in range(1, len(chord)):
        expected = told(k + 1)
        atol = 1e-10 * max(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(chord.A[k] @ told(k), expected, rtol=0, atol=atol)
    np.testing.assert_allclose(
        chord.x[1:, f : 2 * f], (chord.x[1:, :f] - chord.x[:-1, :f]) / STEP, rtol=0, atol=1e-7
    )  # with contacts x is the smoothed step's, 1e-9 m away at its end
    np.testing.assert_array_equal(chord.x[1:, n:], chord.x[:-1, kept])


def test_turns_of_a_free_body_are_those_of_differences_of_motions() -> None:
    """By its start: 2/h of the vector part of the turn between two knots, of motions that are taken anew."""
    size, columns = 1e-5, []

    def told(change: np.ndarray, knot: int) -> np.ndarray:
        spin = np.array([1.0, 2.0, 3.0]) + change
        body = Body(name="top", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=tuple(spin))
        motion = Simulator(Mechanism(name="free", bodies=[body])).simulate(0.03, STEP, options=TIGHT)
        return motion.orientation[knot, 0]

    def turned(q: np.ndarray, back: np.ndarray) -> np.ndarray:
        return 2 * (back[0] * q[1:] - q[0] * back[1:] - np.cross(q[1:], back[1:]))

    for entry in range(3):
        moves = [size * np.eye(3)[entry] * sign for sign in (1.0, -1.0)]
        q = np.array([[told(move, knot) for knot in range(4)] for move in moves])
        middle = np.array([told(np.zeros(3), knot) for knot in range(4)])
        turns = np.array([[turned(one[k], middle[k]) for k in range(4)] for one in q])
        rates = np.array([[turned(one[k + 1], one[k]) / STEP for k in range(3)] for one in q])
        columns.append((turns[0] - turns[1], rates[0] - rates[1]))
    turns, rates = (np.array([column[k] for column in columns]) / (2 * size) for k in (0, 1))
    body = Body(name="top", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(1.0, 2.0, 3.0))
    motion = Simulator(Mechanism(name="free", bodies=[body])).simulate(0.03, STEP, options=TIGHT)
    found = motion.linearize(chart="chord", options=TIGHT)
    rows = [found.names.index(f"top.turn[{k}]{what}") for what in ("", ".rate") for k in range(3)]
    for k in (1, 2):
        before = np.hstack([turns[:, k], rates[:, k - 1]]).T
        after = np.hstack([turns[:, k + 1], rates[:, k]]).T
        own = found.A[k][np.ix_(rows, rows)] @ before
        np.testing.assert_allclose(own, after, rtol=0, atol=1e-7)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("name", only(["servo"], ["servo", "driven", "four_bar", "sphere"]))
def test_the_knot_before_a_state_is_found(name: str, backend: str) -> None:
    """A state in the midst of a motion: the matrices of the motion, though the knot before was not told."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, backend=backend)
    motion = simulator.simulate(0.03, STEP, inputs=inputs, options=TIGHT)
    longer = simulator.simulate(0.04, STEP, inputs=inputs, options=TIGHT).linearize(chart="chord", options=TIGHT)
    found = simulator.linearize(motion, inputs, step=STEP, chart="chord", options=TIGHT)
    assert found.names == longer.names
    if name != "driven":  # whose signal goes on
        np.testing.assert_allclose(found.x, longer.x[3], rtol=0, atol=1e-6)
        np.testing.assert_allclose(found.A, longer.A[3], rtol=0, atol=1e-6 * np.abs(longer.A[3]).max())


@pytest.mark.parametrize("name", only(["servo"], ["pair", "servo", "free", "four_bar"]))
def test_gradients_of_what_encoders_see_are_the_product_of_all_steps(name: str) -> None:
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism)

    def squares(x: np.ndarray, u: np.ndarray):
        by = np.linspace(0.5, 1.5, len(x))[:, None] * np.linspace(1.0, 2.0, x.shape[1])
        return (by * x**2).sum() / 2, by * x

    found = simulator.gradient(squares, TIME, STEP, inputs=inputs, chart="chord", options=TIGHT)
    motion = simulator.simulate(TIME, STEP, inputs=inputs, options=TIGHT).linearize(chart="chord", options=TIGHT)
    assert found.x_names == motion.names and found.chart == "chord"
    n = len(found.names)
    _, by = squares(found.x, found.u)
    whole, expected = np.eye(len(motion.names), n), by[0, :n].copy()
    for k, one in enumerate(motion.A):
        whole = one @ whole
        expected += whole.T @ by[k + 1]
    for column, each in enumerate(motion.names[n:]):  # at the start these are those of the start itself
        expected[found.names.index(each.removesuffix(".before"))] += by[0, n + column]
    np.testing.assert_allclose(found.start, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_what_has_no_chord_is_refused() -> None:
    mechanism, _ = scene("pair")
    simulator = Simulator(mechanism)
    with pytest.raises(ArgumentError, match="use 'knot', rates of momenta, or 'chord'"):
        simulator.gradient(lambda x, u: (0.0, x), TIME, chart="chords")  # pyright: ignore[reportArgumentType]
    ball = Body(name="ball", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0, 0, 0.1), velocity=(0, 0, 1.0))
    floor = Contact(name="floor", child="ball", radius=0.1, friction=0.5)
    with pytest.raises(ArgumentError, match="no step leads to this state.*motion.linearize"):
        Simulator(Mechanism(name="bounced", bodies=[ball], contacts=[floor])).linearize(chart="chord")


def test_steps_of_inner_steps_have_no_chords() -> None:
    simulator = Simulator(pendulum(), order=4)
    with pytest.raises(ArgumentError, match="chart='chord': a difference of knots is no difference over an inner step"):
        simulator.linearize(step=0.01, chart="chord")
