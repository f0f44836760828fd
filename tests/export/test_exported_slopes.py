"""Derivatives of a step come along with an export where they are wanted: the simulator's, by the manifest's names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi import Simulator, SymviError
from symvi.exporters import export
from symvi.mechanism import Mechanism
from tests.slopes.test_composite import branches
from tests.support import linkages
from tests.support.exported import six_axis_arm
from tests.support.slope_scenes import scene
from tests.support.strict_c import STRICT

STEP, BEFORE = 0.01, 5
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
CASES = {
    "branches": (branches, "looped", "tree"),
    "pair": (lambda: scene("pair")[0], "inline", "maximal"),
    "arm": (six_axis_arm, "looped", "tree"),
    "servo": (lambda: scene("servo")[0], "inline", "maximal"),
    "balls": (lambda: scene("balls")[0], "unrolled", "tree"),
}


def written(mechanism: Mechanism, folder: Path, layout: str, coordinates) -> dict:
    """The manifest of an export; its caller lies beside it."""
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
    (folder / "main.c").write_text(MAIN.replace("BEFORE", str(BEFORE)))
    return dict(made.manifest["slopes"])


@pytest.mark.parametrize("name", CASES)
def test_the_export_linearises_as_the_simulator_does(tmp_path: Path, name: str) -> None:
    make, layout, coordinates = CASES[name]
    told = written(make(), tmp_path, layout, coordinates)
    flags = [*STRICT, "-O1", "-Iit/include"]
    subprocess.run(["gcc", *flags, "main.c", "it/src/it.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
    numbers, n, m = np.array(done.stdout.split(), float), len(told["states"]), len(told["inputs"])
    a, b = numbers[: n * n].reshape(n, n), numbers[n * n :].reshape(n, m)
    simulator = Simulator(make(), coordinates=coordinates)
    found = simulator.linearize(simulator.simulate(BEFORE * STEP, STEP), step=STEP)
    order = [told["states"].index(each) for each in found.names]
    assert sorted(order) == list(range(n)) and list(found.inputs) == told["inputs"]
    np.testing.assert_allclose(a[np.ix_(order, order)], found.A, rtol=0, atol=1e-9 * np.abs(found.A).max())
    np.testing.assert_allclose(b[order], found.B, rtol=0, atol=1e-9)


def test_what_the_function_is_not_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SymviError, match="'four_bar' is none"):
        export(linkages.four_bar(), tmp_path / "loop", measure=False, slopes=True)
    with pytest.raises(SymviError, match="computed in double, not in float"):
        export(six_axis_arm(), tmp_path / "float", real="float", measure=False, slopes=True)
    with pytest.raises(SymviError, match="these are of 'suzuki-4'; use order 2"):
        export(six_axis_arm(), tmp_path / "fourth", order=4, measure=False, slopes=True)
    with pytest.raises(SymviError, match="slopes 1: must be True or False"):
        export(six_axis_arm(), tmp_path / "number", measure=False, slopes=1)  # pyright: ignore[reportArgumentType]
