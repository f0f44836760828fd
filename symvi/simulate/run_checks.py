"""What a run cannot begin with."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions
from symvi.simulate.arguments import check_modes, check_switches, checked_table
from symvi.simulate.trajectory import Trajectory


def check_run(
    steps: int,
    every: object,
    start: object,
    inputs: object,
    controller: object,
    options: object,
    progress: object,
    project: bool,
    papers_start: bool,
    rates: str,
) -> None:
    """Raises MechanismError or ArgumentError for what a run cannot begin with."""
    if not isinstance(every, Integral) or isinstance(every, bool) or every < 1 or steps % every:
        raise MechanismError(f"every={shown(every)}: must divide the {steps} steps")
    if not isinstance(options, SolverOptions):
        raise ArgumentError(f"options {shown(options)}: must be SolverOptions(...)")
    for name, function in (("controller", controller), ("progress", None if isinstance(progress, bool) else progress)):
        if function is not None and not callable(function):
            raise ArgumentError(f"{name} {shown(function)}: must be a function, or None")
    if not isinstance(start, State | Trajectory | None):
        told = "; symvi.state_from(mechanism, coordinates) makes a State" if isinstance(start, Mapping) else ""
        raise MechanismError(f"start {shown(start)}: must be a State, a Trajectory to go on from, or None{told}")
    if isinstance(start, Trajectory) and (project or papers_start or rates != "momentum"):
        asked = "project=True" if project else "papers_start=True" if papers_start else f"rates={rates!r}"
        raise MechanismError(f"{asked}: a trajectory goes on as it ended; start from its state() instead")
    checked_table("inputs", inputs, "names of inputs to numbers or arrays")
    check_switches(project=project, papers_start=papers_start)
    check_modes(rates=rates)
