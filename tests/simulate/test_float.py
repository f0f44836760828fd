"""Numbers of seven digits: what counts as solved, as closed and as lost follows from the precision."""

import numpy as np
import pytest

from symvi.demos import demo_file, demo_names
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator, SolverOptions
from symvi.simulate.solver_build import text_of
from tests.support.measuring import largest

STEP = 0.01


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


@pytest.mark.parametrize("name", [name for name in demo_names() if not demo(name).contacts])
def test_every_demo_of_joints_runs_in_float_on_the_path_that_it_has_in_double(name: str) -> None:
    """Placements of size 1 are rounded by 1e-7 in each of 100 steps, and a loop's links pass errors on."""
    single, double = (Simulator(demo(name), real=real).simulate(1.0, STEP) for real in ("float", "double"))
    assert (single.status >= 0).all()
    assert single.closure.max() < 3e-6 and double.closure.max() < 1e-13
    assert largest(single.position - double.position) < 1e-4
    assert single.iterations[1:].mean() < double.iterations[1:].mean() + 3.0


def test_the_tolerance_follows_the_precision_where_none_is_given() -> None:
    left, given = SolverOptions(), SolverOptions(tolerance=1e-3, complementarity=1e-2)
    found = [left.in_precision(real) for real in ("double", "float")]
    assert [(o.tolerance, o.complementarity) for o in found] == [(1e-10, 1e-8), (1e-5, 3e-3)]
    assert given.in_precision("float") == given.in_precision("double") == given
    double, single = (Simulator(demo("pendulum"), real=real) for real in ("double", "float"))
    assert double.simulate(0.2, STEP).resume.tobytes() == (
        double.simulate(0.2, STEP, options=found[0]).resume.tobytes()
    )
    assert single.simulate(0.2, STEP).resume.tobytes() == single.simulate(0.2, STEP, options=found[1]).resume.tobytes()


def test_guards_and_limits_of_loops_lie_above_round_off() -> None:
    """Guards are larger by 1e5; a loop is closed that opens by 1e-4 of its size."""
    plans = {real: text_of(demo("four_bar"), real=real).plan for real in ("double", "float")}
    numbers = {real: np.array(plan.defaults) for real, plan in plans.items()}
    guards = [place for name, place in plans["double"].fields["parameters"].items() if name.endswith("/guard")]
    assert guards
    for offset, size in guards:
        double, single = (numbers[real][offset : offset + size] for real in ("double", "float"))
        assert (double > 0).all() and np.allclose(1e5 * double, single, rtol=1e-12, atol=0)
    size, limit = (
        numbers["float"][plans["float"].at("parameters", "common", 0, name)][0] for name in ("extent", "limit")
    )
    assert limit == 1e-4 * size
