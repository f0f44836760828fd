"""What every phase of a program must do, entry by entry: inputs to set, and results by the naive definitions.

A stage runs one or two phases on the records that an earlier stage left. Its checks read records and name the numbers
that the definitions want there; they are in expected_step.py (the residual and its solution) and expected_state.py
(everything else).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from symvi.program.maximal import Matrix
from symvi.verify import expected_state, expected_step
from symvi.verify.check import Check, View
from symvi.verify.crun import Memory
from symvi.verify.scene import Scene


@dataclass(frozen=True)
class Stage:
    """Phases that run on what stage `after` left, once `prepare` has set what the solver would have set."""

    name: str
    phases: tuple[str, ...]
    after: str | None
    prepare: Callable[[Memory], None]
    checks: tuple[Check, ...]


def stages_of(scene: Scene, matrix: Matrix) -> list[Stage]:
    """All stages of a program, each after those that it builds on. Raises KeyError for a phase without a definition."""
    view = View(scene, matrix)
    step, state = expected_step, expected_state
    table: tuple[tuple[str, tuple[str, ...], str | None, Callable, Callable[[View], Iterator[Check]]], ...] = (
        ("setup", ("setup",), None, view.nothing, step.setup),
        ("prepare", ("prepare",), "setup", view.set_switches, step.prepare),
        ("watch", ("watch",), "prepare", view.nothing, step.watch),
        ("begin", ("begin",), "prepare", view.set_length, state.begin),
        ("rest", ("rest",), "prepare", view.nothing, state.rest),
        ("evaluate", ("evaluate",), "watch", view.set_motion, step.evaluate),
        ("merit", ("merit",), "evaluate", view.set_sums, step.merit),
        ("linearize", ("linearize",), "evaluate", view.nothing, step.blocks),
        ("solve", ("eliminate", "substitute"), "linearize", view.nothing, step.solve),
        ("settle", ("settle",), "solve", view.set_solution, state.settle),
        ("advance", ("advance",), "solve", view.set_solution, state.advance),
        # a second iteration, on records that hold what the first one left: it must find the same
        ("evaluate again", ("evaluate",), "advance", view.set_motion, step.evaluate),
        ("solve again", ("linearize", "eliminate", "substitute"), "evaluate again", view.nothing, step.solve),
        ("retreat", ("retreat",), "evaluate", view.set_base, state.retreat),
        ("react", ("react",), "evaluate", view.nothing, state.react),
        ("finish", ("finish",), "evaluate", view.nothing, state.finish),
        ("displace", ("displace",), "prepare", view.set_shift, state.displace),
        ("launch", ("launch",), "prepare", view.nothing, state.launch),
        ("launch_chord", ("launch_chord",), "prepare", view.nothing, state.launch_chord),
        ("energy", ("energy",), "prepare", view.set_knot, state.energy),
    )
    used = {phase for phase, calls in scene.program.phases.items() if calls}
    unknown = used - {phase for _, phases, *_ in table for phase in phases}
    if unknown:
        raise KeyError(f"no definition of the phases {', '.join(sorted(unknown))}")
    stages: dict[str, Stage] = {}
    before = {name: after for name, _, after, *_ in table}
    for name, phases, after, prepare, expected in table:
        if any(scene.program.phases.get(phase) for phase in phases):
            while after is not None and after not in stages:  # a mechanism may have nothing to do in a stage
                after = before[after]
            stages[name] = Stage(name, phases, after, prepare, tuple(expected(view)))
    return list(stages.values())
