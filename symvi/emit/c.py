"""Kernels and schedule as C99: what a program is printed to, and the declarations that cffi reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symvi.emit.c_printer import CPrinter
from symvi.emit.c_view import view_of
from symvi.emit.layouts import LARGEST_INLINE, LAYOUTS, choose_layout, inline_size, is_too_large
from symvi.emit.number_tables import NumberTables
from symvi.emit.templates import environment
from symvi.errors import ArgumentError, SymviError
from symvi.mechanism.names import checked_name, shown
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.program.near import MANY
from symvi.program.precision import in_precision
from symvi.program.program import Program
from symvi.program.slope_scripts import slopes_of
from symvi.program.slopes import Place


@dataclass(frozen=True)
class Start:
    """Where a description starts: numbers of the state and of the inputs, record by record; drivers without a signal,
    which hold what they find."""

    state: tuple[float, ...]
    inputs: tuple[float, ...]
    held: tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """Generated text: file name -> contents, the declarations that cffi needs, and what the text is of."""

    name: str
    files: Mapping[str, str]
    declarations: str
    layout: str
    real: str


def generate(
    program: Program,
    *,
    layout: str = "auto",
    real: str = "double",
    prefix: str | None = None,
    start: Start | None = None,
    fixed_iterations: int = 0,
    substeps: int = DEFAULTS.substeps,
    kept: Path | None = None,
    slopes: Collection[Place] | None = None,
    independent: Sequence[str] = (),
) -> Sources:
    """The C text of a program.

    layout: "inline", "unrolled", "looped", or "auto" (by the size of the machine code: layouts.py). real: "double" or
    "float". prefix: of every symbol and file, default the mechanism's name. start: what the text offers as that of
    the description; none if left out. fixed_iterations, substeps: of the default options. kept: a folder for compiled
    templates. slopes: with derivatives of a step, by these parameters
    too (templates/c/slopes.c.jinja); None for a text without them. independent: coordinates that a state of these has
    unless the caller names others; a tree has those of all joints.
    Raises ValueError for an unknown layout or real, and SymviError for a prefix that is no name, or inline text beyond
    its limit.
    """
    if real not in ("double", "float"):
        raise ArgumentError(f"real {real!r}: use 'double' or 'float'")
    prefix = _checked_prefix(program.name if prefix is None else prefix)
    if "near" in program.notes and (slopes is not None or layout == "inline"):
        raise ArgumentError(_without_lists(program, layout, slopes is not None))
    program, layout = in_precision(program, real), _choose(program, layout)
    options = SolverOptions(fixed_iterations=fixed_iterations, substeps=substeps)
    tangents = None if slopes is None else slopes_of(program, slopes)
    view = view_of(program, layout, real, prefix, options, slopes=tangents, independent=independent)
    view |= _started(CPrinter(program, prefix, real), start or Start((), (), ()))
    env = environment("c", kept)
    header = env.get_template("mechanism.h.jinja").render(view)
    source = env.get_template("mechanism.c.jinja").render(view)
    name = view["prefix"]
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations_of(header), layout, real)


def _without_lists(program: Program, layout: str, slopes: bool) -> str:
    """Why a text that leaves far contacts out cannot be made so."""
    asked, instead = (
        ("derivatives of a step", "have fewer contacts") if slopes else (f"layout '{layout}'", "use 'looped'")
    )
    return (
        f"{asked} of mechanism '{program.name}': with more than {MANY} contacts of points and spheres, far ones are "
        f"left out of a step, which that cannot do; {instead}"
    )


def _started(printer: CPrinter, start: Start) -> dict:
    """The tables of a start, and the drivers that hold what they find there."""
    return {
        "starts": list(NumberTables(printer).tables("state", start.state)) if start.state else [],
        "inputs_at_start": list(NumberTables(printer).tables("input", start.inputs)) if start.inputs else [],
        "held": [node for node in printer.groups.drivers() if node.name in start.held],
    }


def _checked_prefix(prefix: str) -> str:
    """The prefix, if symbols and files may begin with it. Raises SymviError."""
    try:
        return checked_name(prefix)
    except ValueError as error:
        raise SymviError(f"prefix {shown(prefix)} {error}") from None


def _choose(program: Program, layout: str) -> str:
    if layout not in (*LAYOUTS, "auto"):
        raise ArgumentError(f"layout {layout!r}: use 'auto', 'inline', 'unrolled' or 'looped'")
    if layout == "auto":
        return choose_layout(program)
    if is_too_large(layout, program):
        raise SymviError(
            f"layout 'inline' is for up to {LARGEST_INLINE // 1024} KB of machine code, and '{program.name}' would "
            f"come to about {inline_size(program) // 1024} KB: use 'unrolled' or 'looped'"
        )
    return layout


def declarations_of(header: str) -> str:
    """What cffi reads: the header between its two marks, without macros."""
    body = header.split("/* declarations begin */")[1].split("/* declarations end */")[0]
    lines = [line for line in body.splitlines() if not line.lstrip().startswith("#")]
    return re.sub(r"\b[A-Z0-9_]+_API\s+", "", re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.S))
