"""A long motion works out rates, energies and closure when they are read, with the bits of one that records everything.

The witness is the same solver, told by name to record everything as it goes.
"""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi.errors import EnergyWarning, RateWarning, SpinWarning
from symvi.mechanism import Actuator, Body, Contact, Joint, Mechanism
from symvi.simulate import Simulator, SolverOptions, Trajectory, run
from symvi.simulate.recording import EVERYTHING, PER_KNOT
from symvi.simulate.unread import LONG
from tests.phenomena.test_knot_rates import STRONG, arm
from tests.simulate.test_recording import STEP, machine, same
from tests.simulate.test_state_hashes import SCENES, SHORT, TREE
from tests.support.subset import only

COSTLY = ("velocity", "angular_velocity", "kinetic_energy", "closure", "scatter", "late_values")


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Motions of more than twenty knots are long; pieces of one are forty."""
    monkeypatch.setattr(run, "LONG", 20)
    monkeypatch.setattr(run, "FEW", 40)


@pytest.fixture(scope="module")
def solver() -> Simulator:
    return Simulator(machine("4*t"))


def both(solver: Simulator, time: float, **how) -> tuple[Trajectory, Trajectory]:
    """A motion of which not all is worked out, and one that has recorded everything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return solver.simulate(time, STEP, **how), solver.simulate(time, STEP, record=EVERYTHING, **how)


def assert_same(later: Trajectory, whole: Trajectory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for field in fields(whole):
            one, other = getattr(later, field.name), getattr(whole, field.name)
            if isinstance(other, np.ndarray) or isinstance(getattr(whole, field.name), dict) and field.name in PER_KNOT:
                assert same(one, other), field.name
            else:
                assert field.name == "mechanism" or one == other, field.name
        assert later.alarms == whole.alarms and later.unread is None
        assert same(dict(later.angles), dict(whole.angles))


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", only(SHORT, SCENES))
def test_what_is_read_later_has_the_bits_of_what_is_recorded(name: str, real: str) -> None:
    """All fields, through several pieces of the motion, of every kind of joint, force, loop and contact."""
    mechanism = SCENES[name]()
    solver = Simulator(mechanism, real=real, coordinates="tree" if name.startswith(TREE) else "maximal")
    driven = {f"{driver.name}.target" for driver in mechanism.drivers}
    inputs = {own: 0.3 + 0.1 * k for k, own in enumerate(solver.input_names) if own not in driven}
    later, whole = both(solver, 1.3, inputs=inputs, on_error="status", project=name == "projected")
    assert later.unread or whole.status[-1] < 0 or later.alarms == whole.alarms
    assert_same(later, whole)


@pytest.mark.usefixtures("soon")
def test_places_and_forces_take_no_step_again(solver: Simulator) -> None:
    """Nor do the state at the end, coordinates of joints, a table of them, and what a motion prints."""
    later, whole = both(solver, 0.5)
    assert later.recorded == EVERYTHING and later.whole is later and later.watched is None
    for field, group in PER_KNOT.items():
        if group not in ("rates", "energy", "closure"):
            assert same(getattr(later, field), getattr(whole, field)), field
    end, known = later.state(), whole.state()
    assert end.velocity.tobytes() == known.velocity.tobytes() and end.angles == known.angles
    assert same(later.coordinates("axle"), whole.coordinates("axle"))
    assert later.curves["ground.gap"].tobytes() == whole.curves["ground.gap"].tobytes()
    assert repr(later) == repr(whole)
    assert later.unread is not None
    assert_same(later, whole)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("field", COSTLY)
def test_each_may_be_the_first_that_is_read(solver: Simulator, field: str) -> None:
    later, whole = both(solver, 0.9)
    assert same(getattr(later, field), getattr(whole, field))
    assert later.unread is None


@pytest.mark.usefixtures("soon")
def test_a_motion_goes_on_from_one_that_was_not_read(solver: Simulator) -> None:
    (first, whole), (after, known) = both(solver, 0.5), both(solver, 0.1)
    assert first.unread
    after, known = both(solver, 0.6, start=first)[0], both(solver, 0.6, start=whole)[1]
    assert first.unread is None, "what goes on knows the work that was done before"
    assert_same(after, known)


@pytest.mark.usefixtures("soon")
def test_copies_pickles_and_files_have_everything(solver: Simulator, tmp_path: Path) -> None:
    whole = both(solver, 0.5)[1]
    for make in (copy.copy, copy.deepcopy, lambda motion: pickle.loads(pickle.dumps(motion))):
        assert_same(make(both(solver, 0.5)[0]), whole)
    loaded = Trajectory.load(both(solver, 0.5)[0].save(tmp_path / "motion.npz"))
    assert loaded.recorded == EVERYTHING and loaded.scatter.tobytes() == whole.scatter.tobytes()


@pytest.mark.usefixtures("soon")
def test_a_changed_parameter_changes_no_motion_that_was_made(solver: Simulator) -> None:
    own = Simulator(machine("4*t"))
    later, whole = both(own, 0.5)
    own.set_parameter("common.gravity", (0.0, 0.0, -3.0))
    assert not np.array_equal(own.simulate(0.5, STEP).velocity, whole.velocity)
    assert_same(later, whole)


@pytest.mark.usefixtures("soon")
def test_threads_read_one_motion(solver: Simulator) -> None:
    later, whole = both(solver, 0.9)
    found: list[bytes] = []
    readers = [threading.Thread(target=lambda: found.append(later.angular_velocity.tobytes())) for _ in range(6)]
    for each in readers:
        each.start()
    for each in readers:
        each.join()
    assert found == [whole.angular_velocity.tobytes()] * 6


@pytest.mark.usefixtures("soon")
def test_a_failure_is_looked_into_at_once() -> None:
    """All that came before the step that failed, and the account of energy there."""
    bodies, joints = [Body(name="rotor", mass=1.0, inertia=(1.0, 1.0, 1.0))], [
        Joint(name="pin", type="revolute", child="rotor", axis=(0, 0, 1))
    ]  # fmt: skip
    motor = Actuator(name="motor", joint="pin", signal="200")
    solver = Simulator(Mechanism(name="spin", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=[motor]))
    later, whole = both(solver, 4.0, on_error="status", options=SolverOptions(substeps=1))
    assert later.status[-1] < 0 and later.unread is None
    assert_same(later, whole)


# --- what is told, and when -------------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::symvi.EnergyWarning")
def test_rates_that_dampers_hide_are_told_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stiffness, damping, step = STRONG[0]
    solver = Simulator(arm(stiffness, damping))
    with pytest.warns(RateWarning) as at_once:
        solver.simulate(0.5, step, record=EVERYTHING)
    monkeypatch.setattr(run, "LONG", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", EnergyWarning)
        later = solver.simulate(0.5, step)
        assert later.position.any() and later.unread
    with pytest.warns(RateWarning) as when_read:
        assert later.velocity.any()
    assert str(when_read[0].message) == str(at_once[0].message)
    assert Path(when_read[0].filename).name == Path(__file__).name, "whoever reads is told"


@pytest.mark.usefixtures("soon")
def test_energy_from_nowhere_is_told_as_the_motion_ends() -> None:
    """A weight that somebody else lifts: an explicit force beyond all steps."""
    ball = Body(name="ball", mass=1.0, inertia=(1, 1, 1))
    wild = Mechanism(
        name="wild",
        gravity=(0, 0, 0),
        bodies=[ball],
        joints=[Joint(name="rail", type="prismatic", child="ball", axis=(0, 0, 1), coordinate=0.1)],
        forces=[symvi.Potential(name="well", child="ball", expression="k*x_b[2]**2", parameters={"k": 21000.0})],
    )
    with pytest.warns(EnergyWarning, match="energy rose by"):
        Simulator(wild).simulate(3.0, STEP)


@pytest.mark.usefixtures("soon")
def test_a_body_that_may_turn_too_fast_is_looked_at_at_every_knot() -> None:
    """Between knots that guards look at it turns fast for a few steps: told as by a motion that records everything."""
    rotor = Body(name="rotor", mass=1.0, inertia=(1.0, 1.0, 1.0))
    pin = Joint(name="pin", type="revolute", child="rotor", axis=(0, 0, 1))
    motor = Actuator(name="motor", joint="pin")
    solver = Simulator(Mechanism(name="kick", gravity=(0, 0, 0), bodies=[rotor], joints=[pin], forces=[motor]))
    force = np.zeros((101, 1))
    force[40:44], force[46:50] = 800.0, -800.0
    told = []
    for record in (None, EVERYTHING):
        with pytest.warns(SpinWarning) as seen:
            solver.simulate(1.0, STEP, inputs={"motor.force": force}, record=record)
        told.append([str(one.message) for one in seen])
    assert told[0] == told[1]


def test_short_motions_those_of_controllers_and_of_python_have_everything(solver: Simulator) -> None:
    body, ground = (
        Body(name="ball", mass=1.0, inertia=(1, 1, 1)),
        Contact(name="g", child="ball", parent_anchor=(0, 0, -9)),
    )
    ball = Mechanism(name="ball", bodies=[body], contacts=[ground])
    for backend, steps, how, waits in (
        ("c", LONG, {}, False),
        ("c", LONG + 1, {}, True),
        ("c", 4 * (LONG + 1), {"every": 4}, True),
        ("c", 4 * LONG, {"every": 4}, False),
        ("c", 10 * LONG + 10, {"every": 10}, False),
        ("c", LONG + 1, {"record": EVERYTHING}, False),
        ("c", LONG + 1, {"controller": lambda t, z: {}}, False),
        ("python", LONG + 1, {}, False),
    ):
        motion = Simulator(ball, backend=backend).simulate(steps * 1e-3, 1e-3, **how)
        assert (motion.unread is not None) is waits, (backend, steps, how)
