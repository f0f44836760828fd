"""What firmware calls beside the step: header and object are compared, one call starts everything, readings are those
that an observer sees, to the last bit."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi.mechanism import Contact, Mechanism
from symvi.program.control import DEFAULTS, MOST_ITERATIONS, SolverOptions, SolverStatus
from symvi.simulate import Simulator
from symvi.simulate.build import text_of
from tests.contact.test_back_ends import scenes
from tests.emit.test_start import MECHANISMS
from tests.support.firmware import Firmware
from tests.support.linkages import four_bar

STEP = 0.01
MOVING = {name: MECHANISMS[name] for name in ("four_bar", "robot", "walker", "pendulum")}
MOVING |= {name: lambda name=name: scenes()[name] for name in ("tossed", "stops", "column")}

NONSENSE = [("tolerance", value) for value in (0.0, -1e-6, 1.0, float("nan"))]
NONSENSE += [("complementarity", value) for value in (0.0, 1.5, float("nan"))]
NONSENSE += [("max_iterations", 0), ("max_halvings", -1)]
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


def test_header_and_object_are_compared_at_run_time(tmp_path: Path) -> None:
    """Another ABI, another description, no digest at all, or structs of another size: all are noticed."""
    misfit = int(SolverStatus.MISFIT)
    assert re.fullmatch(rf"0 {misfit} {misfit} {misfit} symvi \d.*\n", compiled(tmp_path, "double", "double"))
    assert compiled(tmp_path, "float", "double").startswith(f"{misfit} {misfit}")


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_one_call_starts_the_description(name: str, real: str) -> None:
    """State and inputs are those with which Python starts, whatever the memory held before."""
    simulator = Simulator(MECHANISMS[name](), real=real, backend="c")
    firmware = Firmware(simulator)
    assert firmware.init() == SolverStatus.OK
    begun, inputs = simulator.engine.state.copy(), firmware.inputs.copy()
    simulator.start(step=STEP)
    assert begun.tobytes() == simulator.engine.state.tobytes()
    row = simulator._holding(simulator.inputs.from_signals(np.zeros(1))[0], True)
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
        rolled = engine._function("rollout")(p, options, z, u, 0, w, 3, 1, engine._ffi.NULL, done)
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
        return frames[0, offset : offset + int(np.prod(shape))].reshape(shape)

    if plan.reactions:
        reaction = firmware.reactions()
        assert np.array_equal(reaction, frame("reaction")) and np.abs(reaction).max() > 0.1
    if plan.contacts:
        assert np.array_equal(firmware.contacts(), frame("contact"))
    kinetic, potential = firmware.energy()
    assert (kinetic, potential) == (frame("kinetic"), frame("potential")) and kinetic > 0.0
    linear, spin = firmware.momentum()
    assert np.array_equal(linear, frame("momentum")) and np.array_equal(spin, frame("spin"))
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
