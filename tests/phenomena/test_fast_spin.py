"""Bodies that turn fast: what a step makes of their rate, which rates are refused, which are warned of.

Witnesses: the closed form J sin(turn)/h of a step's momentum about a principal axis, angles counted from orientations,
Euler's equations integrated by SciPy.
"""

import warnings
from math import asin, sin

import numpy as np
import pytest

from symvi import SpinWarning
from symvi.errors import MechanismError, SolverError
from symvi.mechanism import Body, Contact, Joint, Mechanism, Wrench
from symvi.simulate import Simulator, SolverOptions, SolverStatus
from tests.phenomena.test_free_rotation import INERTIA, SPIN, eulers_solution, free_body
from tests.support.measuring import observed_order

STEP = 0.01
RATES = (10.0, 25.0, 50.0, 75.0)
BACK_ENDS = [("c", "double"), ("c", "float"), ("python", "double")]
BODY = {"mass": 1.0, "inertia": (1.0, 1.0, 2.0)}


def top(rate: float, **more) -> Mechanism:
    body = Body(name="top", angular_velocity=(0.0, 0.0, rate), **BODY)
    return Mechanism(name="spin", gravity=(0, 0, 0), bodies=[body], **more)


def flying(rate: float) -> Mechanism:
    """The same with a contact that it never comes to."""
    return top(rate, contacts=[Contact(name="sole", child="top", radius=0.1, parent_anchor=(0.0, 0.0, -9.0))])


def held(rate: float) -> Mechanism:
    """On an axle through its centre of mass."""
    axle = Joint(name="axle", type="revolute", child="top", velocity=rate)
    return Mechanism(name="rotor", gravity=(0, 0, 0), bodies=[Body(name="top", **BODY)], joints=[axle])


def turning(motion) -> np.ndarray:
    """The rate at which orientations turn about z in every step [rad/s]."""
    angles = 2 * np.arctan2(motion.orientation[:, 0, 3], motion.orientation[:, 0, 0])
    return np.diff(np.unwrap(angles)) / motion.step


@pytest.fixture(autouse=True)
def quiet():
    """Warnings are looked at in tests of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpinWarning)
        yield


@pytest.mark.parametrize(("backend", "real"), BACK_ENDS)
@pytest.mark.parametrize("build", [top, flying, held])
@pytest.mark.parametrize("rate", RATES)
def test_what_a_rate_is_of(build, rate: float, backend: str, real: str) -> None:
    """Of momentum: J w is kept, and a step turns by asin(h w). Of turn: a step turns by h w, with less momentum. The
    angular velocity that is reported is the momentum's in both."""
    simulator, near = Simulator(build(rate), backend=backend, real=real), 1e-12 if real == "double" else 2e-5
    by_momentum, by_turn = (simulator.simulate(0.1, STEP, rates=rates) for rates in ("momentum", "turn"))
    assert by_momentum.angular_velocity[:, 0, 2] == pytest.approx(rate, rel=near)
    assert turning(by_momentum) == pytest.approx(asin(STEP * rate) / STEP, rel=near)
    assert by_turn.angular_velocity[:, 0, 2] == pytest.approx(sin(STEP * rate) / STEP, rel=near)
    assert turning(by_turn) == pytest.approx(rate, rel=near)


@pytest.mark.parametrize("rates", ["momentum", "turn"])
def test_a_tumbling_body_is_right_to_second_order(rates: str) -> None:
    """About no axis in particular; by its rates of turn it is five times nearer to Euler's equations."""
    simulator = Simulator(free_body(INERTIA, SPIN))
    attitude, _ = eulers_solution(0.8)
    ends = [simulator.simulate(0.8, step, rates=rates).orientation[-1, 0] for step in (0.04, 0.02, 0.01)]
    errors = [2 * np.arccos(min(1.0, abs(end @ attitude))) for end in ends]
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)
    assert errors[-1] < {"momentum": 2e-3, "turn": 4e-4}[rates]


@pytest.mark.parametrize(("backend", "real"), BACK_ENDS)
@pytest.mark.parametrize("fixed", [0, 8])
@pytest.mark.parametrize("build", [top, flying, held])
def test_of_two_turns_with_the_same_momentum_the_smaller_is_found(build, fixed: int, backend: str, real: str) -> None:
    """J sin(A)/h is the momentum of pi - A as well: where the last change of the velocities leads nearer to that, a
    step begins from the velocities as they are."""
    near, options = 1e-9 if real == "double" else 2e-4, SolverOptions(fixed_iterations=fixed, substeps=1)
    for rate in (99.0, 99.5, 99.9):
        simulator = Simulator(build(rate), backend=backend, real=real, coordinates="maximal")
        motion = simulator.simulate(0.1, STEP, options=options)
        assert not motion.status.any()
        assert turning(motion) == pytest.approx(asin(STEP * rate) / STEP, rel=near)
        assert motion.angular_velocity[:, 0, 2] == pytest.approx(rate, rel=near)


@pytest.mark.parametrize(("backend", "real"), BACK_ENDS)
@pytest.mark.parametrize("fixed", [0, 9])
@pytest.mark.parametrize("build", [top, flying, held])
def test_so_it_is_of_rates_of_joints(build, fixed: int, backend: str, real: str) -> None:
    """A hinge turns by 4 atan(h u/4) at the rate u, which has further to go from the angular velocity at the start than
    2 sin(A/2)/h: up to 160 rad/s from 100, where the momentum hardly grows with u. That takes one iteration more, and a
    change of u by round-off of the momentum is larger by 1/cos(A), 22 at the last of these rates: in float, above the
    tolerance, which a fixed number of iterations tells."""
    near, options = 1e-9 if real == "double" else 2e-4, SolverOptions(fixed_iterations=fixed, substeps=1)
    for rate in (99.0, 99.5, 99.9):
        simulator = Simulator(build(rate), backend=backend, real=real, coordinates="tree")
        motion = simulator.simulate(0.1, STEP, options=options)
        told = {SolverStatus.OK, SolverStatus.UNSETTLED} if real == "float" and fixed else {SolverStatus.OK}
        assert set(motion.status) <= told
        assert turning(motion) == pytest.approx(asin(STEP * rate) / STEP, rel=near)
        assert motion.angular_velocity[:, 0, 2] == pytest.approx(rate, rel=near)


@pytest.mark.parametrize(("backend", "real"), BACK_ENDS)
@pytest.mark.parametrize("build", [top, flying, held])
def test_a_momentum_that_no_turn_has_is_refused_or_split(build, backend: str, real: str) -> None:
    """Spun up from 90 rad/s to more than 110, of which 0.01 s make no turn. One step is refused, and the body named;
    with a fixed number of iterations none is solved; in parts the momentum is kept, and turns at the rate of their
    length."""
    scene = build(90.0).changed(forces=[Wrench(name="hand", body="top")])
    simulator, near = Simulator(scene, backend=backend, real=real), 1e-9 if real == "double" else 1e-4
    torque = {"hand.torque[2]": np.array([0.0, 0.0, 2500.0, 2500.0] + [0.0] * 7)}
    with pytest.raises(SolverError, match="body 'top'.*here a step of 0.005 s would do, or substeps=2") as caught:
        simulator.simulate(0.1, STEP, inputs=torque, options=SolverOptions(substeps=1))
    assert caught.value.status == SolverStatus.DOMAIN
    fixed = SolverOptions(fixed_iterations=8)
    counted = simulator.simulate(0.1, STEP, inputs=torque, options=fixed, on_error="status")
    assert counted.status[-1] < 0 and len(counted.time) < 7
    split = simulator.simulate(0.1, STEP, inputs=torque)
    parts = split.substeps[6:]
    assert not split.status.any() and parts.min() > 1
    spin = split.angular_velocity[5, 0, 2]
    assert spin > 110.0 and split.angular_velocity[5:, 0, 2] == pytest.approx(spin, rel=near)
    expected = [asin(STEP * spin / n) / (STEP / n) for n in parts]
    assert turning(split)[5:] == pytest.approx(expected, rel=near)


def test_momenta_are_of_one_turn_up_to_a_right_angle() -> None:
    """l(a) = c Ja + a x Ja of the half turn's vector is regular for every inertia of a body while a·a < 1/2, and
    singular there about its principal axes."""
    generator = np.random.default_rng(1)

    def slope(masses, a) -> float:
        inertia = np.diag(masses.sum() - masses)  # of masses at equal distances along three axes
        columns = [1e-20j * unit + a for unit in np.eye(3)]
        momenta = [np.sqrt(1 - z @ z) * (inertia @ z) + np.cross(z, inertia @ z) for z in columns]
        return np.linalg.det(np.imag(momenta).T / 1e-20) / np.linalg.det(inertia)

    for _ in range(3000):
        masses, axis = generator.uniform(size=3) ** 4, generator.normal(size=3)
        assert slope(masses, axis / np.linalg.norm(axis) * np.sqrt(0.5 * generator.uniform())) > 0.0
    for axis in np.eye(3):
        assert slope(np.array([1.0, 0.5, 0.1]), axis * np.sqrt(0.5)) == pytest.approx(0.0, abs=1e-12)
        assert slope(np.array([1.0, 0.5, 0.1]), axis * np.sqrt(0.52)) < 0.0


@pytest.mark.parametrize(("rate", "count"), [(24.9, 0), (25.1, 1)])
def test_a_fast_spin_is_warned_of_once(rate: float, count: int) -> None:
    """From h |w| = 0.25, where the turn is 1.07 % more than the momentum has it."""
    with (
        pytest.warns(SpinWarning, match=r"body 'top' turns at 25.1 rad/s at t = 0 s.* 1.1 % more")
        if count
        else (warnings.catch_warnings())
    ):
        warnings.simplefilter("always" if count else "error", SpinWarning)
        motion = Simulator(top(rate)).simulate(0.1, STEP)
    spin = motion.fast_spin()
    assert (spin is not None) == bool(count)
    assert not spin or spin.error == pytest.approx(asin(0.251) / 0.251 - 1)


def test_a_body_that_is_spun_up_is_warned_of() -> None:
    """By 2 N m in 2 s to 40 rad/s, beyond 25 in the motion alone; recorded knots tell."""
    body = Body(name="top", mass=1.0, inertia=(0.1, 0.1, 0.1))
    scene = Mechanism(name="up", gravity=(0, 0, 0), bodies=[body], forces=[Wrench(name="hand", body="top")])
    with pytest.warns(SpinWarning, match=r"turns at 40 rad/s at t = 2 s, h \|w\| = 0.4"):
        Simulator(scene).simulate(2.0, STEP, inputs={"hand.torque[2]": 2.0}, every=20)


def test_rates_are_asked_for_by_name() -> None:
    simulator = Simulator(top(10.0))
    motion = simulator.simulate(0.1, STEP)
    with pytest.raises(ValueError, match="rates 'knot': use 'momentum' or 'turn'"):
        simulator.simulate(0.1, STEP, rates="knot")
    with pytest.raises(ValueError, match="the papers' start has them over the step before"):
        simulator.simulate(0.1, STEP, rates="turn", papers_start=True)
    with pytest.raises(MechanismError, match="rates='turn': a trajectory goes on as it ended"):
        simulator.simulate(0.1, STEP, start=motion, rates="turn")
