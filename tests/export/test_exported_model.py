"""What a model is asked comes along with an export where it is wanted, and answers as in Python, to the bit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi import Simulator
from symvi.exporters import export
from symvi.mechanism import Mechanism, start_state
from tests.support import linkages
from tests.support.exported import quadruped, six_axis_arm
from tests.support.pendulums import chain
from tests.support.strict_c import STRICT

MAIN = """
#include "it.h"
#include "it_queries.h"
#include <stdio.h>
#include <stdlib.h>

static void show(int status, const double *values, int count)
{
    printf("%d", status);
    for (int n = 0; n < count; n++) {
        printf(" %.17g", values[n]);
    }
    printf("\\n");
}

int main(int count, char **words)
{
    enum { Q = IT_MODEL_COORDINATES, V = IT_MODEL_RATES, B = IT_MODEL_BODIES };
    static it_model_parameters p;
    static it_model_work w;
    static double given[Q + V + V], found[12*B + V*V + 6*V + 6];
    const double point[3] = { 0.1, 0.2, 0.3 };
    for (int n = 1; n < count; n++) {
        given[n - 1] = strtod(words[n], NULL);
    }
    it_model_parameters_default(&p);
    show(it_mass_matrix(&p, given, &w, found), found, V*V);
    show(it_bias(&p, given, given + Q, &w, found), found, V);
    show(it_inverse_dynamics(&p, given, given + Q, given + Q + V, &w, found), found, V);
    show(it_forward_dynamics(&p, given, given + Q, given + Q + V, &w, found), found, V);
    show(it_jacobian(&p, B - 1, point, given, &w, found), found, 6*V);
    show(it_total_momentum(&p, given, given + Q, &w, found), found, 6);
    show(it_center_of_mass(&p, given, &w, found), found, 3);
    show(it_center_of_mass_jacobian(&p, given, &w, found), found, 3*V);
    show(it_frames(&p, given, &w, found), found, 12*B);
    show(it_jacobian(&p, B, point, given, &w, found), found, 0);
    return 0;
}
"""
CASES = {"arm": six_axis_arm, "quadruped": quadruped, "four bar": linkages.four_bar, "rod": lambda: chain(1, angle=0.4)}


def built(mechanism: Mechanism, folder: Path) -> Path:
    """A program that answers, built by the export's own Makefile."""
    out = folder / "out"
    export(mechanism, out, prefix="it", measure=False, model=True)
    subprocess.run(["make", "-C", str(out), "all"], check=True, capture_output=True)
    strict = [
        "cc",
        *STRICT,
        "-I",
        str(out / "include"),
        "-c",
        str(out / "src/it_queries.c"),
        "-o",
        str(folder / "it.o"),
    ]
    done = subprocess.run(strict, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder / "main.c").write_text(MAIN)
    files = [str(folder / "main.c"), str(out / "build/libit_solver.a")]
    command = ["cc", "-std=c99", "-I", str(out / "include"), *files, "-lm", "-o", str(folder / "main")]
    subprocess.run(command, check=True)
    return folder / "main"


@pytest.mark.parametrize("case", CASES)
def test_the_exported_functions_answer_as_the_model_does(case: str, tmp_path: Path) -> None:
    mechanism = CASES[case]()
    model = Simulator(mechanism).model
    q, _ = model.coordinates(start_state(mechanism))
    rates, change = np.random.default_rng(2).uniform(-1, 1, (2, model.size[1]))
    words = [repr(float(x)) for x in (*q, *rates, *change)]
    run = subprocess.run([built(mechanism, tmp_path), *words], check=True, capture_output=True, text=True)
    lines = [np.array(line.split(), float) for line in run.stdout.splitlines()]
    wanted = [
        model.mass_matrix(q),
        model.bias(q, rates),
        model.inverse_dynamics(q, rates, change),
        model.forward_dynamics(q, rates, change),
        model.jacobian(model.bodies[-1], q, (0.1, 0.2, 0.3)),
        model.momentum(q, rates),
        model.centre_of_mass(q),
        model.centre_of_mass_jacobian(q),
        model.frames(q).poses,
    ]
    assert [line[0] for line in lines] == [0.0] * len(wanted) + [-3.0]
    for line, answer in zip(lines, wanted, strict=False):
        assert np.array_equal(line[1:], answer.ravel())


def test_without_it_an_export_is_as_before(tmp_path: Path) -> None:
    plain = export(six_axis_arm(), tmp_path / "plain", prefix="it", measure=False)
    whole = export(six_axis_arm(), tmp_path / "whole", prefix="it", measure=False, model=True)
    added = {"include/it_queries.h", "src/it_queries.c"}
    assert set(whole.files) - set(plain.files) == added and set(plain.files) < set(whole.files)
    for name in ("include/it.h", "src/it.c", "golden.csv"):
        assert (plain.folder / name).read_bytes() == (whole.folder / name).read_bytes()
    assert "queries" not in (plain.folder / "Makefile").read_text() + (plain.folder / "CMakeLists.txt").read_text()
