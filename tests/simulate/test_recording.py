"""What is recorded is what was chosen, with the bits of a motion that records everything; the rest says that it is not.

The witness is always the whole motion: the same solver, which was told to leave nothing out.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import symvi
from examples._quadruped import quadruped
from symvi.errors import ArgumentError, EnergyWarning, MechanismError, SymviError
from symvi.mechanism import (
    Actuator,
    Body,
    Contact,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    PointSpring,
)
from symvi.simulate import Simulator, SolverOptions, Trajectory, recording
from symvi.simulate.recording import EVERYTHING, GROUPS, PER_KNOT, WATCHED, NotRecordedError
from symvi.simulate.room import needed
from tests.phenomena.test_knot_rates import STRONG, arm

STEP = 0.01


def machine(signal: str = "20*t") -> Mechanism:
    """A driven wheel that turns for ever, a damped arm on it, a ball that falls on the ground."""
    bodies = [Body(name=name, mass=1.0, inertia=(0.02, 0.03, 0.04), center_of_mass=(0.0, 0.05, 0.0)) for name in
              ("wheel", "arm", "ball")]  # fmt: skip
    joints = [
        Joint(name="axle", type="revolute", child="wheel", axis=(0, 1, 0)),
        Joint(name="elbow", type="universal", parent="wheel", child="arm", parent_anchor=(0.2, 0, 0),
              child_anchor=(0, 0, 0.3), axis=(0, 1, 0), child_axis=(1, 0, 0)),
        Joint(name="rail", type="prismatic", child="ball", axis=(0, 0, 1), coordinate=0.3),
    ]  # fmt: skip
    forces = [
        Actuator(name="wind", joint="rail", signal="0.2*sin(9*t)"),
        JointDamper(name="oil", joint="elbow", damping=0.1),
        DryFriction(name="rub", joint="rail", bound=0.5),
        PointSpring(name="cord", child="arm", parent_anchor=(0, 0, 1), stiffness=20.0, length=0.5, damping=0.3),
    ]
    return Mechanism(
        name="machine",
        bodies=bodies,
        joints=joints,
        forces=forces,
        drivers=[Driver(name="motor", joint="axle", signal=signal)],
        limits=[Limit(name="stop", joint="rail", upper=0.35)],
        contacts=[Contact(name="ground", child="ball", parent_anchor=(0, 0, -0.1))],
    )


@pytest.fixture(scope="module", params=["c", "python"])
def simulator(request) -> Simulator:
    return Simulator(machine(), backend=request.param)


def same(one: object, other: object) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return one.tobytes() == other.tobytes()


def assert_recorded(part: Trajectory, whole: Trajectory, names: set[str]) -> None:
    """Fields of these names equal those of the whole motion; the others say so."""
    for field, group in PER_KNOT.items():
        if group in names:
            assert same(getattr(part, field), getattr(whole, field)), field
        else:
            with pytest.raises(NotRecordedError, match=rf"^not recorded: {field} \(of '{group}'\).*'{group}'\]"):
                getattr(part, field)


CHOICES = [[], ["rates"], ["energy"], ["contacts", "inputs"], ["reactions"], ["closure", "coordinates"]]


@pytest.mark.parametrize("names", CHOICES, ids=str)
def test_what_is_chosen_has_the_bits_of_the_whole_motion(simulator: Simulator, names: list[str]) -> None:
    whole, part = (simulator.simulate(0.7, STEP, record=record) for record in (None, names))
    assert part.recorded == tuple(name for name in GROUPS if name in {*names, "coordinates"})
    assert_recorded(part, whole, {*names, "coordinates"})
    assert part.state_hash() == whole.state_hash()
    for joint in ("axle", "elbow", "rail"):
        assert same(part.coordinates(joint), whole.coordinates(joint)), joint
    assert part.coordinates("axle")[-1, 0] == pytest.approx(14.0)  # two turns and more are counted


def test_every_knot_and_every_fifth(simulator: Simulator) -> None:
    whole, part = (simulator.simulate(0.7, STEP, record=record, every=5) for record in (None, ["contacts"]))
    assert_recorded(part, whole, {"contacts", "coordinates"})
    for joint in ("axle", "elbow"):
        assert same(part.coordinates(joint), whole.coordinates(joint))


def test_whole_knots_are_those_of_a_thinned_motion(simulator: Simulator) -> None:
    """All of it at every 32nd knot, and at the last one: sums of energies from one to the next."""
    part, thinned = (simulator.simulate(0.64, STEP, **how) for how in ({"record": []}, {"every": WATCHED}))
    whole = part.whole
    assert np.array_equal(whole.time, thinned.time)
    for field, group in PER_KNOT.items():
        if group != "coordinates" and field not in ("work_values", "spent_values"):
            assert same(getattr(whole, field), getattr(thinned, field)), field
    for field in ("work_values", "spent_values"):
        assert np.allclose(getattr(whole, field), getattr(thinned, field), rtol=1e-12, atol=1e-14), field
    odd = simulator.simulate(0.7, STEP, record=[])
    assert np.array_equal(odd.whole.time, odd.time[[0, 32, 64, 70]])
    assert np.allclose(odd.whole.dissipation["dampers"][-1], simulator.simulate(0.7, STEP).dissipation["dampers"][-1])


def test_everything_by_name_is_everything(simulator: Simulator) -> None:
    motion = simulator.simulate(0.1, STEP, record=list(reversed(EVERYTHING)))
    assert motion.watched is None and motion.whole is motion and motion.recorded == EVERYTHING


@pytest.mark.parametrize(
    "wrong, told",
    [
        (["coordinate"], "record: no such name 'coordinate'; did you mean 'coordinates'?"),
        (["rates", "energies"], "no such name 'energies'"),
        ("rates", r"record 'rates': must be a list of names, such as \['coordinates', 'contacts'\]"),
        ([3], "must be a list of names"),
        (7, "must be a list of names"),
    ],
)
def test_a_name_that_is_none_is_refused(simulator: Simulator, wrong: object, told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        simulator.simulate(0.1, STEP, record=wrong)


def test_derived_numbers_say_what_is_missing(simulator: Simulator) -> None:
    motion = simulator.simulate(0.7, STEP, record=["coordinates"])
    for ask, group in [
        (lambda: motion.energy, "energy"),
        (lambda: motion.work, "energy"),
        (lambda: motion.dissipation, "energy"),
        (lambda: motion.energy_balance, "energy"),
        (lambda: motion.rates("axle"), "rates"),
        (lambda: motion.reactions, "reactions"),
        (lambda: motion.contacts["ground"], "contacts"),
        (lambda: motion.stop_forces, "contacts"),
        (lambda: motion.misread_rate, "rates"),
        (lambda: motion.state(3), "rates"),
        (lambda: motion.curves["axle.rate"], "rates"),
        (lambda: motion.curves.columns(["motor.power"]), "energy"),
        (lambda: motion.curves["axle.reaction.force.x"], "reactions"),
        (lambda: motion.curves["ground.gap"], "contacts"),
        (lambda: motion.curves["wind.force"], "inputs"),
        (lambda: motion.to_pandas(["ball.velocity"]), "rates"),
    ]:
        with pytest.raises(NotRecordedError, match=f"not recorded: .*'{group}'"):
            ask()
    with pytest.raises(ArgumentError, match="no curve 'axel'"):
        motion.curves["axel"]
    with pytest.raises(AttributeError, match="no attribute 'velocities'"):
        motion.velocities  # noqa: B018


def test_tables_leave_out_what_is_missing(simulator: Simulator, tmp_path: Path) -> None:
    motion = simulator.simulate(0.2, STEP, record=["contacts"])
    head, *rows = motion.to_csv(tmp_path / "part.csv").read_text().splitlines()
    assert "ball.position.z" in head and "ground.gap" in head and "iterations" in head
    assert "velocity" not in head and "energy" not in head and "wind" not in head and "closure" not in head
    assert len(rows) == len(motion) and "nan" not in "".join(rows[1:])
    names = list(motion.curves)
    assert "axle" in names and "stop.force" in names and "axle.rate" not in names


def test_states_at_whole_knots_are_known(simulator: Simulator) -> None:
    whole, part = (simulator.simulate(0.7, STEP, record=record) for record in (None, []))
    for knot in (0, 32, -1):
        one, other = whole.state(knot), part.state(knot)
        assert one.velocity.tobytes() == other.velocity.tobytes() and one.position.tobytes() == other.position.tobytes()
        assert one.angles == other.angles


@pytest.mark.parametrize("record", [None, ["contacts"]])
def test_a_part_goes_on_without_a_seam(simulator: Simulator, record: list[str] | None, tmp_path: Path) -> None:
    """From one that recorded less, and from its file, as from one that recorded everything."""
    whole = simulator.simulate(0.7, STEP)
    first = simulator.simulate(0.4, STEP, record=["coordinates"])
    for start in (first, Trajectory.load(first.save(tmp_path / "first.npz"))):
        second = simulator.simulate(0.3, STEP, start=start, record=record)
        names = set(EVERYTHING if record is None else record) | {"coordinates"}
        for name in {"position", "orientation", "contact_values"} | (
            {"velocity", "kinetic_energy"} if not record else set()
        ):
            assert getattr(second, name).tobytes() == getattr(whole, name)[40:].tobytes(), name
        assert names == set(second.recorded)
        assert second.coordinates("axle").tobytes() == whole.coordinates("axle")[40:].tobytes()
        if record is None:
            assert second.work["motor"][-1] == pytest.approx(whole.work["motor"][-1], rel=1e-12)


def test_files_keep_a_part(simulator: Simulator, tmp_path: Path) -> None:
    motion = simulator.simulate(0.7, STEP, record=["rates"])
    again = Trajectory.load(motion.save(tmp_path / "part.npz"))
    assert again.recorded == motion.recorded and len(again.whole) == len(motion.whole)
    for own, other in ((motion, again), (motion.whole, again.whole)):
        for field in fields(Trajectory):
            if own.has(PER_KNOT.get(field.name, "coordinates")) and isinstance(getattr(own, field.name), np.ndarray):
                assert getattr(own, field.name).tobytes() == getattr(other, field.name).tobytes(), field.name
    with pytest.raises(NotRecordedError, match="kinetic_energy"):
        again.kinetic_energy  # noqa: B018
    assert again.save(tmp_path / "again.npz").stat().st_size > 0


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.update(recorded=["coordinates", "speed"]),
        lambda header, arrays: header.update(recorded=["rates"]),
        lambda header, arrays: header.update(recorded=list(GROUPS)),
        lambda header, arrays: header["whole"].update(format=3),
        lambda header, arrays: header.pop("whole"),
        lambda header, arrays: arrays.update(velocity=arrays["velocity"][:-1]),
        lambda header, arrays: arrays.pop("velocity"),
        lambda header, arrays: arrays.update(struck=np.zeros(2)),
        lambda header, arrays: arrays.update({"whole/time": arrays["whole/time"] + 0.001}),
        lambda header, arrays: arrays.pop("whole/energy", arrays.pop("whole/kinetic_energy")),
    ],
)
def test_a_damaged_part_is_refused(change, tmp_path: Path) -> None:
    import json

    file = tmp_path / "part.npz"
    Simulator(machine()).simulate(0.7, STEP, record=["rates"]).save(file)
    with np.load(file) as data:
        header, arrays = json.loads(str(data["header"])), {name: data[name] for name in data.files if name != "header"}
    change(header, arrays)
    np.savez(file, header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(SymviError, match="is no trajectory that symvi saved"):
        Trajectory.load(file)


# --- guards -----------------------------------------------------------------------------------------------------------
def unstable() -> Mechanism:
    """A weight across a tight cord, which acts at knots: h² T/l is far above 4 m."""
    cords = [PointSpring(name=f"cord{k}", child="bead", parent_anchor=(x, 0, 0), stiffness=4e3, length=0.01)
             for k, x in enumerate((-0.5, 0.5))]  # fmt: skip
    return Mechanism(name="string", gravity=(0, 0, 0), forces=cords,
                     bodies=[Body(name="bead", mass=0.05, inertia=(1.0,) * 3, position=(0, 0, 1e-3))])  # fmt: skip


def test_a_motion_that_gains_energy_is_told_whatever_is_recorded() -> None:
    solver, found = Simulator(unstable()), []
    for how in ({"record": []}, {"every": WATCHED}, {}):
        with pytest.warns(EnergyWarning, match="nothing has paid for"):
            found.append(solver.simulate(3.2, 0.01, **how))
    part, thinned, whole = found
    assert part.rise.time == thinned.rise.time and part.rise.amount == pytest.approx(thinned.rise.amount)
    assert part.time[part.rise.knot] == part.rise.time
    assert whole.rise.time <= part.rise.time < whole.rise.time + 2 * WATCHED * 0.01
    assert [one.element for one in part.too_stiff] == [one.element for one in thinned.too_stiff]
    assert part.rise in part.alarms


def test_rates_that_dampers_hide_are_told_where_rates_are_recorded() -> None:
    """Exactly those of the whole motion, though contacts and gains are not asked for."""
    solver = Simulator(arm(*STRONG[0][:2]))
    gains = {f"servo{k}.damping": np.full(61, 50.0) for k in range(3)}
    for inputs in (None, gains):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole, part, least = (
                solver.simulate(0.3, 0.005, inputs=inputs, record=record) for record in (None, ["rates"], [])
            )
        assert part.misread_rate == whole.misread_rate is not None
        assert part.misread_rate in part.alarms
        assert part.has("inputs") == (inputs is not None)
        assert not any(type(one) is type(part.misread_rate) for one in least.alarms)


def test_what_strikes_is_known_without_its_forces(simulator: Simulator, tmp_path: Path) -> None:
    part = simulator.simulate(0.7, STEP, record=["rates"])
    assert part.struck.any() and len(part.struck) == len(part) - 2
    assert part.misread_rate == simulator.simulate(0.7, STEP).misread_rate
    assert Trajectory.load(part.save(tmp_path / "part.npz")).misread_rate == part.misread_rate


def test_a_fast_spin_is_told_whatever_is_recorded() -> None:
    top = Mechanism(name="top", gravity=(0, 0, 0), bodies=[Body(name="top", mass=1.0, inertia=(1.0, 1.0, 1.0),
                    angular_velocity=(0, 0, 40.0))])  # fmt: skip
    with pytest.warns(symvi.SpinWarning):
        assert Simulator(top).simulate(0.5, 0.01, record=[]).fast_spin().body == "top"


# --- runs of all kinds ------------------------------------------------------------------------------------------------
def test_a_controller_and_gains_record_a_part_too() -> None:
    solver = Simulator(machine())
    seen = {}
    for record in (None, ["contacts"]):
        motion = solver.simulate(0.5, STEP, record=record, controller=lambda t, z: {"wind.force": 0.1 * t})
        seen[record is None] = motion
    assert_recorded(seen[False], seen[True], {"contacts", "coordinates"})


def test_a_bar_of_progress_changes_no_bit(simulator: Simulator) -> None:
    told = []
    one, other = (simulator.simulate(0.7, STEP, record=["reactions"], progress=progress)
                  for progress in (None, lambda done, total: told.append((done, total))))  # fmt: skip
    assert_recorded(one, other, {"reactions", "coordinates"})
    assert told[-1] == (70, 70)


def test_steps_in_parts_have_the_gaps_and_angles_of_their_knots() -> None:
    """The wheel comes to turn by five radians in a step, which is more than one step can."""
    solver = Simulator(machine("8*t**2"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, part = (solver.simulate(3.3, 0.1, record=record) for record in (None, ["contacts", "reactions"]))
    assert (whole.substeps[1:] > 1).sum() > WATCHED / 2
    assert_recorded(part, whole, {"contacts", "reactions", "coordinates"})
    assert same(part.coordinates("axle"), whole.coordinates("axle"))
    with pytest.raises(MechanismError, match="record more of them, or rates too"):
        part.coordinates("elbow")


@pytest.mark.parametrize("record", [[], ["rates"]])
def test_a_run_that_fails_has_what_came_before(record: list[str]) -> None:
    """The status is the last; nothing goes on from a knot that has not everything."""
    spin = Mechanism(
        name="spin",
        gravity=(0, 0, 0),
        bodies=[Body(name="rotor", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        joints=[Joint(name="pin", type="revolute", child="rotor", axis=(0, 0, 1))],
        forces=[Actuator(name="motor", joint="pin", signal="200")],
    )
    solver, how = Simulator(spin), {"on_error": "status", "options": SolverOptions(substeps=1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, part = (solver.simulate(4.0, 0.01, record=names, **how) for names in (None, record))
        assert whole.status[-1] < 0 and len(part) == len(whole)
        assert_recorded(part, whole, {*record, "coordinates"})
        assert (part.whole.status >= 0).all() or len(part.whole) == len(part)
        with pytest.raises(MechanismError, match="ends in a step that failed"):
            solver.simulate(0.1, 0.01, start=part)


def test_copies_and_pickles_keep_a_part(simulator: Simulator) -> None:
    motion = simulator.simulate(0.2, STEP, record=["rates"])
    for other in (pickle.loads(pickle.dumps(motion)), copy.copy(motion), copy.deepcopy(motion)):
        assert other.angular_velocity.tobytes() == motion.angular_velocity.tobytes()
        with pytest.raises(NotRecordedError):
            other.closure  # noqa: B018


def test_float_motions_record_a_part() -> None:
    solver = Simulator(machine(), real="float")
    whole, part = (solver.simulate(0.5, STEP, record=record) for record in (None, ["reactions", "contacts"]))
    assert_recorded(part, whole, {"reactions", "contacts", "coordinates"})


def test_a_part_takes_less_memory() -> None:
    plan = Simulator(quadruped(0.8)).plan
    assert needed(plan, 0, 10**6, 1, ("coordinates",)) < needed(plan, 0, 10**6, 1) / 2
    part = Simulator(machine()).simulate(3.2, STEP, record=[])
    assert sum(array.nbytes for array in (part.position, part.orientation)) < 320 * 8 * 30
    assert recording.watched_knots(101, 32).tolist() == [0, 32, 64, 96, 100]


def test_springs_of_loops_share_their_reactions() -> None:
    """A part with reactions knows all that those of least norm are made of."""
    four_bar = symvi.load(Path(symvi.demos.__file__).parent / "four_bar.toml")
    solver = Simulator(four_bar)
    whole, part = (solver.simulate(0.5, STEP, record=record) for record in (None, ["reactions"]))
    assert part.undetermined
    for name in whole.reactions:
        assert part.reactions[name].tobytes() == whole.reactions[name].tobytes()
