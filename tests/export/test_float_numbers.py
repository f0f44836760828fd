"""Numbers in float: the text, the manifest and Python hold the very same ones, and what follows from them too."""

from __future__ import annotations

import random
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.exporters import export
from symvi.mechanism import Body, Contact, DryFriction, Joint, Mechanism, PointSpring, Sphere
from symvi.numbers.control import SolverStatus
from symvi.simulate import Simulator
from tests.emit.test_start import MECHANISMS
from tests.export.test_parameter_update import changed, stack
from tests.export.test_static_checks import need, run
from tests.program.test_point_masses import rope
from tests.support.firmware import Firmware
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
from tests.support.strict_c import STRICT, written

STEP = 0.01


def uneven(seed: int) -> Mechanism:
    """Blocks on each other of masses with many digits, in gravity that leans."""
    draw = random.Random(seed)
    bodies = [
        Body(name=body.name, mass=body.mass * draw.uniform(0.5, 2.0), shape=body.shape, position=body.position)
        for body in stack().bodies
    ]
    return stack().changed(bodies=bodies, gravity=tuple(draw.gauss(0.0, 5.0) for _ in range(3)))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_nothing_follows_anew_where_nothing_was_changed(seed: int) -> None:
    """Masses are summed and |g| is rooted in float, in the order of generated text, both described and set."""
    mechanism = uneven(seed)
    simulator = Simulator(mechanism, real="float", backend="c")
    described = simulator.engine.parameters.tobytes()
    simulator.set_parameter("gravity", mechanism.gravity)
    simulator.set_parameter("light.mass", mechanism.body("light").mass)
    assert simulator.engine.parameters.tobytes() == described
    firmware = Firmware(simulator)
    firmware.init()
    started = simulator.engine.parameters.tobytes()
    firmware.update_parameters()
    assert simulator.engine.parameters.tobytes() == started


def tiny() -> Mechanism:
    """A rope whose anchors are off by what is nothing in float, as after turns by a program."""
    mechanism = rope(2)
    first, *others = mechanism.joints
    x, y, z = first.parent_anchor
    return mechanism.changed(joints=[first.changed(parent_anchor=(x + 2.8e-56, y - 1e-50, z)), *others])


@pytest.mark.parametrize("build", [MECHANISMS["walker"], tiny], ids=["walker", "tiny"])
def test_numbers_below_float_are_written_as_zero(build, tmp_path: Path) -> None:
    """No constant of the text is one that its compiler would round to zero, which strict ones refuse."""
    prefix = written(tmp_path, build(), "float")
    assert run(tmp_path, need("gcc"), *STRICT, "-fsyntax-only", f"{prefix}.c") == ""


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
def test_a_manifest_tells_what_memory_holds(real: str, tmp_path: Path) -> None:
    manifest = export(tiny(), tmp_path / "out", real=real, measure=False, step=STEP).manifest
    simulator = Simulator(tiny(), real=real, backend="c")
    Firmware(simulator).init()
    told = np.array([x for field in manifest["parameters"] for x in np.ravel(field["value"])])
    held = simulator.engine.parameters
    assert np.array_equal(told.astype(held.dtype), held)
    assert not np.any((told != 0.0) & (held == 0.0))
    assert np.any((told != 0.0) & (np.abs(told) < 1e-40)) == (real == "double")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("drag.bound", 1e39, "too large for a number in float"),
        ("gravity", (0.0, 0.0, -1e39), "too large for a number in float"),
        ("light.mass", 1e-60, "must be positive"),
        ("ground.friction", 1e-9, "too small for float; 1e-06 is next to none there"),
        ("drag.bound", 1e-12, "too small for float; 1e-06 is next to none there"),
        ("gravity", (0.0, 0.0, -1e30), "what follows from it is not finite"),
        ("heavy.mass", 3e38, "what follows from it is not finite"),
    ],
)
def test_python_refuses_by_name_what_float_cannot_have(name: str, value: object, says: str, recwarn) -> None:
    """As the generated text does, whose update leaves its parameters as they were; nothing of it is set in Python."""
    simulator = Simulator(
        stack(), real="float", backend="c", parameters={"alone.mass": 3e38} if "heavy" in name else {}
    )
    before = simulator.engine.parameters.tobytes()
    with pytest.raises(MechanismError, match=f"parameter {name}: .*{says}"):
        simulator.set_parameter(name, value)
    assert simulator.engine.parameters.tobytes() == before and name not in simulator.settings
    firmware = Firmware(simulator)
    firmware.init()
    for own, numbers in simulator.described[name].numbers(tuple(np.ravel(value).tolist())).items():
        offset, size = simulator.plan.parameters[own][0]
        with np.errstate(over="ignore"):
            simulator.engine.parameters[offset : offset + size] = numbers
    if "heavy" in name:
        simulator.engine.parameters[simulator.plan.at("parameters", "body", 2, "mass")] = 3e38
    given = simulator.engine.parameters.tobytes()
    assert firmware.update_parameters() == SolverStatus.BAD_PARAMETER
    assert simulator.engine.parameters.tobytes() == given
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gravity": (0.0, 0.0, -1e39)}, r"parameter gravity: .* too large for a number in float"),
        (
            {"contacts": [Contact(name="floor", child="light", friction=1e-9)]},
            r"parameter floor.friction: .* too small",
        ),
        ({"forces": [DryFriction(name="drag", joint="rail", bound=1e-7)]}, r"parameter drag.bound: .* too small"),
    ],
)
def test_a_description_that_float_cannot_have_is_refused(changes: dict, says: str, tmp_path: Path) -> None:
    mechanism = stack().changed(**changes)
    with pytest.raises(MechanismError, match=says):
        Simulator(mechanism, real="float", backend="c")
    with pytest.raises(MechanismError, match=says):
        export(mechanism, tmp_path / "out", real="float", measure=False)
    assert not (tmp_path / "out").exists()


def screw_on_a_rail() -> Mechanism:
    """A block that slides and turns, rubbed in turning only."""
    hung = {"parent": "light", "child": "heavy", "axis": (0.0, 0.0, 1.0)}
    return stack().changed(
        joints=[Joint(name="rail", type="cylindrical", coordinate=(0.3, 0.0), **hung)],
        limits=[],
        forces=[DryFriction(name="drag", joint="rail", bound=(0.0, 0.02))],
    )


@pytest.mark.parametrize("real", ["double", "float"])
def test_an_axis_without_dry_friction_can_be_set_back(real: str) -> None:
    """What the description has there is a value that may be set, and changes nothing; friction may be given to it."""
    simulator = Simulator(screw_on_a_rail(), real=real, backend="c")
    described = simulator.engine.parameters.tobytes()
    simulator.set_parameter("drag.bound", (0.1, 0.03))
    assert simulator.engine.parameters.tobytes() != described
    simulator.set_parameter("drag.bound", (0.0, 0.02))
    assert simulator.engine.parameters.tobytes() == described
    assert (simulator.simulate(0.5, STEP).status == 0).all()
    with pytest.raises(MechanismError, match="must be positive"):
        simulator.set_parameter("drag.bound", (0.0, 0.0))


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize(("length", "taken"), [(0.3, True), (0.0, True), (-0.3, False)])
def test_a_spring_may_pull_to_a_point(length: float, taken: bool, real: str) -> None:
    """To no length, where it is described with one; to less than none, never."""
    ball = Sphere(radius=0.1)
    bodies = [Body(name=name, mass=1.0, shape=ball, position=(x, 0.0, 1.0)) for x, name in enumerate("ab")]
    springs = [
        PointSpring(name=f"to_{b.name}", child=b.name, stiffness=20.0, length=0.2 + 0.2 * k)
        for k, b in enumerate(bodies)
    ]
    simulator = Simulator(Mechanism(name="springs", bodies=bodies, forces=springs), real=real, backend="c")
    for name in ("to_a", "to_b"):
        with nullcontext() if taken else pytest.raises(MechanismError, match=f"{name}.length: .* must not be negative"):
            simulator.set_parameter(f"{name}.length", length)
        firmware = changed(simulator, {f"{name}.length": length})
        assert firmware.update_parameters() == (SolverStatus.OK if taken else SolverStatus.BAD_PARAMETER)


@pytest.mark.parametrize("real", ["double", "float"])
def test_a_rod_has_a_length(real: str) -> None:
    """The length of a joint is one: to a point there is no direction."""
    mechanism = Mechanism(
        name="hung",
        bodies=[Body(name="ball", mass=1.0, shape=Sphere(radius=0.1), position=(0.0, 0.0, -0.5))],
        joints=[Joint(name="rod", type="distance", child="ball", length=0.5)],
    )
    simulator = Simulator(mechanism, real=real, backend="c")
    with pytest.raises(MechanismError, match=r"rod\.length: .* must be positive"):
        simulator.set_parameter("rod.length", 0.0)
    assert changed(simulator, {"rod.length": 0.0}).update_parameters() == SolverStatus.BAD_PARAMETER
