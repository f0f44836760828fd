"""Velocities at knots hold half of the impulses that the step from there applies, and none that no step applied."""

from math import cos, sin

import numpy as np
import pytest

from examples._quadruped import STAND, gait, quadruped
from symvi.mechanism import Body, Box, Contact, Driver, DryFriction, Joint, Limit, Mechanism
from symvi.simulate import Simulator, SolverOptions, Trajectory
from symvi.simulate.starter import put_where_it_ended
from tests.contact.test_back_ends import scenes
from tests.support.contact_scenes import GRAVITY, box, lifted, on_ground, simulator
from tests.support.measuring import largest

LEAN = 0.4636  # rad, of the rod from the vertical
EXACT = SolverOptions(complementarity=1e-12)


def rod(friction: float) -> Mechanism:
    """A thin rod whose lower end leaves the ground while it turns: with enough friction a contact problem at this place
    has a second solution, which jams (Painlevé)."""
    body = Body(
        name="rod", mass=1.0, inertia=(1 / 12, 1 / 12, 1e-4), position=(0.2236, 0, 0.4472),
        orientation=(cos(LEAN / 2), 0, sin(LEAN / 2), 0), velocity=(-3.6832, 0, 1.3419), angular_velocity=(0, -6, 0),
    )  # fmt: skip
    end = Contact(name="end", child="rod", child_anchor=(0, 0, -0.5), friction=friction)
    return Mechanism(name="rod", bodies=[body], contacts=[end])


def slider(*forces: DryFriction, limits: tuple[Limit, ...] = (), pull: float = 0.0, **start: object) -> Mechanism:
    """A kilogram on a straight way, pulled along it [m/s²]."""
    block = Body(name="block", mass=1.0, shape=Box(size=(0.1, 0.1, 0.1)))
    way = Joint(name="way", type="prismatic", child="block", axis=(1, 0, 0), **start)
    return Mechanism(name="slider", bodies=[block], joints=[way], forces=forces, limits=limits, gravity=(pull, 0, 0))


def mean_of_steps(motion: Trajectory) -> np.ndarray:
    """(N - 2, 3): the mean of the velocities over the two steps around every inner knot, of the first body."""
    x = motion.position[:, 0]
    return (x[2:] - x[:-2]) / (2 * motion.step)


# --- impulses that steps applied -----------------------------------------------------------------------------------
@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8, 1.2, 1.4, 1.6])
def test_a_rod_that_leaves_the_ground_has_the_mean_velocity_of_its_steps(friction: float, step: float) -> None:
    """Of a free body's centre that is exact but for what steps leave of their momenta, 1e-10 m/s. Energy, of 13.6 J,
    never rises: complementarity of 1e-6 leaves an impulse at a gap that opens, 2e-9 J at the longest step."""
    motion = simulator(rod(friction)).simulate(10 * step, step, project=True)
    assert largest(motion.velocity[1:-1, 0] - mean_of_steps(motion)) < 1e-9
    assert np.diff(motion.energy).max() < 1e-8


@pytest.mark.parametrize("friction", [0.0, 0.5, 1.5])
def test_a_box_that_lands_flat_loses_its_energy_through_that_of_the_mean_velocity(friction: float) -> None:
    """The knot of the impact lies between what the box came with and what is left; nothing rises."""
    motion = simulator(on_ground(box(position=(0, 0, 0.5)), friction=friction)).simulate(0.5, 0.01)
    force = sum(contact.normal_force for contact in motion.contacts.values())
    landing = int(np.argmax(force)) - 1  # the force over a step acts at its first knot
    assert largest(motion.velocity[1:-1, 0] - mean_of_steps(motion)) < 1e-9
    before, at, behind = (motion.energy[landing + k] for k in (-1, 0, 1))
    assert before - 0.5 > at > behind + 0.1
    assert np.diff(motion.energy).max() < 1e-7  # it floats up to what complementarity leaves


def test_dry_friction_slows_a_slider_by_the_same_at_every_knot() -> None:
    """v0 - (f/m) t, from the first knot on."""
    scene = slider(DryFriction(name="rub", joint="way", bound=0.5), velocity=1.0)
    motion = Simulator(scene).simulate(1.0, 0.05, options=EXACT)
    assert motion.rates("way")[:, 0] == pytest.approx(1.0 - 0.5 * motion.time, abs=1e-9)


def test_a_limit_stops_a_slider_through_half_of_its_speed() -> None:
    """At the knot of the impact half of the impulse has acted: v, v/2 + what the last bit of the way leaves, 0."""
    scene = slider(limits=(Limit(name="end", joint="way", upper=0.52),), velocity=1.0)
    motion = Simulator(scene).simulate(1.0, 0.05, options=EXACT)
    v = motion.rates("way")[:, 0]
    assert largest(v[1:-1] - mean_of_steps(motion)[:, 0]) < 1e-9
    assert v[:10] == pytest.approx(1.0, abs=1e-9) and v[10:12] == pytest.approx([0.7, 0.2], abs=1e-6)
    assert largest(v[12:]) < 1e-6 and np.diff(motion.energy).max() < 1e-9


@pytest.mark.parametrize("friction", [0.8, 1.6])
def test_velocities_in_float_are_the_mean_of_the_steps_too(friction: float) -> None:
    """Positions of half a metre are known to 3e-8 m, over the step 3e-5 m/s."""
    motion = Simulator(rod(friction), real="float").simulate(0.01, 1e-3, project=True)
    assert largest(motion.velocity[1:-1, 0] - mean_of_steps(motion)) < 2e-4


# --- going on ------------------------------------------------------------------------------------------------------
def going_on() -> dict[str, tuple]:
    """Name -> a mechanism, where it starts, its step, seconds before it is cut, inputs."""
    toss, trot = on_ground(box(), friction=0.5), gait(np.zeros(1), (2.0, 0.3, 1.0, 0.3, -1.5))
    dry = slider(DryFriction(name="rub", joint="way", bound=0.5), velocity=1.0)
    end = slider(limits=(Limit(name="end", joint="way", upper=0.52),), velocity=1.0, pull=2.0)
    found = {"rod": (rod(1.6), None, 1e-3, 0.002, {}), "dry": (dry, None, 0.05, 0.5, {})}
    found |= {f"limit {time}": (end, None, 0.05, time, {}) for time in (0.3, 0.35, 0.4, 0.45)}
    begun = lifted(toss, 0.8, np.random.default_rng(4))
    found |= {f"toss {time}": (toss, begun, 0.005, time, {}) for time in (0.3, 0.35, 0.4)}
    found["stops"] = scenes()["stops"], None, 0.01, 0.3, {}
    found["column"] = scenes()["column"], None, 0.01, 0.3, {}
    return found | {"walking": (quadruped(0.8), None, 1e-3, 0.1, {name: float(v[0]) for name, v in trot.items()})}


@pytest.mark.parametrize("name", going_on())
def test_a_motion_goes_on_from_its_state_as_from_itself(name: str, tmp_path) -> None:
    """A start has the momenta of its velocities, and its first step applies the other half of the impulses: half of a
    vector of a cone lies in the cone. Complementarity of 1e-12 leaves impulses to that share; then a file saved."""
    mechanism, start, step, time, inputs = going_on()[name]
    solver = simulator(mechanism)
    how = {"step": step, "options": EXACT, "inputs": inputs}
    before = solver.simulate(time, start=start, project=name == "rod", **how)
    ends = [before, Trajectory.load(before.save(tmp_path / "motion.npz")), before.state()]
    itself, saved, state = (solver.simulate(20 * step, start=end, **how) for end in ends)
    assert itself.velocity.tobytes() == saved.velocity.tobytes()
    assert largest(itself.velocity[0] - state.velocity[0]) < 1e-13
    assert largest(itself.position - state.position) < 1e-11
    assert largest(itself.velocity - state.velocity) < 1e-9


def test_the_default_tolerance_tells_a_state_from_a_trajectory_by_what_it_leaves() -> None:
    scene = on_ground(box(), friction=0.5)
    solver, begun = simulator(scene), lifted(scene, 0.8, np.random.default_rng(4))
    before = solver.simulate(0.4, 0.005, start=begun)
    itself, state = (solver.simulate(0.1, 0.005, start=end) for end in (before, before.state()))
    assert largest(itself.position - state.position) < 1e-8


# --- the same velocities, however they are asked for ---------------------------------------------------------------
@pytest.mark.parametrize("back_end", ["c", "python"])
def test_a_knot_has_the_same_bits_however_much_is_recorded(back_end: str) -> None:
    """At the last knot the step from there is solved and not taken; a longer motion takes it."""
    solver, begun = Simulator(scenes()["tossed"], backend=back_end), []
    whole = solver.simulate(0.3, 0.01)
    rare = solver.simulate(0.3, 0.01, every=5)
    told = solver.simulate(0.3, 0.01, progress=lambda done, steps: begun.append(done))
    short = solver.simulate(0.2, 0.01)
    rest = solver.simulate(0.1, 0.01, start=short)
    for name in ("velocity", "angular_velocity", "kinetic_energy", "linear_momentum", "angular_momentum"):
        numbers = getattr(whole, name)
        assert getattr(rare, name).tobytes() == numbers[::5].tobytes()
        assert getattr(told, name).tobytes() == numbers.tobytes()
        assert getattr(short, name).tobytes() == numbers[:21].tobytes()
        assert getattr(rest, name).tobytes() == numbers[20:].tobytes()


def test_a_controller_sees_what_its_last_inputs_would_do_and_the_motion_what_its_own_did() -> None:
    """Inputs that stay make one motion of both, to the last bit; others are recorded with the forces that acted."""
    targets = {name: float(values[0]) for name, values in gait(np.zeros(1), STAND).items()}
    solver, seen = simulator(quadruped(0.8)), []

    def hold(time: float, state) -> dict[str, float]:
        seen.append(state.velocity)
        return targets

    held = solver.simulate(0.02, 1e-3, controller=hold)
    given = solver.simulate(0.02, 1e-3, inputs=targets)
    assert held.velocity.tobytes() == given.velocity.tobytes() and held.energy.tobytes() == given.energy.tobytes()
    assert np.array(seen[1:]).tobytes() == given.velocity[1:-1].tobytes()


def driven() -> Mechanism:
    """A carriage that is driven up and down under a box that stands on it."""
    carriage = Body(name="carriage", mass=2.0, inertia=(0.2, 0.2, 0.2))
    load = box(position=(0.0, 0.0, 0.25))
    way = Joint(name="way", type="prismatic", child="carriage", axis=(0, 0, 1))
    feet = [
        Contact(name=f"foot{k}", parent="carriage", child="box", child_anchor=(0.25 * x, 0.25 * y, -0.25), friction=0.5)
        for k, (x, y) in enumerate([(-1, -1), (-1, 1), (1, -1), (1, 1)])
    ]
    drive = Driver(name="drive", joint="way", signal="0.02*sin(6*t)")
    return Mechanism(name="lift", bodies=[carriage, load], joints=[way], contacts=feet, drivers=[drive])


def test_the_last_knot_of_a_driven_motion_lets_its_driver_go_on() -> None:
    """Where the input of the next knot is not known: its carried-on rate is right to second order."""
    found = []
    for step in (0.02, 0.01, 0.005):
        solver = simulator(driven())
        last, known = (solver.simulate(time, step).velocity[round(0.4 / step)] for time in (0.4, 0.4 + step))
        found.append(largest(last - known))
    assert 1e-3 > found[0] > 3.5 * found[1] > 12.0 * found[2] > 0.0


def test_of_a_knot_whose_step_cannot_be_solved_no_impulse_acts_before() -> None:
    """The box flies on from there by half of a step's weight."""
    scene = on_ground(box(position=(0, 0, 0.5), angular_velocity=(1, 2, 3)), friction=0.5)
    motion = simulator(scene).simulate(1.0, 0.01, options=SolverOptions(max_iterations=2), on_error="status")
    assert motion.status[-1] < 0
    speed = (motion.position[-1, 0] - motion.position[-2, 0]) / 0.01
    assert motion.velocity[-1, 0] == pytest.approx(speed - (0, 0, 0.005 * GRAVITY), abs=1e-6)


def test_between_parts_of_different_lengths_a_box_rests_at_every_knot() -> None:
    """Eight parts after whole steps, and whole ones again: impulses are shared out around a knot as forces are,
    by the times before it and behind it. Halves would show an eighth of what falls in a step, 0.02 m/s."""
    solver = Simulator(on_ground(box(position=(0, 0, 0.25))))
    put_where_it_ended(solver, solver.simulate(0.5, 0.01), 0.01)
    engine, plan = solver.engine, solver.plan
    engine.state[plan.at("state", "common", 0, "level")] = 4.0
    status, _, frames = engine.rollout(np.zeros((1, 0)), False, 12, 1, EXACT)
    (parts,), (v,) = ([plan.frame[name][0]] for name in ("substeps", "v"))
    assert status >= 0 and frames[1:, parts].max() == 8 and frames[-1, parts] < 8
    assert largest(frames[:, v : v + 3]) < 1e-5
