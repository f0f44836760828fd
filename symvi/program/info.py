"""Facts about a mechanism's program, for a person: what `symvi info` prints."""

from __future__ import annotations

from typing import Any

from symvi.mechanism import Mechanism, constraint_count
from symvi.numbers.composition import composition_of, order_of
from symvi.numbers.quadrature import is_rule, rule_of, without_solver
from symvi.program.program import Program

BY_RULE = ("evaluate_rule", "merit_rule", "eliminate_rule", "substitute_rule", "advance_rule")
ITERATION = ("evaluate", "merit", "linearize", "eliminate", "substitute", "advance")


def composition_line(name: str) -> str:
    """The order of a program's steps, and the inner steps that they are."""
    rule = rule_of(name) if is_rule(name) else None
    if rule is not None:
        return f"{order_of(name)}, by quadrature ({without_solver(rule.name)}), solved by {rule.solver}"
    found = composition_of(name or 2)
    return f"{found.order}, in {len(found.shares)} inner steps ({name})" if found else "2"


def describe(mechanism: Mechanism, program: Program) -> dict[str, Any]:
    """Nodes, freedoms, rank, redundant rows, elimination order, fill-in, operation counts per kernel and phase."""
    notes = program.notes
    rows = (
        sum(constraint_count(joint) for joint in mechanism.joints) + len(mechanism.couplings) + len(mechanism.drivers)
    )
    kernels = {kernel.name: kernel.flops() for kernel in program.kernels() if kernel.flops()}
    return {
        "name": mechanism.name,
        "bodies": len(mechanism.bodies),
        "constraints": len(notes["constraints"]),
        "rows": rows,
        "rows kept": sum(len(c["rows"]) for c in notes["constraints"]),
        "unknown velocities": 6 * len(mechanism.bodies),
        "rank": notes.get("rank"),
        "freedoms": notes.get("mobility"),
        "freedoms driven": len(mechanism.drivers),
        "coordinates": notes["coordinates"],
        "order": composition_line(notes.get("composition") or notes.get("rule", "")),
        "loops closed by": notes["loops"],
        "elimination order": notes["order"],
        "fill-in": [f"{a} with {b}" for a, b in notes["fill"]],
        "node types": [k for k in program.nodes if not k.startswith("edge")],
        "bits": "depend on the C library" if notes["uses_c_library"] else "the same with every compiler",
        "notes": notes.get("texts", []),
        "redundant rows": notes.get("redundant_rows", {}),
        "operations per iteration": sum(
            program.flops(phase) for phase in (BY_RULE if notes.get("rule") else ITERATION)
        ),
        "operations per kernel": kernels,
        "operations per phase": {phase: program.flops(phase) for phase in program.phases if program.flops(phase)},
    }
