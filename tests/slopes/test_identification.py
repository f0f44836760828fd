"""Parameters from a motion: found again to round-off, with deviations that noise confirms, refused where none tells."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from symvi import (
    Actuator,
    ArgumentError,
    Body,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    Rod,
    Simulator,
    state_from,
)
from symvi.control import Identification, identify

STEP, STEPS, NOISE = 0.02, 50, 1e-3  # s, 1, rad
TRUE = {"lower.mass": 0.6, "elbow_damper.damping": 0.05, "shoulder_spring.stiffness": 2.0, "gravity[2]": -9.7}
START = {"shoulder": 0.8, "elbow": -0.5}


def arm(mass: float = 0.4, damping: float = 0.1, stiffness: float = 3.0, down: float = -9.81) -> Mechanism:
    """Two rods that swing, a spring and a damper at their hinges, a motor in the first."""
    bodies = [
        Body(name=name, mass=m, shape=Rod(length=0.4, radius=0.02, position=(0, 0, -0.2)))
        for name, m in (("upper", 0.5), ("lower", mass))
    ]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", axis=(0, 1, 0)),
        Joint(name="elbow", type="revolute", parent="upper", child="lower", parent_anchor=(0, 0, -0.4), axis=(0, 1, 0)),
    ]
    forces = [
        Actuator(name="motor", joint="shoulder"),
        JointDamper(name="elbow_damper", joint="elbow", damping=damping),
        JointSpring(name="shoulder_spring", joint="shoulder", stiffness=stiffness),
    ]
    return Mechanism(name="arm", bodies=bodies, joints=joints, forces=forces, gravity=(0, 0, down))


FORCES = {"motor.force": 0.5 * np.sin(0.3 * np.arange(STEPS + 1))}


@cache
def truth() -> dict[str, np.ndarray]:
    simulator = Simulator(arm(*TRUE.values()))
    motion = simulator.simulate(STEP * STEPS, STEP, start=state_from(arm(), START), inputs=FORCES)
    return {name: np.ravel(motion.curves[name]) for name in START}


def measured(seed: int | None = None) -> dict[str, np.ndarray]:
    """The motion with the true numbers, and noise."""
    draw = np.random.default_rng(seed)
    return {
        name: curve + (0.0 if seed is None else NOISE * draw.standard_normal(len(curve)))
        for name, curve in truth().items()
    }


def found(values, **more) -> Identification:
    given = {"parameters": list(TRUE), "start": state_from(arm(), START), "inputs": FORCES} | more
    return identify(Simulator(arm()), values, STEP, **given)


def test_four_parameters_are_found_again() -> None:
    """Without noise to round-off, from numbers that are up to a half off."""
    fit = found(measured())
    assert fit.converged and fit.names == tuple(TRUE)
    np.testing.assert_allclose(fit.values, list(TRUE.values()), rtol=1e-8)
    assert fit.costs[-1] < 1e-16 < fit.costs[0]
    again = Simulator(arm(), parameters=fit.parameters).simulate(
        STEP * STEPS, STEP, start=state_from(arm(), START), inputs=FORCES
    )
    np.testing.assert_allclose(np.ravel(again.curves["elbow"]), truth()["elbow"], atol=1e-8)


def test_noise_leaves_them_within_their_deviations() -> None:
    fit = found(measured(1), noise=dict.fromkeys(START, NOISE))
    off = (fit.values - list(TRUE.values())) / fit.deviations
    assert np.abs(off).max() < 4.0 and fit.deviations.min() > 0
    assert fit.costs[-1] == pytest.approx(2 * (STEPS + 1) - 4, rel=0.4)  # chi-square, a deviation of a seventh
    guessed = found(measured(1))
    np.testing.assert_allclose(guessed.values, fit.values, rtol=1e-6)
    assert guessed.noise["elbow"] == pytest.approx(NOISE, rel=0.2)
    np.testing.assert_allclose(guessed.deviations, fit.deviations, rtol=0.2)


@pytest.mark.thorough
def test_deviations_are_those_of_many_measurements() -> None:
    """Weighted by the inverse of the covariance, what twelve fits miss is a chi-square of 48 freedoms."""
    total = 0.0
    for seed in range(2, 14):
        fit = found(measured(seed), noise=dict.fromkeys(START, NOISE))
        off = fit.values - list(TRUE.values())
        total += off @ np.linalg.solve(fit.covariance, off)
    assert 25.0 < total < 80.0  # one in a thousand lies outside


def test_an_unknown_start_and_gaps_are_searched_around() -> None:
    values = measured()
    values["elbow"][::3] = np.nan
    fit = found(
        values,
        parameters=["lower.mass", "elbow_damper.damping"],
        unknown_start=["shoulder", "elbow.rate"],
        start=state_from(arm(), START | {"shoulder": 0.7}, {"elbow": 0.2}),
        inputs=FORCES,
    )
    assert fit.names[2:] == ("start: shoulder", "start: elbow.rate")
    assert not np.allclose(fit.values[:2], [0.6, 0.05], rtol=1e-2)  # stiffness and gravity are not the true ones
    exact = identify(
        Simulator(arm(*TRUE.values()), parameters={"lower.mass": 0.4}),
        values,
        STEP,
        parameters=["lower.mass"],
        unknown_start=["shoulder", "elbow.rate"],
        start=state_from(arm(), START | {"shoulder": 0.7}, {"elbow": 0.2}),
        inputs=FORCES,
    )
    np.testing.assert_allclose(exact.values, [0.6, 0.8, 0.0], atol=1e-8)
    assert exact.start is not None and np.isnan(exact.residuals["elbow"][::3]).all()


def test_what_tells_nothing_is_refused_by_name() -> None:
    values = measured()
    with pytest.raises(ArgumentError, match="'elbo': is no number of x.*did you mean 'elbow'"):
        found({"elbo": values["elbow"]})
    with pytest.raises(ArgumentError, match="no parameter 'lower.mas'"):
        found(values, parameters=["lower.mas"])
    with pytest.raises(ArgumentError, match="'gravity\\[1\\]' moves nothing"):
        found(values, parameters=["gravity[1]"])
    with pytest.raises(ArgumentError, match="as many numbers for every name"):
        found({"elbow": values["elbow"], "shoulder": values["shoulder"][:-1]})
    with pytest.raises(ArgumentError, match="no number but NaN"):
        found({"elbow": np.full(51, np.nan)})
    with pytest.raises(ArgumentError, match="noise: 'elbow': 0 is no standard deviation"):
        found(values, noise={"shoulder": 1.0, "elbow": 0})
    with pytest.raises(ArgumentError, match="give lists of names"):
        found(values, parameters="lower.mass")
    free = Mechanism(
        name="free",
        bodies=[Body(name="rod", mass=1.0, shape=Rod(length=1.0, radius=0.02, position=(0, 0, -0.5)))],
        joints=[Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0), coordinate=0.4)],
    )
    swing = Simulator(free).simulate(0.4, STEP)
    curve = {"hinge": np.ravel(swing.curves["hinge"])}
    with pytest.raises(ArgumentError, match="'rod.mass' moves nothing"):  # its inertia is that of its shape
        identify(Simulator(free), curve, STEP, parameters=["rod.mass", "gravity[2]"])
    pushed = free.changed(forces=[JointSpring(name="spring", joint="hinge", stiffness=1.0)])
    with pytest.raises(ArgumentError, match="does not tell rod.mass, spring.stiffness apart"):
        identify(Simulator(pushed), curve, STEP, parameters=["rod.mass", "spring.stiffness", "gravity[2]"])
