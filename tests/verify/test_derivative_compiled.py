"""Claims that call compiled code: it knows machine numbers only, so they are judged in floats, and nothing dies of it.

What compiled code took for doubles would be pointers to Python's objects; so they run in a process of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify.errors import NeedsFloats
from symvi.verify.reading.exact_arrays import exact_array

C = """
void slope(const double *x, double *out) { for (int i = 0; i < 3; i++) out[i] = 2 * x[i]; }
double twice(double x) { return 2 * x; }
"""
HEAD = """
import ctypes, struct
import cffi
import numpy as np
import symvi.verify as verify

library, pointer = ctypes.CDLL({library!r}), ctypes.POINTER(ctypes.c_double)
twice = library.twice
twice.restype = ctypes.c_double
ffi = cffi.FFI()
ffi.cdef("void slope(const double *x, double *out);")
by_cffi = ffi.dlopen({library!r})

def out():
    return np.zeros(3)

def slope(x, o):
    library.slope(x.ctypes.data_as(pointer), o.ctypes.data_as(pointer))
    return o

def as_doubles(x):
    return x.astype(float) if type(x[0]) is float else x

def address(x):
    return ctypes.c_void_p(x.__array_interface__["data"][0])
"""
JUDGE = """
import json

def judge(way, right):
    def wrong(x):
        return 1.01 * right(x)
    said = []
    for claimed in (right, wrong):
        try:
            said.append(str(verify.derivative(lambda x: x @ x, claimed, "x", {"x": verify.vector(3)})))
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
    print(json.dumps([way, said]), flush=True)
"""
WAYS = {
    "ctypes of what is made contiguous": "return slope(np.ascontiguousarray(x, dtype=np.float64), out())",
    "ctypes of the argument": "return slope(x, out())",
    "ctypes of a copy": "return slope(x.copy(), out())",
    "ctypes of an array of objects": "return slope(as_doubles(np.asarray(x, dtype=object)), out())",
    "ctypes of astype": "return slope(as_doubles(x.astype(object)), out())",
    "ctypes of NumPy's own view": "return slope(x.view(np.ndarray), out())",
    "ctypes of NumPy's own array": "return slope(x.__array__(), out())",
    "ctypes of what it is a view of": "return slope(x if x.base is None else x.base, out())",
    "ctypes of Fortran's order": "return slope(np.asfortranarray(list(x)), out())",
    "ctypes of what is required": "return slope(np.require(list(x), requirements='C'), out())",
    "ctypes of a slice": "return slope(np.concatenate([x, x])[3:], out())",
    "as a parameter": "o = np.zeros(3); library.slope(x.ctypes, o.ctypes); return o",
    "an address": "o = np.zeros(3); library.slope(address(x), address(o)); return o",
    "a struct": "o = np.zeros(3); x.__array_struct__; return slope(np.array(x, dtype=float), o)",
    "the data": "o = np.zeros(3); x.data; return slope(x, o)",
    "a memoryview": "return 2 * np.array(memoryview(x).cast('B').cast('d').tolist())",
    "from_buffer": "return 2 * np.array(list((ctypes.c_double * 3).from_buffer(x)))",
    "from_buffer_copy": "return 2 * np.array(list((ctypes.c_double * 3).from_buffer_copy(x)))",
    "frombuffer": "return 2 * np.frombuffer(x)",
    "bytes": "return 2 * np.frombuffer(x.tobytes())",
    "unpacked": "return 2 * np.array(struct.unpack_from('3d', x))",
    "packed": "return 2 * np.array(struct.unpack('3d', struct.pack('3d', *x)))",
    "from_buffer of cffi": (
        "o = np.zeros(3)\n"
        "    by_cffi.slope(ffi.from_buffer('double[]', x), ffi.cast('double *', ffi.from_buffer(o))); return o"
    ),
    "an address in cffi": (
        "o = np.zeros(3)\n"
        "    by_cffi.slope(ffi.cast('double *', x.ctypes.data), ffi.cast('double *', o.ctypes.data)); return o"
    ),
    "numbers one by one": "return np.array([twice(ctypes.c_double(n)) for n in x])",
    "numbers without their type": "twice.argtypes = None; return np.array([twice(n) for n in x])",
    "numbers with their type": "twice.argtypes = [ctypes.c_double]; return np.array([twice(n) for n in x])",
}
# Numbers without a type are no doubles to ctypes, whoever calls: that is refused, in words.
REFUSED = {"numbers without their type"}


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    from symvi.native.compiler import find_compiler

    folder = tmp_path_factory.mktemp("compiled")
    (folder / "slope.c").write_text(C)
    command = [*find_compiler().command, "-shared", "-fPIC", "-o", folder / "slope.so", folder / "slope.c"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "slope.so"


@pytest.fixture(scope="module")
def verdicts(library: Path) -> dict[str, list[str]]:
    """What is said of a right claim and of a wrong one, way by way, up to the one of which the process dies."""
    lines = [HEAD.format(library=str(library)), JUDGE]
    for number, (way, body) in enumerate(WAYS.items()):
        lines += [f"def right{number}(x):", f"    {body}", f"judge({way!r}, right{number})"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=300)
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
def test_a_claim_that_calls_compiled_code_is_judged_in_floats(way: str, verdicts: dict[str, list[str]]) -> None:
    assert way in verdicts, "the process died before, or of it"
    right, wrong = verdicts[way]
    if way in REFUSED:
        assert "raises ArgumentError" in right, right
        return
    assert right.startswith("RIGHT WHERE TESTED") and " is compared in floats" in right, right
    assert wrong.startswith("WRONG"), wrong


def test_the_command_says_so_and_lives(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "claims.py"
    file.write_text(
        HEAD.format(library=str(library))
        + "VARIABLES = {'x': verify.vector(3)}\n"
        + "def square(x):\n    return x @ x\n"
        + "def square_derivative_wrt_x(x):\n    return slope(np.ascontiguousarray(x, dtype=np.float64), out())\n"
    )
    done = subprocess.run([sys.executable, "-m", "symvi", "verify", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hands the memory of an array to compiled code" in done.stdout and "compared in floats" in done.stdout


def test_an_exact_array_gives_its_memory_to_nobody() -> None:
    x = exact_array([1, 2, 3], (3,))
    for ask in (
        lambda: x.ctypes,
        lambda: x.__array_interface__,
        lambda: x.__array_struct__,
        lambda: x.tobytes(),
        lambda: x[1:].ctypes,
        lambda: (x + x).ctypes,
        lambda: x.view(np.ndarray).ctypes,
    ):
        with pytest.raises(NeedsFloats, match="hands the memory of an array to compiled code"):
            ask()
    for ask in (memoryview, np.frombuffer, lambda a: a.data):
        with pytest.raises((NeedsFloats, TypeError)):
            ask(x)


def test_other_strides_over_exact_numbers_stay_exact() -> None:
    def claimed(x):
        pairs = np.lib.stride_tricks.sliding_window_view(x, 2)
        return 2 * np.array([pairs[0, 0], pairs[1, 0], pairs[1, 1]])

    report = verify.derivative(lambda x: x @ x, claimed, "x", {"x": verify.vector(3)})
    assert report.right and "floats" not in str(report)
