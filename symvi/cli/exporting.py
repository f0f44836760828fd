"""The command export: a mechanism's solver as a folder for a firmware project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from symvi.cli.commands import (
    Coordinates,
    FixedIterations,
    Layout,
    Loops,
    Order,
    Real,
    Rule,
    Settings,
    Solver,
    Substeps,
)
from symvi.cli.console import building, command
from symvi.cli.importing import takes_mechanism
from symvi.cli.setting import set_numbers
from symvi.numbers.control import DEFAULTS

if TYPE_CHECKING:
    from symvi.importers import Imported


@command
@takes_mechanism
def export(
    console: Console,
    imported: Imported,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="PATH", help="The folder to write; or one exported before.")
    ],
    target: Annotated[str, typer.Option(help="What for: c, a folder for firmware.")] = "c",
    real: Real = "double",
    layout: Layout = "auto",
    fixed_iterations: FixedIterations = 0,
    substeps: Substeps = DEFAULTS.substeps,
    prefix: Annotated[str | None, typer.Option(help="Of every symbol; the mechanism's name if left out.")] = None,
    step: Annotated[float, typer.Option(help="Time step of the defaults and of the self-test, in seconds.")] = 0.01,
    loops: Loops = "drop-redundant",
    coordinates: Coordinates = "auto",
    order: Order = "2",
    rule: Rule = None,
    solver: Solver = "newton",
    set_: Settings = None,
    max_text: Annotated[int | None, typer.Option(help="Refuse more code and constants, in bytes.")] = None,
    max_ram: Annotated[int | None, typer.Option(help="Refuse more structs and stack, in bytes.")] = None,
    measure: Annotated[bool, typer.Option(help="Measure size, stack and instructions on emulated boards.")] = True,
    model: Annotated[bool, typer.Option(help="Add mass matrix, inverse dynamics, Jacobians, ...")] = False,
    slopes: Annotated[
        bool, typer.Option(help="Add derivatives of a step: PREFIX_tangent, PREFIX_adjoint, PREFIX_linearize.")
    ] = False,
    lean: Annotated[
        bool, typer.Option(help="Starts and steps of --fixed-iterations alone, in the least memory.")
    ] = False,
) -> Mapping[str, Any]:
    """Write a mechanism's solver as a folder: sources, build files, self-test, figures."""
    from symvi.exporters import export as write

    imported = set_numbers(imported, set_, loops)
    with building(console, f"exporting {imported.mechanism.name}"):
        exported = write(
            imported.mechanism,
            output,
            target=target,
            real=real,
            layout=layout,
            fixed_iterations=fixed_iterations,
            substeps=substeps,
            prefix=prefix,
            step=step,
            loops=loops,
            coordinates=coordinates,
            order=order,
            rule=rule,
            solver=solver,
            max_text=max_text,
            max_ram=max_ram,
            measure=measure,
            model=model,
            slopes=slopes,
            lean=lean,
        )
    manifest, folder = exported.manifest, Path(output)
    for name in exported.files:
        console.print(str(folder / name), highlight=False, markup=False, soft_wrap=True)
    for line in _figures(manifest):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    keys = ("prefix", "real", "layout", "memory", "golden", "boards")
    return {"folder": folder.resolve(), "files": exported.files} | {key: manifest[key] for key in keys}


def _figures(manifest: Mapping[str, Any]) -> list[str]:
    """What a reader wants to know first: memory, golden hash, and on boards text, stack, instructions."""
    bytes_of = {name: figure["value"] for name, figure in manifest["memory"].items()}
    lines = [f"structs: {sum(bytes_of.values())} B ({', '.join(f'{k} {v}' for k, v in bytes_of.items())})"]
    golden = manifest["golden"][manifest["real"]]
    lines.append(f"golden hash: {_shown(golden)}")
    for name, count in golden.get("warnings", {}).items():
        lines.append(f"{count} of {golden['steps']} steps: {manifest['status'][name]['meaning']}")
    if "ended early" in golden:
        lines.append(f"the self-test is short: {golden['ended early']}; a smaller --step may help")
    for board, figures in manifest["boards"].items():
        wanted = [name for name in ("text", "stack painted", "instructions per step") if name in figures]
        lines += [f"{board}: {name}: {_shown(figures[name])}" for name in wanted or figures]
        if figures.get("golden", {}).get("value", golden.get("value")) != golden.get("value"):
            lines.append(f"{board}: golden hash: {figures['golden']['value']}, NOT that of the simulator")
    return lines


def _shown(figure: Mapping[str, Any]) -> str:
    if "not measured" in figure:
        return f"not measured ({figure['not measured']})"
    value = figure["value"]
    if isinstance(value, Mapping):
        return f"{value['a']} + {value['b']} x iterations"
    return str(value) if figure["unit"] == "hash" else f"{value} {figure['unit']}"
