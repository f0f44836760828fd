"""manifest.json: what an export is, for programs: its dimensions, what lies where, options, figures, golden hashes.

A figure is {"value", "unit", "how"} where it was measured, {"not measured": why} where not.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from symvi import __version__
from symvi.emit.c_printer import CPrinter
from symvi.emit.slope_columns import coordinate_names, state_names
from symvi.exporters.constancy import uneven
from symvi.exporters.golden import STEPS, Golden, described_placement
from symvi.exporters.memory import fields, inputs, parameters, rows, struct_bytes
from symvi.exporters.request import Request
from symvi.exporters.text import ExportedText
from symvi.exporters.undetermined import undetermined_components
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.program.info import describe
from symvi.program.slope_scripts import is_tree
from symvi.simulate.start import described_inputs, described_start

__all__ = ["FORMAT", "golden_figures", "manifest_of"]

FORMAT = 1  # of the manifest: it counts up when a key changes its meaning
NOT_IN_MANIFEST = ("name", "operations per kernel", "operations per phase", "operations per iteration", "node types")
GOLDEN = (
    "FNV-1a (64 bits) over the bits of x, q, v, w in the state of every body, in the order of the bodies, least byte "
    "first, after every step from the start of the description, driven by its signals; -0 counts as 0"
)


def manifest_of(request: Request, text: ExportedText, goldens: dict[str, Golden | str]) -> dict[str, Any]:
    """All that is known before anything is measured on boards. goldens: by precision, or why there is none."""
    sources, plan = text.sources, text.plan
    own = goldens[sources.real]
    steps = STEPS if isinstance(own, str) else own.steps
    facts = describe(request.mechanism, text.program)
    options = SolverOptions(fixed_iterations=request.fixed_iterations, substeps=request.substeps).in_precision(
        sources.real
    )
    start = described_start(request.mechanism, plan)
    first_inputs, held = described_inputs(request.mechanism, plan)
    return {
        "format": FORMAT,
        "generator": f"symvi {__version__}",
        "mechanism": request.mechanism.name,
        "description": request.mechanism.digest,
        "prefix": sources.name,
        "real": sources.real,
        "layout": sources.layout,
        "lean": request.lean,
        "loops": request.loops,
        "step": float(request.step),
        "steps": steps,
        "options": _of_text(asdict(options), plan),
        "time of a step depends on": [*_uneven_options(request), *uneven(text)],
        "dimensions": {key: value for key, value in facts.items() if key not in NOT_IN_MANIFEST}
        | {"inputs": len(plan.inputs), "contact points": len(plan.contacts), "carried angles": len(plan.carried)},
        "memory": {
            name: {"value": size, "unit": "B", "how": "sizeof, from the members of the struct"}
            for name, size in struct_bytes(text).items()
        },
        "operations": {
            "unit": "operations in floating point",
            "per iteration": facts["operations per iteration"],
            "per phase": facts["operations per phase"],
        },
        "golden": {"of": GOLDEN} | {real: golden_figures(found) for real, found in goldens.items()},
        "parameters": list(parameters(text)),
        "state": list(fields(text, "state", start)),
        "inputs": list(inputs(text, first_inputs)),
        **rows(text, _undetermined(request, text, goldens["double"])),
        **_slopes(request, text),
        "drivers that hold what they find": list(held),
        "status": {status.name: {"value": int(status), "meaning": status.sentence} for status in SolverStatus},
    }


def _undetermined(request: Request, text: ExportedText, exact: Golden | str) -> dict[str, tuple[int, ...]]:
    """Joint -> which of the six numbers of its reaction are arbitrary."""
    if isinstance(exact, Golden):
        return undetermined_components(request.mechanism, text.plan, exact.placements())
    return undetermined_components(request.mechanism, text.plan, [described_placement(request.mechanism, text.plan)])


def _slopes(request: Request, text: ExportedText) -> dict[str, Any]:
    """What rows and columns of derivatives are, where the text has them: x, then u. coordinates: those that x may have
    in place of its own, by their numbers."""
    if not request.slopes:
        return {}
    printer = CPrinter(text.program, request.prefix, request.real)
    inputs = {"inputs": list(text.plan.inputs)}
    if is_tree(text.program):
        return {"slopes": {"states": state_names(printer), **inputs}}
    found: dict[str, Any] = {"no states": text.missing} if text.missing else {}
    if not text.missing:
        found["states"] = state_names(printer, text.independent)
    return {"slopes": found | inputs | {"coordinates": coordinate_names(printer)}}


def golden_figures(found: Golden | str) -> dict[str, Any]:
    """A golden hash as a figure."""
    if isinstance(found, str):
        return {"not measured": found}
    how = "symvi's simulator, compiled C" if found.backend == "c" else "symvi's simulator, in Python"
    ended = {"ended early": found.failure} if found.failure else {}
    effort = {"steps": found.steps, "iterations": found.iterations, "warnings": found.warnings}
    return {"value": found.hash, "unit": "hash", "how": how, **effort, **ended}


def _uneven_options(request: Request) -> list[str]:
    """What makes some steps longer than others, of what was asked for."""
    if request.fixed_iterations:
        return []
    return ["iterations", *(["parts of a step that fails"] if request.substeps > 1 else [])]


def _of_text(options: dict[str, Any], plan) -> dict[str, Any]:
    """The options that the text has: those of contacts belong to mechanisms with contacts, limits, dry friction, and
    those of a search to texts that do search."""
    others = () if plan.notes["inequalities"] else ("complementarity", "papers_method")
    others += ("max_iterations", "max_halvings", "substeps") if "lean" in plan.notes else ()
    return {key: value for key, value in options.items() if key not in others}
