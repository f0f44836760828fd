"""Lean texts beside full ones: a program that takes the same steps with both, and prints every bit."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from symvi.emit.c import Sources, Start, generate
from symvi.mechanism import Mechanism
from symvi.program.precision import in_precision
from symvi.program.program import Program
from symvi.simulate.plan import plan_of
from symvi.simulate.solver_build import composed
from symvi.simulate.start import described_inputs, described_start

STEPPER = """\
#include <stdio.h>
#include <string.h>
#include "NAME.h"

static NAME_parameters p;
static NAME_options o;
static NAME_state z;
static NAME_input u;
static NAME_work w;
static NAME_info info;

/* memory that holds no number at all, before it is used: what a step reads it has written */
static void forget(void)
{
#ifdef LEAN
    memset(&w, 0xFF, sizeof w);
#endif
}

static void show(int status)
{
    unsigned long long hash = 14695981039346656037ull;
    for (unsigned int n = 0u; n < sizeof z.body / sizeof z.body[0]; n++) {
        NAME_real numbers[19];
        memcpy(numbers, z.body[n].x, sizeof z.body[n].x);
        memcpy(numbers + 3, z.body[n].q, sizeof z.body[n].q);
        memcpy(numbers + 7, z.body[n].p, sizeof z.body[n].p);
        memcpy(numbers + 10, z.body[n].l, sizeof z.body[n].l);
        memcpy(numbers + 13, z.body[n].v, sizeof z.body[n].v);
        memcpy(numbers + 16, z.body[n].w, sizeof z.body[n].w);
        for (unsigned int k = 0u; k < 19u; k++) {
            const NAME_real value = numbers[k] + 0; /* -0 becomes 0 */
            unsigned char bytes[sizeof value];
            memcpy(bytes, &value, sizeof value);
            for (unsigned int m = 0u; m < sizeof value; m++) {
                hash = (hash ^ bytes[m])*1099511628211ull;
            }
        }
    }
    printf("%d %016llx\\n", status, hash);
}

int main(void)
{
    NAME_real *const inputs = (NAME_real *)(void *)&u;
    int status;
    forget();
    status = NAME_init(&p, &o, &z, &u, &w);
    show(status);
    p.common[0].h = (NAME_real)STEP;
    for (int knot = 2; knot >= 0; knot--) {
        NAME_real change;
        forget();
        show(NAME_start(&p, &z, &u, &w, knot, &change));
    }
    forget();
    show(NAME_reset(&p, &o, &z, &u, &w));
    o.fixed_iterations = ITERATIONS;
    for (int n = 0; n < STEPS; n++) {
        for (int k = 0; k < INPUTS; k++) {
            inputs[k] += (NAME_real)((((n + 3*k) % 7) - 3)*SWING);
        }
        forget();
        status = NAME_step(&p, &o, &z, &u, &w, &info);
        printf("%d %.9g ", info.iterations, (status < 0) ? 0.0 : (double)info.increment);
        show(status);
    }
    return 0;
}
"""


@cache
def program(mechanism: Mechanism, coordinates: str, lean: bool) -> Program:
    return composed(mechanism, coordinates=coordinates, lean=lean)


def text(mechanism: Mechanism, real: str, coordinates: str, lean: bool, layout: str = "auto") -> Sources:
    """The text of a mechanism, lean or full, with steps of two iterations."""
    found = program(mechanism, coordinates, lean)
    plan = plan_of(in_precision(found, real))
    start = Start(described_start(mechanism, plan), *described_inputs(mechanism, plan))
    return generate(found, layout=layout, real=real, start=start, fixed_iterations=2, substeps=1)


def stepped(folder: Path, sources: Sources, *, lean: bool, inputs: int, step: float = 0.01, steps: int = 200,
            iterations: int = 2, swing: float = 1e-3, flags: tuple[str, ...] = ()) -> list[str]:  # fmt: skip
    """What the program prints: the starts, then for every step its iterations, increment, status and bits."""
    folder.mkdir(exist_ok=True, parents=True)
    for name, contents in sources.files.items():
        (folder / name).write_text(contents, encoding="utf-8")
    main = STEPPER.replace("NAME", sources.name)
    for what, value in {
        "STEPS": steps,
        "STEP": step,
        "ITERATIONS": iterations,
        "INPUTS": inputs,
        "SWING": swing,
    }.items():
        main = main.replace(what, str(value))
    (folder / "main.c").write_text(main, encoding="utf-8")
    command = ["cc", "-std=c99", "-O1", "-ffp-contract=off", *(["-DLEAN"] if lean else []), *flags, "main.c",
               f"{sources.name}.c", "-lm", "-o", "stepper"]  # fmt: skip
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return subprocess.run([folder / "stepper"], check=True, capture_output=True, text=True).stdout.splitlines()
