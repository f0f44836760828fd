"""Parameters changed at run time in C: what follows from others follows as in Python, what is constant is told."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from symvi.emit.c import Sources
from symvi.errors import MechanismError
from symvi.exporters.memory import parameters
from symvi.exporters.text import ExportedText
from symvi.mechanism import (
    Body,
    Box,
    Contact,
    DryFriction,
    Joint,
    JointSpring,
    Limit,
    Mechanism,
    Potential,
    Sphere,
)
from symvi.mechanism.inertia import inertia_problem, turned
from symvi.numbers.control import SolverStatus
from symvi.simulate import Simulator
from symvi.simulate.plan import plan_of
from symvi.simulate.solver_build import composed
from tests.emit.test_start import MECHANISMS
from tests.export.exports import arm, crate
from tests.export.test_static_checks import need, run
from tests.program.test_point_masses import rope
from tests.simulate.test_settings import rails
from tests.support.firmware import Firmware
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
from tests.support.strict_c import STRICT, written
from tests.support.subset import first_of


def slides() -> Mechanism:
    """Three alike, of which the first and the last have a spring whose text takes their zeros as constants."""
    anchors = ((0.0, 0.1, 0.2), (0.3, 0.1, 0.2), (0.0, 0.2, 0.1))
    return Mechanism(
        name="slides",
        bodies=[Body(name=f"cart{k}", mass=1.0, shape=Box(size=(0.1, 0.2, 0.3))) for k in range(3)],
        joints=[
            Joint(name=f"rail{k}", type="prismatic", child=f"cart{k}", axis=(0.0, 0.0, 1.0), parent_anchor=anchor)
            for k, anchor in enumerate(anchors)
        ],
        forces=[JointSpring(name=f"spring{k}", joint=f"rail{k}", stiffness=3.0) for k in (0, 2)],
    )


def exotic() -> Mechanism:
    """What is tied to others in many ways: a triad, a tilted plane, a linear cone, two radii, a scale, a rest angle."""
    ball, spread = Sphere(radius=0.1), (0.02, 0.03, 0.025, 0.001, 0.002, -0.001)
    return Mechanism(
        name="exotic",
        bodies=[
            Body(name="hub", mass=1.0, inertia=spread, position=(0.0, 0.0, 1.0)),
            Body(name="arm", mass=0.5, inertia=(0.01, 0.01, 0.002), center_of_mass=(0.0, 0.0, 0.1)),
            Body(name="bead", mass=0.125, shape=ball, position=(3.0, 0.0, 0.6)),
            Body(name="nut", mass=0.25, shape=ball, position=(3.0, 0.0, 1.0)),
        ],
        joints=[
            Joint(name="hip", type="revolute", parent="hub", child="arm", axis=(0.6, 0.0, 0.8)),
            Joint(name="slot", type="prismatic", child="bead", axis=(1, 0, 0.2), parent_anchor=(3.0, 0.0, 0.6)),
        ],
        forces=[
            JointSpring(name="sine", joint="hip", stiffness=2.0, rest=0.3, law="sinusoidal"),
            Potential(name="pot", child="hub", expression="k*x_b[2]**2/2", parameters={"k": 5.0}),
        ],
        limits=[Limit(name="stop", joint="hip", lower=-0.5, upper=0.25)],
        contacts=[
            Contact(name="egg", kind="gap", child="arm", expression="x_b[2] - d", parameters={"d": 0.0}),
            Contact(
                name="wall",
                child="hub",
                normal=(0.1, 0.2, 1.0),
                radius=0.05,
                friction=0.4,
                cone="linear",
                directions=6,
                parent_anchor=(0.0, 0.0, -1.0),
            ),
            Contact(name="touch", kind="sphere", parent="bead", child="nut", parent_radius=0.1, radius=0.1),
        ],
    )


DESCRIBED = {**MECHANISMS, "arm": arm, "crate": crate, "rails": rails, "slides": slides, "exotic": exotic}
STEP = 0.01


def stack() -> Mechanism:
    """Two parts, one of a light and a heavy body, that touch the ground and each other; a stop, dry friction."""
    block = Box(size=(0.1, 0.12, 0.14))
    heights = {"light": 0.1, "heavy": 0.4, "alone": 0.8}
    return Mechanism(
        name="stack",
        bodies=[
            Body(name=name, mass=mass, shape=block, position=(0.0, 0.0, heights[name]))
            for name, mass in (("light", 0.01), ("heavy", 7.3), ("alone", 0.7))
        ],
        joints=[
            Joint(name="rail", type="prismatic", parent="light", child="heavy", axis=(0.0, 0.0, 1.0), coordinate=0.3)
        ],
        contacts=[
            Contact(name="ground", child="light", whole_shape=True, friction=0.4),
            Contact(name="pile", parent="heavy", child="alone", parent_anchor=(0, 0, 0.07), radius=0.02),
        ],
        limits=[Limit(name="stop", joint="rail", upper=0.5)],
        forces=[DryFriction(name="drag", joint="rail", bound=0.2)],
    )


def bob() -> Mechanism:
    """A point mass on a pin, whose rows stand in for its inertia, and a box on a rail that touches nothing."""
    return Mechanism(
        name="bob",
        bodies=[
            Body(name="bob", mass=1.0, inertia=(0.0, 0.0, 0.0)),
            Body(name="box", mass=2.0, shape=Box(size=(0.1, 0.2, 0.3))),
        ],
        joints=[
            Joint(name="pin", type="revolute", child="bob", child_anchor=(0.0, 0.0, 1.0), axis=(1.0, 0.0, 0.0)),
            Joint(name="rail", type="prismatic", child="box", axis=(0.0, 0.0, 1.0)),
        ],
    )


def changed(simulator: Simulator, settings: Mapping[str, object]) -> Firmware:
    """A solver with numbers written into its parameters as firmware does: only those that a user may change."""
    firmware = Firmware(simulator)
    firmware.init()
    plan, numbers = simulator.plan, simulator.engine.parameters
    for name, value in settings.items():
        for own, values in simulator.described[name].numbers(tuple(np.ravel(value).tolist())).items():
            offset, size = plan.parameters[own][0]
            numbers[offset : offset + size] = values
    return firmware


CHANGES = {
    "stack": {
        "light.mass": 0.3,
        "heavy.mass": 11.1,
        "alone.mass": 1e-4,
        "alone.inertia": (1e-9, 1e-9, 1e-9, 0, 0, 0),
        "gravity": (0.1, -0.2, -1.62),
        "ground.friction": 0.7,
        "stop.upper": 0.45,
    },
    "crate": {"box.mass": 1e-3, "gravity": (0.0, 0.0, -1e-3)},
    "arm": {"upper.mass": 0.1, "elbow.parent_anchor": (0.0, 0.0, -0.3), "stop.upper": 0.5, "hold.stiffness": 9.0},
    "rails": {"second.parent_anchor": (0.15, 0.1, 0.35), "second.child_anchor": (0.25, -0.2, 0.3)},
    "weightless": {"gravity": (0.0, 0.0, 0.0)},
    "bob": {"bob.mass": 0.3, "box.mass": 0.7},
}


def inertias(simulator: Simulator, settings: Mapping[str, object]) -> dict[str, object]:
    """In C an inertia does not follow its mass: those that Python made of the masses."""
    found = dict(settings)
    for k, body in enumerate(simulator.plan.bodies):
        if f"{body}.mass" in settings:
            place = simulator.plan.at("parameters", "body", k, "inertia")
            found[f"{body}.inertia"] = simulator.engine.parameters[place].astype(float)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_follows_is_what_python_works_out(name: str, real: str) -> None:
    """Every number of the parameters, to the last bit: units of contacts, weights, copies of geometry."""
    build = {"stack": stack, "weightless": crate, "bob": bob}.get(name) or DESCRIBED[name]
    python = Simulator(build(), real=real, backend="c", parameters=CHANGES[name])
    python._set_step(STEP)
    simulator = Simulator(build(), real=real, backend="c")
    firmware = changed(simulator, inertias(python, CHANGES[name]))
    wanted, before = python.engine.parameters, simulator.engine.parameters.copy()
    assert firmware.update_parameters() == SolverStatus.OK
    found = simulator.engine.parameters
    assert found.tobytes() == wanted.tobytes()
    assert found.tobytes() != before.tobytes()


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", [*DESCRIBED, "stack", "bob"])
def test_parameters_of_the_description_are_updated_already(name: str, real: str) -> None:
    """Nothing follows anew, to the last bit, where nothing was changed."""
    firmware = Firmware(Simulator({**DESCRIBED, "stack": stack, "bob": bob}[name](), real=real, backend="c"))
    firmware.init()
    before = firmware.engine.parameters.tobytes()
    assert firmware.update_parameters() == SolverStatus.OK
    assert firmware.engine.parameters.tobytes() == before


def exported(mechanism: Mechanism) -> list[dict]:
    """What the manifest says of every parameter."""
    program = composed(mechanism)
    sources = Sources(mechanism.name, {}, "", "unrolled", "double")
    return list(parameters(ExportedText(sources, program, plan_of(program))))


CHANGED = ("four_bar", "arm", "crate", "robot", "walker", "rails", "slides", "exotic")


@pytest.mark.parametrize("name", first_of(CHANGED, kept=3))
def test_every_change_is_taken_or_told(name: str) -> None:
    """Free entries reach the solver; constants are refused; what follows is put right; nonsense is refused: entry by
    entry, and what was refused is as it was given."""
    simulator = Simulator(DESCRIBED[name](), backend="c")
    firmware = Firmware(simulator)
    firmware.init()
    numbers, good = simulator.engine.parameters, simulator.engine.parameters.copy()
    for field in exported(DESCRIBED[name]()):
        for k in range(field["count"]):
            place = field["offset"] // 8 + k
            for value in (np.nan, good[place] + 0.125 if k in field["fixed"] else np.inf):
                numbers[:] = good
                numbers[place] = value
                given = numbers.tobytes()
                status = firmware.update_parameters()
                if field["role"] == "follows":
                    assert (status, numbers.tobytes()) == (SolverStatus.OK, good.tobytes()), field["name"]
                else:
                    refused = SolverStatus.BAKED if k in field["fixed"] else SolverStatus.BAD_PARAMETER
                    assert (status, numbers.tobytes()) == (refused, given), (field["name"], k)


NOT_ALONE = (".h", ".rest_cos", ".rest_sin")  # an argument of Python's runs; cosine and sine of one angle


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["four_bar", "arm", "rails", "exotic"])
def test_fixed_are_those_that_python_refuses_to_change(name: str) -> None:
    """A parameter that is free here can be set there, and one that is a constant, or tied to others, cannot."""
    simulator, seen = Simulator(DESCRIBED[name](), backend="c"), set()
    for field in exported(DESCRIBED[name]()):
        own = field["name"].replace(".", ".par_") if field["c"].partition(".par_")[1] else field["name"]
        if field["role"] in ("free", "fixed") and own in simulator._changes.settable and not own.endswith(NOT_ALONE):
            seen.add(field["role"])
            for k in range(field["count"]):
                values = np.ravel(field["value"]).astype(float)
                values[k] += 0.125
                try:
                    simulator.set_parameter(own, values)
                    taken = True
                except MechanismError as error:
                    taken = "change the description instead" not in str(error)
                assert taken != (k in field["fixed"]), (own, k)
    assert seen == {"free", "fixed"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("box.mass", 0.0),
        ("box.mass", -1.0),
        ("box.inertia", (1.0, 1.0, 3.0, 0.0, 0.0, 0.0)),
        ("box.inertia", (-1.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
        ("ground.friction", 0.0),
    ],
)
@pytest.mark.parametrize("real", ["double", "float"])
def test_numbers_without_sense_are_refused(name: str, value: object, real: str) -> None:
    """As in Python: masses and friction that are not positive, inertias that no body has."""
    simulator = Simulator(crate(), real=real, backend="c")
    assert changed(simulator, {name: value}).update_parameters() == SolverStatus.BAD_PARAMETER
    with pytest.raises(MechanismError):
        simulator.set_parameter(name, value)


TIED = (
    *("wall.normal", "wall.t1", "wall.cosines", "egg.origin_b", "egg.anchor_b", "pot.scale", "touch.radius"),
    *("touch.reach", "slot.axis2", "slot.axis3", "slot.frame_a", "hip.frame_a", "hip.frame_b", "stop.frame_b"),
)


@pytest.mark.parametrize("real", ["double", "float"])
def test_tied_numbers_are_told_by_name(real: str) -> None:
    """Half of a triad, a plane's normal without its tangents, a sum of radii without the radii: none is free."""
    known = {field["name"]: field for field in exported(exotic())}
    simulator = Simulator(exotic(), real=real, backend="c")
    firmware = Firmware(simulator)
    for name in TIED:
        assert known[name]["role"] == "fixed"
        firmware.init()
        ((offset, size),) = simulator.plan.parameters[name]
        values = simulator.engine.parameters[offset : offset + size]
        values[:] = 0.5 * values - 0.25
        given = simulator.engine.parameters.tobytes()
        assert (firmware.update_parameters(), simulator.engine.parameters.tobytes()) == (SolverStatus.BAKED, given), (
            name
        )
        if name in simulator._changes.settable:
            with pytest.raises(MechanismError, match=rf"parameter {name}.*change the description instead"):
                simulator.set_parameter(name, values.astype(float))


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({"stop.lower": 0.5}, SolverStatus.BAD_PARAMETER),
        ({"stop.lower": 0.25}, SolverStatus.BAD_PARAMETER),
        ({"stop.upper": -0.5}, SolverStatus.BAD_PARAMETER),
        ({"stop.lower": -0.75, "stop.upper": 0.125}, SolverStatus.OK),
        ({"sine.rest": -1.1}, SolverStatus.OK),
    ],
)
@pytest.mark.parametrize("real", ["double", "float"])
def test_limits_leave_room_between_their_bounds(settings: dict, status: SolverStatus, real: str) -> None:
    """As in Python, which says so at the start of a run."""
    assert changed(Simulator(exotic(), real=real, backend="c"), settings).update_parameters() == status
    simulator = Simulator(exotic(), real=real, backend="c", parameters=settings)
    with pytest.raises(MechanismError, match="is not below upper") if status < 0 else nullcontext():
        simulator.start(step=STEP)


@pytest.mark.parametrize("real", ["double", "float"])
def test_cosine_and_sine_are_of_one_angle(real: str) -> None:
    simulator = Simulator(exotic(), real=real, backend="c")
    firmware = changed(simulator, {})
    ((place, _),) = simulator.plan.parameters["sine.rest_cos"]
    simulator.engine.parameters[place] *= 1.001
    assert firmware.update_parameters() == SolverStatus.BAD_PARAMETER
    with pytest.raises(MechanismError, match=r"sine\.rest_cos.* cannot be set alone"):
        simulator.set_parameter("sine.rest_cos", 1.0)


def test_point_masses_have_no_inertia_to_judge(tmp_path: Path) -> None:
    """That they have none is a constant of the text: nothing is left over that strict flags would find."""
    prefix = written(tmp_path, rope(2), "double")
    command = [need("gcc"), *STRICT, "-fsyntax-only", f"{prefix}.c"]
    assert run(tmp_path, *command) == ""
    firmware = Firmware(Simulator(rope(2), backend="c"))
    firmware.init()
    assert firmware.update_parameters() == SolverStatus.OK


def askew() -> Mechanism:
    """A body whose inertia has no zeros that the text could have as constants."""
    return Mechanism(name="askew", bodies=[Body(name="box", mass=1.0, inertia=(2.0, 3.0, 4.0, 0.1, 0.2, 0.3))])


ORIENTATIONS = ((1.0, 0.0, 0.0, 0.0), (0.8, 0.0, 0.6, 0.0), (0.1, 0.5, -0.5, 0.7))


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("moments", [(0.0, 0.0, 0.0), (1.0, 1.0, 2.0), (0.0, 3.0, 3.0), (1e-9, 2e-9, 3e-9)])
def test_plates_rods_and_points_are_bodies(moments: tuple[float, ...], real: str) -> None:
    """Principal moments may vanish, and the largest may be the sum of the others, about axes of the body or any."""
    simulator = Simulator(askew(), real=real, backend="c")
    for orientation in ORIENTATIONS:
        inertia = turned((*moments, 0.0, 0.0, 0.0), orientation)
        assert changed(simulator, {"box.inertia": inertia}).update_parameters() == SolverStatus.OK


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("moments", [(1.0, 1.0, 2.001), (0.0, 1e-3, 0.0), (1.0, 1.0, -1e-3), (0.0, -1.0, 1.0)])
def test_no_body_has_such_moments(moments: tuple[float, ...], real: str) -> None:
    """The largest is more than the sum of the others, about axes of the body or any; Python says so too."""
    simulator = Simulator(askew(), real=real, backend="c")
    for orientation in ORIENTATIONS:
        inertia = turned((*moments, 0.0, 0.0, 0.0), orientation)
        assert changed(simulator, {"box.inertia": inertia}).update_parameters() == SolverStatus.BAD_PARAMETER
        assert inertia_problem(inertia)


def test_a_motion_with_changed_parameters_is_that_of_python() -> None:
    """A crate of a hundredth of its mass on the moon: it falls and slides alike, to the last bit."""
    settings = {"box.mass": 0.02, "gravity": (0.0, 0.0, -1.62), "ground.friction": 0.2}
    python = Simulator(crate(), backend="c", parameters=settings)
    python.start(step=STEP)
    simulator = Simulator(crate(), backend="c")
    firmware = changed(simulator, inertias(python, settings))
    assert firmware.update_parameters() == SolverStatus.OK
    assert firmware.start(1) == (SolverStatus.OK, pytest.approx(0.0, abs=1e-12))
    second = Firmware(python)
    for _ in range(100):
        assert firmware.step() == second.step() == SolverStatus.OK
    assert simulator.engine.state.tobytes() == python.engine.state.tobytes()
