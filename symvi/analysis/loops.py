"""The analysis of loops when a mechanism is generated: which rows the others imply, and what cannot work.

Redundant rows are dropped here, once, and watched in every step; nothing decides about rank while a mechanism runs.
Rows of the tree are all kept, so only constraints that close a loop lose rows. Mechanisms without loops pass at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symvi.analysis.choices import Choices, Findings, law_models, models_of, order_of
from symvi.analysis.pivots import pivots_of
from symvi.analysis.user_expressions import check_expressions
from symvi.errors import ArgumentError
from symvi.mechanism import Mechanism
from symvi.numbers.extent import OPENING, size_of
from symvi.physics.model import ConstraintModel
from symvi.physics.multibody import MultibodySystem

LOOPS = ("drop-redundant", "rigid", "drop")


def analyse(mechanism: Mechanism, loops: str = "drop-redundant") -> Choices:
    """What the analysis of a mechanism's loops decides, see `choices_for`."""
    return choices_for(MultibodySystem(mechanism), loops)


def choices_for(system: MultibodySystem, loops: str = "drop-redundant") -> Choices:
    """The rows that are kept and dropped, the guards of the factorisation, and notes for a reader.

    loops: what to do with nearly redundant rows, those that are neither implied by the others nor clearly independent
    of them (an axis that is off by a little). Taken literally they make a loop rigid that was meant to move.
    "drop-redundant" refuses them by name; "rigid" takes them literally, and locks a joint in their place; "drop" drops
    them, and rows that do not fit, which then open by about as much as the parts do not fit.

    Rows are numbered in the order of the joint's rows in joint axes; a constraint that loses none is absent.
    Raises AssemblyError, naming joints: loops that cannot close, nearly redundant rows, drivers with nothing to drive;
    MechanismError, naming bodies without inertia that no joint holds, and expressions without a value at the start;
    ArgumentError for an unknown value of loops.
    """
    if loops not in LOOPS:
        raise ArgumentError(f"loops {loops!r}: use {', '.join(repr(name) for name in LOOPS)}")
    check_expressions(system)
    models = system.in_joint_axes
    graph, order = order_of(system.mechanism, models, law_models(system), system.inequalities)
    first = len(graph.bodies)
    if all(models[node - first].target for node in order.loop_constraints):
        return _with_pivots(system, _without_loops(system.mechanism, models))
    from symvi.analysis.one_thread import one_thread
    from symvi.analysis.redundancy import Analysis  # needs numpy, and time
    from symvi.analysis.spanning import spanning_of

    with one_thread():
        found = Analysis(system, spanning_of(graph, order, models), loops).choices()
    return _with_pivots(system, found)


def _with_pivots(system: MultibodySystem, choices: Choices) -> Choices:
    return replace(
        choices, pivots=pivots_of(system.mechanism, models_of(system, choices), choices.size(system.mechanism))
    )


def _without_loops(mechanism: Mechanism, models: Sequence[ConstraintModel]) -> Choices:
    """A tree: every row counts, and a driver moves what its joint leaves free."""
    rows = sum(model.rows for model in models)
    mobility = 6 * len(mechanism.bodies) - rows + len(mechanism.drivers)
    size = size_of(mechanism)
    notes: Findings = {
        "rows": rows,
        "rank": rows,
        "mobility": mobility,
        "over_constraint": 0,
        "redundant_rows": {},
        "size": size,
        "limit": OPENING["double"] * size,
        "texts": [],
        "undetermined": [],
    }
    return Choices({}, {}, {}, notes)
