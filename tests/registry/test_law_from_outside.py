"""A law along a joint from outside is worth what symvi's own are: warnings, guards and proofs see it too.

symvi's own laws, under other names, must move and be told of to the last digit as under their own.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from math import exp, pi, sqrt
from typing import Any, Literal

import numpy as np
import pytest

import symvi
from symvi import MechanismError, Simulator, register_force
from symvi.analysis.choices import NOTHING_DROPPED
from symvi.mechanism import (
    Actuator,
    Body,
    Force,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Servo,
    Wrench,
    coordinate_kinds,
    start_state,
)
from symvi.proofs.kernels import Bench, subject
from symvi.proofs.mutation import score_of
from symvi.proofs.proof import prove
from symvi.proofs.zoo import askew, body, joint, swinging
from symvi.registry import FORCES, Law
from symvi.simulate import Trajectory
from symvi.simulate.knot_stiffness import too_stiff
from symvi.simulate.law_jumps import jump_of
from tests.registry.suspension import SUSPENSION, Suspension
from tests.support.quick import compiling_quickly

LOAD, FREQUENCY, RATIO, SAG = 2.0, 1.5, 0.2, 0.1
SEAT = f"""
[mechanism]
name = "seat"
gravity = [0, 0, 0]

[bodies.seat]
mass = {LOAD}
inertia = [0.1, 0.1, 0.1]

[joints.rail]
type = "prismatic"
child = "seat"
axis = [0, 0, 1]
coordinate = {SAG}

[forces.strut]
kind = "suspension"
joint = "rail"
load = {LOAD}
frequency = {FREQUENCY}
ratio = {RATIO}
"""


class Coil(JointSpring):
    """symvi's own, under another name."""

    kind: Literal["coil"] = "coil"  # type: ignore[assignment]


class Brake(JointDamper):
    """symvi's own, under another name."""

    kind: Literal["brake"] = "brake"  # type: ignore[assignment]


class Valve(Servo):
    """symvi's own, under another name."""

    kind: Literal["valve"] = "valve"  # type: ignore[assignment]


class Rope(PointSpring):
    """symvi's own, under another name."""

    kind: Literal["rope"] = "rope"  # type: ignore[assignment]


class Motor(Actuator):
    """symvi's own, under another name."""

    kind: Literal["motor"] = "motor"  # type: ignore[assignment]


class Jet(Wrench):
    """symvi's own, under another name."""

    kind: Literal["jet"] = "jet"  # type: ignore[assignment]


TWINS = {
    "joint_spring": Coil, "joint_damper": Brake, "servo": Valve, "point_spring": Rope, "actuator": Motor, "wrench": Jet,
}  # fmt: skip


@pytest.fixture(autouse=True)
def registered():
    register_force(SUSPENSION)
    for own, twin in TWINS.items():
        name = twin.model_fields["kind"].default
        register_force(replace(FORCES[own], name=name, description=lambda twin=twin: twin))
    yield
    for name in [name for name in FORCES if FORCES.serial(name)]:
        FORCES.forget(name)


@pytest.fixture
def seat(tmp_path) -> Mechanism:
    path = tmp_path / "seat.toml"
    path.write_text(SEAT)
    return symvi.load(path).mechanism


def renamed(mechanism: Mechanism) -> Mechanism:
    """With twins in place of symvi's own laws."""
    forces = [
        TWINS[force.kind](**{**force.model_dump(exclude={"kind"})}) if force.kind in TWINS else force
        for force in mechanism.forces
    ]
    return mechanism.changed(forces=forces)


# --- a law of its own -------------------------------------------------------------------------------------------------
def test_it_is_read_from_a_file_and_stands_in_the_schema(seat: Mechanism) -> None:
    assert isinstance(seat.forces[0], Suspension)
    assert Mechanism.json_schema()["$defs"]["Suspension"]["properties"]["kind"]["const"] == "suspension"


def test_it_swings_as_an_oscillator_of_its_frequency_and_ratio(seat: Mechanism) -> None:
    """x = x0 exp(-ζ w t) (cos v t + ζ w/v sin v t), to the second order of the step."""
    w = 2 * pi * FREQUENCY
    v = w * sqrt(1 - RATIO**2)
    with compiling_quickly():
        simulator = Simulator(seat)
    missed = []
    for step in (0.004, 0.002):
        motion = simulator.simulate(1.0, step)
        t = motion.time
        exact = SAG * np.exp(-RATIO * w * t) * (np.cos(v * t) + RATIO * w / v * np.sin(v * t))
        missed.append(np.abs(motion.coordinates("rail")[:, 0] - exact).max())
    assert missed[1] < 2e-5
    assert missed[0] / missed[1] == pytest.approx(4.0, abs=0.2)


def test_its_damper_is_in_the_account_of_energy(seat: Mechanism) -> None:
    """What is lost is what the damper spent: energy and spent energy together stay, to the second order."""
    with compiling_quickly():
        motion = Simulator(seat).simulate(1.0, 0.001)
    lost = motion.energy[0] - motion.energy[-1]
    assert lost > 0.8 * motion.energy[0]
    assert motion.dissipation["dampers"][-1] == pytest.approx(lost, rel=1e-3)


@pytest.mark.parametrize("joint_type", ["prismatic", "cylindrical", "spherical"])
def test_its_motion_is_that_of_a_spring_and_a_damper(joint_type: str) -> None:
    """In both coordinates, on a joint that is held by another one, bit by bit alike in sums of two numbers each."""
    kinds = coordinate_kinds(joint_type)
    one = [Suspension(name="strut", joint="knee", load=0.5, frequency=(1.5,) * len(kinds), ratio=0.3)]
    k, d = 0.5 * (2 * pi * 1.5) ** 2, 2 * 0.3 * 0.5 * 2 * pi * 1.5
    two = [
        JointSpring(name="spring", joint="knee", stiffness=(k,) * len(kinds)),
        JointDamper(name="damper", joint="knee", damping=(d,) * len(kinds)),
    ]
    arm = Mechanism(
        name="arm",
        bodies=[Body(name=name, mass=1.0, inertia=(0.02, 0.03, 0.04)) for name in ("upper", "lower")],
        joints=[
            Joint(name="hip", type="revolute", child="upper", child_anchor=(0, 0, 0.2), axis=(0, 1, 0), coordinate=0.4),
            Joint(name="knee", type=joint_type, parent="upper", child="lower", parent_anchor=(0, 0, -0.2),
                  child_anchor=(0.1, 0, 0.2), axis=(0, 0, 1)),
        ],
    )  # fmt: skip
    for coordinates in ("maximal", "tree"):
        with compiling_quickly():
            found, expected = (
                Simulator(arm.changed(forces=forces), coordinates=coordinates).simulate(0.5, 0.005)
                for forces in (one, two)
            )
        assert np.ptp(expected.position) > 0.1
        assert np.abs(found.position - expected.position).max() < 1e-13
        assert np.abs(found.energy - expected.energy).max() < 1e-12
        assert found.dissipation["dampers"] == pytest.approx(expected.dissipation["dampers"], abs=1e-12)


def test_its_force_and_its_energy_are_curves(seat: Mechanism) -> None:
    """-k c - d c' at the knots, and k c²/2; what it gives is less than it stores no more, by what damps."""
    k, d = LOAD * (2 * pi * FREQUENCY) ** 2, 2 * RATIO * LOAD * 2 * pi * FREQUENCY
    with compiling_quickly():
        motion = Simulator(seat).simulate(0.5, 0.002)
    c, rate = motion.coordinates("rail")[:, 0], motion.rates("rail")[:, 0]
    assert motion.curves["strut.force"][:, 0] == pytest.approx(-k * c - d * rate, abs=1e-10)
    assert motion.curves["strut.energy"] == pytest.approx(k * c**2 / 2, abs=1e-12)
    given = motion.curves["strut.energy"][0] - motion.curves["strut.energy"] - motion.dissipation["dampers"]
    assert motion.curves["strut.work"] == pytest.approx(given, abs=1e-10)


def test_its_ratio_is_a_parameter(seat: Mechanism) -> None:
    with compiling_quickly():
        simulator = Simulator(seat)
        expected = Simulator(seat.changed(forces=[seat.forces[0].changed(ratio=1.0)])).simulate(0.3, 0.01)
    simulator.set_parameter("strut.ratio", 1.0)
    assert np.abs(simulator.simulate(0.3, 0.01).position - expected.position).max() < 1e-15


def test_what_is_wrong_on_its_joint_is_named(seat: Mechanism) -> None:
    wrong = seat.forces[0].changed(frequency=(1.0, 2.0))
    with pytest.raises(MechanismError, match="frequency .* has 2 values, but the joint has 1 free axes"):
        seat.changed(forces=[wrong])


@pytest.mark.parametrize("joint_type", ["revolute", "cylindrical", "spherical"])
def test_its_kernels_are_proved_and_their_mutants_found(joint_type: str) -> None:
    count = len(coordinate_kinds(joint_type))
    struts = [
        Suspension(
            name=f"strut_{j}", joint=j, load=1.0 + k, frequency=(0.5 + k,) * count, ratio=0.3, rest=(0.1,) * count
        )
        for k, j in enumerate(("j1", "j2"))
    ]
    bodies = [body("first"), body("second")]
    joints = [joint("j1", joint_type, "world", "first"), joint("j2", joint_type, "first", "second")]
    of = subject(Mechanism(name="struts", bodies=bodies, joints=joints, forces=struts))
    assert all(verdict.proved for verdict in prove(of))
    score = score_of(Bench(of), [k for name, k in of.printed.kernels.items() if "suspension" in name], 1)
    assert not score.missed, score.missed


def test_it_is_exported_and_its_self_test_passes(seat: Mechanism, tmp_path) -> None:
    folder = tmp_path / "seat"
    symvi.export(seat, folder)
    subprocess.run(["make", "-C", str(folder), "test"], check=True, capture_output=True)


# --- warnings and guards see laws from outside ------------------------------------------------------------------------
def on_rail(*forces: Force, **fields: Any) -> Mechanism:
    rail = Joint(name="rail", type="prismatic", child="block", axis=(0, 0, 1), **fields)
    return Mechanism(
        name="block", bodies=[Body(name="block", mass=1.0, inertia=(0.1,) * 3)], joints=[rail], forces=forces
    )


def arm(*forces: Force) -> Mechanism:
    """Links of 1 kg and 0.4 m in a vertical plane, let go 0.3 rad from rest."""
    bodies, joints = [], []
    for k in range(3):
        parent = {"parent": f"link{k - 1}", "parent_anchor": (0, 0, -0.2)} if k else {}
        ends = {"child": f"link{k}", "child_anchor": (0, 0, 0.2), **parent}
        bodies.append(Body(name=f"link{k}", mass=1.0, inertia=(0.01,) * 3))
        joints.append(Joint(name=f"hinge{k}", type="revolute", axis=(0, 1, 0), coordinate=0.3, **ends))
    return Mechanism(name="arm", bodies=bodies, joints=joints, forces=forces)


def ball(*forces: Force) -> Mechanism:
    pivot = Joint(name="pivot", type="spherical", child="ball")
    bodies = [Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1))]
    return Mechanism(name="ball", gravity=(0, 0, 0), bodies=bodies, joints=[pivot], forces=forces)


def pulled() -> Mechanism:
    """1 kg between two springs under so much tension that it is too stiff across them."""
    tension = 1.5 * 2.0 / 0.01**2
    springs = [
        PointSpring(name=name, child="bead", parent_anchor=(side, 0, 0), stiffness=1e6, length=1.0 - tension / 1e6)
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    bead = Body(name="bead", mass=1.0, inertia=(1e-3,) * 3, position=(0, 1e-3, 0))
    return Mechanism(name="string", gravity=(0, 0, 0), bodies=[bead], forces=springs)


def hinged(force: Force) -> Mechanism:
    hinge = Joint(name="hinge", type="revolute", child="bob", child_anchor=(0, 0, 0.1), axis=(0, 1, 0), coordinate=2.0)
    bodies = [Body(name="bob", mass=1.0, inertia=(0.01,) * 3)]
    return Mechanism(name="bob", bodies=bodies, joints=[hinge], forces=[force])


def quiet(mechanism: Mechanism, time: float, step: float, **how: Any) -> Trajectory:
    import warnings

    with warnings.catch_warnings(), compiling_quickly():
        warnings.simplefilter("ignore", symvi.SymviWarning)
        return Simulator(mechanism).simulate(time, step, on_error="status", **how)


SERVOS = [Servo(name=f"servo{k}", joint=f"hinge{k}", stiffness=2e3, damping=50.0, signal="0.1*t") for k in range(3)]
SPRINGS = [
    law
    for k in range(3)
    for law in (
        JointSpring(name=f"spring{k}", joint=f"hinge{k}", stiffness=2e3),
        JointDamper(name=f"damper{k}", joint=f"hinge{k}", damping=50.0),
    )
]


@pytest.mark.parametrize("laws", [SERVOS, SPRINGS], ids=["servos", "springs and dampers"])
def test_rates_that_it_hides_are_told(laws: list[Force]) -> None:
    own, other = (quiet(mechanism, 0.1, 0.005) for mechanism in (arm(*laws), renamed(arm(*laws))))
    assert own.misread_rate is not None and other.misread_rate == own.misread_rate
    assert np.array_equal(own.position, other.position)


def test_rates_that_a_spring_with_a_damper_hides_are_told() -> None:
    w = sqrt(2e3)
    struts = [
        Suspension(name=f"s{k}", joint=f"hinge{k}", load=1.0, frequency=w / 2 / pi, ratio=25 / w) for k in range(3)
    ]
    found, expected = (quiet(arm(*laws), 0.1, 0.005).misread_rate for laws in (struts, SPRINGS))
    assert found is not None and expected is not None
    assert (found.element, found.time) == (expected.element, expected.time)
    assert found.rate == pytest.approx(expected.rate, rel=1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [pulled(), hinged(JointSpring(name="sine", joint="hinge", stiffness=5e3, law="sinusoidal"))],
    ids=["across a point spring", "sinusoidal"],
)
def test_one_that_is_too_stiff_for_the_step_is_told(mechanism: Mechanism) -> None:
    own, other = (quiet(one, 0.5, 0.01) for one in (mechanism, renamed(mechanism)))
    assert too_stiff(own) and too_stiff(other) == too_stiff(own)


def test_where_it_jumps_is_told() -> None:
    """Past half a turn of three free rotations."""
    spring = JointSpring(name="spring", joint="pivot", stiffness=0.05)
    strut = Suspension(name="spring", joint="pivot", load=0.1, frequency=0.1, ratio=0.01)
    for law in (spring, renamed(ball(spring)).forces[0], strut):
        mechanism = ball(law)
        state = start_state(mechanism)
        start = replace(state, angular_velocity=np.array([[6.0, 0.5, 0.0]]))
        motion = quiet(mechanism, 1.5, 0.01, start=start)
        assert "turned past half a turn there, where 'spring' jumps" in jump_of(motion, 0, len(motion) - 1)


def test_what_a_servo_from_outside_aims_at_and_its_gains_are_inputs() -> None:
    """A run may be given the gains, and a step takes targets at both of its knots."""
    servo = Servo(name="servo", joint="rail", stiffness=400.0, damping=30.0, signal="0.1*sin(3*t)")
    gains = {"servo.stiffness": np.linspace(100.0, 400.0, 51)}
    own, other = (quiet(one, 0.5, 0.01, inputs=gains) for one in (on_rail(servo), renamed(on_rail(servo))))
    assert np.array_equal(own.position, other.position) and np.ptp(own.position) > 0.01


def test_a_servo_from_outside_needs_one_axis_and_a_sinusoidal_spring_a_rotation() -> None:
    with pytest.raises(MechanismError, match="a joint with exactly one is needed"):
        ball(Valve(name="valve", joint="pivot", stiffness=1.0, damping=1.0))
    with pytest.raises(MechanismError, match="a sinusoidal spring needs one rotation"):
        on_rail(Coil(name="coil", joint="rail", stiffness=1.0, law="sinusoidal"))


@pytest.mark.parametrize("mechanism", [askew("cylindrical"), askew("revolute"), swinging("swinging", "revolute")],
                         ids=lambda mechanism: mechanism.name)  # fmt: skip
def test_twins_of_symvis_own_laws_are_proved(mechanism: Mechanism) -> None:
    of = subject(renamed(mechanism), NOTHING_DROPPED)
    assert all(verdict.proved for verdict in prove(of))


def test_twins_on_bodies_are_proved() -> None:
    forces = [force for kind in ("point_spring", "wrench") for force in FORCES[kind].examples("first", "second")]
    mechanism = renamed(Mechanism(name="ropes", bodies=[body("first"), body("second")], forces=forces))
    assert {force.kind for force in mechanism.forces} == {"rope", "jet"}
    assert all(verdict.proved for verdict in prove(subject(mechanism)))


# --- a law that does not say what its model does ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"law": lambda force: None}, "law returned None, but its model is a ShareModel"),
        ({"law": lambda force: "spring"}, "law returned 'spring', but must return a symvi.registry.Law"),
        ({"law": lambda force: Law()}, "law: neither is_elastic nor is_damped"),
        ({"law": lambda force: Law(is_elastic=True)}, "model: damping is 'damping', but must be None for its law"),
        ({"law": lambda force: Law(is_damped=True)}, "model: stiffness is 'stiffness', but must be None"),
        ({"law": lambda force: Law(is_elastic=True, is_damped=True, is_aimed=True)}, "target is None, but must be"),
        ({"law": lambda force: Law(is_damped=True, is_sinusoidal=True)}, "what is aimed or sinusoidal must be elastic"),
        ({"law": lambda force: Law(is_elastic=True, is_between_points=True)}, "is_between_points is True, but"),
        ({"per_axis": ("frequenzy",)}, "per_axis is .*frequenzy.*must be a tuple of fields"),
    ],
)
def test_a_law_that_is_not_its_models_is_told(seat: Mechanism, changes: dict, says: str) -> None:
    """Warnings and guards would pass over it in silence."""
    FORCES.forget("suspension")
    with pytest.raises(symvi.SymviError, match=f"kind of force 'suspension': .*{says}"):
        register_force(replace(SUSPENSION, **changes))
        Simulator(seat)


def test_a_damper_is_gone_after_its_time(seat: Mechanism) -> None:
    """exp(-ζ w t) bounds the swing, whatever the step."""
    w = 2 * pi * FREQUENCY
    with compiling_quickly():
        motion = Simulator(seat).simulate(3.0, 0.05)
    late = np.abs(motion.coordinates("rail")[motion.time > 2.0]).max()
    assert late < 1.2 * SAG * exp(-RATIO * w * 2.0)
