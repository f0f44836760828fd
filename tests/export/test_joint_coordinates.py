"""States from joint coordinates and back, in C: those of `state_from` and `coordinates_of`, to the last digits."""

import re
from functools import partial

import numpy as np
import pytest

from symvi import coordinates_of, state_from
from symvi.mechanism import Body, Box, Contact, Coupling, Driver, Joint, Limit, Mechanism, Wrench, coordinate_count
from symvi.mechanism.joint_table import JOINT_TYPES
from symvi.numbers.control import SolverStatus
from symvi.simulate import Simulator
from symvi.simulate.solver_build import text_of
from symvi.simulate.solver_state import solver_state
from tests.export.exports import arm
from tests.support.crooked_chains import crooked_chain
from tests.support.firmware import Firmware
from tests.support.linkages import four_bar
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)

TYPES = [name for name in JOINT_TYPES if name not in ("fixed", "distance", "custom")]
STEP = 0.01  # s: what the text has as its default
DIGITS = {"double": 1e-13, "float": 2e-5}  # a few roundings a body, of numbers near one


def chain_of(count: int, joint_type: str) -> Mechanism:
    """A chain in which nothing lies along anything; a screw advances by 0.3 m/rad."""
    if joint_type != "screw":
        return crooked_chain(count, joint_type)
    chain = crooked_chain(count, "revolute")
    return chain.changed(name="screws", joints=[joint.changed(type="screw", pitch=0.3) for joint in chain.joints])


def hanging(joint_type: str) -> Mechanism:
    """Two bodies of which the second is the parent of the first: it is placed backwards."""
    chain = chain_of(2, joint_type)
    first, second = chain.joints
    turned = second.changed(
        parent="link2", child="link1", parent_anchor=second.child_anchor, child_anchor=second.parent_anchor
    )
    return chain.changed(joints=[first, turned])


def some(mechanism: Mechanism, firmware: Firmware, seed: int = 3, size: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of all joints."""
    random, count = np.random.default_rng(seed), sum(coordinate_count(joint) for joint in mechanism.joints)
    return random.uniform(-size, size, count), random.uniform(-1, 1, count)


def bodies(firmware: Firmware) -> dict[str, np.ndarray]:
    """x, q, v, w of all bodies, as the solver has them."""
    plan, count = firmware.plan, len(firmware.plan.bodies)
    return {
        name: np.array([firmware.engine.state[plan.at("state", "body", k, name)] for k in range(count)], float)
        for name in "xqvw"
    }


def described(mechanism: Mechanism, firmware: Firmware, coordinates: np.ndarray, rates: np.ndarray):
    """The state that Python makes of the same numbers."""
    given = [
        {name: tuple(values[place].tolist()) for name, place in firmware.by_joint().items()}
        for values in (coordinates, rates)
    ]
    return state_from(mechanism, *given)


@pytest.mark.parametrize(
    ("build", "real"),
    [(partial(chain_of, 3), "double"), (hanging, "double"), (partial(chain_of, 3), "float")],
    ids=["outwards", "backwards", "outwards in float"],
)
@pytest.mark.parametrize("name", TYPES)
def test_placing_is_state_from(name: str, build, real: str) -> None:
    """Positions, orientations and velocities of chains of every joint type; placed by its parent and by its child."""
    mechanism = build(name)
    simulator = Simulator(mechanism, real=real, backend="c")
    firmware = Firmware(simulator)
    firmware.init()
    coordinates, rates = some(mechanism, firmware)
    assert firmware.place(coordinates, rates) == SolverStatus.OK
    state = described(mechanism, firmware, coordinates, rates)
    wanted = solver_state(mechanism, state)
    for what, values in bodies(firmware).items():
        assert np.abs(values - wanted[what]).max() < DIGITS[real] * (1 + np.abs(wanted[what]).max()), what
    assert firmware.step() >= 0


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", TYPES)
def test_coordinates_come_back(name: str, real: str) -> None:
    """What was placed is measured, whole turns included where the array is near; and as `coordinates_of` tells it."""
    mechanism = chain_of(3, name)
    firmware = Firmware(Simulator(mechanism, real=real, backend="c"))
    firmware.init()
    coordinates, rates = some(mechanism, firmware)
    turned = coordinates.copy()
    for note in firmware.ordered():
        if note["kinds"].count("rotation") in (1, 2):
            place = firmware.by_joint()[note["joint"]]
            turned[place][[k for k, kind in enumerate(note["kinds"]) if kind == "rotation"]] += 4 * np.pi
    assert firmware.place(turned, rates) == SolverStatus.OK
    found, moving = firmware.coordinates(turned + 0.5)
    assert np.abs(found - turned).max() < 20 * DIGITS[real]
    assert np.abs(moving - rates).max() < 20 * DIGITS[real]
    found, _ = firmware.coordinates(coordinates - 0.5)
    assert np.abs(found - coordinates).max() < 20 * DIGITS[real]
    state = described(mechanism, firmware, coordinates, rates)
    for joint, place in firmware.by_joint().items():
        python, python_rates = coordinates_of(mechanism, joint, state)
        assert np.abs(found[place] - python).max() < 20 * DIGITS[real]
        assert np.abs(moving[place] - python_rates).max() < 20 * DIGITS[real]


def test_a_joint_at_rest_in_the_origin_has_no_singular_place() -> None:
    """Rotation vectors of length zero: the turn is none, and its rate is the rate of the vector."""
    mechanism = crooked_chain(2, "spherical")
    firmware = Firmware(Simulator(mechanism, backend="c"))
    firmware.init()
    rates = np.arange(1.0, 7.0)
    assert firmware.place(np.zeros(6), rates) == SolverStatus.OK
    found, moving = firmware.coordinates(np.zeros(6))
    assert np.abs(found).max() < 1e-14 and np.abs(moving - rates).max() < 1e-13


def test_a_loop_is_closed_from_near_and_told_from_far() -> None:
    """Coordinates that are about right become those of the closed loop; with bars that cannot meet it is told."""
    mechanism = four_bar()
    simulator = Simulator(mechanism, backend="c")
    firmware = Firmware(simulator)
    firmware.init()
    count = sum(coordinate_count(joint) for joint in mechanism.joints)
    start, _ = firmware.coordinates(np.zeros(count))
    near = start + 0.05 * np.arange(count)
    assert firmware.place(near, np.zeros(count)) == SolverStatus.OK
    found, rates = firmware.coordinates(near)
    assert 1e-4 < np.abs(found - near).max() < 0.5 and np.abs(rates).max() < 1e-12
    anchor = np.array(mechanism.joint("C").parent_anchor)
    simulator.set_parameter("C.parent_anchor", tuple(30.0 * anchor))  # one bar is longer than all others
    assert firmware.place(near, np.zeros(count)) == SolverStatus.NOT_CLOSED


def geared(driven: str) -> Mechanism:
    """Two wheels on the world with a gear of -3 between them; a driver on one of them."""
    wheel = Box(size=(0.2, 0.2, 0.1))
    return Mechanism(
        name=f"geared_{driven}",
        bodies=[Body(name=name, mass=1.0, shape=wheel) for name in ("small", "large")],
        joints=[
            Joint(name="left", type="revolute", child="small", axis=(0, 0, 1), coordinate=0.2),
            Joint(name="right", type="revolute", child="large", axis=(0, 0, 1), parent_anchor=(1, 0, 0)),
        ],
        couplings=[Coupling(name="gear", joints=("left", "right"), ratio=-3.0, offset=0.2)],
        drivers=[Driver(name="crank", joint=driven)],
    )


@pytest.mark.parametrize("driven", ["left", "right"])
def test_coupled_and_driven_coordinates_agree(driven: str) -> None:
    """The driven joint leads, the other follows its gear; the driver's target and rate are those of its joint."""
    mechanism = geared(driven)
    firmware = Firmware(Simulator(mechanism, backend="c"))
    assert firmware.init() == SolverStatus.OK
    given, rates = np.array([5.0, 5.0]), np.array([0.3, 0.3])
    assert firmware.place(given, rates) == SolverStatus.OK
    led = {"left": ((5.0, (5.0 - 0.2) / -3), (0.3, -0.1)), "right": ((-3 * 5.0 + 0.2, 5.0), (-0.9, 0.3))}[driven]
    found, moving = firmware.coordinates(np.array(led[0]) + 1.0)
    assert np.abs(found - led[0]).max() < 1e-13 and np.abs(moving - led[1]).max() < 1e-13
    node = next(c for c in firmware.plan.constraints if c["type"] == "driver")
    for field, value in (("target", 5.0), ("rate", 0.3), ("rate_before", 0.3)):
        assert firmware.engine.state[firmware.plan.at("state", node["kind"], node["index"], field)] == value
    assert firmware.engine.state[firmware.plan.at("state", node["kind"], node["index"], "angle")] == 5.0


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*TYPES, "loop", "left", "right"])
def test_python_places_to_the_last_bit(name: str) -> None:
    """The reference back end and C write the same state, and read the same coordinates from it."""
    mechanism = four_bar() if name == "loop" else geared(name) if name in ("left", "right") else chain_of(2, name)
    firmware, python = Firmware(Simulator(mechanism, backend="c")), Simulator(mechanism, backend="python").engine
    firmware.init()
    given, rates = some(mechanism, firmware, size=0.2)
    python._enter(firmware.inputs)
    python.solver.memory.parameters["common"][0].h[0] = STEP
    assert firmware.place(given, rates) == python.solver.placing.place(given.tolist(), rates.tolist())
    assert np.array_equal(python.flat("state"), firmware.engine.state)
    for first, second in zip(
        firmware.coordinates(given), python.solver.placing.coordinates(given.tolist()), strict=True
    ):
        assert np.array_equal(first, second)


def test_coordinates_are_named_in_the_header() -> None:
    mechanism = four_bar()
    text = text_of(mechanism)
    header = text.files[f"{text.prefix}.h"]
    names = re.findall(r"_COORDINATE_(\w+) = (\d+), /\* revolute: an angle \[rad\](.*) \*/", header)
    assert [name for name, _, _ in names] and {name for name, _, _ in names} == {
        j.name.upper() for j in mechanism.joints
    }
    assert [int(k) for _, k, _ in names] == list(range(len(names)))
    assert sum("closes a loop" in more for _, _, more in names) == 1
    assert f"_COORDINATES = {len(names)}" in header


def placed_by_both(mechanism: Mechanism, **settings) -> tuple[Firmware, object]:
    """A solver in C and one in Python, both at the start of the description, with the same inputs and parameters."""
    simulators = [Simulator(mechanism, backend=backend) for backend in ("c", "python")]
    firmware, python = Firmware(simulators[0]), simulators[1].engine
    firmware.init()
    for simulator in simulators:
        for name, value in settings.items():
            simulator.set_parameter(name, value)
    python.state[:] = firmware.engine.state
    python._enter(firmware.inputs)
    python.solver.memory.parameters["common"][0].h[0] = STEP
    return firmware, python


def pushed_together() -> Mechanism:
    """A ball on a rail, and a floor above which the description starts."""
    return Mechanism(
        name="pushed_together",
        bodies=[Body(name="ball", mass=1.0, shape=Box(size=(0.1, 0.1, 0.1)), position=(0, 0, 1))],
        joints=[Joint(name="rail", type="prismatic", child="ball", axis=(0, 0, 1), coordinate=1.0)],
        contacts=[Contact(name="floor", child="ball", radius=0.05)],
        limits=[Limit(name="end", joint="rail", lower=-0.5)],
    )


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["coordinates", "rates", "inputs"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("build", [arm, four_bar], ids=["arm", "loop"])
def test_no_state_is_placed_by_what_is_no_number(build, value: float, what: str) -> None:
    """The status says so, in C and in Python, and the state is as it was."""
    firmware, python = placed_by_both(build())
    count = sum(coordinate_count(joint) for joint in build().joints)
    given = {"coordinates": np.zeros(count), "rates": np.zeros(count)}
    if what == "inputs":
        if not firmware.plan.inputs:
            return
        firmware.inputs[-1] = value
        python._push("input", firmware.inputs)
    else:
        given[what][-1] = value
    before = firmware.engine.state.tobytes()
    assert firmware.place(*given.values()) == SolverStatus.NOT_FINITE
    assert python.solver.placing.place(*(values.tolist() for values in given.values())) == SolverStatus.NOT_FINITE
    assert firmware.engine.state.tobytes() == before == python.flat("state").tobytes()


def test_a_placement_that_fails_leaves_the_state_as_it_was() -> None:
    """Bars that cannot meet, far beyond a limit: told, and nothing is touched, in C and in Python."""
    far = {"C.parent_anchor": tuple(30.0 * x for x in four_bar().joint("C").parent_anchor)}
    cases = ((four_bar(), far, SolverStatus.NOT_CLOSED), (pushed_together(), {}, SolverStatus.NOT_APART))
    for mechanism, settings, status in cases:
        firmware, python = placed_by_both(mechanism, **settings)
        count = sum(coordinate_count(joint) for joint in mechanism.joints)
        before = firmware.engine.state.tobytes()
        assert firmware.place(np.full(count, -3.0), np.zeros(count)) == status
        assert python.solver.placing.place([-3.0] * count, [0.0] * count) == status
        assert firmware.engine.state.tobytes() == before == python.flat("state").tobytes()


def test_a_start_with_inputs_that_are_no_numbers_tells_no_finite_change() -> None:
    """The change that projecting made is nothing that a caller could take for small, whichever body it is of."""
    wheel = Box(size=(0.2, 0.2, 0.1))
    pushed = Mechanism(
        name="pushed",
        bodies=[Body(name=name, mass=1.0, shape=wheel, position=(x, 0, 0)) for name, x in (("one", 0), ("other", 1))],
        forces=[Wrench(name="push", body="one")],
    )
    firmware, python = placed_by_both(pushed)
    firmware.inputs[:] = np.nan
    python._push("input", firmware.inputs)
    status, change = firmware.start(1)
    assert status == SolverStatus.NOT_FINITE and not np.isfinite(change)
    assert not np.isfinite(python.solver.start())
