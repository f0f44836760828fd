"""The closed chains of JM09, Section VI, from their S-expressions: energy, gaps, and the Lagrangian of one freedom."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.simulator import Simulator
from tests.support.subset import first_of

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch):
    """An example as a module, by its name."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


def test_the_device_of_listing_1_keeps_its_loops_and_its_energy(example) -> None:
    """10 s of the 120 s of Fig. 8; the gap is computed from the listing's lengths alone."""
    module = example("closed_chain_device")
    found = module.device()
    run = Simulator(found).simulate(10.0, module.STEP, options=SolverOptions(tolerance=1e-12))
    assert not run.status.any() and run.closure.max() < 1e-12
    assert module.largest_gap(run, found) < 1e-12
    assert np.ptp(run.energy) < 0.04 * run.kinetic_energy.max()
    assert run.kinetic_energy.max() > 10.0


def test_bars_of_point_masses_that_turn_fast_are_in_no_singular_position(example) -> None:
    """At t = 1.33 s one turns by 0.17 rad in a step. No loop is near losing a row there.

    What tells such a position is a pivot in units of its row's scale, which must not be the scale of bars that turn as
    if they moved no mass. The way bends sharply there, so that some steps are taken in parts.
    """
    module = example("closed_chain_device")
    found = module.device(module.NEAR_START)
    # joint coordinates put bodies beside those below them, and start another motion from this rough start
    simulator = Simulator(found, coordinates="maximal")
    run = simulator.simulate(2.0, 0.01, project=True, options=SolverOptions(tolerance=1e-12))
    turned = [np.diff(run.coordinates(name)[:, 0]) for name, _ in (found.joints[bar] for bar in "JHKMACE")]
    assert np.abs(turned).max() > 0.15
    split = run.substeps > 1
    assert not run.status.any() and run.iterations[~split].max() <= 6
    assert split.sum() <= 16 and abs(run.time[split].mean() - 1.37) < 0.05


def apart(module: ModuleType, segments: int, step: float, seconds: float) -> tuple[float, np.ndarray]:
    """The largest error of the angle, and the statuses."""
    run, angles = module.run_lift(segments, step, seconds)
    assert run.time[-1] == pytest.approx(seconds) and run.closure.max() < 1e-12
    exact = module.Lagrangian(segments).angles(step, round(seconds / step))
    assert exact.max() > 2.0  # past the singular position at pi / 2
    return float(np.abs(angles - exact).max()), run.status


@pytest.mark.parametrize("segments", [1, 3])
def test_lifts_follow_the_corrected_lagrangian(segments: int, example) -> None:
    """To second order in the step."""
    module = example("scissor_lift")
    errors = [apart(module, segments, step, 4.0)[0] for step in (0.01, 0.005)]
    assert errors[0] < 2e-3 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_the_printed_lagrangian_is_another_one(example) -> None:
    """Of its sin² term the paper has 1/2 for 1/4, and m L² I for I."""
    module = example("scissor_lift")
    _, angles = module.run_lift(3, 0.01, 4.0)
    printed = module.Lagrangian(3)
    printed.b = module.MASS * module.LENGTH**2 * 3 + module.SLIDER * module.LENGTH**2
    printed.c *= module.MASS * module.LENGTH**2
    assert np.abs(angles - printed.angles(0.01, 400)).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("segments", first_of([10, 20]))
def test_long_lifts_rush_through_their_singular_position(segments: int, example) -> None:
    """Steps that resolve it, a quarter of the passing time, need nothing else; statuses tell of round-off at most."""
    module = example("scissor_lift")
    step = 5.0 / (250 * round(5.0 / (250 * module.SHARE * module.Lagrangian(segments).passing())))
    error, statuses = apart(module, segments, step, 5.0)
    assert error < 2e-3 and statuses.max() <= SolverStatus.ROUND_OFF
