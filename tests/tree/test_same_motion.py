"""Joint coordinates solve for the same motion as maximal coordinates: trees of all joints, with laws and contacts."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

from symvi import Body, Box, Driver, Joint, JointDamper, Limit, Mechanism, Simulator, SolverOptions
from symvi.numbers.control import SolverStatus
from symvi.program.tree_refusals import refusal
from symvi.proofs.zoo import zoo
from tests.tree.chains import lawful, legged, moved, somewhere, tree, trees

ALL = {**trees(), **lawful()}
STEP, TIME = 0.01, 0.2


def both(mechanism, start=None, time=TIME, step=STEP, **options):
    """The motion in maximal coordinates, and in joint coordinates."""
    backend = options.pop("backend", "c")
    return [
        Simulator(mechanism, coordinates=coordinates, backend=backend).simulate(time, step, start=start, **options)
        for coordinates in ("maximal", "tree")
    ]


def apart(one, other, name: str) -> float:
    return float(np.abs(getattr(one, name) - getattr(other, name)).max(initial=0.0))


def tight(mechanism) -> SolverOptions:
    """Options by which limits and dry friction leave no more open than the balances do."""
    held = mechanism.limits or any(force.kind == "dry_friction" for force in mechanism.forces)
    return SolverOptions(tolerance=1e-12, complementarity=1e-12) if held else SolverOptions()


@pytest.mark.parametrize("name", ALL)
def test_a_step_agrees_to_round_off(name: str) -> None:
    assert refusal(ALL[name]) is None
    options = SolverOptions(tolerance=1e-12, complementarity=1e-10)
    maximal, tree = both(ALL[name], somewhere(ALL[name]), time=STEP, options=options)
    for field in ("position", "orientation"):
        assert apart(maximal, tree, field) < 1e-12
    assert tree.closure.max() < 1e-14


@pytest.mark.parametrize("name", ALL)
def test_motions_agree_as_far_as_their_steps_are_solved(name: str) -> None:
    bound = 1e-10
    maximal, tree = both(ALL[name], somewhere(ALL[name]), options=tight(ALL[name]))
    for field in ("position", "orientation", "velocity", "kinetic_energy", "potential_energy"):
        assert apart(maximal, tree, field) < 10 * bound
    for field in ("work_values", "spent_values", "stop_values"):
        assert apart(maximal, tree, field) < 1e2 * bound
    for found in ("kept_reactions", "multipliers", "powers"):
        for joint, values in getattr(maximal, found).items():
            other = getattr(tree, found)[joint]
            assert np.abs(values - other).max() <= 1e2 * bound * (1 + np.abs(values).max())


# whose bodies have no place to start from, or whose gears and loops are open there
NOWHERE = ("body_forces", "along_custom", "askew_custom", "along_distance", "askew_distance", "net", "point_masses",
           "askew_revolute", "askew_prismatic", "askew_screw", "dropped_angles", "spatial_loop",
           "four_bar")  # fmt: skip
SOLVED = sorted(m.name for m, _ in zoo() if refusal(m) is None and not m.contacts and m.name not in NOWHERE)


@pytest.mark.parametrize("name", SOLVED)
def test_the_zoo_agrees(name: str) -> None:
    mechanism = next(m for m, _ in zoo() if m.name == name)
    maximal, tree = both(mechanism, time=0.05, step=0.005, options=tight(mechanism))
    assert apart(maximal, tree, "position") < 1e-11


def test_a_legged_robot_stands_alike() -> None:
    maximal, tree = both(legged(), time=2.0, step=0.005, every=4)
    assert apart(maximal, tree, "position") < 1e-8
    assert min(contact.gap.min() for contact in tree.contacts.values()) > -1e-9
    weight = sum(contact.normal_force[-1] for contact in tree.contacts.values())
    assert weight == pytest.approx(6.0 * 9.81, rel=0.02)


@pytest.mark.parametrize(
    "name",
    [
        "hinges",
        "ball and Hooke's inward",
        "springs and dampers",
        "limits and dry friction",
        "balls with dry friction",
        "driven with stops",
    ],
)
def test_both_back_ends_and_all_layouts_have_the_same_bits(name: str) -> None:
    start = somewhere(ALL[name])
    runs = [
        Simulator(ALL[name], coordinates="tree", **build).simulate(TIME, STEP, start=start)
        for build in ({"backend": "python"}, {"layout": "unrolled"}, {"layout": "looped"}, {"layout": "inline"})
    ]
    for other in runs[1:]:
        assert np.array_equal(runs[0].resume, other.resume)
        for field in ("position", "velocity", "iterations"):
            assert np.array_equal(getattr(runs[0], field), getattr(other, field))


@pytest.mark.parametrize("name", ["springs and dampers", "sprung balls", "driven"])
def test_float_follows_double(name: str) -> None:
    mechanism = ALL[name]
    runs = [Simulator(mechanism, coordinates="tree", real=real).simulate(TIME, STEP) for real in ("double", "float")]
    assert apart(*runs, "position") < 1e-4


@pytest.mark.parametrize("name", ["hinges", "limits and dry friction"])
def test_a_fixed_number_of_iterations(name: str) -> None:
    options = SolverOptions(fixed_iterations=12 if ALL[name].limits else 3)
    maximal, tree = both(ALL[name], somewhere(ALL[name]), options=options, on_error="status")
    assert apart(maximal, tree, "position") < 1e-7


def test_a_step_in_parts_agrees() -> None:
    """A blow that whole steps do not resolve is taken in parts, and these are the same."""
    start = somewhere(ALL["balls"], size=0.1)
    fast = moved(start, velocity=12.0 * start.velocity, angular_velocity=12.0 * start.angular_velocity)
    maximal, tree = both(ALL["balls"], fast, time=0.1, step=0.02)
    assert maximal.substeps.max() > 1 or maximal.iterations.max() > 3
    assert apart(maximal, tree, "position") < 1e-8


# --- what keeps its promises by itself --------------------------------------------------------------------------------
def test_a_free_legged_body_keeps_its_momentum_and_joints_stay_closed() -> None:
    mechanism = ALL["hinges afloat"].changed(gravity=(0.0, 0.0, 0.0))
    motion = Simulator(mechanism, coordinates="tree").simulate(10.0, STEP, start=somewhere(mechanism))
    for momentum in (motion.linear_momentum, motion.angular_momentum):
        assert np.abs(momentum - momentum[1]).max() < 1e-11
    assert motion.closure.max() < 1e-13


def test_the_energy_of_a_swinging_chain_has_no_trend() -> None:
    motion = Simulator(ALL["hinges"], coordinates="tree").simulate(60.0, 0.005, start=somewhere(ALL["hinges"]))
    energy = motion.energy - motion.energy[0]
    half = len(energy) // 2
    assert abs(energy[:half].mean() - energy[half:].mean()) < 0.1 * np.ptp(energy)


def test_a_pendulum_of_known_period() -> None:
    from math import pi, sqrt

    from symvi import Body, Joint, Mechanism

    mechanism = Mechanism(
        name="bob",
        bodies=[Body(name="bob", mass=1.0, inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0))],
        joints=[
            Joint(name="pin", type="revolute", parent="world", child="bob", child_anchor=(0, 0, 1.0), axis=(0, 1, 0),
                  coordinate=1e-3)
        ],
    )  # fmt: skip
    motion = Simulator(mechanism, coordinates="tree").simulate(4.0, 1e-3)
    crossings = np.flatnonzero(np.diff(np.signbit(motion.position[:, 0, 0])))
    swing = motion.position[:, 0, 0]
    times = [motion.time[k] + 1e-3 * swing[k] / (swing[k] - swing[k + 1]) for k in crossings]
    assert 2 * np.diff(times).mean() == pytest.approx(2 * pi * sqrt((1.0 + 1e-3) / 9.81), rel=2e-6)


# --- starts -----------------------------------------------------------------------------------------------------------
def test_an_open_joint_is_refused_and_closed_by_projection() -> None:
    from symvi import AssemblyError

    mechanism = ALL["hinges"]
    start = somewhere(mechanism)
    place = start.position.copy()
    place[1] += (1e-3, 0.0, 0.0)
    still = {"velocity": 0 * start.velocity, "angular_velocity": 0 * start.angular_velocity}
    open_ = moved(start, position=place, **still)
    simulator = Simulator(mechanism, coordinates="tree")
    with pytest.raises(AssemblyError, match="the start violates the constraints by 0.001"):
        simulator.simulate(0.1, STEP, start=open_)
    assert simulator.simulate(0.1, STEP, start=open_, project=True).closure.max() < 1e-14


def test_a_driven_start_is_closed_by_projection_onto_signals_and_inputs() -> None:
    signals = {"j0": "0.2 + 0.3*sin(4*t)", "j2": "0.5*t", "j3": None}
    drivers = [Driver(name=f"of_{joint}", joint=joint, signal=signal) for joint, signal in signals.items()]
    mechanism, target = ALL["driven"].changed(drivers=drivers), 0.01 * STEP * np.arange(21)
    maximal, tree = both(mechanism, project=True, inputs={"of_j3.target": target})
    assert apart(maximal, tree, "position") < 1e-12
    for name in drivers:
        assert np.abs(maximal.powers[name.name] - tree.powers[name.name]).max() < 1e-9
    assert tree.closure.max() < 1e-14


def test_velocities_beside_the_plane_of_a_planar_chain_are_told() -> None:
    from symvi import AssemblyError

    mechanism = planar(3)
    start = somewhere(mechanism)
    beside = start.velocity + np.array([0.0, 0.1, 0.0])
    wrong = moved(start, velocity=beside)
    with pytest.raises(AssemblyError, match="projecting changes one by 0.1 m/s"):
        Simulator(mechanism, coordinates="tree").simulate(0.1, STEP, start=wrong)


def test_a_planar_chain_that_is_turned_out_of_its_plane_is_told() -> None:
    from symvi import AssemblyError

    mechanism = planar(3)
    start = somewhere(mechanism)
    turned = start.orientation.copy()
    turned[2] = (0.8, 0.6, 0.0, 0.0)
    wrong = moved(start, orientation=turned)
    with pytest.raises(AssemblyError, match="the start violates the constraints"):
        Simulator(mechanism, coordinates="tree").simulate(0.1, STEP, start=wrong)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_how_far_a_joint_is_open_off_its_plane_is_told(coordinates: str, backend: str) -> None:
    """A rod of 6 m about x, tilted about y by 0.3 rad: its end lies 3 m sin 0.3 beside the pin."""
    from symvi import AssemblyError

    tilted = (cos(0.15), 0.0, sin(0.15), 0.0)
    rod = Body(name="rod", mass=1.0, shape=Box(size=(0.1, 0.1, 6.0)), position=(0.0, 0.0, -3.0), orientation=tilted)
    pin = Joint(name="pin", type="revolute", parent="world", child="rod", child_anchor=(0, 0, 3.0), axis=(1, 0, 0))
    mechanism = Mechanism(name="tilted", bodies=[rod], joints=[pin])
    with pytest.raises(AssemblyError, match=f"violates the constraints by {3 * sin(0.3):.3g}, worst at 'pin'"):
        Simulator(mechanism, coordinates=coordinates, backend=backend).simulate(0.1, STEP)


def test_a_motion_goes_on_in_its_own_coordinates_only(tmp_path) -> None:
    from symvi import MechanismError, Trajectory

    mechanism, start = ALL["hinges"], somewhere(ALL["hinges"])
    simulator = Simulator(mechanism, coordinates="tree")
    whole, half = simulator.simulate(0.2, STEP, start=start), simulator.simulate(0.1, STEP, start=start)
    kept = Trajectory.load(half.save(tmp_path / "half.npz"))
    assert np.array_equal(simulator.simulate(0.1, STEP, start=kept).resume, whole.resume)
    with pytest.raises(MechanismError, match="made with coordinates='tree'"):
        Simulator(mechanism).simulate(0.1, STEP, start=kept)
    from_state = Simulator(mechanism).simulate(0.1, STEP, start=kept.state(-1))
    assert np.abs(from_state.position[-1] - whole.position[-1]).max() < 1e-9


def test_what_joint_coordinates_cannot_solve_is_refused_by_name() -> None:
    from symvi import ArgumentError
    from symvi.demos import demo_file
    from symvi.mechanism import Mechanism

    four_bar = Mechanism.from_file(demo_file("four_bar"))
    stopped = four_bar.changed(limits=[Limit(name="stop", joint="rocker_pin", upper=1.8)])
    with pytest.raises(ArgumentError, match="'stop' acts on joint 'rocker_pin', which closes a loop"):
        Simulator(stopped, coordinates="tree")
    film = JointDamper(name="film", joint="j1", damping=1.0)
    aside = tree("aside", ("revolute", "planar"), inward=(1,), forces=[film])
    with pytest.raises(ArgumentError, match="'film' acts on joint 'j1', which slides along axes of the body"):
        Simulator(aside, coordinates="tree")
    with pytest.raises(ArgumentError, match="coordinates 'joints': use 'auto', 'maximal' or 'tree'"):
        Simulator(ALL["hinges"], coordinates="joints")


def test_auto_takes_what_has_fewer_operations() -> None:
    """Joints that leave little free are quicker in these, bodies that are nearly free in maximal ones."""
    from symvi.demos import demo_file
    from symvi.mechanism import Mechanism

    chosen = {name: Simulator(ALL[name], coordinates="auto").coordinates for name in ("hinges", "balls", "held turns")}
    assert chosen == {"hinges": "tree", "balls": "tree", "held turns": "maximal"}
    four_bar = Simulator(Mechanism.from_file(demo_file("four_bar")), coordinates="auto")
    assert four_bar.coordinates == "tree"
    motion = Simulator(ALL["hinges"], coordinates="auto").simulate(0.1, STEP, start=somewhere(ALL["hinges"]))
    assert motion.formulation == "tree"


def planar(count: int):
    """Boxes on parallel hinges, anchors in one plane."""
    from symvi import Body, Joint, Mechanism

    bodies = [Body(name=f"b{k}", mass=1.0, inertia=(0.084, 0.084, 0.02, 0, 0, 0)) for k in range(count)]
    joints = [
        Joint(name=f"j{k}", type="revolute", parent=f"b{k - 1}" if k else "world", child=f"b{k}",
              parent_anchor=(0.0, 0.0, -0.5) if k else (0.0, 0.0, 0.0), child_anchor=(0.0, 0.0, 0.5), axis=(0, 1, 0))
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name="planar", bodies=bodies, joints=joints)


def test_a_planar_chain_moves_as_it_does_in_space() -> None:
    mechanism = planar(4)
    maximal, tree = both(mechanism, somewhere(mechanism), time=0.5)
    assert apart(maximal, tree, "position") < 1e-10
    assert (tree.position[:, :, 1] == 0.0).all() and (tree.orientation[:, :, [1, 3]] == 0.0).all()


def test_a_force_beside_the_plane_is_borne_by_the_hinges() -> None:
    """Gravity along the hinges moves nothing, and every hinge bears the weight of what hangs on it."""
    mechanism = planar(3).changed(gravity=(0.0, -9.81, -1.0))
    maximal, tree = both(mechanism, somewhere(mechanism), time=0.1)
    assert apart(maximal, tree, "position") < 1e-11
    for k in range(3):
        assert np.abs(tree.kept_reactions[f"j{k}"] - maximal.kept_reactions[f"j{k}"]).max() < 1e-8
        assert np.abs(np.abs(tree.kept_reactions[f"j{k}"][1:, :3]).max(axis=1)).max() > 9.8 * (3 - k)


def test_a_chain_that_buckles_stays_on_the_solution_that_goes_on_from_the_last_step() -> None:
    """In its first steps a chain pushes itself together: other solutions lie near, and rates bend unevenly."""
    names = ["world", *(f"link{k}" for k in range(100))]
    bodies = [Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.1, 1.0))) for name in names[1:]]
    joints = [
        Joint(
            name=f"joint{k}",
            type="spherical",
            parent=names[k],
            child=names[k + 1],
            parent_anchor=(0.0, 0.0, -0.5 if k else 0.0),
            child_anchor=(0.0, 0.0, 0.5),
            coordinate=(0.0, 0.02 * (-1) ** k, 0.0) if k else (np.pi / 4, 0.0, 0.0),
        )
        for k in range(100)
    ]
    one, other = both(Mechanism(name="falling_chain", bodies=bodies, joints=joints), time=0.08, step=0.01)
    assert apart(one, other, "position") < 1e-11


def test_status_of_a_turn_that_is_too_far() -> None:
    """A hinge that turns by more than a right angle in a step is refused, as it is in maximal coordinates."""
    mechanism = planar(1)
    start = somewhere(mechanism)
    spin = np.array([[0.0, 170.0, 0.0]])
    fast = moved(start, velocity=np.cross(spin, start.position), angular_velocity=spin)
    for coordinates in ("maximal", "tree"):
        simulator = Simulator(mechanism, coordinates=coordinates)
        with pytest.raises(Exception, match="right angle|turns") as found:
            simulator.simulate(0.1, STEP, start=fast, options=SolverOptions(substeps=1))
        assert found is not None
    assert SolverStatus.DOMAIN < 0
