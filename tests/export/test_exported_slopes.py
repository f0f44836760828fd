"""Derivatives of a step come along with an export where they are wanted: the simulator's, by the manifest's names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi import Simulator, SymviError
from symvi.exporters import export
from symvi.exporters.measure.board_build import compile_object, link
from symvi.exporters.measure.boards import BOARDS
from symvi.exporters.measure.emulator import emulate
from symvi.mechanism import Mechanism
from tests.export.boards import needs_boards
from tests.slopes.test_composite import branches
from tests.support import linkages
from tests.support.exported import six_axis_arm
from tests.support.slope_scenes import scene
from tests.support.strict_c import STRICT
from tests.support.subset import only

STEP, BEFORE, SMOOTHING = 0.01, 5, 1e-3
MAIN = """
#include "it.h"
#include <stdio.h>

int main(void)
{
    enum { N = IT_STATES, M = IT_INPUTS };
    static it_parameters p;
    static it_options o;
    static it_state z;
    static it_input u[1];
    static it_work w;
    static it_slopes q;
    static it_info info;
    static double A[N*N];
    static double B[N*(M + 1)];
    int status = it_init(&p, &o, &z, u, &w);
    for (int n = 0; (n < BEFORE) && (status >= 0); n++) {
        status = it_step(&p, &o, &z, u, &w, &info);
    }
    SETTING
    if (status >= 0) {
        status = it_linearize(&p, &o, &z, u, &w, &q, A, B);
    }
    for (int n = 0; n < (N*N); n++) {
        printf("%.17g ", A[n]);
    }
    for (int n = 0; n < (N*M); n++) {
        printf("%.17g ", B[n]);
    }
    return (status < 0) ? 1 : 0;
}
"""
# w . (J d) and (J' w) . d, and their difference of the sum of all products' sizes: of a step, and of rates at its end
ADJOINT = """
#include "it.h"
#include <stdio.h>

static double number(unsigned *seed)
{
    *seed = (*seed*1664525u) + 1013904223u;
    return ((double)(*seed >> 8)/8388608.0) - 1.0;
}

static void fill(double *values, unsigned long bytes, unsigned seed)
{
    for (unsigned long n = 0u; n < (bytes/sizeof(double)); n++) {
        values[n] = number(&seed);
    }
}

static double products(const double *a, const double *b, unsigned long bytes, double *size)
{
    double sum = 0.0;
    for (unsigned long n = 0u; n < (bytes/sizeof(double)); n++) {
        const double one = a[n]*b[n];
        sum += one;
        *size += (one < 0.0) ? -one : one;
    }
    return sum;
}

int main(void)
{
    static it_parameters p;
    static it_options o;
    static it_state z;
    static it_state before;
    static it_input u[1];
    static it_work w;
    static it_info info;
    static it_tape tape;
    static it_column d;
    static it_column moved;
    static it_column back;
    double size = 0.0;
    double forwards;
    double backwards;
    int status = it_init(&p, &o, &z, u, &w);
    o.tolerance = 1e-12;
    for (int n = 0; (n <= BEFORE) && (status >= 0); n++) {
        before = z;
        status = it_step(&p, &o, &z, u, &w, &info);
    }
    if ((status < 0) || !(it_settle(&p, &before, u, &w, 1e-3) < 1e-9)) {
        return 1;
    }
    it_record(&p, &before, u, &w, &tape, 1);
    fill((double *)&d.state, sizeof d.state, 1u);
    fill((double *)&back.state, sizeof back.state, 2u);
    moved = d;
    it_tangent(&tape, &moved);
    forwards = products((const double *)&back.state, (const double *)&moved.state, sizeof d.state, &size);
    it_adjoint(&tape, &back);
    backwards = products((const double *)&back.state, (const double *)&d.state, sizeof d.state, &size);
    printf("%.17g %.17g %.3g\\n", forwards, backwards, (forwards - backwards)/size);
    return ((forwards - backwards)*(forwards - backwards) <= (1e-24*size*size)) ? 0 : 2;
}
"""
CASES = {
    "branches": (branches, "looped", "tree"),
    "pair": (lambda: scene("pair")[0], "inline", "maximal"),
    "arm": (six_axis_arm, "looped", "tree"),
    "servo": (lambda: scene("servo")[0], "inline", "maximal"),
    "balls": (lambda: scene("balls")[0], "unrolled", "tree"),
    "four_bar": (linkages.four_bar, "looped", "tree"),
    "driven": (lambda: scene("driven")[0], "inline", "maximal"),
    "geared": (lambda: scene("geared")[0], "unrolled", "tree"),
    "free": (lambda: scene("free")[0], "looped", "maximal"),
    "sphere": (lambda: scene("sphere")[0], "unrolled", "tree"),
    "governor": (lambda: scene("governor")[0], "looped", "tree"),
    "slider_crank": (lambda: scene("slider_crank")[0], "looped", "maximal"),
}


WARNED = ("branches", "four_bar")  # compiled so that gcc sees more to warn of, which takes a while


def written(mechanism: Mechanism, folder: Path, layout: str, coordinates) -> dict:
    """What an export's manifest says of slopes, and the inputs that its caller, which lies beside it, holds."""
    made = export(
        mechanism,
        folder / "it",
        prefix="it",
        layout=layout,
        coordinates=coordinates,
        step=STEP,
        measure=False,
        slopes=True,
    )
    setting = f"o.complementarity = {SMOOTHING};" if mechanism.contacts else ""
    (folder / "main.c").write_text(MAIN.replace("BEFORE", str(BEFORE)).replace("SETTING", setting))
    held = {each["name"]: each["value"] for each in made.manifest["inputs"]}
    return made.manifest["slopes"] | {"held": held}


@pytest.mark.parametrize("name", only(["branches", "four_bar", "driven", "free", "sphere"], CASES))
def test_the_export_linearises_as_the_simulator_does(tmp_path: Path, name: str) -> None:
    make, layout, coordinates = CASES[name]
    told = written(make(), tmp_path, layout, coordinates)
    flags = [*STRICT, "-O1" if name in WARNED else "-O0", "-Iit/include"]
    subprocess.run(["gcc", *flags, "main.c", "it/src/it.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
    numbers, n, m = np.array(done.stdout.split(), float), len(told["states"]), len(told["inputs"])
    a, b = numbers[: n * n].reshape(n, n), numbers[n * n :].reshape(n, m)
    simulator = Simulator(make(), coordinates=coordinates)
    held = told["held"]
    motion = simulator.simulate(BEFORE * STEP, STEP, inputs=held)
    smoothing = {"smoothing": SMOOTHING} if simulator.mechanism.contacts else {}
    found = simulator.linearize(motion, held, step=STEP, **smoothing)
    order = [told["states"].index(each) for each in found.names]
    assert sorted(order) == list(range(n)) and list(found.inputs) == told["inputs"]
    np.testing.assert_allclose(a[np.ix_(order, order)], found.A, rtol=0, atol=1e-9 * np.abs(found.A).max())
    np.testing.assert_allclose(b[order], found.B, rtol=0, atol=1e-9)


ADJOINTS = {
    "servo": (lambda: scene("servo")[0], "inline", "maximal"),
    "four_bar": (linkages.four_bar, "looped", "tree"),
    "driven": (lambda: scene("driven")[0], "unrolled", "maximal"),
    "sphere": (lambda: scene("sphere")[0], "inline", "maximal"),
}


def adjoint(name: str, folder: Path) -> dict:
    """An export and a caller of its adjoint."""
    make, layout, coordinates = ADJOINTS[name]
    told = written(make(), folder, layout, coordinates)
    (folder / "main.c").write_text(ADJOINT.replace("BEFORE", str(BEFORE)))
    return told


@pytest.mark.parametrize("name", only(["servo"], ADJOINTS))
def test_the_export_goes_forwards_and_backwards(tmp_path: Path, name: str) -> None:
    """Loops, drivers and contacts too."""
    told = adjoint(name, tmp_path)
    assert len(told["states"]) > 1
    sanitized = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if name == "sphere" else []
    flags = [*STRICT, "-O1", "-Iit/include", *sanitized]
    subprocess.run(["gcc", *flags, "main.c", "it/src/it.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_boards
@pytest.mark.thorough
@pytest.mark.parametrize("way", ["back", "matrices"])
def test_a_board_finds_the_same_slopes(tmp_path: Path, way: str) -> None:
    """An emulated Cortex-M7 prints the digits of this processor: no operation is contracted."""
    if way == "back":
        adjoint("driven", tmp_path)
    else:
        written(linkages.four_bar(), tmp_path, "looped", "tree")
    shutil.copy(tmp_path / "it" / "src" / "it.c", tmp_path)
    board = BOARDS["cortex-m7"]
    for file in ("main", "it"):
        compile_object(board, file, tmp_path, ("-Iit/include",))
    printed = emulate(board, link(board, ("main", "it"), tmp_path).path)
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-Iit/include"]
    subprocess.run(["gcc", *flags, "main.c", "it.c", "-lm", "-o", "host"], cwd=tmp_path, check=True)
    host = subprocess.run(["./host"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    count = 2 if way == "back" else 4
    numbers = [[float(word) for word in text.split()[:count]] for text in (printed, host)]  # one prints a digit less
    assert len(numbers[0]) == count and numbers[0] == numbers[1]


def test_what_the_function_is_not_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SymviError, match="computed in double, not in float"):
        export(six_axis_arm(), tmp_path / "float", real="float", measure=False, slopes=True)
    with pytest.raises(SymviError, match="these are of 'suzuki-4'; use order 2"):
        export(six_axis_arm(), tmp_path / "fourth", order=4, measure=False, slopes=True)
    with pytest.raises(SymviError, match="slopes 1: must be True or False"):
        export(six_axis_arm(), tmp_path / "number", measure=False, slopes=1)  # pyright: ignore[reportArgumentType]
