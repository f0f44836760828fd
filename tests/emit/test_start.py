"""The start that generated C offers: to the last bit the one that Python writes, and it runs from there."""

import numpy as np
import pytest

from symvi.demos import demo_file, demo_names
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator
from tests.phenomena.test_trajectories import robot
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
from tests.support.subset import first_of

STEP = 0.01
MECHANISMS = {name: lambda name=name: Mechanism.from_file(demo_file(name)) for name in demo_names()} | {"robot": robot}


def offered(simulator: Simulator) -> np.ndarray:
    """What NAME_state_default writes, over memory that was not zero."""
    engine, kept = simulator.engine, simulator.engine.state.copy()
    engine.state[:] = np.nan
    engine._function("state_default")(engine._pointer(engine.state, "state"))
    found, engine.state[:] = engine.state.copy(), kept
    return found


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("name", first_of(MECHANISMS, kept=2))
def test_the_start_in_c_is_that_of_python(name: str, real: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Placements, velocities, whole turns of a wheel and a driver's target and rate; momenta are made by the start."""
    simulator = Simulator(MECHANISMS[name](), real=real, backend="c")
    begun = offered(simulator)
    with monkeypatch.context() as patch:
        patch.setattr(simulator.engine, "start", lambda *arguments: 0.0)
        simulator.start(step=STEP)
    assert begun.tobytes() == simulator.engine.state.tobytes()
    simulator.start(step=STEP)
    whole = simulator.engine.state.copy()
    simulator.engine.state[:] = begun
    simulator.engine.start(simulator.inputs.from_signals(np.zeros(1))[0], True)
    assert simulator.engine.state.tobytes() == whole.tobytes()
