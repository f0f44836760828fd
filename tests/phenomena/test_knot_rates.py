"""Rates at knots of light links under strong dampers: where they are far from the motion, that is told."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import symvi
import symvi.demos
from symvi.errors import RateWarning
from symvi.mechanism import Body, Contact, DryFriction, Joint, JointDamper, JointSpring, Limit, Mechanism, Servo
from symvi.simulate import Simulator, Trajectory, knot_rates
from symvi.simulate.knot_rates import TOLD
from symvi.simulate.missed_rates import missed_moving, missed_turning
from tests.support.measuring import largest

STRONG = [(2000.0, 50.0, 0.005), (2000.0, 50.0, 0.002), (2000.0, 200.0, 0.005), (1e4, 500.0, 0.005)]
FINER = 32


def arm(stiffness: float, damping: float, links: int = 3) -> Mechanism:
    """Links of 1 kg and 0.4 m in a vertical plane, each on a servo of its joint, let go 0.3 rad beside its target."""
    bodies, joints, forces = [], [], []
    for k in range(links):
        parent = {"parent": f"link{k - 1}", "parent_anchor": (0, 0, -0.2)} if k else {}
        ends = {"child": f"link{k}", "child_anchor": (0, 0, 0.2), **parent}
        bodies.append(Body(name=f"link{k}", mass=1.0, inertia=(0.01,) * 3))
        joints.append(Joint(name=f"hinge{k}", type="revolute", axis=(0, 1, 0), coordinate=0.3, **ends))
        forces.append(Servo(name=f"servo{k}", joint=f"hinge{k}", stiffness=stiffness, damping=damping, signal="0"))
    return Mechanism(name="arm", bodies=bodies, joints=joints, forces=forces)


def block(*forces, coordinate: float = 0.0, mass: float = 1.0, **tables) -> Mechanism:
    """A block on an upright rail."""
    return Mechanism(
        name="block",
        bodies=[Body(name="block", mass=mass, inertia=(0.1,) * 3)],
        joints=[Joint(name="rail", type="prismatic", child="block", axis=(0, 0, 1), coordinate=coordinate)],
        forces=forces,
        **tables,
    )


def quiet(simulator: Simulator, time: float, step: float, **how) -> Trajectory:
    """A motion, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symvi.SymviWarning)
        return simulator.simulate(time, step, **how)


@pytest.mark.filterwarnings("ignore::symvi.EnergyWarning")
@pytest.mark.parametrize(("stiffness", "damping", "step"), STRONG)
def test_a_rate_that_dampers_hide_is_told_with_a_step_that_would_do(
    stiffness: float, damping: float, step: float
) -> None:
    """Against steps 32 times as short, the rate that is told of is far off, and the mean of its steps is nearer."""
    simulator = Simulator(arm(stiffness, damping))
    with pytest.warns(RateWarning, match="are not resolved"):
        motion = simulator.simulate(0.3, step)
    found, knot = motion.misread_rate, round(motion.misread_rate.time / step)
    assert found in motion.alarms and found.sentence.count(f"'{found.element}'") == 1
    assert found.rate == pytest.approx(motion.rates(found.element)[knot, 0])
    steps = np.diff(motion.coordinates(found.element)[:, 0]) / step
    assert [found.before, found.after] == pytest.approx(steps[knot - 1 : knot + 1], rel=0.02)
    finer = quiet(simulator, 0.3, step / FINER)
    true = finer.rates(found.element)[FINER * knot, 0]
    assert abs(found.rate - true) > TOLD * np.abs(steps).max() > 0.0
    assert abs((found.before + found.after) / 2 - true) < abs(found.rate - true)
    assert quiet(simulator, 0.3, 0.3 / np.ceil(0.3 / found.step)).misread_rate is None
    assert finer.misread_rate is None


@pytest.mark.parametrize(("backend", "real"), [("c", "double"), ("c", "float"), ("python", "double")])
def test_both_back_ends_tell_it_in_both_precisions(backend: str, real: str) -> None:
    found = quiet(Simulator(arm(*STRONG[0][:2]), backend=backend, real=real), 0.05, STRONG[0][2]).misread_rate
    assert (found.element, found.time) == ("hinge2", STRONG[0][2])
    assert found.rate == pytest.approx(-10.08, rel=1e-3) and max(found.before, found.after) < -7.0


def test_gains_that_are_inputs_count() -> None:
    """A servo that damps only since it was told to: nothing is misread before."""
    gains = {f"servo{k}.damping": np.where(np.arange(61) < 40, 0.0, 50.0) for k in range(3)}
    simulator = Simulator(arm(2000.0, 0.0))
    early, late = (quiet(simulator, steps * 0.005, 0.005, inputs={n: v[: steps + 1] for n, v in gains.items()})
                   for steps in (39, 60))  # fmt: skip
    assert early.misread_rate is None
    assert late.misread_rate.time >= 0.195


def test_a_saved_motion_tells_the_same_and_a_thinned_one_nothing(tmp_path: Path) -> None:
    simulator, how = Simulator(arm(*STRONG[0][:2])), (0.1, STRONG[0][2])
    motion = quiet(simulator, *how)
    assert Trajectory.load(motion.save(tmp_path / "arm.npz")).misread_rate == motion.misread_rate is not None
    assert quiet(simulator, *how, every=2).misread_rate is None


def test_the_command_line_tells_it(tmp_path: Path) -> None:
    file = tmp_path / "arm.json"
    file.write_text(arm(*STRONG[0][:2]).to_json(), encoding="utf-8")
    command = [sys.executable, "-m", "symvi", "simulate", str(file), "--time", "0.1", "--step", "0.005", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(answer.stdout)
    assert told["misread_rate"]["element"] == "hinge2" and told["too_stiff"] == []
    assert "WARNING: rates at knots of 'hinge2'" in answer.stderr


# --- what is sound ----------------------------------------------------------------------------------------------------
SOUND = {
    "a lone damper": block(JointDamper(name="damper", joint="rail", damping=1e6)),
    "terminal velocity": block(JointDamper(name="damper", joint="rail", damping=1e3)),
    "a stiff spring": block(JointSpring(name="spring", joint="rail", stiffness=1e6), coordinate=0.1),
    "a stiff spring, hardly damped": block(
        JointSpring(name="spring", joint="rail", stiffness=1e5),
        JointDamper(name="damper", joint="rail", damping=1.0),
        coordinate=0.1,
    ),
    "a load that rests": block(
        Servo(name="servo", joint="rail", stiffness=1e5, damping=1e4, signal="0"), coordinate=-9.81e-5
    ),
    "a slow servo": block(Servo(name="servo", joint="rail", stiffness=1e4, damping=1e3, signal="0.1*sin(4*t)")),
    "a fall on a stop": block(
        JointDamper(name="damper", joint="rail", damping=500.0),
        coordinate=0.01,
        limits=[Limit(name="stop", joint="rail", lower=0.0)],
    ),
    "a fall on the ground": block(
        Servo(name="servo", joint="rail", stiffness=200.0, damping=500.0, signal="-0.1"),
        coordinate=0.05,
        contacts=[Contact(name="ground", child="block")],
    ),
    "dry friction": block(
        Servo(name="servo", joint="rail", stiffness=1e4, damping=1e3, signal="0.1*sin(8*t)"),
        DryFriction(name="dry", joint="rail", bound=50.0),
    ),
}


@pytest.mark.parametrize("step", [0.01, 0.005, 0.002])
@pytest.mark.parametrize("what", SOUND)
def test_nothing_is_told_of_rates_that_are_right(what: str, step: float) -> None:
    motion = quiet(Simulator(SOUND[what]), 1.0, step)
    assert motion.misread_rate is None
    assert np.ptp(motion.position) > 0.0 or "rests" in what


@pytest.mark.parametrize("step", [0.01, 0.005, 0.002])
@pytest.mark.parametrize("demo", ["governor", "slider_crank", "four_bar"])
def test_nothing_is_told_of_demos(demo: str, step: float) -> None:
    assert quiet(Simulator(symvi.load(Path(symvi.demos.__file__).parent / f"{demo}.toml")), 2.0, step).alarms == []


def test_what_lifts_off_under_a_strong_servo_is_told() -> None:
    """A light finger is torn off the ground at less than 1 m/s; the knot there reads more than 20 m/s downwards."""
    servo = Servo(name="servo", joint="rail", stiffness=1e5, damping=1e3, signal="0.1*cos(10*t)")
    finger = block(servo, mass=0.05, coordinate=0.1, contacts=[Contact(name="tip", child="block")])
    found = quiet(Simulator(finger), 0.6, 0.01).misread_rate
    assert found.rate < -20.0 and 0.0 <= found.before < found.after < 1.0


# --- bounds that spare most knots their gradients ---------------------------------------------------------------------
def rates_of(motion: Trajectory) -> knot_rates._Rates:
    return knot_rates._Rates(motion, list(knot_rates._damped(motion)))


@pytest.mark.parametrize("seed", range(6))
def test_bounds_leave_out_no_knot_whose_rate_is_off(seed: int) -> None:
    """Of an arm that is struck at random, for a step each time, against the gradients at all knots."""
    random = np.random.default_rng(seed)
    mechanism = arm(*STRONG[seed % len(STRONG)][:2])
    targets = {f"servo{k}.target": np.where(random.random(201) < 0.02, random.normal(size=201), 0.0) for k in range(3)}
    motion = quiet(Simulator(mechanism), 1.0, 0.005, inputs=targets)
    rates = rates_of(motion)
    knots = np.arange(1, len(motion) - 1)
    told = np.zeros(len(knots), bool)
    for along, values in zip(rates.damped, rates._of_chunk(knots)[0], strict=True):
        before, at, after = np.moveaxis(values, 1, 0)
        biggest = max(np.abs(values[:, [0, 2]]).max(), abs(motion.rates(along.name)[0, 0]))
        told |= (np.abs(at - (before + after) / 2) > TOLD * biggest)[:, 0]
    assert 0 < told.sum() and set(knots[told]) <= set(rates.suspects())
    assert motion.misread_rate == rates.worst()


def test_a_calm_motion_has_few_suspects() -> None:
    """So that looking costs next to nothing: of a servo that follows a sine, none at all."""
    motion = quiet(Simulator(arm(200.0, 20.0)), 4.0, 0.002)
    assert len(rates_of(motion).suspects()) < len(motion) / 20


def test_what_bodies_miss_is_that_of_differences() -> None:
    """Against rotation matrices: the vector of the skew part of R2 R1^T is sin A about the axis."""
    motion = quiet(Simulator(arm(200.0, 20.0)), 0.2, 0.01)
    q, h = motion.orientation, 0.01
    rotation = knot_rates.rotation_matrices(q)
    turned = rotation[1:] @ np.swapaxes(rotation[:-1], -1, -2)
    skew = (turned - np.swapaxes(turned, -1, -2)) / (2 * h)
    sines = np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)
    spin = np.einsum("nkij,nkj->nki", rotation, motion.angular_velocity)[1:-1]
    expected = np.linalg.norm(spin - (sines[1:] + sines[:-1]) / 2, axis=2)
    assert largest(missed_turning(q, motion.angular_velocity[1:-1], h) - expected) < 1e-10
    moved = np.diff(motion.position, axis=0) / h
    expected = np.linalg.norm(motion.velocity[1:-1] - (moved[1:] + moved[:-1]) / 2, axis=2)
    assert largest(missed_moving(motion.position, motion.velocity[1:-1], h) - expected) < 1e-10
