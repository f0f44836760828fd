"""Worlds side by side in vectors have the bits of worlds one by one: in any width, whatever their neighbours do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from symvi import Actuator, JointSpring, Mechanism, Simulator, SolverOptions, State
from symvi.emit.lane_choices import handed_on
from symvi.errors import ArgumentError
from symvi.numbers.control import SolverStatus
from symvi.program import near
from symvi.simulate.batch import Batch
from symvi.simulate.batch_build import lane_sources
from symvi.simulate.solver_build import composed
from tests.contact.test_back_ends import TIMES
from tests.contact.test_back_ends import scenes as contact_scenes
from tests.contact.test_own_gaps import bead, own
from tests.simulate.test_jumps import lift, stopped, zigzag
from tests.simulate.test_worlds import STEP, cart_pole, crank, servoed
from tests.support.contact_scenes import ball, on_ground
from tests.support.exported import quadruped
from tests.support.linkages import four_bar
from tests.support.pendulums import chain
from tests.support.subset import first_of, only

Coordinates = Literal["maximal", "tree"]
COUNT = 21  # two whole packs of eight and some more
RECORD = ("coordinates", "rates", "position", "orientation", "energy")


@pytest.fixture(autouse=True)
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that has them."""
    compiler = next((name for name in ("gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        pytest.skip("neither gcc nor clang is installed")
    monkeypatch.setenv("SYMVI_CC", compiler)


def universal() -> Mechanism:
    """Angles of two rotations, held by springs, whose sines a rod's potential needs."""
    found = chain(2, "universal")
    springs = [JointSpring(name=f"spring_{joint.name}", joint=joint.name, stiffness=5.0) for joint in found.joints]
    return found.changed(forces=springs)


def balls() -> Mechanism:
    return chain(3, "spherical")


def hinges() -> Mechanism:
    found = chain(4, "revolute")
    return found.changed(forces=[Actuator(name="motor", joint=found.joints[1].name)])


def hilly() -> Mechanism:
    """A bead on a hill and a spring that hardens: exp and log are C's own."""
    gap = "0.2*log(1 + exp(x_b[2] - 0.3*exp(-4*(x_b[0] - 0.2)**2))) - 0.2*log(2)"
    scene = bead(own(gap, 0.3), velocity=(0.5, 0.3, 0.0))
    return scene.changed(bodies=[body.changed(position=(0.0, 0.1, 0.5)) for body in scene.bodies])


def crowded() -> Mechanism:
    """More contacts than are all looked at in every step."""
    bodies = [ball(f"b{k}", 0.1, position=(0.5 * k, 0, 1.0)) for k in range(near.MANY + 1)]
    return on_ground(*bodies)


SCENES: dict[str, Callable[[], Mechanism]] = {
    "cart": lambda: cart_pole(coordinate=0.3), "crank": crank, "servo": servoed, "four_bar": four_bar, "balls": balls,
    "hinges": hinges, "universal": universal,
}  # fmt: skip


def scattered(batch: Batch, simulator: Simulator, steps: int) -> np.ndarray | None:
    """Worlds begin at rates of their own, a few of them wild; (n, steps, m) inputs, now and then with a jump."""
    rng = np.random.default_rng(3)
    if "loop" not in simulator.mechanism.name and not simulator.plan.notes["loops"]:
        rates = rng.uniform(-1.0, 1.0, batch.rates.shape) * np.where(np.arange(len(batch)) % 7 == 3, 20.0, 1.0)[:, None]
        batch.reset(rates=rates)
    rows = rng.uniform(-1.0, 1.0, (len(batch), steps, len(simulator.plan.inputs)))
    rows[2::5, steps // 2 :] *= 30.0
    return rows if rows.size else None


def rolled(simulator: Simulator, lanes: int | None, steps: int = 40, count: int = COUNT, **how) -> tuple:
    """Everything that a rollout tells, and what it leaves."""
    with simulator.batch(count, step=STEP, lanes=lanes, threads=2, **how) as batch:
        inputs = scattered(batch, simulator, steps)
        record = batch.rollout(inputs, steps, record=RECORD, every=8)
        kept = batch._memory
        left = (kept.state.copy(), kept.status.copy(), kept.done.copy(), kept.iterations.copy(), kept.last.copy())
        return batch.lanes, record.values, left


def solver_of(mechanism: Mechanism, real: str, coordinates: Coordinates) -> Simulator:
    try:
        return Simulator(mechanism, backend="c", real=real, coordinates=coordinates)
    except ArgumentError as error:  # not every mechanism can be solved for the rates of joints
        assert coordinates == "tree" and "cannot solve" in str(error)
        return Simulator(mechanism, backend="c", real=real, coordinates="maximal")


def check_same(found: tuple, wanted: tuple) -> None:
    for name, values in wanted[1].items():
        assert np.array_equal(found[1][name], values, equal_nan=True), name
    for values, known in zip(found[2], wanted[2], strict=True):
        assert values.tobytes() == known.tobytes()


CASES = [(scene, real, how) for scene in SCENES for real in ("double", "float") for how in ("maximal", "tree")]
IN_SUBSET = (("hinges", "double", "maximal"), ("four_bar", "double", "maximal"), ("universal", "float", "tree"))


@pytest.mark.parametrize(("scene", "real", "coordinates"), only(IN_SUBSET, CASES))
def test_lanes_have_the_bits_of_worlds_one_by_one(
    scene: str, real: str, coordinates: Literal["maximal", "tree"]
) -> None:
    simulator = solver_of(SCENES[scene](), real, coordinates)
    one_by_one, lanes = rolled(simulator, False), rolled(simulator, True)
    assert one_by_one[0] == 1 and lanes[0] in (4, 8, 16)
    check_same(lanes, one_by_one)


# --- contacts, limits, dry friction -----------------------------------------------------------------------------------
def tossed(simulator: Simulator) -> list[State]:
    """The start of a scene, its bodies a little quicker or slower in every world."""
    start, rng = simulator.project(), np.random.default_rng(7)
    shape = start.velocity.shape
    return [
        replace(
            start,
            velocity=start.velocity + 0.3 * rng.normal(size=shape),
            angular_velocity=start.angular_velocity + 0.5 * rng.normal(size=shape),
        )
        for _ in range(COUNT)
    ]


MORE = {"quadruped": quadruped, "hilly": hilly}
WAYS = (("double", "maximal"), ("double", "tree"), ("float", "tree"))
CONTACTS = [(scene, *way) for scene in (*TIMES, *MORE) for way in WAYS]
TOUCHING = (("tossed", "double", "maximal"), ("stops", "double", "maximal"))  # of the subset


@pytest.mark.parametrize(("scene", "real", "coordinates"), only(TOUCHING, CONTACTS))
def test_lanes_touch_as_worlds_one_by_one_do(scene: str, real: str, coordinates: Coordinates) -> None:
    """Through flight, impact, sliding and rest, each lane at a time of its own; servos get inputs of their own."""
    mechanism = MORE[scene]() if scene in MORE else contact_scenes()[scene]
    simulator = solver_of(mechanism, real, coordinates)
    steps, found, starts = int(TIMES.get(scene, 0.3) / STEP) // 8 * 8 + 40, [], tossed(simulator)
    rows = np.random.default_rng(2).uniform(-0.5, 0.5, (COUNT, steps, len(simulator.plan.inputs)))
    for lanes in (True, False):
        batch = simulator.batch(COUNT, step=STEP, lanes=lanes, threads=2, starts=starts, project=True)
        record = batch.rollout(rows if rows.size else None, steps, record=RECORD, every=8)
        kept = batch._memory
        left = (kept.state.copy(), kept.status.copy(), kept.done.copy(), kept.iterations.copy())
        found.append((lanes, record.values, left))
    check_same(found[0], found[1])
    reached = found[0][2][1] >= 0
    assert reached.sum() > COUNT // 2
    # whole motions differ; worlds that have come to rest may do so in the same bits
    assert len(np.unique(found[0][1]["position"][reached], axis=0)) > COUNT // 2


ABRUPT = {"lift": lambda: lift(6), "whip": lambda: zigzag(10, np.pi / 6)}


@pytest.mark.parametrize("scene", ABRUPT)
@pytest.mark.parametrize("coordinates", first_of(("tree", "maximal")))
def test_lanes_are_refused_the_steps_that_one_world_is(scene: str, coordinates: Coordinates) -> None:
    """Beside limits and contacts that touch nothing, whole steps through the position where all bars of a lift lie on
    one line, and where a chain between two pivots whips: each world at a pace of its own, some would jump."""
    mechanism, found = stopped(ABRUPT[scene]()), []
    simulator = Simulator(mechanism, backend="c", coordinates=coordinates)
    gravity = {"gravity": np.linspace(0.3, 3.0, 32)[:, None] * mechanism.gravity}
    for lanes in (True, False):
        batch = simulator.batch(32, step=0.01, lanes=lanes, parameters=gravity, options=SolverOptions(substeps=1))
        record = batch.rollout(steps=160, record=RECORD, every=8)
        kept = batch._memory
        found.append((lanes, record.values, (kept.state.copy(), kept.status.copy(), kept.done.copy())))
    check_same(found[0], found[1])
    status = found[1][2][1]
    assert (status == SolverStatus.JUMP).sum() > 4 and (status >= 0).sum() > 4


@pytest.mark.thorough
def test_options_and_parameters_count_in_lanes_that_touch() -> None:
    simulator, rng = Simulator(contact_scenes()["tossed"], backend="c"), np.random.default_rng(4)
    options = (
        SolverOptions(complementarity=1e-4), SolverOptions(papers_method=True), SolverOptions(fixed_iterations=6),
        SolverOptions(extrapolate=False), SolverOptions(max_iterations=3, substeps=1),
    )  # fmt: skip
    friction = {"ground0.friction": rng.uniform(0.1, 1.0, COUNT), "box.mass": rng.uniform(0.5, 2.0, COUNT)}
    friction = {name: values for name, values in friction.items() if name in simulator.parameter_names}
    assert friction
    for how in (*({"options": each} for each in options), {"parameters": friction}):
        found = []
        for lanes in (True, False):
            starts = tossed(simulator)
            batch = simulator.batch(COUNT, step=STEP, lanes=lanes, starts=starts, **how)  # type: ignore[arg-type]
            batch.rollout(steps=60, record=())
            found.append((batch._memory.state, batch.status, batch.iterations))
        for one, other in zip(*found, strict=True):
            assert one.tobytes() == other.tobytes(), how


# --- widths, neighbours, failures -------------------------------------------------------------------------------------
@pytest.mark.parametrize("width", only((4,), (2, 4, 8, 16)))
def test_no_bit_depends_on_the_width(width: int) -> None:
    simulator = Simulator(hinges(), backend="c")
    found = rolled(simulator, width)
    assert found[0] == width
    check_same(found, rolled(simulator, False))


@pytest.mark.parametrize("count", (1, 2, 7, 9))
def test_no_bit_depends_on_the_neighbours(count: int) -> None:
    simulator = Simulator(hinges(), backend="c")
    some = rolled(simulator, True, count=count)
    with simulator.batch(count, step=STEP, lanes=False) as batch:
        inputs = scattered(batch, simulator, 40)
        record = batch.rollout(inputs, 40, record=RECORD, every=8)
    for name, values in record.values.items():
        assert np.array_equal(some[1][name], values, equal_nan=True)


@pytest.mark.thorough
def test_parameters_of_their_own_and_those_that_all_share() -> None:
    """A batch in which masses, lengths of springs and gravity differ is another text of the same kernels."""
    simulator, rng = Simulator(hinges(), backend="c"), np.random.default_rng(5)
    body = simulator.plan.bodies[2]
    own = {f"{body}.mass": rng.uniform(0.5, 2.0, COUNT), "gravity": rng.uniform(-10, 10, (COUNT, 3))}
    check_same(rolled(simulator, True, parameters=own), rolled(simulator, False, parameters=own))
    shared = {f"{body}.mass": 1.7}
    check_same(rolled(simulator, True, parameters=shared), rolled(simulator, False, parameters=shared))


@pytest.mark.parametrize("coordinates", first_of(("maximal", "tree")))
def test_options_count_in_lanes(coordinates: Coordinates) -> None:
    simulator = Simulator(hinges(), backend="c", coordinates=coordinates)
    for options in (
        SolverOptions(fixed_iterations=2), SolverOptions(extrapolate=False), SolverOptions(tolerance=1e-6),
        SolverOptions(max_iterations=2, substeps=1), SolverOptions(substeps=8),
    ):  # fmt: skip
        check_same(rolled(simulator, True, options=options), rolled(simulator, False, options=options))


def test_a_lane_that_fails_harms_no_other() -> None:
    """One force is beyond all measure, one input makes numbers that are none; both in one pack."""
    simulator = Simulator(cart_pole(coordinate=0.3), backend="c")
    rows = np.zeros((8, 30, 1))
    rows[2, 10], rows[5, 20] = 1e9, 1e300
    found = []
    for lanes in (True, False):
        batch = simulator.batch(8, step=STEP, lanes=lanes, threads=1)
        record = batch.rollout(rows, record=RECORD)
        found.append((lanes, record.values, (batch._memory.state, batch.status, record.done)))
        assert record.done.tolist() == [30, 30, 10, 30, 30, 20, 30, 30] and (batch.status[[2, 5]] < 0).all()
        assert np.isnan(record["energy"][2, 11:]).all() and np.isfinite(record["energy"][[0, 1, 3, 4, 6, 7]]).all()
    check_same(found[0], found[1])


def test_steps_one_by_one_and_resets_go_through_lanes_too() -> None:
    simulator, found = Simulator(servoed(), backend="c"), []
    for lanes in (True, False):
        batch = simulator.batch(12, step=STEP, lanes=lanes)
        for n in range(12):
            batch.step({"servo.target": np.linspace(-0.2, 0.2, 12) * n})
            if n == 6:
                batch.reset(np.arange(12) % 3 == 0, rates={"hinge": 1.0})
        found.append((batch.coordinates, batch.rates, batch._memory.state))
    for one, other in zip(*found, strict=True):
        assert (one == other).all()


def test_most_steps_are_taken_in_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver of one world, which a lane that goes astray is given to, is called for a few."""
    simulator = Simulator(hinges(), backend="c")
    batch = simulator.batch(64, step=STEP, lanes=True, threads=1)
    batch.reset(rates=np.random.default_rng(0).uniform(-1, 1, batch.rates.shape))
    ffi, prefix = batch._memory.library.ffi, simulator.engine._prefix  # type: ignore[union-attr]
    calls = []
    real_step = simulator.engine._function("step")  # type: ignore[union-attr]
    own = simulator.engine._ffi  # type: ignore[union-attr]

    def counting(p, o, z, u, w, info):
        calls.append(1)
        kinds = ("parameters", "options", "state", "input", "work", "info")
        given = [own.cast(f"{prefix}_{kind} *", int(ffi.cast("uintptr_t", x)))
                 for kind, x in zip(kinds, (p, o, z, u, w, info), strict=True)]  # fmt: skip
        return real_step(*given)

    callback = ffi.callback("int(void *, void *, void *, void *, void *, void *)", counting)
    batch._memory._struct.step = ffi.cast(f"{prefix}_call", callback)
    batch.rollout(steps=100, record=())
    assert (batch.status >= 0).all() and len(calls) < 0.02 * 64 * 100


MIXED = {"hinges": 4, "balls": 4, "universal": 8, "four_bar": 8}  # and worlds in a vector


@pytest.mark.parametrize("scene", first_of(tuple(MIXED)))
@pytest.mark.parametrize("real", first_of(("float", "double")))
def test_lanes_that_make_factors_stand_beside_those_that_use_them_again(scene: str, real: str) -> None:
    """Steps so long that some lanes take their factors once more where others do not; what control reads is no number
    that an elimination only hands on."""
    simulator = Simulator(SCENES[scene](), backend="c", real=real, coordinates="tree")
    program = composed(simulator.mechanism, simulator.loops, simulator.coordinates)
    sources = lane_sources(simulator)
    assert sources is not None
    (text,) = (text for name, text in sources.files.items() if name.endswith(".c"))
    read = set(re.findall(r"w->(\w+)\[\w+\]\.(\w+)", text))
    assert read and not {(kind, name) for kind, store, name in handed_on(program) if store == "work"} & read
    options = SolverOptions(tolerance=1e-4 if real == "float" else 1e-7)
    check_same(rolled(simulator, MIXED[scene], options=options), rolled(simulator, False, options=options))


def test_lanes_that_cannot_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Simulator(crowded(), backend="c")
    assert crowd.batch(2).lanes == 1
    with pytest.raises(ArgumentError, match="lanes of mechanism .*: worlds with so many contacts .* leave lanes out"):
        crowd.batch(2, lanes=True)
    falling = Simulator(contact_scenes()["tossed"], backend="c")
    for wrong in (3, "all", 0.5):
        with pytest.raises(ArgumentError, match="lanes .* must be True, False, None"):
            falling.batch(2, lanes=wrong)  # type: ignore[arg-type]
    if shutil.which("tcc"):
        monkeypatch.setenv("SYMVI_CC", "tcc")
        simulator = Simulator(cart_pole(), backend="c")
        assert simulator.batch(2).lanes == 1
        with pytest.raises(ArgumentError, match="they need the vectors of gcc or clang, and the compiler is tcc"):
            simulator.batch(2, lanes=True)
