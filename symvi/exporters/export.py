"""From a mechanism to a folder: check what is asked, let a target write, put the folder in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from symvi.errors import SymviError
from symvi.exporters.folder import check_replaceable, staged
from symvi.exporters.request import Request
from symvi.exporters.targets import target as target_named
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path
from symvi.mechanism.mechanism import HasMechanism
from symvi.numbers.control import DEFAULTS
from symvi.simulate.orders import name_of

__all__ = ["Exported", "export"]


@dataclass(frozen=True)
class Exported:
    """An exported folder: where it lies, what manifest.json says, its files (paths inside the folder, sorted)."""

    folder: Path
    manifest: Mapping[str, Any]
    files: tuple[str, ...]


def export(
    mechanism: Mechanism | HasMechanism,
    folder: str | PathLike[str],
    *,
    target: str = "c",
    real: str = "double",
    layout: str = "auto",
    fixed_iterations: int = 0,
    substeps: int = DEFAULTS.substeps,
    prefix: str | None = None,
    step: float = 0.01,
    loops: str = "drop-redundant",
    coordinates: Literal["auto", "maximal", "tree"] = "auto",
    max_text: int | None = None,
    max_ram: int | None = None,
    measure: bool = True,
    model: bool = False,
    slopes: bool = False,
    order: int | str = 2,
    rule: str | None = None,
    solver: str = "newton",
    lean: bool = False,
) -> Exported:
    """Write a mechanism's solver as a folder for a firmware project: sources, build files, self-test, figures.

    The text is that of `symvi generate`, which the simulator runs. Its self-test repeats 1000 steps from the start of
    the description, driven by its signals, and compares every bit with what the simulator has found here.

    folder: is made, or was exported before and is unchanged since; it appears whole or not at all. target: "c".
    real: "double" or "float". layout, loops, coordinates, order, rule, solver: as for Simulator. fixed_iterations: of
    Newton in every step, for constant time; 0: until it converges. substeps: parts that a step which fails may be split
    into; 1: none. prefix: of every symbol and file, default the mechanism's name. step: the time step of the exported
    defaults and of the self-test [s].
    max_text, max_ram: budgets of memory [bytes] on the smallest board that computes in `real` in hardware (Cortex-M4F
    for float, Cortex-M7 for double). measure: False leaves the boards' figures out, which is quicker. model: True adds
    what a model is asked in joint coordinates, PREFIX_mass_matrix(...) and others, in a header and a source of its own.
    slopes: True adds derivatives of a step, in double: PREFIX_tangent and PREFIX_adjoint along one direction, and the
    matrices, PREFIX_linearize; the manifest names their states and inputs. lean: True leaves starts and steps
    alone, in the least memory: exactly `fixed_iterations` of Newton each, never in parts, and nothing that reads a
    motion but its state. They are those of the same export without it, to the bit.

    Raises SymviError: an unknown target, a prefix that is no name in C, a folder that holds other files, a budget that
    is not met (with what would fit) or cannot be checked, a motion that fails within the self-test; CompilerError where
    a C compiler fails.
    """
    mechanism = Mechanism.of(mechanism)
    write = target_named(target).write
    name = mechanism.name if prefix is None else prefix
    request = Request(
        mechanism, real, layout, fixed_iterations, substeps, name, step, loops, coordinates, max_text, max_ram, measure,
        model, slopes, name_of(order, rule, solver) or 2, lean,
    )  # fmt: skip
    place = checked_path(folder)
    if not fspath(folder):
        raise SymviError("the folder to write has an empty name; give one")
    check_replaceable(place)
    with staged(place) as stage:
        manifest = write(request, stage)
        files = tuple(sorted(path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file()))
    return Exported(place, manifest, files)
