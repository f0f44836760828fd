"""Independent coordinates where a description starts: those of a state of exported derivatives of loops and drivers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symvi.program.program import Program
from symvi.program.slope_scripts import place_of
from symvi.program.slopes import derive
from symvi.simulate.engine import PythonEngine
from symvi.simulate.plan import Plan
from symvi.simulate.slope_charts import Knot, candidates


def independent_coordinates(program: Program, plan: Plan, state: Sequence[float]) -> tuple[str, ...]:
    """As many as there are freedoms, of joints first and those that tell most there; state: the solver's.

    Raises AssemblyError where joints hold less than elsewhere: in and beside a singular position.
    """
    from symvi.simulate.reference import ReferenceSolver  # a process that runs C needs none
    from symvi.simulate.slope_reference import ReferenceSlopes

    scripts = {"place": derive(program, place_of(program, frozenset()))}
    engine = PythonEngine(plan, ReferenceSolver(program))
    slopes, inputs = ReferenceSlopes(engine, scripts=scripts), np.zeros(len(plan.inputs))
    knot = Knot(slopes, plan, np.array(state, float), inputs, np.zeros((slopes.layout.sizes["parameters"], 0)))
    return tuple(each.name for each in knot.choose(candidates(plan)))
