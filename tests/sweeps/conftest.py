"""A cart with a pole, which most sweeps here are of."""

from __future__ import annotations

import pytest

from symvi import Simulator
from tests.simulate.test_worlds import cart_pole


@pytest.fixture(scope="package")
def cart() -> Simulator:
    return Simulator(cart_pole(coordinate=0.3), backend="c")
