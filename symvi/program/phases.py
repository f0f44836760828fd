"""The phases of a program: what control calls, in the order in which kernels are told to a reader."""

from __future__ import annotations

PHASES = (
    "setup",
    "prepare",
    "approach",
    "watch",
    "inspect",
    "measure_bend",
    "begin",
    "rest",
    "evaluate",
    "release",
    "warm",
    "apply_impulse",
    "spread",
    "push",
    "differ",
    "soften",
    "uncouple",
    "answer",
    "merit",
    "linearize",
    "scale",
    "exact",
    "keep",
    "recall",
    "predict",
    "right_hand_side",
    "right_hand_side_exact",
    "touching",
    "eliminate",
    "resolve",
    "substitute",
    "respond",
    "take_velocity",
    "advance",
    "shorten_step",
    "compare",
    "depart",
    "do_work",
    "arrived",
    "idle",
    "react",
    "reset",
    "gather",
    "arrive",
    "finish",
    "displace",
    "start_momenta",
    "start_momenta_of_chord",
    "start_momenta_of_turn",
    "energy",
    "couple",
    "place",
    "measure",
    "account",
    "reread",
    "ahead",
    "scatter",
    "choose_rule",
    "prepare_rule",
    "drive_rule",
    "begin_rule",
    "advance_rule",
    "shorten_rule",
    "evaluate_rule",
    "merit_rule",
    "eliminate_rule",
    "substitute_rule",
    "weigh_rule",
    "leave_rule",
    "land_rule",
    "hand_on_rule",
    "reach_rule",
    "stray_rule",
    "bind",
)

# What a formulation answers for its own unknowns (formulation.py): what is known before the step, where the iteration
# begins and what it leaves, the blocks of the Newton matrix, and what becomes of a solution.
KNOWN = ("setup", "prepare")
RESIDUAL = ("measure_bend", "begin", "rest", "evaluate", "merit")
MATRIX = ("linearize",)
ELIMINATION = ("eliminate", "resolve", "substitute")
# A step by a quadrature rule (rule_coordinates.py), in place of RESIDUAL, MATRIX and ELIMINATION; starts and knots are
# those of order 2.
RULE = tuple(phase for phase in PHASES if phase.endswith("_rule"))
# Of contacts that are looked at only where bodies are near (near.py): whether they are, gaps where bodies arrived, and
# the kernels that eliminate bodies in an order that the step finds.
NEAR = ("approach", "touching", "arrived", "idle")
LANDING = tuple(phase for phase in PHASES if phase not in (*KNOWN, *RESIDUAL, *MATRIX, *ELIMINATION, *RULE, *NEAR))
# Of tangents alone: no control runs them, and no text of a solver has them.
TANGENTS = ("bind",)
