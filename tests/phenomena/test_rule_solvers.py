"""RIQN and Broyden's method for steps by a quadrature rule (Lee16), in place of Newton's.

Witnesses: iterates of textbook methods with dense matrices on a discrete action summed from the Lagrangian of a double
pendulum; the motions of Newton's method; its derivatives.
"""

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.errors import ArgumentError, MechanismError, SolverError
from symvi.exporters import export
from symvi.mechanism import Actuator, Body, Joint, JointDamper, JointSpring, Mechanism
from symvi.numbers.control import SolverStatus
from symvi.numbers.quadrature import rule_of
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.phenomena.test_rules import (
    LENGTH,
    MASS,
    SWING,
    balls,
    branched,
    driven,
    lagrangian,
    legged,
    slopes_of_action,
)
from tests.support.damped import arm
from tests.support.measuring import largest
from tests.tree.chains import tree

SOLVERS = ("riqn", "broyden")
OPTIONS = SolverOptions(tolerance=1e-12)


def double_rod(*angles: float) -> Mechanism:
    """Two rods that hang one on the other, at rest."""
    links = [
        Body(name=n, mass=MASS, inertia=(SWING, SWING, 0.01), center_of_mass=(0, 0, -LENGTH / 2))
        for n in ("one", "two")
    ]
    names, anchors = ("world", "one", "two"), ((0, 0, 0), (0, 0, -LENGTH))
    joints = [
        Joint(name=f"j{k}", type="revolute", parent=names[k], child=names[k + 1], parent_anchor=anchors[k],
              axis=(1, 0, 0), coordinate=angles[k])
        for k in range(2)
    ]  # fmt: skip
    return Mechanism(name="double_rod", bodies=links, joints=joints)


def moving(motion: Trajectory) -> np.ndarray:
    turned = 2 * np.arctan2(motion.orientation[:, :, 1], motion.orientation[:, :, 0])
    return np.column_stack([turned[:, 0], turned[:, 1] - turned[:, 0]])


def mass(q: np.ndarray) -> np.ndarray:
    """The Hessian of the Lagrangian by rates: it is quadratic in them."""
    units, found = np.eye(2), np.empty((2, 2))
    at_rest = lagrangian(q, np.zeros(2))
    kinetic = lambda rate: lagrangian(q, rate) - at_rest  # noqa: E731
    for i in range(2):
        for j in range(2):
            found[i, j] = kinetic(units[i] + units[j]) - kinetic(units[i]) - kinetic(units[j])
    return found


def dense_iterates(rule: str, q: np.ndarray, h: float, solver: str, count: int) -> list[np.ndarray]:
    """Coordinates after each iteration of the first step from rest, from where they are."""
    inverse, after, found = -h * np.linalg.inv(mass(q)), q, []
    last = None
    for _ in range(count):
        lacking = slopes_of_action(rule_of(rule), np.vstack([q, after]), h)[0]
        if last is not None and solver == "broyden":
            way, change = after - last[0], lacking - last[1]
            led = inverse @ change
            inverse = inverse + np.outer(way - led, way @ inverse) / (way @ led)
        last = after, lacking
        after = after - inverse @ lacking
        found.append(after)
    return found


@pytest.mark.parametrize("rule", ("midpoint", "trapezoid", "midpoint(0.3)"))
@pytest.mark.parametrize("solver", SOLVERS)
def test_iterates_are_those_of_dense_matrices(rule: str, solver: str) -> None:
    """In a step that is too long for few of them."""
    angles, h = np.array([1.2, -0.7]), 0.2
    expected = dense_iterates(rule, angles, h, solver, 6)
    simulator = Simulator(double_rod(*angles), coordinates="tree", rule=rule, solver=solver)
    for count, each in enumerate(expected, start=1):
        motion = simulator.simulate(h, h, options=SolverOptions(fixed_iterations=count))
        assert largest(moving(motion)[1] - each) < 1e-13
    assert largest(expected[-1] - expected[-2]) > 1e-12  # no two of these are alike


@pytest.mark.parametrize("make", (branched, balls, legged, driven))
@pytest.mark.parametrize("rule", ("midpoint", "trapezoid"))
def test_the_motion_is_that_of_newtons_method(make, rule: str) -> None:
    """To the tolerance of steps, and in C and Python to the last bit; with few more iterations, of Broyden fewer."""
    expected = Simulator(make(), coordinates="tree", rule=rule).simulate(0.2, 0.01, options=OPTIONS)
    counts = [float(expected.iterations[1:].mean())]
    for solver in reversed(SOLVERS):
        simulator = Simulator(make(), coordinates="tree", rule=rule, solver=solver)
        motion = simulator.simulate(0.2, 0.01, options=OPTIONS)
        assert largest(motion.position - expected.position) < 1e-11
        assert largest(motion.orientation - expected.orientation) < 1e-11
        python = Simulator(make(), coordinates="tree", rule=rule, solver=solver, backend="python")
        assert (python.simulate(0.05, 0.01, options=OPTIONS).position == motion.position[:6]).all()
        counts.append(float(motion.iterations[1:].mean()))
    assert counts == sorted(counts) and counts[-1] < 12


@pytest.mark.parametrize("kind", ("screw", "universal", "cylindrical", "planar_axis", "prismatic", "spherical"))
@pytest.mark.parametrize("inward", (False, True))
def test_joints_of_all_types(kind: str, inward: bool) -> None:
    """The inertia at the first knot is that of Newton's slopes at rest: it falls to the same solution."""
    turned = (2,) if kind == "planar_axis" else (1, 2)  # slides along turning axes are refused from their child
    mechanism = tree(f"of_{kind}", ("revolute", kind, "revolute"), turned if inward else ())
    expected = Simulator(mechanism, coordinates="tree", rule="midpoint").simulate(0.1, 0.01, options=OPTIONS)
    motion = Simulator(mechanism, coordinates="tree", rule="midpoint", solver="riqn").simulate(
        0.1, 0.01, options=OPTIONS
    )
    assert largest(motion.position - expected.position) < 1e-11
    assert motion.iterations.max() < 15


@pytest.mark.parametrize("solver", SOLVERS)
def test_laws_of_joints_may_be_stiff(solver: str) -> None:
    """A step of 400 periods: their slopes are in the inertia that impulses meet."""
    laws = [
        JointSpring(name="spring", joint="j0", stiffness=1e6, rest=0.1),
        JointDamper(name="damper", joint="j1", damping=1e4),
    ]
    stiff = double_rod(0.1, 0.3).changed(forces=laws)
    expected = Simulator(stiff, coordinates="tree", rule="midpoint").simulate(1.0, 0.02, options=OPTIONS)
    motion = Simulator(stiff, coordinates="tree", rule="midpoint", solver=solver).simulate(1.0, 0.02, options=OPTIONS)
    assert largest(motion.position - expected.position) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_rests_stays_where_it_is(solver: str) -> None:
    """Nothing is left to solve, and fixed iterations go on: no update is made of nothing."""
    still = double_rod(0.3, 0.2).changed(gravity=(0, 0, 0))
    for backend in ("c", "python"):
        simulator = Simulator(still, coordinates="tree", rule="midpoint", solver=solver, backend=backend)
        motion = simulator.simulate(0.1, 0.01, options=SolverOptions(fixed_iterations=5))
        assert set(motion.status) == {SolverStatus.OK} and largest(motion.position - motion.position[0]) < 1e-15
    motion = Simulator(double_rod(0.3, 0.2), coordinates="tree", rule="midpoint", solver=solver).simulate(
        0.1, 0.01, options=SolverOptions(fixed_iterations=30)
    )
    assert set(motion.status) == {SolverStatus.OK}


def test_a_step_that_it_does_not_solve_is_told() -> None:
    """Statuses are those of Newton's method; where parts are allowed, they are taken."""
    simulator = Simulator(double_rod(1.2, -0.7), coordinates="tree", rule="midpoint", solver="riqn")
    with pytest.raises(SolverError) as told:
        simulator.simulate(0.5, 0.1, options=SolverOptions(max_iterations=3, substeps=1))
    assert told.value.status == SolverStatus.NOT_CONVERGED
    parted = simulator.simulate(0.5, 0.1, options=SolverOptions(max_iterations=5))
    assert parted.substeps.max() > 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("backend", ("c", "python"))
def test_derivatives_are_exact(solver: str, backend: str) -> None:
    """Derivatives are those of the solution, not of the way there: Newton's slopes tell them."""
    motor = double_rod(0.9, -0.5).changed(forces=[Actuator(name="motor", joint="j1")])
    how = {"coordinates": "tree", "rule": "midpoint", "backend": backend}
    found = Simulator(motor, **how, solver=solver).linearize(step=0.05)
    expected = Simulator(motor, **how).linearize(step=0.05)
    assert largest(found.A - expected.A) < 1e-9 and largest(found.B - expected.B) < 1e-9


def test_a_motion_knows_its_solver(tmp_path) -> None:
    """It is kept in a file, goes on with the same, and with no other."""
    own, other = (Simulator(double_rod(0.9, -0.5), coordinates="tree", rule="midpoint", solver=s) for s in SOLVERS)
    whole, first = own.simulate(0.2, 0.01), own.simulate(0.1, 0.01)
    first.save(tmp_path / "motion.npz")
    rest = own.simulate(0.1, 0.01, start=Trajectory.load(tmp_path / "motion.npz"))
    assert (rest.position[-1] == whole.position[-1]).all()
    with pytest.raises(MechanismError, match="rule='midpoint', solver='riqn'"):
        other.simulate(0.1, 0.01, start=first)
    assert own.of_order(4).composition == "suzuki-4"
    assert "midpoint by riqn" in repr(own)


def test_an_exported_folder_holds_the_solver(tmp_path) -> None:
    how = {"measure": False, "coordinates": "tree", "rule": "midpoint"}
    values = []
    for solver in ("newton", *SOLVERS):
        folder = tmp_path / solver
        values.append(export(arm(servo=False), folder, **how, solver=solver).manifest["golden"]["double"]["value"])
        name = "midpoint" if solver == "newton" else f"midpoint by {solver}"
        assert any(f"by quadrature ({name})" in header.read_text() for header in folder.rglob("arm.h"))
    assert len(set(values)) == 3


REFUSED = {
    "'simpson' has coordinates within the step": {"rule": "simpson", "solver": "riqn"},
    "say rule='midpoint'": {"solver": "broyden"},
    "use 'newton', 'riqn' or 'broyden'": {"rule": "midpoint", "solver": "Newton"},
    "solver 'True': use": {"rule": "midpoint", "solver": True},
    "solver 'nothing': use": {"rule": "midpoint by nothing"},
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_it_does_not_solve_is_refused_by_name(why: str) -> None:
    with pytest.raises(ArgumentError, match=why.replace("(", "[(]")):
        Simulator(double_rod(0.9, -0.5), coordinates="tree", **REFUSED[why])


def test_loops_are_refused_by_name() -> None:
    loop = Mechanism.from_file(demo_file("four_bar"))
    with pytest.raises(
        ArgumentError, match="solver 'riqn' cannot solve steps of mechanism 'four_bar': '.*' closes a loop"
    ):
        Simulator(loop, coordinates="tree", rule="midpoint", solver="riqn")
