"""Inline, unrolled, looped: text, machine code, time of compilation and of a step, with every compiler of this machine.

A star marks the layout that "auto" chooses: inline while the machine code fits the nearest cache (32 KB, estimated from
the operations), unrolled up to twelve bodies, looped beyond. Code is what `size` calls text, constants included.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from _benchmark import Report, run
from _chains import chain
from _measure import Rollout, pin, take_turns

from symvi.emit.c import generate
from symvi.emit.layouts import LAYOUTS, choose_layout, inline_size, is_too_large
from symvi.native import Compiler, compile_library, load_library
from symvi.native.command import CompilationError
from symvi.native.compiler import identify, usual_commands
from symvi.program.program import Program
from symvi.simulate import Simulator
from symvi.simulate.engine import CEngine
from symvi.simulate.solver_build import composed, text_of

STEP = 0.01
HEAD = ("joint", "links", "layout", "auto", "compiler", "operations", "text KB", "code KB", "object KB", "compile s",
        "ns/step/link")  # fmt: skip


def compilers() -> list[Compiler]:
    """The compilers of this machine, one of each kind."""
    found: dict[str, Compiler] = {}
    for command in usual_commands():
        try:
            compiler = identify(command)
        except CompilationError:
            continue
        found.setdefault(compiler.kind, compiler)
    return list(found.values())


def code_size(library: Path) -> float | None:
    """Machine code and constants of a library [KB], where the program `size` is."""
    if shutil.which("size") is None:
        return None
    sizes = subprocess.run(["size", library], check=True, capture_output=True, text=True).stdout
    return int(sizes.splitlines()[1].split()[0]) / 1024


def variants(
    kind: str, count: int, program: Program, steps: int, used: list[Compiler]
) -> Iterator[tuple[tuple, Rollout]]:
    """A row of the table without its last figure, and what that is measured with."""
    mechanism = chain(count, kind)
    operations = sum(program.flops(phase) for phase in program.phases)
    for layout in LAYOUTS:
        if is_too_large(layout, program):
            continue
        text = text_of(mechanism, layout, coordinates="maximal")
        size = sum(map(len, text.files.values())) / 1024
        for compiler in used:
            before = perf_counter()
            library = compile_library(text.files, text.prefix, compiler=compiler, cache=False)
            seconds = perf_counter() - before
            simulator = Simulator(mechanism, layout=layout, backend="c", coordinates="maximal")
            simulator.engine = CEngine(text.plan, load_library(library, text.declarations), text.prefix, text.real)
            star = "*" if layout == choose_layout(program) else ""
            row = (kind, count, layout, star, compiler.kind, operations, size, code_size(library),
                   library.stat().st_size / 1024, seconds)  # fmt: skip
            yield row, Rollout(simulator, steps, STEP)


def switches(kind: str) -> list[tuple]:
    """Where "auto" changes its mind, along chains that grow."""
    rows, last = [], ""
    for count in range(1, 17):
        program = composed(chain(count, kind), coordinates="maximal")
        layout = generate(program).layout
        if layout != last:
            rows.append((kind, count, layout, inline_size(program) / 1024))
        last = layout
    return rows


def measure(report: Report) -> None:
    pin()
    counts, steps, repeats = ((1,), 2, 2) if report.quick else ((1, 2, 3, 6, 12, 50), 100, 9)
    used = compilers()[:1] if report.quick else compilers()
    for kind in ("revolute",) if report.quick else ("revolute", "spherical"):
        rows = []
        for count in counts:
            several = list(variants(kind, count, composed(chain(count, kind), coordinates="maximal"), steps, used))
            times = take_turns({str(k): rollout for k, (_, rollout) in enumerate(several)}, repeats)
            rows += [
                (*row, times[str(k)].least / steps / count * 1e9) for k, (row, _) in enumerate(several)
            ]  # fmt: skip
        report.table(f"{kind} chains, steps of {STEP} s", HEAD, rows)
    changes = [row for kind in ("revolute", "spherical") for row in switches(kind)]
    report.table('"auto" along chains', ("joint", "from links", "layout", "inline would be KB"), changes)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
