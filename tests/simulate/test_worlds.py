"""A world goes on knot by knot as simulate does in one go, to the last bit, whatever it is asked in between."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pytest

from symvi import (
    Actuator,
    Body,
    Box,
    Driver,
    Joint,
    JointSpring,
    Mechanism,
    Rod,
    Servo,
    Simulator,
    SolverOptions,
    State,
    coordinates_of,
    state_from,
)
from symvi.errors import ArgumentError, AssemblyError, MechanismError, SolverError, SpinWarning, SymviError
from symvi.simulate.seen import SeenState
from symvi.simulate.world import World
from tests.support.contact_scenes import box, on_ground
from tests.support.linkages import four_bar

STEP = 0.01


def cart_pole(*forces, **hinge) -> Mechanism:
    bodies = [
        Body(name="cart", mass=1.0, shape=Box(size=(0.4, 0.2, 0.2))),
        Body(name="pole", mass=0.1, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5))),
    ]
    joints = [
        Joint(name="slide", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="hinge", type="revolute", parent="cart", child="pole", axis=(0, 1, 0), **hinge),
    ]
    forces = forces or (Actuator(name="motor", joint="slide"),)
    return Mechanism(name="cart", bodies=bodies, joints=joints, forces=forces)


def crank() -> Mechanism:
    """A driver with a signal turns one hinge, a spring holds the next."""
    links = [Body(name=name, mass=1.0, shape=Rod(length=0.5, radius=0.02, position=(0, 0, -0.25))) for name in "ab"]
    joints = [
        Joint(name="first", type="revolute", child="a", axis=(0, 1, 0)),
        Joint(name="second", type="revolute", parent="a", child="b", parent_anchor=(0, 0, -0.5), axis=(0, 1, 0)),
    ]
    spring = JointSpring(name="spring", joint="second", stiffness=2.0)
    motor = Driver(name="motor", joint="first", signal="sin(3*t)")
    return Mechanism(name="crank", bodies=links, joints=joints, drivers=[motor], forces=[spring])


def hung(kind: str) -> Mechanism:
    """A box that swings on a joint of this type, fast enough to turn around."""
    body = Body(name="box", mass=1.0, shape=Box(size=(0.3, 0.2, 0.1)))
    count = {"revolute": 1, "universal": 2, "spherical": 3}[kind]
    joint = Joint(
        name="joint",
        type=kind,
        child="box",
        child_anchor=(0.01, 0.02, 0.03),
        axis=(0.6, 0.0, 0.8),
        velocity=(9.0, 0.3, 0.2)[:count],
    )
    return Mechanism(name="hung", bodies=[body], joints=[joint], gravity=(0.0, 0.0, 0.0))


def servoed() -> Mechanism:
    return cart_pole(Servo(name="servo", joint="slide", stiffness=20.0, damping=1.0), coordinate=0.3)


def tossed() -> Mechanism:
    return on_ground(
        box(position=(0, 0, 0.5), velocity=(1.0, 0.5, -2.0), angular_velocity=(3.0, 4.0, -2.0)), friction=0.6
    )


SCENES = {
    "cart": (cart_pole(coordinate=0.3), lambda n: {"motor.force": np.sin(0.1 * n).item()}),
    "crank": (crank(), lambda n: {}),
    "servo": (servoed(), lambda n: {"servo.target": 0.1 * n, "servo.stiffness": 20.0 + n}),
    "tossed": (tossed(), lambda n: {}),
    "four_bar": (four_bar(), lambda n: {}),
}


def ask(world: World) -> None:
    """Everything that a world can be asked."""
    _ = world.contacts, world.coordinates, world.rates, world.energy, world.state, world.copy(), world.time
    world.restore(world.save())


def same(first, second) -> bool:
    fields = ("position", "orientation", "velocity", "angular_velocity")
    return first.time == second.time and all((getattr(first, f) == getattr(second, f)).all() for f in fields)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("scene", SCENES)
def test_a_world_moves_as_simulate_does_whatever_is_asked(scene: str, backend: str) -> None:
    mechanism, inputs = SCENES[scene]
    simulator, count = Simulator(mechanism, backend=backend), 60 if backend == "c" else 12
    seen = []

    def controller(time, state):
        seen.append(state)
        return inputs(len(seen) - 1)

    motion = simulator.simulate(count * STEP, STEP, controller=controller)
    quiet, asked = simulator.reset(step=STEP), simulator.reset(step=STEP)
    for n in range(count):
        assert same(asked.state, seen[n]) and asked.state.angles == seen[n].angles
        for name, contact in asked.contacts.items():
            known = motion.contacts[name]
            assert contact.gap == known.gap[n] and contact.normal_force == known.normal_force[n]
            assert (contact.force == known.force[n]).all() and (contact.sliding == known.sliding[n]).all()
        ask(asked)
        quiet.step(inputs(n))
        asked.step(inputs(n))
    last = motion.state()
    assert same(quiet.state, last) and same(asked.state, last) and asked.state.angles == quiet.state.angles
    assert quiet.energy == asked.energy == motion.energy[-1]
    for joint, place in asked.entries.items():
        assert asked.coordinates[place] == pytest.approx(coordinates_of(mechanism, joint, last)[0], abs=1e-12)
        assert asked.rates[place] == pytest.approx(coordinates_of(mechanism, joint, last)[1], abs=1e-11)
    assert (asked.coordinates == quiet.coordinates).all() and (asked.rates == quiet.rates).all()


def test_tree_coordinates_are_the_same_path() -> None:
    simulator = Simulator(cart_pole(coordinate=0.3), coordinates="tree")
    world, motion = simulator.reset(step=STEP), simulator.simulate(0.5, STEP)
    for _ in range(50):
        world.step()
    assert same(world.state, motion.state()) and world.energy == motion.energy[-1]


def test_both_back_ends_read_the_same_bits() -> None:
    worlds = [Simulator(cart_pole(coordinate=0.3), backend=backend).reset(step=STEP) for backend in ("c", "python")]
    for world in worlds:
        for _ in range(5):
            world.step([0.5])
        world.reset({"slide": 0.2}, [0.1, 0.3])
        world.step([0.25])
    first, second = worlds
    assert (first.coordinates == second.coordinates).all() and (first.rates == second.rates).all()
    assert first.energy == second.energy and same(first.state, second.state)


def test_a_start_goes_on_where_a_trajectory_ended() -> None:
    simulator = Simulator(tossed())
    piece = simulator.simulate(0.3, STEP)
    whole, world = simulator.simulate(0.5, STEP), simulator.reset(start=piece, step=STEP)
    for name, contact in world.contacts.items():
        assert (contact.force == piece.contacts[name].force[-1]).all()
    for _ in range(20):
        world.step()
    assert same(world.state, whole.state())


def test_turns_are_counted_between_questions() -> None:
    """A pole at 30 rad/s turns 14 times in 300 steps that nobody looks at, more than are kept to be counted."""
    mechanism = cart_pole(velocity=30.0).changed(gravity=(0, 0, 0))
    simulator = Simulator(mechanism)
    world, motion = simulator.reset(step=STEP), simulator.simulate(3.0, STEP)
    states = {}
    for k in range(300):
        world.step()
        if k % 70 == 0:
            states[k + 1] = world.state
    assert motion.coordinates("hinge")[-1, 0] > 80.0
    assert world.coordinates[1] == pytest.approx(motion.coordinates("hinge")[-1, 0], abs=1e-12)
    assert world.copy().coordinates[1] == world.coordinates[1] == pytest.approx(world.state.angles["hinge"][0])
    for knot, state in states.items():  # read now, long after
        assert state.angles["hinge"][0] == pytest.approx(motion.coordinates("hinge")[knot, 0], abs=1e-12)


def test_a_start_takes_what_simulate_takes() -> None:
    """Options of the solver, a start that is put onto the joints, rates at which bodies turn: with the same bits."""
    simulator = Simulator(cart_pole(coordinate=0.3, velocity=4.0))
    coarse = SolverOptions(tolerance=1e-3)
    start = state_from(simulator.mechanism, {"hinge": 0.3})
    apart = State(
        start.time, start.position + 1e-4, start.orientation, start.velocity, start.angular_velocity, start.names
    )
    for asked in ({"options": coarse}, {"rates": "turn"}, {"start": apart, "project": True}):
        world, motion = simulator.reset(step=STEP, **asked), simulator.simulate(5 * STEP, STEP, **asked)
        other = world.copy()
        for _ in range(5):
            world.step()
            other.step()
        assert np.array_equal(world.state.position, motion.position[-1])
        assert np.array_equal(other.state.orientation, motion.orientation[-1])
    with pytest.raises(AssemblyError):
        simulator.reset(start=apart, step=STEP)
    with pytest.raises(ArgumentError, match="options 3: must be SolverOptions"):
        simulator.reset(options=3)
    with pytest.raises(MechanismError, match="project=True: a trajectory goes on as it ended"):
        simulator.reset(start=motion, project=True)


def test_a_look_ahead_leaves_no_trace() -> None:
    world = Simulator(cart_pole(coordinate=0.3)).reset(inputs={"motor.force": 1.0}, step=STEP)
    world.step()
    saved, other = world.save(), world.copy()
    there = []
    for _ in range(2):
        for force in (3.0, -2.0):
            world.step({"motor.force": force})
        world.step()
        there.append(world.coordinates)
        world.restore(saved)
    assert (there[0] == there[1]).all()
    world.step()
    other.step()
    assert (world.coordinates == other.coordinates).all() and world.time == other.time == 2 * STEP


def test_arrays_that_were_told_stay_as_they_were() -> None:
    world = Simulator(cart_pole(coordinate=0.3)).reset(step=STEP)
    told = world.coordinates, world.rates, world.state.position
    kept = [array.copy() for array in told]
    world.step([5.0])
    assert (world.coordinates != told[0]).any()
    assert all((array == other).all() for array, other in zip(told, kept, strict=True))


def test_a_world_begins_anew_at_joint_coordinates() -> None:
    """As state_from and a start by hand do; four_bar's loop closes."""
    mechanism = cart_pole(coordinate=0.3)
    simulator = Simulator(mechanism)
    world = simulator.reset(step=STEP)
    first = world.coordinates
    world.step()
    for coordinates, rates in (({"hinge": 0.5}, {"slide": 0.2}), ([0.0, 0.5], [0.2, 0.0]), ({"hinge": 7.0}, None)):
        world.reset(coordinates, rates)
        state = state_from(
            mechanism,
            {"hinge": coordinates["hinge"] if isinstance(coordinates, dict) else 0.5},
            {"slide": 0.2} if rates else None,
        )
        motion = simulator.simulate(0.1, STEP, start=state)
        assert world.time == 0.0
        for _ in range(10):
            world.step()
        assert world.coordinates[1] == pytest.approx(motion.coordinates("hinge")[-1, 0], abs=1e-11)
        assert world.state.velocity == pytest.approx(motion.state().velocity, abs=1e-11)
    world.reset()
    assert (world.coordinates == first).all() and world.time == 0.0


@pytest.mark.parametrize("every", [1, 100])
def test_states_that_a_controller_kept_can_be_read_after_the_run(every: int) -> None:
    """300 steps at 30 rad/s, read in any order, pickled or not: as read at once."""
    simulator = Simulator(cart_pole(velocity=30.0).changed(gravity=(0, 0, 0)), parameters={"cart.mass": 2.0})
    late, at_once = [], []

    def controller(time, state):
        at_once.append((state.position, state.velocity, state.angles["hinge"]))
        return {}

    with pytest.warns(SpinWarning):
        simulator.simulate(3.0, STEP, controller=controller, every=every)
        simulator.simulate(3.0, STEP, controller=lambda time, state: late.append(state) or {}, every=every)
    assert at_once[-1][2][0] > 80.0
    for n in (280, 299, 3, 255, 256, 257, 0):
        for state in (late[n], pickle.loads(pickle.dumps(late[n]))):
            position, velocity, angles = at_once[n]
            assert (state.position == position).all() and (state.velocity == velocity).all()
            assert state.angles["hinge"] == angles


def test_a_controller_that_raises_leaves_simulator_and_worlds_as_they_were() -> None:
    simulator = Simulator(cart_pole(coordinate=0.3))
    world, before = simulator.reset(step=STEP), simulator.simulate(0.1, STEP).state_hash()

    def controller(time, state):
        raise ZeroDivisionError("of the controller")

    with pytest.raises(ZeroDivisionError, match="of the controller"):
        simulator.simulate(0.1, STEP, controller=controller)
    assert simulator.simulate(0.1, STEP).state_hash() == before and world.time == 0.0


def test_worlds_run_beside_each_other() -> None:
    simulator, found = Simulator(cart_pole(coordinate=0.3)), {}

    def run(force: float) -> None:
        world = simulator.reset(step=STEP)
        for _ in range(500):
            world.step({"motor.force": force})
        found[force] = world.state

    forces = [0.0, 0.1, 0.2, 0.3]
    threads = [threading.Thread(target=run, args=(force,)) for force in forces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for force in forces:
        assert same(found[force], simulator.simulate(5.0, STEP, inputs={"motor.force": force}).state())


# --- what is refused --------------------------------------------------------------------------------------------------
def refusals(world: World) -> Iterator[tuple[object, str]]:
    other = Simulator(tossed()).reset(step=STEP)
    coarse = Simulator(cart_pole(coordinate=0.3)).reset(step=2 * STEP)
    yield lambda: world.step({"motor.force": np.nan}), "'motor.force' has a value that is not finite"
    yield lambda: world.step({"motr.force": 1.0}), "motor.force"
    yield lambda: world.step({"motor.force": [1.0, 2.0]}), "shape"
    yield lambda: world.step([1.0, 2.0]), "1 numbers in the order of input_names"
    yield lambda: world.step([np.inf]), "'motor.force' has a value that is not finite"
    yield lambda: world.step("fast"), "fast"
    yield lambda: world.reset({"hing": 0.1}), "hinge"
    yield lambda: world.reset({"hinge": np.nan}), "joint 'hinge'"
    yield lambda: world.reset([0.1]), "give 2 finite numbers"
    yield lambda: world.reset(None, {"hinge": 1e6}), "cannot start"
    yield lambda: world.restore(other.save()), "another mechanism"
    yield lambda: world.restore(coarse), "another step: 0.02, here 0.01"
    yield lambda: world.restore("before"), "before"
    yield lambda: world.step({"motor.force": 1e9}), "quarter of a turn"


def test_what_is_wrong_is_named_and_the_world_is_as_it_was() -> None:
    world = Simulator(cart_pole(coordinate=0.3)).reset(step=STEP)
    world.step([1.0])
    before = world.copy()
    for wrong, words in refusals(world):
        with pytest.raises((MechanismError, SolverError, AssemblyError), match=words):
            wrong()
        assert same(world.state, before.state) and (world.rates == before.rates).all() and world.time == STEP
    world.step([1.0])
    before.step([1.0])
    assert same(world.state, before.state) and (world.coordinates == before.coordinates).all()


def test_contacts_outlive_a_step_that_failed() -> None:
    world = Simulator(tossed()).reset(step=STEP)
    while not any(contact.normal_force > 1.0 for contact in world.contacts.values()):
        world.step()
    known, again = world.contacts, world.save()
    world.restore(again)
    world._z[0] = np.nan
    with pytest.raises(SolverError):
        world.step()
    world.restore(again)
    for name, contact in world.contacts.items():
        assert contact.gap == known[name].gap and (contact.force == known[name].force).all()


def test_a_closed_world_refuses_everything() -> None:
    with Simulator(cart_pole()).reset(step=STEP) as world:
        world.step()
    for question in (world.step, world.reset, world.save, world.copy, lambda: world.coordinates, lambda: world.energy):
        with pytest.raises(SymviError, match="world of mechanism 'cart' is closed"):
            question()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"step": -1.0}, "step -1"),
        ({"start": 3}, "start 3"),
        ({"start": {"hinge": 0.1}}, r"symvi.state_from\(mechanism, coordinates\) makes a State"),
        ({"inputs": {"motor.force": np.nan}}, "not finite"),
        ({"inputs": {"motor.force": [1.0, 2.0]}}, "must be 1 number"),
        ({"inputs": {"motor.torque": 1.0}}, "motor.force"),
    ],
)
def test_what_a_world_cannot_begin_with(given: dict, words: str) -> None:
    with pytest.raises(MechanismError, match=words):
        Simulator(cart_pole()).reset(**given)


@pytest.mark.parametrize("every", [1, 45])
@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("scene", ["cart", "servo", "four_bar", "revolute", "universal", "spherical"])
def test_joints_that_a_controller_reads_are_told_by_the_solver(
    scene: str, backend: Literal["c", "python"], every: int
) -> None:
    """The same as of the placements, whole turns counted, at every knot or now and then; and the motion is the same."""
    mechanism, inputs = SCENES[scene] if scene in SCENES else (hung(scene), lambda n: {})
    names = [joint.name for joint in mechanism.joints]
    simulator, count = Simulator(mechanism, backend=backend), 120 if backend == "c" else 8
    kept: list[State] = []

    def plain(state: State) -> State:
        rates = state.velocity, state.angular_velocity
        return State(state.time, state.position, state.orientation, *rates, state.names, state.angles)

    def controller(time: float, state: State) -> dict[str, object]:
        if len(kept) % every == 0:
            for name in names:
                told, known = coordinates_of(mechanism, name, state), coordinates_of(mechanism, name, plain(state))
                assert told[0] == pytest.approx(known[0], abs=1e-12)
                assert told[1] == pytest.approx(known[1], abs=1e-11)
        kept.append(state)
        return inputs(len(kept))

    read = simulator.simulate(count * STEP, STEP, controller=controller)
    numbers = iter(range(1, count + 1))
    alone = simulator.simulate(count * STEP, STEP, controller=lambda time, state: inputs(next(numbers)))
    assert (read.position == alone.position).all() and (read.energy == alone.energy).all()
    for name in names:  # read long after, of the placements
        late = coordinates_of(mechanism, name, kept[2])
        assert late[0] == pytest.approx(alone.coordinates(name)[2], abs=1e-12)


def test_joints_of_a_world_are_told_while_it_stands() -> None:
    world = Simulator(cart_pole(coordinate=0.3)).reset(step=STEP)
    mechanism = cart_pole(coordinate=0.3)
    world.step([0.5])
    state = world.state
    assert isinstance(state, SeenState)
    own = world._own.mechanism
    told = state.joint(own, {}, "hinge")
    assert told is not None and told[0][0] == world.coordinates[1] and told[1][0] == world.rates[1]
    told[0][0] = 7.0  # it is the reader's own
    assert world.coordinates[1] != 7.0
    assert state.joint(mechanism, {}, "hinge") is None and state.joint(own, {"pole.mass": (1.0,)}, "hinge") is None
    world.step([0.5])
    assert state.joint(own, {}, "hinge") is None
    assert coordinates_of(own, "hinge", state)[0] == pytest.approx(state.angles["hinge"])
