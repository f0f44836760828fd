"""What firmware calls beside the step: header and object are compared, one call starts everything, readings are those
that an observer sees, to the last bit."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi.mechanism import Contact, Mechanism
from symvi.numbers.control import DEFAULTS, MOST_HALVINGS, MOST_ITERATIONS, MOST_TRIED, SolverOptions, SolverStatus
from symvi.simulate import Simulator
from symvi.simulate.solver_build import text_of
from symvi.simulate.starter import Starter
from tests.contact.test_back_ends import scenes
from tests.emit.test_start import MECHANISMS
from tests.support.firmware import Firmware
from tests.support.linkages import four_bar
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
from tests.support.subset import first_of

STEP = 0.01
MOVING = {name: MECHANISMS[name] for name in ("four_bar", "robot", "walker", "pendulum")}
MOVING |= {name: lambda name=name: scenes()[name] for name in ("tossed", "stops", "column")}

NONSENSE = [("tolerance", value) for value in (0.0, -1e-6, 1.0, float("nan"))]
NONSENSE += [("complementarity", value) for value in (0.0, 1.5, float("nan"))]
NONSENSE += [("max_iterations", 0), ("max_iterations", MOST_TRIED + 1), ("max_iterations", 2**31 - 1)]
NONSENSE += [("max_halvings", -1), ("max_halvings", MOST_HALVINGS + 1)]
NONSENSE += [("fixed_iterations", -1), ("fixed_iterations", MOST_ITERATIONS + 1)]

CHECK = """
#include <stdio.h>
#include "{name}.h"
int main(void)
{{
    const char other[] = "0" {NAME}_DIGEST;
    printf("%d ", {name}_check({NAME}_ABI, {NAME}_DIGEST, {NAME}_SIZES));
    printf("%d ", {name}_check({NAME}_ABI + 1, {NAME}_DIGEST, {NAME}_SIZES));
    printf("%d ", {name}_check({NAME}_ABI, other, {NAME}_SIZES));
    printf("%d ", {name}_check({NAME}_ABI, "", {NAME}_SIZES));
    printf("%s\\n", {NAME}_VERSION);
    return 0;
}}
"""


def compiled(folder: Path, header: str, source: str) -> str:
    """What the check prints where the header is of one precision and the object of another."""
    for real in (header, source):
        (folder / real).mkdir(exist_ok=True)
        for name, text in text_of(four_bar(), real=real).files.items():
            (folder / real / name).write_text(text, encoding="utf-8")
    name = text_of(four_bar()).prefix
    (folder / "main.c").write_text(CHECK.format(name=name, NAME=name.upper()))
    for folder_of, file in ((header, "main.c"), (source, f"{source}/{name}.c")):
        command = ["gcc", "-std=c99", "-O1", f"-I{folder_of}", "-c", file, "-o", f"{Path(file).stem}.o"]
        subprocess.run(command, cwd=folder, check=True)
    subprocess.run(["gcc", "main.o", f"{name}.o", "-lm", "-o", "run"], cwd=folder, check=True)
    return subprocess.run(["./run"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.thorough
def test_header_and_object_are_compared_at_run_time(tmp_path: Path) -> None:
    """Another ABI, another description, no digest at all, or structs of another size: all are noticed."""
    misfit = int(SolverStatus.MISFIT)
    assert re.fullmatch(rf"0 {misfit} {misfit} {misfit} symvi \d.*\n", compiled(tmp_path, "double", "double"))
    assert compiled(tmp_path, "float", "double").startswith(f"{misfit} {misfit}")


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", first_of(MECHANISMS, kept=4))
def test_one_call_starts_the_description(name: str, real: str) -> None:
    """State and inputs are those with which Python starts, whatever the memory held before."""
    simulator = Simulator(MECHANISMS[name](), real=real, backend="c")
    firmware = Firmware(simulator)
    assert firmware.init() == SolverStatus.OK
    begun, inputs = simulator.engine.state.copy(), firmware.inputs.copy()
    simulator.start(step=STEP)
    assert begun.tobytes() == simulator.engine.state.tobytes()
    starter = Starter(simulator.engine, simulator.mechanism, simulator.inputs)
    row = starter.holding(simulator.inputs.from_signals(np.zeros(1))[0], True)
    assert np.array_equal(inputs[: len(row)], row.astype(inputs.dtype))


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_parameters_may_stay_in_constant_memory(name: str, real: str) -> None:
    """The description's constants are the parameters that `init` copies, bit for bit, and start the same motion."""
    firmware = Firmware(Simulator(MECHANISMS[name](), real=real, backend="c"))
    assert firmware.init() == SolverStatus.OK
    copied = firmware.engine.parameters
    constants = firmware.engine._ffi.buffer(firmware.described(), copied.nbytes)
    assert bytes(constants) == copied.tobytes()
    begun = firmware.engine.state.tobytes()
    assert firmware.reset() == SolverStatus.OK
    assert firmware.engine.state.tobytes() == begun


@pytest.mark.parametrize("real", ["double", "float"])
def test_options_without_sense_are_told(real: str) -> None:
    """Those that Python refuses, by a step and by a rollout; the state is as it was. At their bounds they are taken."""
    firmware = Firmware(Simulator(MOVING["tossed"](), real=real, backend="c"))
    engine, done = firmware.engine, firmware.engine._ffi.new("int *")
    firmware.init()
    begun, info = engine.state.tobytes(), engine._ffi.new(f"{engine._prefix}_info *")
    for name, value in NONSENSE:
        with pytest.raises(ValueError, match=name):
            SolverOptions(**{name: value})
        options, (p, z, u, w) = engine._options(DEFAULTS), firmware.pointers()
        setattr(options, name, value)
        assert engine._function("step")(p, options, z, u, w, info) == SolverStatus.BAD_OPTION, name
        rolled = engine._function("rollout")(p, options, z, u, 0, w, 3, 1, engine._ffi.NULL, done, engine._ffi.NULL)
        assert (rolled, done[0], engine.state.tobytes()) == (SolverStatus.BAD_OPTION, 0, begun)
    assert firmware.step(SolverOptions(tolerance=0.9, max_iterations=1, max_halvings=0, complementarity=1.0)) >= -3
    assert firmware.step(SolverOptions(fixed_iterations=MOST_ITERATIONS)) >= 0


def test_a_start_that_is_open_or_inside_a_contact_is_told() -> None:
    assembled = four_bar()
    first = assembled.joints[0]
    opened = assembled.changed(joints=[first.changed(parent_anchor=(0.0, 0.0, 0.1)), *assembled.joints[1:]])
    inside = four_bar().changed(contacts=[Contact(name="floor", child="link3", parent_anchor=(0, 0, 9.0))])
    assert Firmware(Simulator(opened, backend="c")).init() == SolverStatus.NOT_CLOSED
    assert Firmware(Simulator(inside, backend="c")).init() == SolverStatus.NOT_APART


def started_at(name: str, field: str, change: float) -> tuple[SolverStatus, SolverStatus]:
    """How C and Python find the start of a mechanism with one number of its first body's placement changed."""
    simulator, python = (Simulator(MOVING[name](), backend=backend) for backend in ("c", "python"))
    firmware = Firmware(simulator)
    firmware.init()
    simulator.engine.state[simulator.plan.at("state", "body", 0, field)][2:3] += change
    python.engine.state[:] = simulator.engine.state
    python.engine._enter(firmware.inputs)
    python.engine.solver.memory.parameters["common"][0].h[0] = STEP
    python.engine.solver.start()
    return firmware.start(1)[0], python.engine.solver.placing.standing()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "field", "change", "status"),
    [
        ("four_bar", "x", 0.0, SolverStatus.OK),
        ("four_bar", "x", 0.3, SolverStatus.NOT_CLOSED),
        ("four_bar", "q", 0.2, SolverStatus.NOT_UNIT),
        ("tossed", "x", -5.0, SolverStatus.NOT_APART),
        ("tossed", "q", 0.2, SolverStatus.NOT_UNIT),
        ("tossed", "v", float("nan"), SolverStatus.NOT_FINITE),
    ],
)
def test_a_start_tells_whether_a_motion_can_begin(name: str, field: str, change: float, status: SolverStatus) -> None:
    """Of a state that somebody wrote: joints open, inside the ground, an orientation that is none, a number missing."""
    assert started_at(name, field, change) == (status, status)


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [0.0, 0.99, 1.01, 100.0])
@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_no_step_is_taken_with_an_orientation_that_is_none(name: str, factor: float) -> None:
    """Its rotation would stretch the body: a step refuses it, in C and in Python, and so does a placement of joints."""
    simulator, python = (Simulator(MOVING[name](), backend=backend) for backend in ("c", "python"))
    firmware = Firmware(simulator)
    firmware.init()
    python.engine.parameters[:], python.engine.state[:] = simulator.engine.parameters, simulator.engine.state
    assert python.engine.rollout(firmware.inputs[None], False, 1, 1, DEFAULTS)[0] == SolverStatus.OK
    simulator.engine.state[simulator.plan.at("state", "body", 0, "q")] *= factor
    given = simulator.engine.state.tobytes()
    assert firmware.step() == SolverStatus.NOT_UNIT
    assert simulator.engine.state.tobytes() == given
    assert firmware.info.iterations == 0
    python.engine.state[:] = simulator.engine.state
    for engine in (simulator.engine, python.engine):
        status, done, _ = engine.rollout(firmware.inputs[None], False, 3, 1, DEFAULTS)
        assert (status, done, engine.iterations) == (SolverStatus.NOT_UNIT, 0, 0)


@pytest.mark.parametrize(("stride", "every"), [(0, 0), (0, -1), (-1, 1)])
@pytest.mark.parametrize("recorded", [True, False])
def test_a_rollout_counts_forwards(stride: int, every: int, recorded: bool) -> None:
    """Frames of every 0th knot, or of inputs before the first, are none; nothing is written or moved."""
    firmware = Firmware(Simulator(MOVING["tossed"](), backend="c"))
    engine, ffi = firmware.engine, firmware.engine._ffi
    firmware.init()
    begun, done, frames = engine.state.tobytes(), ffi.new("int *"), np.full((9, engine._frame), 7.0)
    (p, z, u, w), where = firmware.pointers(), engine._pointer(frames[3:], "frame") if recorded else ffi.NULL
    status = engine._function("rollout")(
        p, engine._options(DEFAULTS), z, u, stride, w, 3, every, where, done, engine._ffi.NULL
    )
    assert (status, done[0], engine.state.tobytes()) == (SolverStatus.BAD_OPTION, 0, begun)
    assert np.all(frames == 7.0)


@pytest.mark.parametrize("whole", [0, -2])
def test_a_trail_counts_forwards(whole: int) -> None:
    firmware = Firmware(Simulator(MOVING["tossed"](), backend="c"))
    engine = firmware.engine
    firmware.init()
    begun, frames = engine.state.tobytes(), np.full((4, engine._frame), 7.0)
    status, done = engine.trail(firmware.inputs[None], False, 3, 1, whole, DEFAULTS, frames)
    assert (status, done, engine.state.tobytes()) == (SolverStatus.BAD_OPTION, 0, begun) and np.all(frames == 7.0)


@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_a_trail_has_the_bits_of_a_rollout_and_leaves_the_rest_as_it_was(name: str) -> None:
    """Whole frames at the knots after 0, 3, 6 and 7 steps; between them placements and the step that led there."""
    firmware = Firmware(Simulator(MOVING[name](), backend="c"))
    engine, frame = firmware.engine, firmware.plan.frame
    firmware.init()
    begun = engine.state.copy()
    frames = engine.rollout(firmware.inputs[None], False, 7, 1, DEFAULTS)[2]
    ends = engine.state.tobytes()
    engine.state[:], engine.account[:] = begun, 0.0
    trail = np.full((8, engine._frame), 7.0)
    assert engine.trail(firmware.inputs[None], False, 7, 1, 3, DEFAULTS, trail) == (SolverStatus.OK, 7)
    assert engine.state.tobytes() == ends
    sums = {"work", "spent", "late", "pace", "sway"}  # from one whole frame to the next
    for what in set(frame) - {"size"} - sums:
        offset, shape = frame[what]
        place = slice(offset, offset + int(np.prod(shape)))
        always = what not in ("v", "w", "kinetic", "potential", "momentum", "angular_momentum", "closure", "scatter",
                              "swerve", "misread")  # fmt: skip
        for k in range(1, 8):
            if always or k in (3, 6, 7):
                assert trail[k, place].tobytes() == frames[k, place].tobytes(), (what, k)
            else:
                assert np.all(trail[k, place] == 7.0), (what, k)


@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_a_rollout_leaves_the_forces_of_its_first_frame_to_the_caller(name: str) -> None:
    """frames[k] is the knot after k*every steps; another step led to the first one."""
    firmware = Firmware(Simulator(MOVING[name](), backend="c"))
    engine, done = firmware.engine, firmware.engine._ffi.new("int *")
    firmware.init()
    frames = np.full((4, engine._frame), 7.0)
    (p, z, u, w), where = firmware.pointers(), engine._pointer(frames, "frame")
    first = firmware.engine.state[firmware.plan.at("state", "body", 0, "x")].copy()
    assert (
        engine._function("rollout")(p, engine._options(DEFAULTS), z, u, 0, w, 7, 2, where, done, engine._ffi.NULL)
        == SolverStatus.OK
    )
    seen = engine.observe(firmware.inputs)
    offset, shape = firmware.plan.frame["x"]
    x = slice(offset, offset + int(np.prod(shape)))
    assert np.array_equal(frames[0, x][:3], first) and not np.any(frames[:, x] == 7.0)
    for what in {"iterations", "status", "rows", "reaction", "retries"} & set(firmware.plan.frame):
        offset, shape = firmware.plan.frame[what]
        assert np.all(frames[0, offset : offset + int(np.prod(shape))] == 7.0), what
    assert np.any(frames[3, x] != seen[x])  # the seventh step is behind the last frame


@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_a_rollout_that_is_refused_leaves_no_forces(name: str) -> None:
    """Those of a step before would be taken for its own."""
    simulator = Simulator(MOVING[name](), backend="c")
    firmware, done = Firmware(simulator), simulator.engine._ffi.new("int *")
    ask = firmware.status_of_contacts if name == "tossed" else firmware.status_of_reactions
    firmware.init()
    assert firmware.step() == SolverStatus.OK
    simulator.engine.parameters[simulator.plan.at("parameters", "common", 0, "h")] = 0.0
    (p, z, u, w), engine = firmware.pointers(), firmware.engine
    rolled = engine._function("rollout")(
        p, engine._options(DEFAULTS), z, u, 0, w, 3, 1, engine._ffi.NULL, done, engine._ffi.NULL
    )
    assert rolled == SolverStatus.BAD_STEP and ask() == SolverStatus.NO_STEP


@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_a_step_that_failed_tells_how_far_it_came(name: str) -> None:
    """Nothing that the memory held before is left: zeros where a step did not begin."""
    simulator = Simulator(MOVING[name](), backend="c")
    firmware, engine = Firmware(simulator), simulator.engine
    firmware.init()
    (p, z, u, w), info = firmware.pointers(), engine._ffi.new(f"{engine._prefix}_info *")
    fields = dir(info)
    for field, trouble, began in (("h", 0.0, False), ("h", STEP, True), ("gravity", np.nan, True)):
        engine.parameters[simulator.plan.at("parameters", "common", 0, field)] = trouble
        engine._ffi.buffer(info)[:] = b"\xaa" * engine._ffi.sizeof(info[0])
        status = engine._function("step")(p, engine._options(DEFAULTS), z, u, w, info)
        assert (status >= 0) == (trouble == STEP)
        assert "iterations" in fields and all(np.abs(getattr(info, name)) < 100 for name in fields)
        assert began or not any(getattr(info, name) for name in fields)


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", MOVING)
def test_readings_are_what_an_observer_sees(name: str, real: str) -> None:
    """Energies, momenta, reactions and contacts of a knot, asked one by one, equal the frame of a rollout."""
    simulator = Simulator(MOVING[name](), real=real, backend="c")
    firmware, plan = Firmware(simulator), simulator.plan
    firmware.init()
    start, inputs = simulator.engine.state.copy(), firmware.inputs.copy()
    status, done, frames = simulator.engine.rollout(inputs[None], False, 20, 20, DEFAULTS)
    assert status >= 0 and done == 20
    reached = simulator.engine.state.copy()
    simulator.engine.state[:] = start
    for _ in range(20):
        assert firmware.step() >= 0
    assert simulator.engine.state.tobytes() == reached.tobytes()

    def frame(what: str) -> np.ndarray:
        offset, shape = plan.frame[what]
        return frames[1, offset : offset + int(np.prod(shape))].reshape(shape)

    if plan.reactions:
        reaction = firmware.reactions()
        assert np.array_equal(reaction, frame("reaction")) and np.abs(reaction).max() > 0.1
    if plan.contacts:
        assert np.array_equal(firmware.contacts(), frame("contact"))
    kinetic, potential = firmware.energy()
    assert (kinetic, potential) == (frame("kinetic"), frame("potential")) and kinetic > 0.0
    linear, spin = firmware.momentum()
    assert np.array_equal(linear, frame("momentum")) and np.array_equal(spin, frame("angular_momentum"))
    assert simulator.engine.state.tobytes() == reached.tobytes()


@pytest.mark.parametrize("name", ["four_bar", "tossed"])
def test_forces_are_refused_once_the_memory_holds_no_step(name: str) -> None:
    """A reading of energy solves for the knot in the same memory; forces asked afterwards would be another thing's."""
    firmware = Firmware(Simulator(MOVING[name](), backend="c"))
    ask = firmware.status_of_contacts if name == "tossed" else firmware.status_of_reactions
    firmware.init()
    assert ask() == SolverStatus.NO_STEP
    assert firmware.step() == SolverStatus.OK
    assert ask() == SolverStatus.OK
    firmware.step()
    firmware.energy()
    assert ask() == SolverStatus.NO_STEP


@pytest.mark.parametrize("trouble", ["inputs", "large step", "no step"])
@pytest.mark.parametrize("name", ["four_bar", "tossed", "robot"])
def test_a_step_that_failed_has_no_forces(name: str, trouble: str) -> None:
    """Numbers of an iteration that was given up are none of the motion's; the next good step has forces again."""
    simulator = Simulator(MOVING[name](), backend="c")
    firmware = Firmware(simulator)
    ask = firmware.status_of_contacts if name == "tossed" else firmware.status_of_reactions
    firmware.init()
    for _ in range(5):
        assert firmware.step() == SolverStatus.OK
    h = simulator.plan.at("parameters", "common", 0, "h")
    gravity = simulator.plan.at("parameters", "common", 0, "gravity")
    good, parameters, inputs = simulator.engine.state.copy(), simulator.engine.parameters.copy(), firmware.inputs.copy()
    if trouble == "inputs":
        firmware.inputs[:] = np.nan
        simulator.engine.parameters[gravity] = np.nan
    else:
        simulator.engine.parameters[h] = 1e6 if trouble == "large step" else -1.0
    assert firmware.step() < 0
    assert simulator.engine.state.tobytes() == good.tobytes()
    assert ask() == SolverStatus.NO_STEP
    simulator.engine.parameters[:], firmware.inputs[:] = parameters, inputs
    assert firmware.step() == SolverStatus.OK and ask() == SolverStatus.OK


def test_inputs_and_results_are_named_in_the_header() -> None:
    """Where an actuator's input lies among all, with its unit; the joints of reactions; the points of contacts."""
    mechanism: Mechanism = MECHANISMS["robot"]()
    text = text_of(mechanism)
    header = text.files[f"{text.prefix}.h"]
    places = dict(re.findall(rf"{text.prefix.upper()}_INPUT_(\w+) = (\d+),? /\* \S+: .* \[.+\] \*/", header))
    wanted = {}
    for k, name in enumerate(text.plan.inputs):
        plain = re.sub(r"\[\d+\]$", "", name).replace(".", "_").upper()
        wanted.setdefault(plain, str(k))
    assert places == wanted and places
    joints = re.findall(rf"{text.prefix.upper()}_REACTION_(\w+) = (\d+)", header)
    assert [name for name, _ in joints] == [name.upper() for name in text.plan.reactions]
    assert [int(k) for _, k in joints] == list(range(len(joints)))
    walker = text_of(MECHANISMS["walker"]())
    points = re.findall(r"_POINT_(\w+) = (\d+)", walker.files[f"{walker.prefix}.h"])
    names = [re.sub(r"\W+", "_", node["name"]).upper() for node in walker.plan.contacts]
    assert points == [(name, str(k)) for k, name in enumerate(names)] and points
