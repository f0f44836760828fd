"""The C text of an export: that of `symvi generate`, its default step and iterations those asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symvi.emit.c import Sources, Start, generate
from symvi.errors import AssemblyError
from symvi.exporters.request import Request
from symvi.program.precision import in_precision
from symvi.program.program import Program
from symvi.program.slope_scripts import is_tree
from symvi.simulate.independent import independent_coordinates
from symvi.simulate.plan import Plan, plan_of
from symvi.simulate.run_parameters import check_described
from symvi.simulate.solver_build import composed
from symvi.simulate.start import check_beginning, described_inputs, described_start

__all__ = ["ExportedText", "exported_text", "program_of"]

COMMON = ("common", 0)


@dataclass(frozen=True)
class ExportedText:
    """Generated sources, and the program (in their precision) and the plan of their memory."""

    sources: Sources
    program: Program
    plan: Plan
    independent: tuple[str, ...] = ()  # coordinates of a state of derivatives, of any mechanism but a tree
    missing: str = ""  # why there are none


def program_of(request: Request) -> Program:
    """The program of a request, its default step the one that was asked for."""
    check_described(request.mechanism, request.real)
    program = composed(request.mechanism, request.loops, request.coordinates, request.order, lean=request.lean)
    common = {**program.parameters.get(COMMON, {}), "h": (float(request.step),)}
    return replace(program, parameters={**program.parameters, COMMON: common})


def exported_text(program: Program, request: Request, layout: str, real: str) -> ExportedText:
    """The text in a layout and a precision. Raises SymviError where "inline" would be too large."""
    exact = in_precision(program, real)
    plan = plan_of(exact)
    check_beginning(request.mechanism, plan, request.real)
    independent, missing = _independent(program, request, plan)
    start = Start(described_start(request.mechanism, plan), *described_inputs(request.mechanism, plan))
    sources = generate(
        program,
        layout=layout,
        real=real,
        prefix=request.prefix,
        start=start,
        fixed_iterations=request.fixed_iterations,
        substeps=request.substeps,
        slopes=() if request.slopes else None,
        independent=independent,
    )
    return ExportedText(sources, exact, plan, independent, missing)


def _independent(program: Program, request: Request, plan: Plan) -> tuple[tuple[str, ...], str]:
    """Coordinates of a state of derivatives, of a mechanism that is no tree; or why there are none at its start."""
    if not request.slopes or is_tree(program):
        return (), ""
    try:
        return independent_coordinates(program, plan, described_start(request.mechanism, plan)), ""
    except AssemblyError as error:
        return (), str(error)
