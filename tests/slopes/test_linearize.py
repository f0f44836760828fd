"""Linearised steps: closed forms, conservation, both back ends, motions, parameters, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symvi import (
    Actuator,
    ArgumentError,
    AssemblyError,
    Body,
    Contact,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    MechanismError,
    Rod,
    Simulator,
    SolverOptions,
    Wrench,
    state_from,
)
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_charts import Knot
from symvi.simulate.slope_native import NativeSlopes
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import only

STEP = 0.01
MASS, LENGTH, INERTIA, GRAVITY = 0.7, 0.6, 0.02, 9.81


def pendulum(**more) -> Mechanism:
    """A bob on a hinge; upright at a coordinate of half a turn."""
    bob = Body(name="bob", mass=MASS, inertia=(INERTIA,) * 3, position=(0, 0, -LENGTH))
    hinge = Joint(name="hinge", type="revolute", child="bob", axis=(0, 1, 0), child_anchor=(0, 0, LENGTH))
    return Mechanism(name="pendulum", bodies=[bob], joints=[hinge], gravity=(0, 0, -GRAVITY), **more)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_pendulum_in_balance_steps_by_the_matrix_of_its_closed_form(coordinates: str, angle: float) -> None:
    """J/h² (c'' - 2 c' + c) = -+ m g l c' + u h² ...: about a principal axis, small turns are those of a linear one."""
    mechanism = pendulum(forces=[Actuator(name="motor", joint="hinge")])
    simulator = Simulator(mechanism, coordinates=coordinates)
    found = simulator.linearize(state_from(mechanism, {"hinge": angle}), step=STEP)
    moment = INERTIA + MASS * LENGTH * LENGTH
    pull = -MASS * GRAVITY * LENGTH / moment * np.cos(angle)
    expected = np.array([[1 + STEP**2 * pull, STEP], [STEP * pull, 1]])
    np.testing.assert_allclose(found.A, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.B, np.array([[STEP**2], [STEP]]) / moment, rtol=0, atol=1e-13)
    assert found.names == ("hinge", "hinge.rate") and found.inputs == ("motor.force",)
    np.testing.assert_allclose(found.next, found.x, atol=1e-12)


def test_a_free_body_moves_on_and_takes_forces_whole() -> None:
    body = Body(name="body", mass=2.0, inertia=(0.1, 0.2, 0.3), velocity=(1.0, -2.0, 0.5))
    mechanism = Mechanism(name="thrown", bodies=[body], forces=[Wrench(name="push", body="body")])
    found = Simulator(mechanism).linearize(step=STEP)
    one = np.eye(6)
    np.testing.assert_allclose(found.A, np.block([[one, STEP * one], [0 * one, one]]), rtol=0, atol=1e-13)
    over = np.diag([1 / 2.0] * 3 + [1 / 0.1, 1 / 0.2, 1 / 0.3])
    np.testing.assert_allclose(found.B, np.vstack([STEP**2 * over, STEP * over]), rtol=0, atol=1e-12)


def test_a_spring_acts_at_the_middle_of_the_step() -> None:
    """The implicit midpoint: m v' = m v - h k (c + c')/2, half of it before and half after the knot."""
    block = Body(name="block", mass=2.0, inertia=(1.0, 1.0, 1.0))
    slide = Joint(name="slide", type="prismatic", child="block", axis=(1, 0, 0))
    stiffness = 300.0
    spring = JointSpring(name="spring", joint="slide", stiffness=stiffness)
    found = Simulator(
        Mechanism(name="block", bodies=[block], joints=[slide], forces=[spring], gravity=(0, 0, 0))
    ).linearize(step=STEP)
    q = STEP * STEP * stiffness / (4 * 2.0)
    expected = np.array([[1 - q, STEP], [-4 * q / STEP, 1 - q]]) / (1 + q)
    np.testing.assert_allclose(found.A, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.abs(np.linalg.eigvals(found.A)), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", only(["pair"], ["pair", "balls", "slides", "geared", "four_bar"]))
def test_steps_keep_areas_in_the_space_of_positions_and_momenta(name: str) -> None:
    """dx.dp - dp.dx + dtheta.dl - dl.dtheta - l.(dtheta x dtheta) of two tangents is the same after a step."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism)
    motion = simulator.simulate(0.1, STEP, inputs=inputs)
    own = simulator._twin()
    own._set_step(STEP)
    none = tangents_of(simulator, ())
    linearizer = Linearizer(slopes_of(own, ()), own.plan, SolverOptions(tolerance=1e-12), None, None, none)
    state, row = motion.resume, motion.inputs[-1]
    first = Knot(linearizer.slopes, own.plan, state, row, linearizer.parameters)
    linearizer.chosen = first.choose(linearizer.every, None)
    before = linearizer.lift(first)
    moved, _, after, _ = linearizer._through(state, row, np.hstack([before, np.zeros((len(before), len(row)))]))
    area = _areas(linearizer, state, before)
    assert np.abs(area).max() > 1e-3
    np.testing.assert_allclose(
        _areas(linearizer, after, moved[:, : before.shape[1]]), area, rtol=0, atol=1e-11 * max(1.0, np.abs(area).max())
    )


def _areas(linearizer: Linearizer, state: np.ndarray, tangents: np.ndarray) -> np.ndarray:
    """(columns, columns): the canonical two-form of every two tangents of a state."""
    plan, layout, total = linearizer.plan, linearizer.layout, 0.0
    for body in range(len(plan.bodies)):
        dx, dq, dp, dl = (tangents[layout.at("state", "body", body, name)] for name in "xqpl")
        w, x, y, z = state[plan.at("state", "body", body, "q")]
        turn = 2 * np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]]) @ dq
        momentum = state[plan.at("state", "body", body, "l")]
        twist = np.einsum("k,kij->ij", momentum, np.cross(turn.T[:, None], turn.T[None]).transpose(2, 0, 1))
        one = dx.T @ dp + turn.T @ dl
        total = total + one - one.T - twist
    return np.asarray(total)


@pytest.mark.parametrize("name", only(["servo", "sphere"], SCENES))
def test_generated_c_and_python_agree(name: str) -> None:
    mechanism, inputs = scene(name)
    smoothing = {"smoothing": 1e-4} if Simulator(mechanism).plan.notes["inequalities"] else {}
    c, python = (
        Simulator(mechanism, backend=backend).linearize(inputs=inputs, step=STEP, **smoothing)
        for backend in ("c", "python")
    )
    assert c.names == python.names
    for a, b in ((c.A, python.A), (c.B, python.B), (c.next, python.next)):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * max(1.0, np.abs(b).max(initial=0.0)))


@pytest.mark.parametrize("name", ["limited", "rubbing", "sphere"])
def test_contacts_have_the_derivative_of_the_smoothed_step(name: str) -> None:
    """A and the state ahead are of one centring, which is far from where the solver ends its steps here."""
    mechanism, inputs = scene(name)
    smoothing = 1e-2
    simulator, options = Simulator(mechanism), SolverOptions(tolerance=1e-12, complementarity=smoothing)
    motion = simulator.simulate(0.1, STEP, inputs=inputs)
    own = simulator._twin()
    own._set_step(STEP)
    slopes, none, row = slopes_of(own, ()), tangents_of(simulator, ()), motion.inputs[-1, :0]
    linearizer = Linearizer(slopes, own.plan, options, None, smoothing, none)
    found, _ = linearizer.step(motion.resume, row)
    lift = linearizer.lift(Knot(slopes, own.plan, motion.resume, row, linearizer.parameters))
    size = 2e-6 if name == "sphere" else 1e-4  # its gap is of a millimetre
    turned = [k for k, each in enumerate(linearizer.chosen) if not each.joint and each.entry >= 3]

    def after(column: int, way: float) -> np.ndarray:
        moved = motion.resume.copy()
        for place, (offset, count) in slopes.layout.fields["state"].items():
            at = own.plan.fields["state"][place][0]
            moved[at : at + count] += way * lift[offset : offset + count, column]
        slopes.enter(moved, row)
        assert slopes.step(options)[0] >= 0
        slopes.enter(moved, row)
        slopes.settle(smoothing)
        slopes.run("step", {"state": np.zeros((slopes.layout.sizes["state"], 1))})
        return linearizer.values(slopes.arrived, row)

    np.testing.assert_allclose(after(0, 0.0), found.next, rtol=0, atol=1e-11)
    for column in range(lift.shape[1]):
        near, far = (after(column, k * size) - after(column, -k * size) for k in (1, 2))
        expected = (8 * near - far) / (12 * size)
        expected[turned] = found.A[turned, column]  # turns of bodies are counted from where they are
        np.testing.assert_allclose(found.A[:, column], expected, rtol=0, atol=1e-7 * max(1.0, np.abs(found.A).max()))


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", only(["servo", "driven", "four_bar"], SCENES))
def test_the_generated_function_makes_the_same_matrices(name: str, coordinates: str) -> None:
    """NAME_linearize lifts a tree by its own kernels, and others by velocities that pushes lead to, where Python solves
    for the tangents of closed joints."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    contacts = bool(simulator.plan.notes["inequalities"])
    options = SolverOptions(tolerance=1e-12, complementarity=1e-6 if contacts else None)
    motion = simulator.simulate(0.1, STEP, inputs=inputs)
    own = simulator._twin()
    own._set_step(STEP)
    slopes, none = slopes_of(own, ()), tangents_of(simulator, ())
    assert isinstance(slopes, NativeSlopes)
    row = motion.inputs[-1, : len(own.plan.inputs)]
    linearizer = Linearizer(slopes, own.plan, options, None, 1e-6 if contacts else None, none)
    found, _ = linearizer.step(motion.resume, row)
    slopes.enter(motion.resume, row)
    places = numbers_of(linearizer)
    status, a, b = slopes.linearize(options, chosen=places)
    assert status == 0
    np.testing.assert_array_equal(slopes.state(), motion.resume)
    freedoms = len(places)
    order = [*places, *(freedoms + k for k in places), *range(2 * freedoms, len(a))]
    if slopes.takes_coordinates():
        order = list(range(len(a)))
    np.testing.assert_allclose(a[np.ix_(order, order)], found.A, rtol=0, atol=1e-10 * max(1.0, np.abs(found.A).max()))
    np.testing.assert_allclose(b[order], found.B, rtol=0, atol=1e-10)


def numbers_of(linearizer: Linearizer) -> list[int]:
    """What the generated function calls the coordinates of a linearizer."""
    every = len(linearizer.near)
    return [
        linearizer._place_of(each) if each.joint else every + 6 * each.node + each.entry for each in linearizer.chosen
    ]


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("turned", [0.5, 3.5, 6.0, 9.0])
def test_an_orientation_has_two_quaternions_and_one_derivative(coordinates: str, turned: float) -> None:
    """Beyond half a turn coordinates give the other one of a motion's two."""
    mechanism, inputs = scene("pair")
    simulator = Simulator(mechanism, coordinates=coordinates)
    start = state_from(mechanism, {"shoulder": 3.0, "elbow": turned}, velocities={"shoulder": 4.0, "elbow": -1.0})
    motion = simulator.simulate(0.2, STEP, start=start, inputs=inputs)
    assert abs(motion.curves["shoulder"][-1]).max() > np.pi
    own = simulator._twin()
    own._set_step(STEP)
    slopes, none, row = slopes_of(own, ()), tangents_of(simulator, ()), motion.inputs[-1]
    assert isinstance(slopes, NativeSlopes)
    linearizer = Linearizer(slopes, own.plan, SolverOptions(tolerance=1e-12), None, None, none)
    found, _ = linearizer.step(motion.resume, row)
    assert linearizer.plain
    again, _ = linearizer.step(motion.resume, row)
    np.testing.assert_allclose(again.A, found.A, rtol=0, atol=1e-10 * np.abs(found.A).max())
    np.testing.assert_allclose(again.B, found.B, rtol=0, atol=1e-10)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_coordinates_that_lead_elsewhere_are_refused(coordinates: str) -> None:
    """Angles of a universal joint repeat every half turn: those nearest to zero are of another placement."""
    mechanism, inputs = scene("balls")
    simulator = Simulator(mechanism, coordinates=coordinates)
    motion = simulator.simulate(0.3, STEP, inputs=inputs)
    own = simulator._twin()
    own._set_step(STEP)
    slopes, none, row = slopes_of(own, ()), tangents_of(simulator, ()), motion.inputs[-1, :0]
    assert isinstance(slopes, NativeSlopes)
    linearizer = Linearizer(slopes, own.plan, SolverOptions(tolerance=1e-12), None, None, none)
    linearizer.branch(motion.state().angles)
    found, _ = linearizer.step(motion.resume, row)
    slopes.enter(motion.resume, row)
    assert slopes.linearize(linearizer.options)[0] < 0
    status, a, _ = slopes.linearize(linearizer.options, linearizer.near)
    assert status == 0
    np.testing.assert_allclose(a, found.A, rtol=0, atol=1e-9 * np.abs(found.A).max())


# --- motions --------------------------------------------------------------------------------------------------------
def test_steps_of_a_motion_lead_from_knot_to_knot() -> None:
    """A small change of the start is carried to the end by the product of all steps."""
    mechanism, inputs = scene("pair")
    simulator, change = Simulator(mechanism), 1e-5

    def ended(angle: float):
        state = state_from(mechanism, {"shoulder": 0.7 + angle}, velocities={"shoulder": 1.5, "elbow": -2.0})
        return simulator.simulate(0.3, STEP, start=state, inputs=inputs)

    motion = ended(0.0)
    found = motion.linearize()
    assert len(found) == 30 and found.A.shape == (30, 4, 4) and found.x.shape == (31, 4)
    np.testing.assert_allclose(found.x[:, 0], motion.curves["shoulder"].ravel(), atol=1e-9)
    whole = np.eye(4)
    for one in found:
        whole = one.A @ whole
    after, before = (ended(sign * change).linearize().x for sign in (1, -1))
    slope = (after[-1] - before[-1]) / (2 * change)
    np.testing.assert_allclose(whole @ (after[0] - before[0]) / (2 * change), slope, rtol=0, atol=1e-6)


def test_a_step_in_parts_is_the_product_of_its_parts() -> None:
    """The second of two parts begins where the first one led; targets go there at an even rate."""
    mechanism, inputs = scene("servo")
    simulator = Simulator(mechanism, backend="python")
    state = state_from(mechanism, {"shoulder": 0.7, "elbow": 0.5}, velocities={"shoulder": 1.0})
    own = simulator._twin()
    own._set_step(0.04)
    slopes, none = slopes_of(own, ()), tangents_of(simulator, ())
    linearizer = Linearizer(slopes, own.plan, SolverOptions(tolerance=1e-12, substeps=4), None, None, none)
    simulator.start(state, step=0.04)
    start = linearizer.underway(simulator.engine.state.copy(), np.array([0.3, 0.0]))
    start[own.plan.at("state", "common", 0, "level")] = 2.5  # as after a step that failed: parts, until they are smooth
    row = np.array([0.35, 0.1])
    found, _ = linearizer.step(start, row)
    assert found.parts == 4
    lift = linearizer.lift(Knot(slopes, own.plan, start, row, linearizer.parameters))

    def after(column: int, size: float) -> np.ndarray:
        moved, driven = start.copy(), row.copy()
        if column < lift.shape[1]:
            for place, (offset, count) in slopes.layout.fields["state"].items():
                at = own.plan.fields["state"][place][0]
                moved[at : at + count] += size * lift[offset : offset + count, column]
        else:
            driven[column - lift.shape[1]] += size
        slopes.enter(moved, driven)
        assert slopes.step(linearizer.options) == (0, 4)
        return linearizer.values(slopes.state(), driven)

    size, both = 1e-4, np.hstack([found.A, found.B])
    for column in range(both.shape[1]):
        near, far = (after(column, k * size) - after(column, -k * size) for k in (1, 2))
        np.testing.assert_allclose(both[:, column], (8 * near - far) / (12 * size), rtol=0, atol=1e-7)


# --- parameters -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_parameters_move_steps_at_fixed_coordinates(coordinates: str) -> None:
    """Masses, gravity, gains, and a length, which moves all that hangs on it."""

    def made(mass: float = 0.5, down: float = -9.81, damping: float = 0.3, length: float = -0.4) -> Mechanism:
        rods = [
            Body(name=name, mass=m, shape=Rod(length=0.4, radius=0.02, position=(0, 0, -0.2)))
            for name, m in (("upper", mass), ("lower", 0.5))
        ]
        joints = [
            Joint(name="shoulder", type="revolute", child="upper", axis=(0.2, 1, 0.1), coordinate=0.7, velocity=1.5),
            Joint(name="elbow", type="revolute", parent="upper", child="lower", parent_anchor=(0.01, 0.02, length),
                  axis=(0.2, 1, 0.1), coordinate=0.5, velocity=-2.0),
        ]  # fmt: skip
        damper = JointDamper(name="damper", joint="elbow", damping=damping)
        return Mechanism(name="arm", bodies=rods, joints=joints, forces=[damper], gravity=(0, 0, down))

    cases = {
        "upper.mass": ("mass", 0.5), "gravity[2]": ("down", -9.81), "damper.damping": ("damping", 0.3),
        "elbow.parent_anchor[2]": ("length", -0.4),
    }  # fmt: skip
    found = Simulator(made(), coordinates=coordinates).linearize(step=STEP, parameters=list(cases))
    assert found.parameters == tuple(cases)
    for column, (name, value) in enumerate(cases.values()):

        def after(size: float, name: str = name, value: float = value) -> np.ndarray:
            one = Simulator(made(**{name: value + size}), coordinates=coordinates).linearize(step=STEP)
            np.testing.assert_allclose(one.x[:4], found.x[:4], atol=1e-12)
            return one.next[:4]

        size = 1e-3 * abs(value)
        near, far = (after(k * size) - after(-k * size) for k in (1, 2))
        expected = (8 * near - far) / (12 * size)
        # the weight of the knot before follows masses and dampers too, and is a state of its own here
        weight = found.names.index("elbow.theta_before")
        ends = [
            Simulator(made(**{name: value + s * size}), coordinates=coordinates).linearize(step=STEP) for s in (1, -1)
        ]
        expected = expected - found.A[:4, weight] * (ends[0].x - ends[1].x)[weight] / (2 * size)
        np.testing.assert_allclose(found.P[:4, column], expected, rtol=1e-6, atol=1e-8)


# --- refusals -------------------------------------------------------------------------------------------------------
def test_what_has_no_derivative_is_refused_by_name() -> None:
    simulator = Simulator(pendulum())
    with pytest.raises(ArgumentError, match="double"):
        Simulator(pendulum(), real="float").linearize()
    with pytest.raises(ArgumentError, match="no coordinate 'hing'.*did you mean 'hinge'"):
        simulator.linearize(coordinates=["hing"])
    with pytest.raises(ArgumentError, match="found 2, and the mechanism has 1 freedoms"):
        simulator.linearize(coordinates=["hinge", "bob.turn[0]"])
    with pytest.raises(AssemblyError, match="are not independent"):
        simulator.linearize(coordinates=["bob.turn[0]"])
    with pytest.raises(ArgumentError, match="no parameter 'bob.mas'"):
        simulator.linearize(parameters=["bob.mas"])
    with pytest.raises(ArgumentError, match="give a list of names"):
        simulator.linearize(parameters="bob.mass")
    with pytest.raises(ArgumentError, match="no contacts"):
        simulator.linearize(smoothing=1e-3)
    with pytest.raises(ArgumentError, match="chart"):
        simulator.linearize(chart="chords")  # pyright: ignore[reportArgumentType]
    with pytest.raises(MechanismError, match="no input"):
        simulator.linearize(inputs={"motor.force": 1.0})
    with pytest.raises(MechanismError, match="every=1"):
        simulator.simulate(0.1, every=2).linearize()
    ball = Body(name="ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.2))
    floor = Simulator(Mechanism(name="ball", bodies=[ball], contacts=[Contact(name="floor", child="ball", radius=0.1)]))
    for smoothing in (0.0, -1.0, float("nan"), 2.0):
        with pytest.raises(ArgumentError, match="smoothing"):
            floor.linearize(smoothing=smoothing)
    assert floor.linearize(smoothing=1e-3).smoothing == 1e-3


def test_a_loop_in_a_singular_position_is_refused() -> None:
    """A parallelogram with all its bars in one line may go on as one, or cross."""

    def bar(name: str, first: float, last: float) -> Body:
        return Body(name=name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=((first + last) / 2, 0, 0))

    def pin(name: str, parent: str, child: str, there: float, here: float) -> Joint:
        ends = {"parent_anchor": (there, 0, 0), "child_anchor": (here, 0, 0)}
        return Joint(name=name, type="revolute", parent=parent, child=child, axis=(0, 1, 0), **ends)

    joints = [
        pin("left", "world", "crank", 0, -0.5),
        pin("near", "crank", "coupler", 0.5, -1),
        pin("right", "world", "rocker", 2, -0.5),
        pin("far", "rocker", "coupler", 0.5, 1),
    ]
    flat = Mechanism(name="flat", bodies=[bar("crank", 0, 1), bar("coupler", 1, 3), bar("rocker", 2, 3)], joints=joints)
    with pytest.raises(AssemblyError, match="singular position"):
        Simulator(flat).linearize()


def test_a_motion_that_is_not_met_again_is_refused() -> None:
    """Steps are taken anew, by inputs that a motion tells: another motion's knots lie elsewhere."""
    mechanism = pendulum(forces=[Actuator(name="motor", joint="hinge")])
    motion = Simulator(mechanism).simulate(0.2, inputs={"motor.force": 1.0})
    assert len(motion.linearize()) == 20
    with pytest.raises(MechanismError, match="not met again"):
        replace(motion, inputs=0 * motion.inputs).linearize()
