"""What serious users of C expect of generated text: no warning under strict flags in both precisions, no undefined
behaviour.

The contract of the export holds from the first day: C99, no heap, no globals, no recursion, no I/O, one prefix on all
symbols.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from symvi.numbers.control import SolverOptions
from symvi.simulate.simulator import Simulator
from symvi.simulate.solver_build import text_of
from tests.phenomena.test_compositions import driven_arm, driven_linkage
from tests.phenomena.test_rules import legged
from tests.simulate.test_golden import MECHANISMS
from tests.support.damped import arm

STRICT = (
    "-std=c99 -pedantic -Wall -Wextra -Werror -Wconversion -Wdouble-promotion -Wfloat-equal -Wfloat-conversion "
    "-Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla"
).split()
LAYOUTS = ("inline", "unrolled", "looped")
MAIN = """
#include <stdio.h>
#include <string.h>
#include "{name}.h"
static const double start[] = {{{values}}};
int main(void)
{{
    static {name}_parameters p; static {name}_state z; static {name}_input u[2]; static {name}_work w; static
    {name}_options o; static {name}_frame frames[5]; int done = 0; int status;
    memcpy(&z, start, sizeof z);
    {name}_parameters_default(&p); {name}_options_default(&o);
    status = {name}_rollout(&p, &o, &z, u, 0, &w, 200, 50, frames, &done, 0);
    printf("%d %d %.17g\\n", status, done, (double)frames[4].potential);
    return (status < 0) ? 1 : 0;
}}
"""


def written(folder: Path, name: str, layout: str, real: str, coordinates: str = "maximal") -> Path:
    for file, text in text_of(MECHANISMS[name](), layout, real, coordinates=coordinates).files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def need(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"needs the package {program}")
    return program


@pytest.mark.thorough
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strict_flags_find_nothing(tmp_path: Path, compiler: str, real: str, layout: str) -> None:
    for name, coordinates in product(MECHANISMS, ("maximal", "tree")):
        written(tmp_path, name, layout, real, coordinates)
        # gcc finds some of it while it optimises, clang while it reads
        how = ["-O1", "-c", "-o", f"{name}.o"] if compiler == "gcc" else ["-fsyntax-only"]
        command = [need(compiler), *STRICT, *how, f"{name}.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.thorough
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", ("arm", "loop", "simpson", "legged"))
def test_higher_orders_find_nothing(tmp_path: Path, compiler: str, name: str) -> None:
    """Inner steps, with inputs of their own and with derivatives; steps by a rule, with motors and free turns."""
    own = {"arm": (driven_arm, 4), "loop": (driven_linkage, 6), "simpson": (lambda: arm(servo=False), "simpson"),
           "legged": (legged, "midpoint")}  # fmt: skip
    make, order = own[name]
    files = text_of(make(), "looped", "double", coordinates="tree", order=order, slopes=()).files
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    source = next(file for file in files if file.endswith(".c"))
    command = [need(compiler), *STRICT, "-O1", "-c", "-o", "found.o", source]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.thorough
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sanitizers_find_nothing_and_results_agree(tmp_path: Path, layout: str) -> None:
    """Address and undefined-behaviour sanitisers over 200 steps; the potential energy equals the library's own run."""
    name = "pair"
    written(tmp_path, name, layout, "double")
    simulator = Simulator(MECHANISMS[name](), backend="c", coordinates="maximal")
    simulator.start(step=0.01)
    values = ", ".join(repr(float(x)) for x in simulator.engine.state)
    (tmp_path / "main.c").write_text(MAIN.format(name=name, values=values))
    flags = ["-std=c99", "-g", "-O0", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([need("gcc"), *flags, "main.c", f"{name}.c", "-lm", "-o", "run"], cwd=tmp_path, check=True)
    done = subprocess.run(["./run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    _, count, potential = done.stdout.split()
    _, steps, frames = simulator.engine.rollout(np.zeros((1, 0)), False, 200, 50, SolverOptions())
    assert int(count) == steps == 200
    assert float(potential) == frames[-1, simulator.plan.frame["potential"][0]]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_object_keeps_the_contract(tmp_path: Path, name: str) -> None:
    """Only prefixed symbols are exported, nothing writable is global, nothing is called but the C library's memcpy
    and root.
    """
    written(tmp_path, name, "looped", "double")
    subprocess.run([need("gcc"), "-std=c99", "-O2", "-fno-math-errno", "-c", f"{name}.c"], cwd=tmp_path, check=True)
    listing = subprocess.run(["nm", f"{name}.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        kind, symbol = line.split()[-2:]
        if kind == "T":
            assert symbol.startswith(f"{name}_")
        assert kind not in "BDbdC", f"writable global {symbol}"
        if kind == "U":
            assert symbol in ("memcpy", "memset", "sqrt"), f"calls {symbol}"


def test_names_and_banner(tmp_path: Path) -> None:
    """No date, no path, no host name; the same text every time."""
    texts = [text_of(MECHANISMS["arm"](), "unrolled", "double").files for _ in range(2)]
    assert texts[0] == texts[1]
    for text in texts[0].values():
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b|/home|/tmp|/work", text)
