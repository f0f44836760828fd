"""Machine instructions of a step, counted: a + b x iterations per link. No noise of the machine is in them.

A C program that runs the same 20 steps to a coarse and to a fine tolerance gives a (once a step) and b (a Newton
iteration); one that runs none is subtracted. `perf stat` counts where it may, else valgrind. The code is compiled for
one kind of processor (x86-64-v3), so that the counts belong to the compiler and not to this machine.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from _benchmark import Report, run
from _chains import chain

from symvi.errors import SymviError
from symvi.native import find_compiler
from symvi.native.command import run_compiler
from symvi.native.flags import profile_flags
from symvi.program.info import ITERATION
from symvi.simulate import Simulator
from symvi.simulate.solver_build import composed

STEP, STEPS, COARSE, FINE = 0.01, 20, 0.9, 1e-10
FROM, FLAT = 10, 0.1
PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include "NAME.h"

static NAME_parameters p;
static NAME_state z;
static NAME_input u;
static NAME_work w;

static void load(const char *name, void *place, size_t size)
{
    FILE *file = fopen(name, "rb");
    if (!file || fread(place, size, 1, file) != 1) {
        exit(1);
    }
    fclose(file);
}

int main(int count, char **arguments)
{
    int iterations = 0;
    NAME_options o;
    NAME_info info;
    load("parameters", &p, sizeof p);
    load("state", &z, sizeof z);
    NAME_options_default(&o);
    o.tolerance = atof(arguments[1]);
    for (int n = 0; n < atoi(arguments[count - 1]); n++) {
        if (NAME_step(&p, &o, &z, &u, &w, &info) < 0) {
            return 1;
        }
        iterations += info.iterations;
    }
    printf("%d", iterations);
    return 0;
}
"""


class Count(NamedTuple):
    """Instructions of one link: once a step, in an iteration; iterations per step at the fine tolerance."""

    once: float
    iteration: float
    iterations: float


def tool() -> tuple[list[str], str]:
    """The command that counts instructions, and the pattern of its figure. Raises SymviError where there is none."""
    perf = ["perf", "stat", "-x;", "-e", "instructions:u"]
    if shutil.which("perf"):
        trial = subprocess.run([*perf, "true"], capture_output=True, text=True, check=False)
        if re.search(r"^\d+;", trial.stderr, re.M):
            return perf, r"^(\d+);"
    if shutil.which("valgrind"):
        return [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ], r"I\s+refs:\s+([\d,]+)"
    raise SymviError("instructions are counted by perf, where the machine lets it, or by valgrind; install valgrind")


def build(kind: str, links: int, layout: str, folder: Path) -> None:
    """Compile the program and write its start into a folder."""
    simulator = Simulator(chain(links, kind), layout=layout, backend="c", coordinates="maximal")
    simulator.start(step=STEP)
    for file, text in simulator.text.files.items():
        (folder / file).write_text(text, encoding="utf-8")
    (folder / "main.c").write_text(PROGRAM.replace("NAME", simulator.text.prefix), encoding="utf-8")
    simulator.engine.parameters.tofile(folder / "parameters")
    simulator.engine.state.tofile(folder / "state")
    compiler = find_compiler()
    flags = [flag for flag in profile_flags(compiler.kind, "reproducible") if flag not in ("-shared", "-fPIC")]
    if compiler.kind != "tcc" and platform.machine().lower() in ("x86_64", "amd64"):
        flags = [flag for flag in flags if not flag.startswith(("-march", "-mcpu"))] + ["-march=x86-64-v3"]
    run_compiler(compiler.command, (*flags, "-o", "main", "main.c", f"{simulator.text.prefix}.c", "-lm"), folder)


def instructions(folder: Path, tolerance: float, steps: int) -> tuple[int, int]:
    """(instructions of a run, its iterations)."""
    command, figure = tool()
    job = [*command, "./main", str(tolerance), str(steps)]
    done = subprocess.run(job, cwd=folder, capture_output=True, text=True, check=True)
    return int(re.search(figure, done.stderr, re.M).group(1).replace(",", "")), int(done.stdout)


def count(kind: str, links: int, layout: str) -> Count:
    """What a link costs in a chain."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(kind, links, layout, folder)
        nothing, _ = instructions(folder, FINE, 0)
        coarse, few = instructions(folder, COARSE, STEPS)
        fine, many = instructions(folder, FINE, STEPS)
    each = (fine - coarse) / (many - few) / links
    return Count((fine - nothing - each * many * links) / STEPS / links, each, many / STEPS)


def measure(report: Report) -> None:
    counts = (1,) if report.quick else (1, 2, 5, 10, 20, 50, 100)
    rows = []
    for kind in ("revolute",) if report.quick else ("revolute", "spherical"):
        operations = {}
        for links in counts:
            program = composed(chain(links, kind), coordinates="maximal")
            operations[links] = sum(program.flops(phase) for phase in ITERATION) / links
        for layout in ("unrolled", "looped"):
            for links in counts:
                if layout == "looped" or links <= 20:
                    c = count(kind, links, layout)
                    rows.append((kind, layout, links, c.once, c.iteration, operations[links],
                                 c.iteration / operations[links], c.iterations))  # fmt: skip
    head = ("joint", "layout", "links", "once a step", "per iteration", "operations", "each operation", "iterations")
    report.table(f"instructions per link, {find_compiler().version}, counted by {tool()[0][0]}", head, rows)
    for kind in ("revolute", "spherical"):
        long = {row[2]: row[4] for row in rows if row[:2] == (kind, "looped") and row[2] >= FROM}
        if long:
            change = max(abs(each / long[FROM] - 1) for each in long.values())
            report.at_most(f"{kind}, looped: a link's iteration, {FROM} to {max(long)} links, change", change, FLAT)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
