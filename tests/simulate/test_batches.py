"""Worlds of a batch move as one alone does, to the last bit, with inputs, parameters and starts of their own."""

from __future__ import annotations

import _thread
import threading

import numpy as np
import pytest

from symvi import Joint, JointSpring, Simulator, SolverOptions, state_from
from symvi.errors import ArgumentError, AssemblyError, MechanismError, SymviError
from symvi.simulate.batch import Batch
from symvi.simulate.world import World
from tests.simulate.test_worlds import SCENES, STEP, cart_pole, crank, servoed
from tests.support.contact_scenes import box, on_ground

COUNT = 5
ROUNDED = ("orientation", "position", "angular_velocity")  # a State of floats has quaternions of unit length in double
RECORD = ("coordinates", "rates", "position", "orientation", "velocity", "angular_velocity", "energy")


@pytest.fixture(scope="module")
def cart() -> Simulator:
    return Simulator(cart_pole(coordinate=0.3), backend="c")


def told(world: World) -> dict[str, np.ndarray]:
    """What a batch reads, of a world."""
    state = world.state
    placed = {name: getattr(state, name) for name in ("position", "orientation", "velocity", "angular_velocity")}
    return {"coordinates": world.coordinates, "rates": world.rates, "energy": np.array(world.energy), **placed}


def forces(simulator: Simulator, steps: int) -> np.ndarray:
    """(n, steps, m) inputs, different in every world and step."""
    rng = np.random.default_rng(1)
    return rng.uniform(-1.0, 1.0, (COUNT, steps, len(simulator.plan.inputs)))


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("scene", SCENES)
def test_worlds_of_a_batch_move_as_one_alone(scene: str, real: str) -> None:
    """In single steps, and in one rollout; whatever is asked in between."""
    simulator, steps = Simulator(SCENES[scene][0], backend="c", real=real), 40
    rows = forces(simulator, steps)
    single, whole = (simulator.batch(COUNT, step=STEP, threads=threads) for threads in (1, 2))
    record = whole.rollout(rows if rows.size else None, steps, record=RECORD, every=10)
    worlds = [simulator.reset(step=STEP) for _ in range(COUNT)]
    for n in range(steps):
        single.step(rows[:, n] if rows.size else None)
        _ = single.coordinates  # the crank makes whole turns
        for k, world in enumerate(worlds):
            world.step(rows[k, n] if rows.size else None)
        if (n + 1) % 10 == 0:
            read = single.read(RECORD)
            for k, world in enumerate(worlds):
                for name, value in told(world).items():
                    if real == "float" and name in ROUNDED:
                        continue
                    assert (read[name][k] == value).all(), name
                    assert (record[name][k, (n + 1) // 10] == value).all(), name
                assert single.time[k] == world.time == record.time[k, (n + 1) // 10]
    assert (whole.status >= 0).all() and (record.done == steps).all()


def test_every_thread_count_and_size_gives_the_same_bits(cart: Simulator) -> None:
    found = []
    for count, threads in ((64, 1), (64, 2), (64, 3), (40, 2)):
        force = np.linspace(-5, 5, 64)[:count]
        with cart.batch(count, step=0.02, threads=threads, inputs={"motor.force": force}) as batch:
            found.append(batch.rollout(steps=100, record="coordinates")["coordinates"][:40])
    assert all((each == found[0]).all() for each in found[1:])
    assert len(np.unique(found[0][:, -1, 1])) == 40  # and they are forty motions


def test_every_world_may_have_its_own_parameters_and_start(cart: Simulator) -> None:
    masses, heights = np.linspace(0.1, 2.0, COUNT), np.linspace(-1.0, 1.0, COUNT)
    starts = [state_from(cart.mechanism, {"slide": 0.0, "hinge": height}) for height in heights]
    batch = cart.batch(COUNT, step=STEP, parameters={"pole.mass": masses, "gravity": (0, 0, -5.0)}, starts=starts)
    batch.rollout({"motor.force": 1.0}, 50, record=())
    for k in range(COUNT):
        own = Simulator(cart.mechanism, parameters={"pole.mass": masses[k], "gravity": (0, 0, -5.0)})
        world = own.reset(start=starts[k], step=STEP)
        for _ in range(50):
            world.step({"motor.force": 1.0})
        assert (batch.coordinates[k] == world.coordinates).all() and batch.energy[k] == world.energy
    assert cart.settings == {}


def test_a_world_that_fails_keeps_its_state_and_harms_nobody(cart: Simulator) -> None:
    """A force beyond all measure in one world: the others go on as if they were alone."""
    rows = np.zeros((COUNT, 30, 1))
    rows[2, 10] = 1e9
    batch, calm = cart.batch(COUNT, step=STEP, threads=2), cart.batch(1, step=STEP)
    record = batch.rollout(rows, record=("coordinates", "energy"))
    alone = calm.rollout(rows[:1], record=("coordinates", "energy"))
    assert batch.status.tolist() == [0, 0, -3, 0, 0] and record.done.tolist() == [30, 30, 10, 30, 30]
    assert np.isnan(record["energy"][2, 11:]).all()
    for k in (0, 1, 3, 4):
        assert (record["coordinates"][k] == alone["coordinates"][0]).all()
    assert (record["coordinates"][2, :11] == alone["coordinates"][0, :11]).all()
    assert (batch.coordinates[2] == record["coordinates"][2, 10]).all()
    assert batch.time.tolist() == pytest.approx([0.3, 0.3, 0.1, 0.3, 0.3])
    before = batch.coordinates
    batch.step()
    assert (batch.coordinates[2] == before[2]).all() and batch.status[2] == -3
    assert (batch.coordinates[3] != before[3]).any() and "1 failed" in repr(batch)
    batch.reset(batch.status < 0)
    assert batch.status[2] == 0 and batch.time[2] == 0.0 and batch.coordinates[2] == pytest.approx([0.0, 0.3])
    batch.rollout(steps=30, record=())
    assert (batch.coordinates[2] == alone["coordinates"][0, -1]).all()


def test_worlds_begin_anew_at_coordinates(cart: Simulator) -> None:
    batch, world = cart.batch(COUNT, step=STEP), cart.reset(step=STEP)
    batch.rollout(steps=10, record=())
    kept = batch.coordinates
    mask, wanted = np.arange(COUNT) % 2 == 1, np.full((COUNT, 2), np.nan)
    wanted[mask] = [[0.1, 0.2], [0.3, -0.4]]
    batch.reset(mask, coordinates=wanted, rates={"slide": 0.5})
    assert (batch.coordinates[~mask] == kept[~mask]).all() and batch.time.tolist() == [0.1, 0, 0.1, 0, 0.1]
    batch.step({"motor.force": 0.7})
    for k in np.flatnonzero(mask):
        world.reset(wanted[k], {"slide": 0.5})
        world.step({"motor.force": 0.7})
        assert (batch.coordinates[k] == world.coordinates).all() and (batch.rates[k] == world.rates).all()


def test_drivers_hold_where_they_begin_anew() -> None:
    """A driver without a signal holds what it finds, and after a reset what it finds there."""
    mechanism = crank().changed(drivers=[crank().drivers[0].changed(signal=None)])
    simulator = Simulator(mechanism, backend="c")
    batch, world = simulator.batch(2, step=STEP), simulator.reset(step=STEP)
    batch.reset(np.array([False, True]), coordinates={"first": 0.4, "second": 0.2})
    world.reset({"first": 0.4, "second": 0.2})
    batch.rollout(steps=20, record=())
    for _ in range(20):
        world.step()
    assert (batch.coordinates[1] == world.coordinates).all() and batch.coordinates[1, 0] == pytest.approx(0.4)
    assert batch.coordinates[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_whole_turns_are_counted_between_recorded_knots() -> None:
    """Three turns from row to row."""
    simulator = Simulator(cart_pole(), backend="c")
    batch, world = simulator.batch(2, step=STEP), simulator.reset(step=STEP)
    batch.reset(rates={"hinge": 20.0})
    world.reset(rates={"hinge": 20.0})
    record = batch.rollout(steps=300, every=100)
    for n in range(1, 4):
        for _ in range(100):
            world.step()
        assert (record["coordinates"][:, n] == world.coordinates).all()
    assert world.coordinates[1] > 25


def test_servos_aim_from_the_start_and_signals_run_in_each_worlds_time() -> None:
    simulator = Simulator(servoed(), backend="c")
    batch, world = simulator.batch(3, step=STEP), simulator.reset(step=STEP)
    for n in range(5):
        batch.step({"servo.target": 0.2 + 0.1 * n})
        world.step({"servo.target": 0.2 + 0.1 * n})
    assert (batch.coordinates == world.coordinates).all()
    driven = Simulator(crank(), backend="c")
    batch, late = driven.batch(2, step=STEP), driven.reset(step=STEP)
    batch.rollout(steps=7, record=())
    batch.reset(np.array([True, False]))
    batch.rollout(steps=5, record=())
    for n in range(12):
        late.step()
        if n == 4:
            assert (batch.coordinates[0] == late.coordinates).all()
    assert (batch.coordinates[1] == late.coordinates).all()


def test_numpy_arrays_are_read_where_they_lie(cart: Simulator) -> None:
    batch = cart.batch(COUNT, step=STEP)
    for given, lone in ((np.ones((COUNT, 1)), True), (np.ones((COUNT, 8, 1))[:, ::2], False)):
        rows = batch._inputs.rows(given, 1 if lone else 4, lambda knots: np.zeros((COUNT, knots)), lone)
        assert np.shares_memory(rows, given)
    record = batch.rollout(steps=4, record=("coordinates", "rates"))
    assert record["rates"].base is not None  # a view of what C wrote


@pytest.mark.usefixtures("heeds_ctrl_c")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_rollout_between_two_steps_of_all_worlds(cart: Simulator, threads: int) -> None:
    """It comes a moment after the first steps."""
    batch = cart.batch(50, step=0.02, threads=threads, inputs={"motor.force": np.linspace(-5, 5, 50)})
    timers: list[threading.Timer] = []

    def begun(done: int, total: int) -> None:
        if not timers:
            timers.append(threading.Timer(0.1, _thread.interrupt_main))
            timers[0].start()

    with pytest.raises(KeyboardInterrupt):
        batch.rollout(steps=5_000_000, record=(), progress=begun)  # a minute or so, if it never comes
    steps = round(batch.time[0] / 0.02)
    assert steps > 0 and (batch.time == batch.time[0]).all()
    again = cart.batch(50, step=0.02, inputs={"motor.force": np.linspace(-5, 5, 50)})
    again.rollout(steps=steps, record=())
    assert (again.coordinates == batch.coordinates).all()


def test_progress_is_told(cart: Simulator) -> None:
    seen: list[tuple[int, int]] = []
    cart.batch(2, step=STEP).rollout(steps=50, record=(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (50, 50) and seen == sorted(seen)


def snapshot(batch: Batch) -> list[bytes]:
    memory = batch._memory
    return [array.tobytes() for array in (memory.state, memory.last, memory.status, batch._worlds.index, memory.near)]


BAD_STEPS = {
    "no input 'motr.force'; did you mean 'motor.force'": {"motr.force": 1.0},
    "input 'motor.force' has the shape (4,); give (5,)": {"motor.force": np.ones(4)},
    "input 'motor.force' has a value that is not finite, in world 3": {"motor.force": np.array([0, 0, 0, np.nan, 0])},
    "inputs has the shape (5, 2); give (5, 1)": np.ones((5, 2)),
    "neither a number nor an array of numbers": np.array([["a"]] * 5),
}


@pytest.mark.parametrize("message", BAD_STEPS)
def test_a_bad_step_names_what_is_wrong_and_changes_nothing(cart: Simulator, message: str) -> None:
    batch = cart.batch(COUNT, step=STEP)
    batch.step({"motor.force": 1.0})
    before = snapshot(batch)
    with pytest.raises(MechanismError) as error:
        batch.step(BAD_STEPS[message])
    assert message in str(error.value)
    assert snapshot(batch) == before


def test_bad_resets_and_rollouts_name_what_is_wrong_and_change_nothing(cart: Simulator) -> None:
    batch = cart.batch(COUNT, step=STEP)
    batch.step({"motor.force": 1.0})
    before = snapshot(batch)
    for mask in (np.ones(4, bool), np.ones(COUNT), [True]):
        with pytest.raises(MechanismError, match="mask .* give 5 of True and False"):
            batch.reset(mask)  # type: ignore[arg-type]
    with pytest.raises(MechanismError, match="no joint 'hing'; did you mean 'hinge'"):
        batch.reset(coordinates={"hing": 1.0})
    with pytest.raises(MechanismError, match="coordinates: a value is not finite, in world 1"):
        batch.reset(np.arange(COUNT) > 0, coordinates=np.full((COUNT, 2), np.nan))
    with pytest.raises(MechanismError, match=r"(?s)coordinates .* give numbers of the shape \(5, 2\)"):
        batch.reset(coordinates=np.ones((COUNT, 3)))
    with pytest.raises(ArgumentError, match="every=3: must divide the 10 steps"):
        batch.rollout(steps=10, every=3)
    with pytest.raises(ArgumentError, match="steps None: say how many"):
        batch.rollout({"motor.force": 1.0})
    with pytest.raises(ArgumentError, match="record: nothing is called 'rate'; did you mean 'rates'"):
        batch.rollout(steps=10, record=("rate",))
    with pytest.raises(ArgumentError, match="nothing is recorded as 'energy'"):
        cart.batch(1).rollout(steps=1)["energy"]
    assert snapshot(batch) == before


def test_a_start_that_is_none_leaves_all_worlds_where_they_are() -> None:
    """One world would lie in the ground."""
    lift = Joint(name="lift", type="prismatic", child="box", axis=(0, 0, 1))
    simulator = Simulator(on_ground(box(position=(0, 0, 0.5))).changed(joints=[lift]), backend="c")
    batch = simulator.batch(3, step=STEP)
    batch.rollout(steps=5, record=())
    place, before = batch.coordinates.copy(), snapshot(batch)
    place[1] = -5.0
    with pytest.raises(AssemblyError, match="coordinates of world 1: bodies lie inside each other"):
        batch.reset(coordinates=place)
    assert snapshot(batch) == before


def test_a_batch_that_cannot_be_is_refused(cart: Simulator) -> None:
    for count in (0, -1, 2.5, True, None):
        with pytest.raises(ArgumentError, match="batch of .* worlds: must be a whole number, at least 1"):
            cart.batch(count)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a batch of 1000000000 worlds takes about .* of memory, and there are"):
        cart.batch(10**9)
    with pytest.raises(ArgumentError, match="threads 0: must be a whole number from 1"):
        cart.batch(1, threads=0)
    with pytest.raises(MechanismError, match="no parameter 'pole.mas'; did you mean 'pole.mass'"):
        cart.batch(2, parameters={"pole.mas": 1.0})
    with pytest.raises(MechanismError, match=r"parameter 'pole.mass' has the shape \(3,\); give one for all"):
        cart.batch(2, parameters={"pole.mass": np.ones(3)})
    with pytest.raises(MechanismError, match="parameter 'pole.mass' has a value that is not finite, in world 1"):
        cart.batch(2, parameters={"pole.mass": [1.0, np.nan]})
    with pytest.raises(MechanismError, match=r"'pole.length'.* are no parameters: symvi.sweep varies them"):
        cart.batch(2, parameters={"pole.length": 1.0})
    with pytest.raises(ArgumentError, match="steps 3000000000: must be a whole number from 1 to 2147483647"):
        cart.batch(1).rollout(steps=3_000_000_000)
    with pytest.raises(ArgumentError, match="steps None: say how many, or give inputs as an array"):
        cart.batch(1).rollout({"motor.force": np.zeros((1, 5))})
    with pytest.raises(MechanismError, match="world 1: parameter pole.mass: .* must be positive"):
        cart.batch(2, parameters={"pole.mass": [1.0, -1.0]})
    with pytest.raises(MechanismError, match="starts .* give a State, or 2 of them"):
        cart.batch(2, starts=[cart.project()])
    with pytest.raises(ArgumentError, match="a batch runs in C"):
        Simulator(cart_pole(), backend="python").batch(2)
    batch = cart.batch(1)
    batch.close()
    with pytest.raises(SymviError, match="the batch of mechanism 'cart' is closed"):
        batch.step()


def test_options_and_springs_count_as_in_a_world() -> None:
    """A fixed number of iterations, and a parameter of a force."""
    spring = JointSpring(name="spring", joint="hinge", stiffness=1.0)
    simulator, options = Simulator(cart_pole(spring, coordinate=0.3), backend="c"), SolverOptions(fixed_iterations=3)
    stiffness = np.array([1.0, 50.0])
    batch = simulator.batch(2, step=STEP, options=options, parameters={"spring.stiffness": stiffness})
    batch.rollout(steps=20, record=())
    assert (batch.iterations == 3).all()
    for k in range(2):
        own = Simulator(simulator.mechanism, parameters={"spring.stiffness": stiffness[k]})
        world = own.reset(step=STEP, options=options)
        for _ in range(20):
            world.step()
        assert (batch.coordinates[k] == world.coordinates).all()
