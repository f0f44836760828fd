"""Sines and cosines without a C library: near the true ones, the same bits in Python and with every compiler."""

import ctypes
import math
import shutil
import struct
import subprocess
from pathlib import Path

import mpmath
import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.emit import sines
from symvi.emit.c_printer import CPrinter
from symvi.emit.c_view import _angle_numbers
from symvi.emit.templates import environment
from symvi.mechanism import Mechanism

COMPILERS = {"gcc": ("-O0", "-O2"), "clang": ("-O0", "-O2"), "tcc": ("-O0",)}
ULPS = 1.0  # stated in emit/sines.py
FAR = {"double": 1e6, "float": 8e3}  # quarters of a turn


def arguments(real: str) -> np.ndarray:
    """Small and large, both signs, beside multiples of an eighth of a turn."""
    random, kind = np.random.default_rng(1), {"double": np.float64, "float": np.float32}[real]
    beside = np.arange(-4000, 4000) * (math.pi / 4)
    found = [random.uniform(-1, 1, 4000), random.uniform(-1, 1, 4000) * FAR[real] * 1.57, beside]
    found += [10.0 ** random.uniform(-30, 0, 1000), beside * (1 + random.uniform(-1e-6, 1e-6, len(beside)))]
    return np.concatenate([*found, [0.0, -0.0, math.pi, math.pi / 2]]).astype(kind)


def text(real: str) -> str:
    """The printed functions, and two that other programs can call."""
    from symvi.program.compose import compose

    printer = CPrinter(compose(Mechanism.from_file(demo_file("pendulum"))), "some", real)
    view = {"literal": printer.literal, "sines": ["sin", "cos"], **_angle_numbers(printer)}
    body = environment("c").get_template("sine.c.jinja").render(view)
    return f"typedef {real} real;\n{body}\n" + "".join(
        f"real own_{name}(real x) {{ return {name}_of(x); }}\n" for name in ("sine", "cosine")
    )


def library(folder: Path, real: str, compiler: str, flag: str) -> ctypes.CDLL:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs the package {compiler}")
    (folder / "sine.c").write_text(text(real))
    flags = ["-std=c99", "-shared", "-fPIC", flag, *(["-ffp-contract=off"] if compiler != "tcc" else [])]
    subprocess.run([compiler, *flags, "sine.c", "-o", "sine.so"], cwd=folder, check=True)
    found = ctypes.CDLL(str(folder / "sine.so"))
    kind = {"double": ctypes.c_double, "float": ctypes.c_float}[real]
    for function in (found.own_sine, found.own_cosine):
        function.argtypes, function.restype = [kind], kind
    return found


def errors(values: np.ndarray, x: np.ndarray, exact) -> float:
    """The largest distance to the exact values, in units of their last place."""
    worst = 0.0
    for value, argument in zip(values, x, strict=True):
        true = exact(mpmath.mpf(float(argument)))
        unit = np.spacing(np.abs(x.dtype.type(float(true))))
        worst = max(worst, float(abs(mpmath.mpf(float(value)) - true) / mpmath.mpf(float(unit))))
    return worst


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
def test_errors_are_below_a_unit_in_the_last_place(real: str, tmp_path: Path) -> None:
    """Against mpmath at 60 digits, up to the arguments that are said."""
    own, x = library(tmp_path, real, "gcc", "-O2"), arguments(real)
    with mpmath.workdps(60):
        assert errors(np.array([own.own_sine(float(v)) for v in x], x.dtype), x, mpmath.sin) < ULPS
        assert errors(np.array([own.own_cosine(float(v)) for v in x], x.dtype), x, mpmath.cos) < ULPS


@pytest.mark.parametrize("compiler, flag", [(name, flag) for name, flags in COMPILERS.items() for flag in flags])
def test_compilers_and_python_give_the_same_bits(compiler: str, flag: str, tmp_path: Path) -> None:
    own, x = library(tmp_path, "double", compiler, flag), arguments("double")
    for function, python in ((own.own_sine, sines.sine), (own.own_cosine, sines.cosine)):
        for value in x.tolist():
            assert struct.pack("d", function(value)) == struct.pack("d", python(value)), value


@pytest.mark.parametrize("compiler, flag", [("clang", "-O2"), ("tcc", "-O0"), ("gcc", "-O0")])
def test_compilers_give_the_same_bits_in_float(compiler: str, flag: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first, second = library(tmp_path, "float", "gcc", "-O2"), library(tmp_path / "other", "float", compiler, flag)
    for value in arguments("float").tolist():
        for name in ("own_sine", "own_cosine"):
            assert struct.pack("f", getattr(first, name)(value)) == struct.pack("f", getattr(second, name)(value)), (
                value
            )


def test_what_no_number_of_turns_tells() -> None:
    assert sines.sine(1e30) == 0.0 and math.isnan(sines.sine(math.inf)) and math.isnan(sines.cosine(math.nan))
