"""The nonholonomic equations of examples/_nonholonomic.py, integrated to round-off."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

_PATH = Path(__file__).parents[2] / "examples" / "_nonholonomic.py"
_SPEC = importlib.util.spec_from_file_location("_nonholonomic", _PATH)
equations = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = equations  # where its dataclass looks for its own module
_SPEC.loader.exec_module(equations)


def rolled(body, q, w, times) -> np.ndarray:
    """(N, 10) states of a body at the times: position, orientation, angular velocity in body axes."""
    start = body.state(np.array(q), np.array(w))
    found = solve_ivp(lambda _, y: body.rates(y), (0.0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-12)
    return found.y.T
