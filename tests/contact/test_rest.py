"""What rests stays: no drift in ten thousand steps, loads that carry the weight, stacks and tables; how bodies land."""

from dataclasses import replace

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.mechanism import Body, Contact, Joint, Mechanism
from symvi.numbers import path
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.contact_scenes import (
    GRAVITY,
    HALF,
    ball,
    box,
    corners,
    lawful,
    lifted,
    on_ground,
    placed,
    simulator,
    table,
)
from tests.support.measuring import largest, momenta

DEFAULT = 1e-8  # what complementarity leaves, in effective mass (g h)²: the default tolerance
CUBE = box(position=(0, 0, HALF))


def loads(trajectory: Trajectory) -> np.ndarray:
    """(N, points): normal forces."""
    return np.stack([contact.normal_force for contact in trajectory.contacts.values()], axis=1)


@pytest.mark.parametrize("friction", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
def test_a_cube_rests_for_ten_thousand_steps(step: float, friction: float) -> None:
    """All eight corners are contacts, so four loads for three equations. It floats (n/2) tol g h² above the ground for
    its n loaded points, carries its weight, and does not move."""
    trajectory = simulator(on_ground(CUBE, friction=friction)).simulate(1e4 * step, step, every=100)
    assert largest(trajectory.position[-1, 0, :2]) < 1e-12
    assert trajectory.position[-1, 0, 2] - HALF == pytest.approx(4 / 2 * DEFAULT * GRAVITY * step**2, rel=0.02)
    assert largest(trajectory.orientation[-1, 0] - [1, 0, 0, 0]) < 1e-12
    assert largest(loads(trajectory)[1:].sum(axis=1) / GRAVITY - 1.0) < 1e-6
    lawful(trajectory)


@pytest.mark.parametrize(("tolerance", "usual"), [(1e-6, 1), (1e-8, 1), (1e-10, 2)])
def test_a_fine_tolerance_costs_a_resting_cube_an_iteration_at_most(tolerance: float, usual: int) -> None:
    """What rests begins near the end of the path, the farther from it below 1e-9; the step that lands takes more."""
    options = SolverOptions(complementarity=tolerance)
    trajectory = simulator(on_ground(CUBE, friction=0.5)).simulate(1.0, 0.01, options=options)
    assert np.median(trajectory.iterations[1:]) == usual and trajectory.iterations[1:].mean() < usual + 0.15


def test_a_start_near_the_end_leads_to_the_same_motion(monkeypatch) -> None:
    """A box that lands and comes to rest, from the usual start and from the calm one, in the Python back end."""
    scene = lifted(on_ground(box(), friction=0.5), 0.8, np.random.default_rng(3))
    solver = Simulator(on_ground(box(), friction=0.5), backend="python", coordinates="maximal")
    calm = solver.simulate(1.5, 0.02, start=scene)
    monkeypatch.setattr(path, "ATTEMPTS", (replace(path.ATTEMPTS[0], calm=0.0), *path.ATTEMPTS[1:]))
    usual = solver.simulate(1.5, 0.02, start=scene)
    assert largest(calm.position - usual.position) < 1e-8
    assert calm.iterations[-10:].max() == 1 and usual.iterations[-10:].min() == 2


def test_the_very_first_step_of_what_rests_takes_few_iterations() -> None:
    """No impulse is known there: it starts inside the cones, as what moves does."""
    trajectory = Simulator(on_ground(CUBE, friction=0.5), backend="python").simulate(0.01, 0.01)
    assert trajectory.iterations[1] <= 4


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_walker_that_stands_takes_two_iterations_a_step(coordinates) -> None:
    """Its crank held, six feet on the ground: rows of its 18 loops close although pairs of contacts are stiff."""
    simulator = Simulator(Mechanism.from_file(demo_file("walker")), coordinates=coordinates, backend="c")
    simulator.start(step=0.01)
    held = np.zeros((1, len(simulator.plan.inputs)))
    status, _, frames = simulator.engine.rollout(held, False, 30, 1, SolverOptions())
    iterations = frames[1:, simulator.plan.frame["iterations"][0]]
    assert status == 0 and iterations.max() <= 4 and np.median(iterations) == 2


def swing() -> Mechanism:
    """A cube that sticks to the ground under a rod that swings on it."""
    cube = CUBE.changed(mass=5.0)
    rod = Body(name="rod", mass=0.3, inertia=(0.01, 0.01, 0.001))
    hinge = Joint(name="hinge", type="revolute", parent="box", child="rod", axis=(0, 1, 0), parent_anchor=(0, 0, HALF),
                  child_anchor=(0, 0, 0.3), coordinate=0.5)  # fmt: skip
    ground = on_ground(cube, friction=0.8)
    return ground.changed(name="swing", bodies=[cube, rod], joints=[hinge])


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_what_sticks_under_changing_loads_starts_near_the_end(coordinates, monkeypatch) -> None:
    """Fewer iterations than from further inside, and the same motion, where rest alone would not tell."""
    solver = Simulator(swing(), backend="python", coordinates=coordinates)
    monkeypatch.setattr(path, "RESTING", -1.0)
    foreseen = solver.simulate(0.03, 0.001)
    monkeypatch.setattr(path, "FORESEEN_BY", np.inf)
    usual = solver.simulate(0.03, 0.001)
    assert largest(foreseen.position - usual.position) < 1e-9
    assert foreseen.iterations[5:].mean() < usual.iterations[5:].mean()
    assert foreseen.iterations[5:].max() <= 2 <= usual.iterations[5:].min()


@pytest.mark.parametrize("backend", ["python", "c"])
def test_rates_go_on_along_a_parabola_under_contacts(backend) -> None:
    """In joint coordinates: one iteration is enough in a smooth motion, where a straight line takes two."""
    trajectory = Simulator(swing(), backend=backend, coordinates="tree").simulate(0.03, 0.001)
    assert np.median(trajectory.iterations[5:]) == 1


def test_four_feet_of_a_table_carry_equal_loads() -> None:
    """Three equations for four loads: by symmetry, and as the centre of what is possible, a quarter of the weight."""
    trajectory = simulator(table()).simulate(1.0, 0.01)
    assert largest(loads(trajectory)[-1] - 10.0 * GRAVITY / 4) < 1e-6


def test_feet_under_a_load_off_the_middle() -> None:
    """With the centre of mass over one side its two feet carry what moments demand, the others the rest."""
    scene = table()
    plate = scene.bodies[0].changed(center_of_mass=(0.2, 0.0, 0.0))
    trajectory = simulator(scene.changed(bodies=[plate])).simulate(1.0, 0.01)
    assert loads(trajectory)[-1] == pytest.approx(10.0 * GRAVITY * np.array([1, 1, 3, 3]) / 8, abs=1e-4)


def boxes(count: int, offset: float) -> Mechanism:
    """Cubes on cubes, each a little to the side of the one below, with their lower corners on its upper face."""
    bodies = [box(f"box{k}", position=(offset * k, 0, HALF + 2 * HALF * k)) for k in range(count)]
    contacts = corners("ground", "box0", friction=0.5)
    for k in range(1, count):
        face = {"parent": f"box{k - 1}", "parent_anchor": (0, 0, HALF)}
        contacts += corners(f"on{k - 1}_", f"box{k}", friction=0.5, **face)
    return Mechanism(name="stack", bodies=bodies, contacts=contacts)


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_a_stack_of_cubes_stands(offset: float) -> None:
    trajectory = simulator(boxes(3, offset)).simulate(10.0, 0.01, every=100)
    assert largest(trajectory.position[-1] - trajectory.position[0]) < 1e-7
    assert largest(trajectory.position[-1] - trajectory.position[1]) < 1e-8  # where it had settled
    weights = loads(trajectory)[-1].reshape(3, 4).sum(axis=1)
    assert weights == pytest.approx(GRAVITY * np.array([3, 2, 1]), rel=1e-6)
    lawful(trajectory)


def test_a_column_of_balls_stands() -> None:
    """Newton's cradle upright: unstable, but nothing pushes it to any side."""
    bodies = [ball(f"ball{k}", position=(0, 0, 0.5 + k)) for k in range(5)]
    contacts = [Contact(name="ground", child="ball0", radius=0.5, friction=0.5)]
    contacts += [
        Contact(
            name=f"on{k}",
            kind="sphere",
            parent=f"ball{k}",
            child=f"ball{k + 1}",
            radius=0.5,
            parent_radius=0.5,
            friction=0.5,
        )
        for k in range(4)
    ]
    trajectory = simulator(Mechanism(name="column", bodies=bodies, contacts=contacts)).simulate(10.0, 0.01, every=100)
    assert largest(trajectory.position[-1] - trajectory.position[0]) < 1e-7
    assert loads(trajectory)[-1] == pytest.approx(GRAVITY * np.array([5, 4, 3, 2, 1]), rel=1e-6)


@pytest.mark.parametrize("share", [1e-3, 1e3, 1e6])
def test_balls_of_very_different_masses(share: float) -> None:
    """A heavy ball on a light one, and a light one on a heavy one."""
    scene = Mechanism(
        name="pair",
        bodies=[ball("low", position=(0, 0, 0.5)), ball("high", mass=share, position=(0, 0, 1.5))],
        contacts=[
            Contact(name="ground", child="low", radius=0.5, friction=0.5),
            Contact(name="on", kind="sphere", parent="low", child="high", radius=0.5, parent_radius=0.5, friction=0.5),
        ],
    )
    trajectory = simulator(scene).simulate(1.0, 0.01)
    assert loads(trajectory)[-1] == pytest.approx([(1 + share) * GRAVITY, share * GRAVITY], rel=1e-4)
    assert largest(trajectory.position[-1] - trajectory.position[0]) < 1e-6


@pytest.mark.parametrize("speed", [50.0, 500.0, 1e4])
def test_a_body_faster_than_its_own_size_per_step_lands_and_rests(speed: float) -> None:
    """Up to 200 of its edges in a step: no half-space is ever jumped over."""
    scene = on_ground(box(), friction=0.5)
    start = placed(scene, (0, 0, 3.0), velocity=(0.3 * speed, 0, -speed), spin=(1, 2, 3))
    trajectory = simulator(scene).simulate(2.0, 0.01, start=start)
    assert trajectory.status[-1] == 0
    assert min(contact.gap.min() for contact in trajectory.contacts.values()) > -1e-13 * speed
    assert trajectory.position[-1, 0, 2] == pytest.approx(HALF, abs=1e-8)
    assert largest(trajectory.velocity[-1]) < 1e-6


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0, 2.0])
def test_a_tossed_box_comes_to_rest(friction: float) -> None:
    """On a face, at the height of half an edge."""
    scene, random = on_ground(box(), friction=friction), np.random.default_rng(11)
    for step in (0.05, 0.01):
        for _ in range(4):
            trajectory = simulator(scene).simulate(10.0, step, start=lifted(scene, 0.8, random), every=10)
            assert trajectory.position[-1, 0, 2] == pytest.approx(HALF, abs=1e-6)
            assert largest(trajectory.velocity[-1]) < 1e-5


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_knot_velocities_share_out_an_impact(friction: float) -> None:
    """Half of what acts at a knot acts before it, so its velocity is that of the two steps around it on average: in
    flight, in the impact of a ball with spin, and while it rolls."""
    scene = on_ground(ball(position=(0, 0, 0.8), velocity=(1.0, 0.2, -1.0)), friction=friction)
    trajectory = simulator(scene).simulate(0.4, 0.01)
    assert trajectory.contacts["ground_ball.0"].normal_force.max() > 100.0
    x = trajectory.position[:, 0]
    assert trajectory.velocity[1:-1, 0] == pytest.approx((x[2:] - x[:-2]) / 0.02, abs=1e-5)


def plank(friction: float) -> Mechanism:
    """A cube that slides onto a plank, which moves without friction itself."""
    return Mechanism(
        name="plank",
        bodies=[
            Body(name="plank", mass=3.0, inertia=(0.1, 1.0, 1.0)),
            box(position=(0, 0, HALF), velocity=(2.0, 0.3, 0.0)),
        ],
        joints=[Joint(name="air", type="planar", child="plank", axis=(0, 0, 1))],
        contacts=corners("foot", "box", friction=friction, parent="plank"),
    )


def test_a_box_and_the_plank_under_it_end_with_one_velocity() -> None:
    """Momentum along the plane is kept, so both move at m v0/(m + M); the energy lost is that of the relative motion,
    and no step gains any."""
    trajectory = simulator(plank(0.4)).simulate(2.0, 0.01)
    linear, _ = momenta(trajectory)
    assert largest((linear - linear[0])[:, :2]) < 1e-10
    assert trajectory.velocity[-1, :, :2] == pytest.approx(np.array([[0.5, 0.075]] * 2), abs=1e-6)
    lost = 0.5 * (1.0 * 3.0 / 4.0) * (2.0**2 + 0.3**2)
    assert trajectory.energy[0] - trajectory.energy[-1] == pytest.approx(lost, rel=1e-5)
    assert np.diff(trajectory.energy).max() < 1e-9
    way = (trajectory.position[-1] - trajectory.position[0])[:, :2]
    stopping = (2.0**2 + 0.3**2) / (2 * 0.4 * GRAVITY * (1 + 1 / 3))  # relative deceleration c_f g (1 + m/M)
    assert np.linalg.norm(way[1] - way[0]) == pytest.approx(stopping, abs=1e-3)


def test_the_papers_method_lands_in_the_same_place_with_many_more_iterations() -> None:
    cube = Simulator(on_ground(box(position=(0.0, 0.0, 0.6)), friction=0.5))
    ours, papers = (cube.simulate(1.0, 0.01, options=SolverOptions(papers_method=choice)) for choice in (False, True))
    assert papers.position[-1, 0] == pytest.approx(ours.position[-1, 0], abs=1e-8)
    assert 3.0 * ours.iterations[1:].mean() < papers.iterations[1:].mean()
    assert papers.retries.max() == 0
