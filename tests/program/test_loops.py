"""Which rows of a loop are redundant, and what is refused: known linkages, axes out of true, loops that stay open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from symvi.analysis.assembly import Assembly
from symvi.analysis.choices import NOTHING_DROPPED, Choices, order_of
from symvi.analysis.loops import analyse
from symvi.analysis.redundancy import near_power_of_two
from symvi.analysis.refusals import contradictory
from symvi.analysis.spanning import spanning_of
from symvi.demos import demo_file
from symvi.errors import AssemblyError
from symvi.mechanism import Driver, Mechanism, start_state
from symvi.numbers.control import SolverStatus
from symvi.numbers.quadrature import rule_of
from symvi.physics.multibody import MultibodySystem
from symvi.program.compose import compose
from symvi.program.formulation import Formulation
from symvi.program.maximal import MaximalCoordinates
from symvi.program.program import Program
from symvi.program.rule_coordinates import by_rule
from symvi.simulate.reference import ReferenceSolver
from symvi.simulate.solver_state import solver_state
from tests.support import linkages, loops
from tests.support.kinematics import jacobian, residual
from tests.support.pendulums import chain
from tests.support.poses import poses_of
from tests.support.subset import first_of

STEP = 0.01
GUARD = 1e-12
LEAST_PIVOT = 1e-8  # of a row's scale s²: far above what round-off leaves of a redundant row, 1e-15

# rows, rank, mobility, the constraints that lose rows
KNOWN: dict[str, tuple[Callable[[], Mechanism], int, int, int, set[str]]] = {
    "four-bar": (linkages.four_bar, 20, 17, 1, {"D"}),
    "Bennett": (linkages.bennett, 20, 17, 1, {"D"}),
    "ball joints": (lambda: linkages.skew_polygon("spherical"), 12, 12, 6, set()),
    "ball joints and a hinge": (lambda: linkages.skew_polygon("revolute"), 14, 14, 4, set()),
    "three-link loop": (loops.three_link_loop, 20, 17, 1, {"second_pin"}),
    "chain of five, paper's closure": (lambda: loops.closed_chain(5), 27, 27, 3, set()),
    "chain of five, hinged": (lambda: loops.closed_chain(5, "revolute"), 30, 27, 3, {"closing"}),
    "double four-bar": (loops.double_four_bar, 35, 29, 1, {"right_pin1", "left_pin2"}),
    "four-bar with a cylindrical joint": (lambda: loops.four_bar_chain(1), 24, 22, 2, {"upper_pin1"}),
    "scissor lift": (lambda: loops.scissor_lift(3), 50, 41, 1, {"middle1", "left2", "left3"}),
}


def solver_of(
    mechanism: Mechanism, choices: Choices, formulation: type[Formulation] = MaximalCoordinates
) -> ReferenceSolver:
    """The reference solver at the start of a mechanism."""
    solver = ReferenceSolver(compose(mechanism, choices, formulation))
    solver.set_step(STEP)
    for name, rows in solver_state(mechanism, start_state(mechanism)).items():
        for record, row in zip(solver.memory.state["body"], rows, strict=True):
            getattr(record, name)[:] = [float(x) for x in row]
    solver.start()
    return solver


def pivots(solver: ReferenceSolver, program: Program) -> Iterator[float]:
    """The pivots of all rows of loop constraints, in units of their scale s²."""
    for kind, nodes in program.nodes.items():
        for node in nodes:
            work, parameters = solver.memory.work[kind][node.index], solver.memory.parameters[kind][node.index]
            for k, guard in enumerate(getattr(parameters, "guard", ())):
                yield 1.0 / work.D[k * len(parameters.guard) + k] / (guard / GUARD)


@pytest.mark.thorough
@pytest.mark.parametrize("name", KNOWN)
def test_known_linkages(name: str) -> None:
    build, rows, rank, mobility, cut = KNOWN[name]
    mechanism = build()
    choices = analyse(mechanism)
    notes = choices.notes
    assert (notes["rows"], notes["rank"], notes["mobility"]) == (rows, rank, mobility)
    assert notes["over_constraint"] == rows - rank
    assert set(choices.kept) == set(choices.dropped) == set(notes["redundant_rows"]) == cut
    # a witness that knows neither tree nor metric: the rank of all rows where the mechanism starts
    full = jacobian(mechanism, start_state(mechanism))
    assert np.linalg.matrix_rank(full / np.linalg.norm(full, axis=1, keepdims=True), tol=1e-9) == rank


@pytest.mark.parametrize("name", first_of(KNOWN, kept=3))
def test_every_row_stays_closed_and_every_pivot_large(name: str) -> None:
    """200 steps; the dropped rows are looked at, nothing but the kept ones holds them."""
    mechanism = KNOWN[name][0]()
    choices = analyse(mechanism)
    solver = solver_of(mechanism, choices)
    smallest = np.inf
    for _ in range(200):
        assert solver.step() == SolverStatus.OK
        smallest = min(smallest, *(abs(pivot) for pivot in pivots(solver, solver.program)))
        solver.run("prepare")
        solver.run("watch")
        assert solver.measures.closure() < 1e-12
    assert smallest > LEAST_PIVOT


def test_four_bar_reads_well() -> None:
    choices = analyse(linkages.four_bar())
    assert choices.kept == {"D": (0, 1)} and choices.dropped == {"D": (2, 3, 4)}
    assert choices.notes["texts"] == [
        "'D' keeps its two in-plane translations; "
        "the other joints imply along third axis, about first axis, about second axis"
    ]
    assert choices.notes["undetermined"] == ["A", "B", "C", "D"]
    assert choices.notes["positions"] > 5 and not choices.notes["singular_positions"]
    assert choices.notes["limit"] == pytest.approx(1e-9 * np.hypot(1.1, 0.3))


def test_reactions_beside_a_redundant_loop_are_determined() -> None:
    """A pendulum that hangs on the rocker takes no part in the forces that balance each other in the loop."""
    base = linkages.four_bar()
    bob = base.bodies[0].changed(name="bob", position=(0.0, 1.3, 0.8))
    pin = base.joints[1].changed(
        name="E", parent="link3", child="bob", parent_anchor=(0.0, 0.15, 0.55), child_anchor=(0, 0, 0.3)
    )
    choices = analyse(base.changed(bodies=[*base.bodies, bob], joints=[*base.joints, pin]))
    assert choices.notes["undetermined"] == ["A", "B", "C", "D"] and choices.notes["mobility"] == 2


@pytest.mark.parametrize(
    "size, shift, masses",
    [
        (1e-3, 0.0, (1, 1, 1)),
        (1e3, 0.0, (1, 1, 1)),
        (1.0, 1e3, (1, 1, 1)),
        (1e-3, 10.0, (1, 1, 1)),
        (1.0, 0.0, (1e-4, 1e4, 1e-4)),
    ],
)
def test_neither_size_nor_place_nor_mass_decides(size: float, shift: float, masses: tuple) -> None:
    points = size * np.array(linkages.FOUR_BAR) + shift
    mechanism = linkages.polygon("four_bar", points, [linkages.X] * 4)
    bodies = [
        body.changed(mass=mass, inertia=tuple(mass * size**2 * j for j in body.inertia))
        for body, mass in zip(mechanism.bodies, masses, strict=True)
    ]
    assert analyse(mechanism.changed(bodies=bodies)).kept == {"D": (0, 1)}


def test_the_same_every_time() -> None:
    first, second = (analyse(linkages.bennett()) for _ in range(2))
    assert first == second


def test_the_ground_of_a_loop_takes_no_part_in_its_balance() -> None:
    """A four-bar on an arm that hangs on the world: forces that balance each other in the loop leave the arm alone."""
    base = linkages.four_bar()
    arm = base.bodies[0].changed(name="arm", position=(0.0, 0.5, 0.0))
    moved = [
        joint.changed(parent="arm", parent_anchor=tuple(np.array(joint.parent_anchor) - arm.position))
        if joint.parent == "world"
        else joint
        for joint in base.joints
    ]
    shoulder = base.joints[0].changed(name="S", child="arm", child_anchor=(0.0, -0.5, 0.0))
    choices = analyse(base.changed(bodies=[arm, *base.bodies], joints=[shoulder, *moved]))
    assert choices.notes["undetermined"] == ["A", "B", "C", "D"] and choices.notes["mobility"] == 2


def assembly_of(mechanism: Mechanism) -> Assembly:
    models = MultibodySystem(mechanism).in_joint_axes
    return Assembly(mechanism, spanning_of(*order_of(mechanism, models, []), models))


def test_putting_together_moves_heavy_bodies_least() -> None:
    """The correction of a small error is the one of least motion, weighted by mass: dense least squares as witness."""
    exact = linkages.four_bar()
    shifts = 1e-5 * np.random.default_rng(3).normal(size=(3, 3))
    bodies = [
        body.changed(position=tuple(body.position + shift), mass=mass)
        for body, shift, mass in zip(exact.bodies, shifts, (1.0, 50.0, 0.2), strict=True)
    ]
    apart = exact.changed(bodies=bodies)
    assembly = assembly_of(apart)
    names = [body.name for body in assembly.bodies]
    moved = assembly.project(assembly.start()).configuration.x - assembly.start().x
    state = start_state(apart)
    rows, error = jacobian(apart, state), np.concatenate(list(residual(apart, poses_of(state)).values()))
    root = np.concatenate([[body.mass**-0.5] * 3 + [j**-0.5 for j in body.inertia[:3]] for body in bodies])
    least = (root * np.linalg.lstsq(rows * root, -error, rcond=1e-6)[0]).reshape(3, 6)[:, :3]
    expected = [least[exact.body_names.index(name)] for name in names]
    assert np.allclose(moved, expected, rtol=0, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("tilt", [1e-8, 1e-5, 1e-3])
def test_axes_nearly_parallel_are_refused(tilt: float) -> None:
    with pytest.raises(AssemblyError) as error:
        analyse(linkages.four_bar(tilt))
    for words in ("'A' - 'B' - 'C' - 'D'", "nearly redundant", f"{tilt:.0g}", 'loops="drop"', 'loops="rigid"'):
        assert words in str(error.value)


@pytest.mark.parametrize("tilt", [0.0, 1e-14, 1e-12])
def test_round_off_of_an_axis_is_no_error(tilt: float) -> None:
    assert analyse(linkages.four_bar(tilt)).notes["mobility"] == 1


def test_an_axis_clearly_off_makes_the_loop_rigid() -> None:
    choices = analyse(linkages.four_bar(1e-2))
    assert choices.notes["rank"] == 18 and choices.notes["mobility"] == 0
    assert "rigid: no freedom is left" in choices.notes["texts"]


@pytest.mark.thorough
@pytest.mark.parametrize("tilt", [1e-8, 1e-5, 1e-3])
def test_nearly_redundant_rows_dropped_open_by_about_the_tilt(tilt: float) -> None:
    choices = analyse(linkages.four_bar(tilt), "drop")
    assert choices.kept == {"D": (0, 1)} and choices.notes["mobility"] == 1
    solver, largest = solver_of(linkages.four_bar(tilt), choices), 0.0
    for _ in range(100):
        assert solver.step() == SolverStatus.OK
        largest = max(largest, solver.measures.opening())
    assert 0.1 * tilt < largest < min(3 * tilt, choices.notes["limit"])


@pytest.mark.parametrize("tilt", [1e-8, 1e-5, 1e-3])
def test_nearly_redundant_rows_taken_literally_lock_the_loop(tilt: float) -> None:
    mechanism = linkages.four_bar(tilt)
    choices = analyse(mechanism, "rigid")
    assert choices.notes["rank"] == 18 and choices.notes["mobility"] == 0 and len(choices.locks) == 1
    solver = solver_of(mechanism, choices)
    before = [list(body.x) for body in solver.memory.state["body"]]
    for _ in range(100):
        assert solver.step() == SolverStatus.OK
    assert np.allclose([body.x for body in solver.memory.state["body"]], before, rtol=0, atol=1e-11)


def test_a_loop_out_of_its_plane_cannot_close() -> None:
    with pytest.raises(
        AssemblyError, match=r"'A' - 'B' - 'C' - 'D' cannot be closed: 'D' stays open by 0.01 m along third axis;"
    ):
        analyse(linkages.four_bar(gap=(0.01, 0.0, 0.0)))


def test_what_stays_open_is_named_where_it_is_a_joint_of_the_tree() -> None:
    """The joint that closes the loop may be closed while it pulls another one of the loop open."""
    assembly = assembly_of(linkages.four_bar())
    moved = np.zeros((len(assembly.bodies), 6))
    moved[assembly.spanning.index["link1"], 0] = 0.02
    told = str(contradictory(assembly, assembly.at(assembly.start().moved(moved)), small=False))
    assert re.search(r"'A' - 'B' - 'C' - 'D' cannot be closed: '[AB]' stays open by 0.02 m along third axis;", told)


@pytest.mark.parametrize("misfit", [1e-8, 1e-5, 1e-3])
def test_a_joint_that_does_not_fit_is_named_with_what_is_left(misfit: float) -> None:
    with pytest.raises(AssemblyError, match=r"'D' stays open by .* rad about .*loops=\"drop\""):
        analyse(linkages.four_bar(misfit=misfit))
    choices = analyse(linkages.four_bar(misfit=misfit), "drop")
    assert choices.kept == {"D": (0, 1)} and misfit / 10 < choices.notes["limit"] < 100 * misfit


def test_a_start_that_is_apart_is_put_together() -> None:
    choices = analyse(linkages.four_bar(gap=(0.0, 0.05, -0.1)))
    assert choices.kept == {"D": (0, 1)}


def test_links_stretched_between_pivots() -> None:
    """To first order a dead point looks like a freedom; with a little slack it is nearly redundant, with more rigid."""
    with pytest.raises(AssemblyError, match="dead point"):
        analyse(linkages.toggle())
    with pytest.raises(AssemblyError, match="stays open by 0.1 m along"):
        analyse(linkages.toggle(0.1))
    with pytest.raises(AssemblyError, match="nearly redundant"):
        analyse(linkages.toggle(-1e-7))
    assert analyse(linkages.toggle(-1e-2)).notes["mobility"] == 0


def test_loops_takes_three_values() -> None:
    with pytest.raises(ValueError, match="'drop-redundant', 'rigid', 'drop'"):
        analyse(linkages.four_bar(), "some")


# --- drivers and gears ----------------------------------------------------------------------------------------------
def driven(*joints: str) -> Mechanism:
    drivers = [Driver(name=f"motor{name}", joint=name, signal="0") for name in joints]
    return linkages.four_bar().changed(drivers=drivers)


def test_a_driver_keeps_its_row_and_a_joint_loses_three() -> None:
    choices = analyse(driven("A"))
    assert list(choices.kept.values()) == [(0, 1)] and not {"motorA"} & set(choices.kept)
    assert choices.notes["mobility"] == 1 and choices.notes["rank"] == 18


def test_a_driver_too_many_is_named() -> None:
    with pytest.raises(AssemblyError, match="driver 'motorB': coordinate 0 of joint 'B' is held"):
        analyse(driven("A", "B"))


def test_a_gear_that_says_nothing_new_is_watched_over_many_turns() -> None:
    mechanism = linkages.geared_cranks()
    choices = analyse(mechanism)
    assert choices.dropped["gear"] == (0,) and choices.kept["gear"] == ()
    solver = solver_of(mechanism, choices)
    for _ in range(300):
        assert solver.step() >= 0
    solver.run("prepare")
    solver.run("watch")
    (watched,) = solver.memory.work["coupling_ground_dropped"]
    assert abs(watched.angle1_now[0]) > 2 * np.pi and solver.measures.opening() < 1e-12


def test_a_gear_starts_at_its_turns() -> None:
    """A crank that starts two turns ahead fits a gear with that offset; without it the gear is two turns open."""
    base = linkages.geared_cranks()
    starts = {"A": 4 * np.pi, "D": 0.0}
    ahead = base.changed(joints=[joint.changed(coordinate=starts.get(joint.name)) for joint in base.joints])
    for offset, closure in ((4 * np.pi, 0.0), (0.0, 4 * np.pi)):
        assembly = assembly_of(ahead.changed(couplings=[base.couplings[0].changed(offset=offset)]))
        assert assembly.at(assembly.start()).closure == pytest.approx(closure, abs=1e-12)


def test_a_gear_against_the_loop_leaves_it_rigid() -> None:
    assert analyse(linkages.geared_cranks(ratio=2.0)).notes["mobility"] == 0


# --- what runs ------------------------------------------------------------------------------------------------------
def test_trees_pass_without_a_choice() -> None:
    choices = analyse(chain(3))
    assert (choices.kept, choices.dropped, choices.guards) == ({}, {}, {})
    assert choices.notes["mobility"] == 3 and choices.notes["rank"] == choices.notes["rows"] == 15


@pytest.mark.parametrize("rule", ["", "midpoint"])
def test_a_wrong_drop_is_noticed(rule: str) -> None:
    """Rows that were needed open at once, and the state is left as it was."""
    mechanism = linkages.four_bar()
    choices = analyse(mechanism)
    wrong = replace(
        choices, kept={"D": (0,)}, dropped={"D": (1, 2, 3, 4)}, guards={**choices.guards, "D": choices.guards["D"][:1]}
    )
    solver = solver_of(mechanism, wrong, by_rule(rule_of(rule)) if rule else MaximalCoordinates)
    status = SolverStatus.OK
    for _ in range(20):
        before = [list(body.x) for body in solver.memory.state["body"]]
        status = solver.step()
        if status < 0:
            break
    assert status == SolverStatus.LOOP_OPEN and before == [body.x for body in solver.memory.state["body"]]


def test_a_constraint_without_all_its_rows_carries_no_body() -> None:
    """However the elimination order chooses its forest."""
    mechanism = loops.scissor_lift(3)
    choices = analyse(mechanism)
    assert set(choices.kept) <= set(compose(mechanism, choices).notes["loops"])


def guarded_pivots(mechanism: Mechanism, share: float) -> list[float]:
    """First pivots of every loop constraint after one elimination, the guards scaled to a share of s²."""
    choices = analyse(mechanism)
    guards = {name: tuple(share / GUARD * guard for guard in found) for name, found in choices.guards.items()}
    program = compose(mechanism, replace(choices, guards=guards))
    solver = ReferenceSolver(program)
    solver.set_step(STEP)
    for name, rows in solver_state(mechanism, start_state(mechanism)).items():
        for record, row in zip(solver.memory.state["body"], rows, strict=True):
            getattr(record, name)[:] = [float(x) for x in row]
    solver.start()
    found = []
    for kind, nodes in program.nodes.items():
        for node in nodes:
            if hasattr(solver.memory.parameters[kind][node.index], "guard"):
                scale = choices.guards[node.name][0] / GUARD
                found.append(1.0 / solver.memory.work[kind][node.index].D[0] / scale)
    return found


def test_the_guard_moves_pivots_away_from_zero() -> None:
    """A pivot of a row is +G2 D^-1 G1ᵀ, so a guard of a tenth of s² makes it larger by just that."""
    bare, guarded = (guarded_pivots(linkages.four_bar(), share) for share in (0.0, 0.1))
    assert bare[0] > 0 and guarded[0] == pytest.approx(bare[0] + 0.1, rel=1e-12)


def test_without_dropping_pivots_are_round_off() -> None:
    """Why rows are dropped: eliminating all of them works on pivots of 1e-15, by luck."""
    mechanism = linkages.four_bar()
    everything = replace(NOTHING_DROPPED, guards={"D": (GUARD * 1e-9,) * 5})
    solver = solver_of(mechanism, everything)
    smallest = min(abs(pivot) * 1e-9 for pivot in pivots(solver, solver.program))
    assert smallest < 1e-12


@pytest.mark.parametrize("value, power", [(1.0, 1.0), (1.4, 1.0), (1.42, 2.0), (3.0, 4.0), (2.0, 2.0), (0.3, 0.25)])
def test_scales_are_powers_of_two(value: float, power: float) -> None:
    assert near_power_of_two(value) == power
    guards = analyse(linkages.four_bar()).guards
    assert all(np.frexp(guard / GUARD)[0] == 0.5 for found in guards.values() for guard in found)


def test_the_strandbeest() -> None:
    """A pair of Jansen's legs on one driven crank: six loops, three redundant rows in each."""
    choices = analyse(Mechanism.from_file(demo_file("strandbeest")))
    assert choices.notes["rows"] == 96 and choices.notes["rank"] == 78 and choices.notes["mobility"] == 1
    assert all(kept == (0, 1) for kept in choices.kept.values()) and len(choices.kept) == 6
