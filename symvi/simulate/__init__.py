"""RUNNING: solvers in C or in Python behind one interface, and the trajectories that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symvi.numbers.control import SolverOptions, SolverStatus
    from symvi.simulate.simulator import Simulator
    from symvi.simulate.trajectory import Trajectory

__all__ = ["Simulator", "SolverOptions", "SolverStatus", "Trajectory"]

_HOME_OF = {
    "Simulator": "symvi.simulate.simulator",
    "SolverOptions": "symvi.numbers.control",
    "SolverStatus": "symvi.numbers.control",
    "Trajectory": "symvi.simulate.trajectory",
}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        from importlib import import_module

        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
