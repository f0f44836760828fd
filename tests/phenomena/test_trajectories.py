"""One motion in pieces, from a file, from a controller or from arrays: always the same bits."""

import csv
import json
import os
from dataclasses import fields

import numpy as np
import pytest

from symvi.errors import MechanismError, SymviError
from symvi.mechanism import (
    Actuator,
    Body,
    Box,
    Coupling,
    Driver,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    Servo,
    Wrench,
)
from symvi.simulate import Simulator, Trajectory
from symvi.simulate.trajectory import FORMAT

STEP = 0.01


def robot() -> Mechanism:
    """Everything that a state carries on: whole turns, rates of drivers; and inputs of every kind."""
    bodies = [
        Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.2, 0.4))) for name in ("arm", "hand", "wheel", "gear", "cart")
    ]
    joints = [
        Joint(name="shoulder", type="revolute", child="arm", child_anchor=(0, 0, 0.2), axis=(1, 0, 0), coordinate=0.5),
        Joint(
            name="wrist",
            type="spherical",
            parent="arm",
            child="hand",
            parent_anchor=(0, 0, -0.2),
            child_anchor=(0, 0, 0.2),
        ),
        Joint(name="axle", type="revolute", child="wheel", coordinate=30.0, velocity=20.0),
        Joint(name="shaft", type="revolute", child="gear", parent_anchor=(1, 0, 0)),
        Joint(name="rail", type="prismatic", child="cart", axis=(1, 0, 0), coordinate=0.1),
    ]
    return Mechanism(
        name="robot", bodies=bodies, joints=joints,
        couplings=[Coupling(name="teeth", joints=("shaft", "axle"), ratio=-0.5)],
        drivers=[Driver(name="motor", joint="rail", signal="0.1 + 0.2*sin(3*t)")],
        forces=[
            JointSpring(name="spiral", joint="axle", stiffness=0.01),
            JointDamper(name="friction", joint="wrist", damping=0.05),
            Servo(name="servo", joint="shoulder", stiffness=20.0, damping=1.0),
            Actuator(name="muscle", joint="wrist"),
            Wrench(name="wind", body="hand", point=(0, 0, -0.2)),
        ],
    )  # fmt: skip


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator(robot())


def given(time: np.ndarray) -> dict[str, np.ndarray]:
    """Inputs of every kind at the given times."""
    return {
        "servo.target": 0.5 + 0.3 * np.sin(time),
        "servo.target_rate": 0.3 * np.cos(time),
        "muscle.force": np.stack([np.sin(2 * time), np.cos(time), 0 * time], axis=-1),
        "wind.force[1]": 0.5 * np.sin(5 * time),
        "wind.torque": np.stack([0.1 + 0 * time, 0 * time, 0.2 * np.cos(3 * time)], axis=-1),
    }


def knots(steps: int, first: int = 0) -> np.ndarray:
    return STEP * np.arange(first, first + steps + 1)


@pytest.fixture(scope="module")
def whole(simulator: Simulator) -> Trajectory:
    return simulator.simulate(1.5, STEP, inputs=given(knots(150)))


ARRAYS = [field.name for field in fields(Trajectory) if field.type == "Array"]


def assert_same(first: Trajectory, second: Trajectory, names=ARRAYS, rows=slice(None)) -> None:
    for name in names:
        assert getattr(first, name).tobytes() == getattr(second, name)[rows].tobytes(), name


MOTION = (
    "time",
    "position",
    "orientation",
    "velocity",
    "angular_velocity",
    "potential_energy",
    "closure",
    "iterations",
)


@pytest.mark.parametrize("cut", [1, 60, 149])
def test_a_motion_in_two_pieces_is_that_in_one(simulator: Simulator, whole: Trajectory, cut: int) -> None:
    """With turns of the wheel, the driver's last rates and the extrapolated start of Newton carried over the cut."""
    first = simulator.simulate(cut * STEP, STEP, inputs=given(knots(cut)))
    second = simulator.simulate((150 - cut) * STEP, STEP, start=first, inputs=given(knots(150 - cut, cut)))
    assert_same(second, whole, MOTION, slice(cut, None))
    assert second.resume.tobytes() == whole.resume.tobytes()


def test_a_controller_is_the_same_as_arrays(simulator: Simulator, whole: Trajectory) -> None:
    seen = []

    def controller(time: float, state) -> dict[str, object]:
        seen.append((time, state.position[1, 2]))
        now, next_knot = given(np.float64(time)), given(STEP * np.float64(round(time / STEP) + 1))
        return {name: (next_knot if name.startswith("servo") else now)[name][()] for name in now}

    first = {name: values[()] for name, values in given(np.float64(0.0)).items() if name.startswith("servo")}
    controlled = simulator.simulate(1.5, STEP, controller=controller, inputs=first)
    assert controlled.resume.tobytes() == whole.resume.tobytes()
    assert_same(controlled, whole, ["position", "orientation", "potential_energy", "closure", "iterations"])
    # velocities at a knot take half of the force that begins there; at the last one no step begins
    for name in ("velocity", "angular_velocity", "kinetic_energy", "angular_momentum"):
        assert getattr(controlled, name)[:-1].tobytes() == getattr(whole, name)[:-1].tobytes(), name
    # targets are named at the knot where a step begins, for the one where it ends
    columns = [name.startswith("servo") for name in whole.input_names]
    assert np.array_equal(controlled.inputs[:-1, columns], whole.inputs[1:, columns])
    assert np.array_equal(controlled.inputs[:-1, np.logical_not(columns)], whole.inputs[:-1, np.logical_not(columns)])
    # it was asked once at every knot where a step begins, and shown that knot
    assert np.array_equal([time for time, _ in seen], whole.time[:-1])
    assert np.array_equal([height for _, height in seen], whole.position[:-1, 1, 2])


def test_recording_every_tenth_knot_changes_nothing_else(simulator: Simulator, whole: Trajectory) -> None:
    sparse = simulator.simulate(1.5, STEP, inputs=given(knots(150)), every=10)
    assert_same(sparse, whole, MOTION, slice(None, None, 10))
    assert sparse.resume.tobytes() == whole.resume.tobytes()


def test_progress_is_told_and_changes_nothing(simulator: Simulator, whole: Trajectory) -> None:
    told = []
    watched = simulator.simulate(
        1.5, STEP, inputs=given(knots(150)), progress=lambda done, steps: told.append((done, steps))
    )
    assert told[-1] == (150, 150)
    assert_same(watched, whole)


def test_a_file_keeps_every_bit_and_the_mechanism(simulator: Simulator, whole: Trajectory, tmp_path) -> None:
    again = Trajectory.load(whole.save(tmp_path / "motion.npz"))
    assert_same(again, whole)
    assert again.mechanism == whole.mechanism and again.input_names == whole.input_names and again.step == STEP
    for name, values in whole.reactions.items():
        assert again.reactions[name].tobytes() == values.tobytes()
    further = [simulator.simulate(0.2, STEP, start=start) for start in (whole, again)]
    assert_same(*further)


def test_a_file_that_is_no_trajectory_is_refused(tmp_path) -> None:
    for name, content in (("text.npz", b"no archive"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SymviError, match=name):
            Trajectory.load(tmp_path / name)
    np.savez(tmp_path / "other.npz", values=np.zeros(3))
    with pytest.raises(SymviError, match="is no trajectory"):
        Trajectory.load(tmp_path / "other.npz")
    if hasattr(os, "mkfifo"):  # reading it would wait for ever
        os.mkfifo(tmp_path / "pipe.npz")
        with pytest.raises(SymviError, match="pipe.npz: is no file, but a pipe or a device"):
            Trajectory.load(tmp_path / "pipe.npz")


def test_a_damaged_file_is_refused_whatever_is_wrong_with_it(whole: Trajectory, tmp_path) -> None:
    saved = whole.save(tmp_path / "whole.npz")
    arrays = dict(np.load(saved))
    damages = {
        "cut": saved.read_bytes()[:2000],
        "flipped": bytes(byte ^ (k == saved.stat().st_size // 2) for k, byte in enumerate(saved.read_bytes())),
    }
    for name, content in damages.items():
        (tmp_path / f"{name}.npz").write_bytes(content)
    np.save(tmp_path / "single.npy", np.zeros(3))
    changes = {
        "missing": {"position": None},
        "extra": {"colour": np.zeros(3)},
        "unknown_group": {"foo:arm": np.zeros(3)},
        "no_mechanism": {"header": np.array(json.dumps({"format": FORMAT}))},
        "wrong_shape": {"position": np.zeros((3, 3))},
        "too_short": {"reaction:wrist": np.zeros((3, 6))},
    }
    for name, change in changes.items():
        kept = {key: value for key, value in (arrays | change).items() if value is not None}
        np.savez(tmp_path / f"{name}.npz", **kept)
    for name in (*(f"{name}.npz" for name in (*damages, *changes)), "single.npy"):
        with pytest.raises(SymviError, match=f"{name}: is no trajectory that symvi saved"):
            Trajectory.load(tmp_path / name)


def test_an_unknown_name_is_refused_with_the_nearest(whole: Trajectory) -> None:
    with pytest.raises(MechanismError, match="no reaction of a joint 'wirst'; did you mean 'wrist'?"):
        whole.reactions["wirst"]
    with pytest.raises(KeyError, match="no power of a driver 'moter'; did you mean 'motor'?"):
        whole.powers["moter"]
    assert "wirst" not in whole.reactions and whole.multipliers.get("wirst") is None


def test_the_table_has_every_number_to_the_last_digit(whole: Trajectory, tmp_path) -> None:
    with whole.to_csv(tmp_path / "motion.csv").open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    table = dict(zip(names, np.array(rows, float).T, strict=True))
    assert np.array_equal(table["time"], whole.time)
    for k, body in enumerate(whole.names):
        assert np.array_equal(table[f"{body}.position.x"], whole.position[:, k, 0])
        assert np.array_equal(table[f"{body}.orientation.w"], whole.orientation[:, k, 0])
        assert np.array_equal(table[f"{body}.angular_velocity.z"], whole.angular_velocity[:, k, 2])
    assert np.array_equal(table["energy"], whole.energy)
    assert np.array_equal(table["muscle.force[1]"], whole.inputs[:, whole.input_names.index("muscle.force[1]")])


def test_a_state_is_a_start(simulator: Simulator, whole: Trajectory) -> None:
    """Knot velocities are second order: from a state in mid-motion the motion goes on to that order."""
    middle = simulator.simulate(0.5, STEP, start=whole.state(100), inputs=given(knots(50, 100)), project=True)
    assert middle.time == pytest.approx(whole.time[100:])
    assert np.abs(middle.position - whole.position[100:]).max() < 1e-2


def test_inputs_are_numbers_entries_or_rows_of_entries(simulator: Simulator) -> None:
    """Where knots are as many as entries, one row of numbers still is one entry each."""
    across, along = np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3)
    runs = [simulator.simulate(2 * STEP, STEP, inputs={"wind.force": value}) for value in (2.0, across, along)]
    k = runs[0].input_names.index("wind.force[0]")
    found = [run.inputs[:, k : k + 3] for run in runs]
    assert [rows.tolist() for rows in found] == [[[2.0] * 3] * 3, [across.tolist()] * 3, along.tolist()]
    single = simulator.simulate(2 * STEP, STEP, inputs={"wind.force[1]": across, "servo.target": [0.5]})
    assert single.inputs[:, k + 1].tolist() == across.tolist()


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("servo.targett", 1.0, "servo.target"),
        ("wind.force", [1.0, 2.0], r"'wind.force' has the shape \(2,\); give one number, \(3,\) or \(11, 3\)"),
        ("wind.force", np.zeros((3, 11)), r"'wind.force' has the shape \(3, 11\)"),
        ("wind.force", np.zeros(11), r"'wind.force' has the shape \(11,\)"),
        ("wind.force[0]", np.zeros(3), r"has the shape \(3,\); give one number, \(11,\) or \(11, 1\): 1 entry"),
        ("servo.target", 1j, "is neither a number nor an array of numbers"),
        ("servo.target", "fast", "'fast' is neither a number"),
        ("servo.target", [[1.0], [1.0, 2.0]], "is neither a number nor an array"),
        ("servo.target", np.nan, "'servo.target' has a value that is not finite"),
    ],
)
def test_wrong_inputs_are_named(simulator: Simulator, name: str, value: object, reason: str) -> None:
    with pytest.raises(MechanismError, match=reason):
        simulator.simulate(0.1, STEP, inputs={name: value})
