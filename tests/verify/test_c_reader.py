"""C on any numbers: what a compiler makes of it, never run; what is outside the subset, named with its line."""

from __future__ import annotations

import ctypes
import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from symvi.exact.field import PRIMES, Field
from symvi.native import compile_library, find_compiler
from symvi.proofs.ctext import read_function
from symvi.verify.reading.c_reader.literals import rounded
from symvi.verify.reading.c_reader.problems import SourceError
from symvi.verify.reading.c_source import read_c
from tests.support.work import calls_of
from tests.verify.c_numbers import Doubles, Fractions

REFERENCE = Path(__file__).parents[2] / "generated" / "reference"
MOST_CALLS = 20_000_000  # some times what the slowest text takes: one without bounds takes for ever

# --- the same as a compiler: every function maps x[4] to y[4] --------------------------------------------------------
PRELUDE = """
#include <math.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>
#define SQUARE(x) ((x)*(x))
#define ROWS 2
typedef double real;
typedef real row3[3];
typedef struct { real w, v[3]; } quaternion;
typedef struct { row3 x; quaternion q; } pose;
enum { FIRST, SECOND = 4, THIRD };
static const real TABLE[ROWS][3] = {{1, 2.5}, 3, 4, 5};
static const unsigned WRAPPED = -1;
static const unsigned char CUT = 258;
static const quaternion UNIT = {.v = {0}, .w = 1};
static real dot(const real *a, const real b[3]) { real s = 0; for (int i = 0; i < 3; ++i) s += a[i]*b[i]; return s; }
static inline quaternion product(quaternion p, quaternion q)
{
    quaternion r = {p.w*q.w - dot(p.v, q.v)};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.v[i] = p.w*q.v[i] + q.w*p.v[i] + p.v[j]*q.v[k] - p.v[k]*q.v[j];
    }
    p.w = 0;
    return r;
}
static void turn(pose *at, const real by[4]) { at->q = product(at->q, (quaternion){by[0], {by[1], by[2], by[3]}}); }
static real halved(int n) { return n/2; }
"""
BODIES = {
    "operators": "y[0] = 8 - x[0] - 4/x[1]*2; y[1] = -x[0]*-x[1] - -3; y[2] = +x[2]/2.5e-1 - .5f; y[3] = (x[0], x[3]);",
    "whole_numbers": "int i = -7; unsigned u = 3u; y[0] = i/2 + i%3 + (i >> 1); y[1] = (u - 5u)*1.0; "
    "y[2] = 1/2 + 1/2.0; y[3] = (010 | 0x11) ^ ~u & 7L;",
    "global_constants": "y[0] = WRAPPED*x[0]; y[1] = CUT*x[1]; y[2] = WRAPPED > 0 ? x[2] : 0; y[3] = CUT/2;",
    "steps": "int i = 0; y[i++] = 1; y[i] = i; i++; y[i--] = x[0]; y[3] = --i; y[1] += ++y[0]; y[2] *= y[0]--;",
    "loops": "int i, j; y[0] = 0; for (i = 0, j = 5; i < j; i++, --j) y[0] += i*j*x[0]; do y[0]++; while (++i < 6); "
    "while (i) { if (--i == 3) continue; if (i == 1) break; y[0] -= i; } y[1] = i; y[2] = j; y[3] = 1;",
    "branches": "y[0] = x[0] < 0 ? -x[0] : x[0]; if (x[1] > x[2] && !(x[3] <= 0)) y[1] = 1; else if (x[1] != x[2]) "
    "y[1] = 2; else y[1] = 3; y[2] = (x[0] >= 0) + 2*(x[1] == x[1]); y[3] = x[3] || 0;",
    "switch_falls_through": "for (int i = 0; i < 4; i++) switch (i + FIRST) { case 0: y[i] = 1; break; "
    "case SECOND - 3: y[i] = 2; case 2: y[i] = x[i]; break; default: y[i] = THIRD; }",
    "next_turns": "for (int i = 0; i < 4; i++) { switch (i) { case 1: y[i] = 1; continue; case 2: y[i] = 7; break; "
    "default: y[i] = 3; } y[i] += x[i]; } int k = 0; do { if (k == 1) continue; y[0] += k; } while (++k < 4); "
    "if (x[0] > 9) y[1] = 5; else if (x[1] > 9) y[1] = 6; else if (x[2] < 9) y[1] -= 2; else y[1] = 8; "
    "for (k = 3; k; k--) switch (k) { case 3: { if (x[3] < 9) continue; } case 2: y[3] += k; default: y[3] *= 2; }",
    "copies": "pose z = {.q = UNIT}, w[2] = {z}; w[1] = w[0]; w[1].q.v[2] = x[0]; z = w[1]; w[1].q.v[2] = 3; "
    "quaternion *p = &w[1].q, q = *p; p->v[2] += 1; (*p).w *= x[1]; q.v[0] = p->v[2]; real r[4] = {0}; "
    "memcpy(r, p, sizeof *p); y[0] = z.q.v[2]; y[1] = w[1].q.w; y[2] = q.v[0] + q.v[2]; y[3] = r[3] + sizeof(pose);",
    "arrays": "real a[2][3] = {{x[0]}, {[2] = x[1]}}, b[] = {1, x[2], 3}; real *p = a[1]; p[1] = b[1]; *p++ = 7; "
    "*p += 1; memcpy(a[0] + 1, b, 2*sizeof *b); y[0] = a[0][1]; y[1] = a[0][2]; y[2] = a[1][1]; "
    "y[3] = *(&a[0][0] + 5);",
    "structs": "pose z = {.q = UNIT, .x = {1, 2, 3}}, w; turn(&z, x); turn(&z, x); w = z; w.x[0] = 9; pose *p = &w; "
    "y[0] = z.x[0] + p->x[0]; y[1] = p->q.w; y[2] = product(w.q, z.q).v[1]; y[3] = (*p).q.v[2];",
    "library": "y[0] = sqrt(SQUARE(x[0])) + fabs(-x[1]) + fmin(x[0], x[1]); y[1] = atan2(x[2], x[3]) + sinf(0.5f)*0; "
    "y[2] = pow(x[0], 3) + pow(x[0], -2.0) + exp(x[1])*cos(x[2]); y[3] = hypot(x[0], x[1]) + copysign(2, x[3]);",
    "tables_and_types": "bool b = 5; uint8_t c = 255; c++; float f = 0.5f; const int n = 2; real z[n]; "
    "memset(z, 0, sizeof(z)); y[0] = TABLE[1][2] + TABLE[0][2]; y[1] = b + c; y[2] = f; "
    "y[3] = z[1] + ROWS + halved(5);",
    "scopes": "real t = x[0]; { real t = 2; y[0] = t; } y[1] = t; for (int t = 0; t < 2; t++) y[2] = t; y[3] = t*1.25;",
}
SOURCES = {name: f"void {name}(const double x[4], double y[4])\n{{\n{body}\n}}\n" for name, body in BODIES.items()}


@pytest.fixture(scope="module")
def library():
    if find_compiler() is None:
        pytest.skip("no C compiler")
    sources = {"c.c": PRELUDE + "".join(SOURCES.values())}
    return ctypes.CDLL(str(compile_library(sources, "c_reader", flags=("-fvisibility=default",))))


@pytest.mark.parametrize("name", BODIES)
def test_c_is_read_as_a_compiler_reads_it(name: str, library) -> None:
    """Up to the last digits of pow, which a library and repeated multiplication round differently."""
    read = read_c(PRELUDE + SOURCES[name], name)
    for seed in range(3):
        x = [Random(f"{seed} {k}").uniform(-2, 2) for k in range(4)]
        given, found = (ctypes.c_double * 4)(*x), (ctypes.c_double * 4)()
        getattr(library, name)(given, found)
        assert read({"x": x}, Doubles())["y"] == pytest.approx(list(found), rel=1e-14, abs=1e-14)


@pytest.mark.thorough
@pytest.mark.parametrize("mechanism", ["double_pendulum", "four_bar"])
def test_kernels_that_symvi_prints(mechanism: str) -> None:
    """The reader of printed kernels (ctext.py) is a witness: the same numbers in a prime field, to the last one."""
    folder = REFERENCE / mechanism
    text = (folder / f"{mechanism}.c").read_text(encoding="utf-8")
    line = r"\n    (?:const real .*|/\*.*|\w+->.*|    .*)"  # of a kernel: a value, a comment, a store, or more of one
    kernels = re.findall(rf"^static void \w+\([^)]*\)\n\{{(?:{line})+\n\}}\n", text, flags=re.M)
    kernels = [kernel for kernel in kernels if re.search("const real", kernel) and "[i]" not in kernel]
    assert len(kernels) > 10
    field = Field(PRIMES[0], seed=3)
    field.root = lambda x: x * x + 1  # any function will do, if it is the same one
    for kernel in kernels[:8]:
        printed = read_function(kernel)
        read = read_c(f'#include "{mechanism}.h"\ntypedef {mechanism}_real real;\n{kernel}', printed.name, [folder],
                      define={f"{mechanism.upper()}_SQRT": "sqrt"})  # fmt: skip
        inputs = {parameter.name: field.randoms(parameter.size) for parameter in read.parameters}
        results = read(inputs, field)
        for (record, entry, index), value in evaluated(printed, inputs, field).items():
            assert results[f"{record}.{entry}"][index] == value, (printed.name, record, entry, index)


def evaluated(function, inputs: dict, field: Field) -> dict:
    """What a printed kernel stores: (record, field, index) -> number, by the plainest of evaluators."""
    names: dict = {}

    def value(tree):
        kind = tree[0]
        if kind == "number":
            return field.number(tree[1])
        if kind in ("name", "entry"):
            known = names.get(tree[1] if kind == "name" else tree[1:])
            return inputs[f"{tree[1]}.{tree[2]}"][tree[3]] if known is None else known
        if kind == "call":
            return field.root(value(tree[2][0]))
        if kind == "neg":
            return -value(tree[1])
        a, b = value(tree[1]), value(tree[2])
        return a + b if kind == "+" else a - b if kind == "-" else a * b if kind == "*" else a / b

    for statement in function.statements:
        target = statement.target if isinstance(statement.target, str) else statement.target[1:]
        names[target] = value(statement.expression)
    return {target: number for target, number in names.items() if isinstance(target, tuple)}


# --- parameters ------------------------------------------------------------------------------------------------------
def test_parameters_say_what_they_are() -> None:
    text = """typedef struct { double x[3], q[4]; } body;
    double f(const double *p, int n, const body *b, double J[2][3], double *grown, body z)
    {
        for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) J[i][j] = b->x[j] + z.q[0];
        grown[0] += 1; grown[n] = p[0];
        return n;
    }"""
    read = read_c(text, "f")
    found = {p.name: (p.direction, p.shape, p.size, p.kind) for p in read.parameters}
    assert found == {
        "p": ("in", (None,), None, "real"), "n": ("in", (), 1, "integer"), "b.x": ("in", (3,), 3, "real"),
        "b.q": ("unused", (4,), 4, "real"), "J": ("out", (2, 3), 6, "real"), "grown": ("both", (None,), None, "real"),
        "z.x": ("in", (3,), 3, "real"), "z.q": ("in", (4,), 4, "real"),
    }  # fmt: skip
    assert read.returns == 1


def test_what_is_written_through_a_helper_or_a_pointer_is_an_output() -> None:
    text = """static void copy(const double *from, double *to) { for (int i = 0; i < 3; i++) to[i] = from[i]; }
    void f(const double a[3], double b[6], double c[3])
    { double *row = b + 3; copy(a, b); copy(b, row); copy(row, c); }"""
    assert {p.name: p.direction for p in read_c(text, "f").parameters} == {"a": "in", "b": "out", "c": "out"}


def test_entries_that_the_caller_clears() -> None:
    text = "void f(double x, double J[3]) { J[1] = x; }"
    with pytest.raises(SourceError, match=r"J\[0\], J\[2\]: never written; .*cleared=\['J'\]"):
        read_c(text, "f")({"x": 2}, Fractions())
    assert read_c(text, "f", cleared=["J"])({"x": 2}, Fractions())["J"] == [0, 2, 0]
    text = "void f(double x, double *J) { J[2] += x; }"
    assert read_c(text, "f", cleared=["J"])({"x": 2, "J": [0, 0, 0]}, Fractions())["J"] == [0, 0, 2]
    text = "void f(double x, double *J) { J[2] = x; }"
    assert read_c(text, "f", cleared=["J"])({"x": 2}, Fractions())["J"] == [0, 0, 2]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [({}, "no numbers are given for the parameter x"), ({"x": [1, 2]}, "x has 3 numbers, and 2 are given"),
     ({"x": [1, 2, 3], "n": 0.5}, "n is a whole number"), ({"x": [1, 2, 3], "n": 1, "m": 2}, "no parameter m")],
)  # fmt: skip
def test_inputs_that_do_not_fit(inputs: dict, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_c("double f(const double x[3], int n) { return n*x[0]; }", "f")(inputs, Fractions())


# --- exact numbers ---------------------------------------------------------------------------------------------------
def test_decimals_are_exact_and_rounded_ones_are_named() -> None:
    read = read_c("double f(double x)\n{\n return 0.1*x + 0.70710678 + 1e-3f\n + 0x1.8p1;\n}", "f")
    assert read({"x": 1}, Fractions())["return"] == [Fraction("0.1") + Fraction("0.70710678") + Fraction("3.001")]
    assert [str(note) for note in read.notes if note.kind == "rounded number"] == [
        "line 3: 0.70710678 is read as this decimal; it seems to round sqrt(2.0)/2"
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [("0.70710678", "sqrt(2.0)/2"), ("3.14159265", "pi"), ("0.5235987", "pi/6"), ("0.5235988", "pi/6"),
     ("0.333333333", "1.0/3.0"), ("0.8660254", "sqrt(3.0)/2"), ("57.29577951", "180/pi"), ("2.7182818", "e"),
     ("1.618034", "(1 + sqrt(5.0))/2"), ("6.283185e0", "2*pi")],
)  # fmt: skip
def test_what_a_literal_rounds(text: str, name: str) -> None:
    assert rounded(text) == name


@pytest.mark.parametrize(
    "text", ["0.5", "9.81", "0.125000", "1e-9", "6.67430e-11", "299792458.0", "0.70710679", "100000.0"]
)
def test_literals_that_are_meant(text: str) -> None:
    assert rounded(text) is None


def test_all_digits_of_a_double_stand_for_the_irrational_number() -> None:
    read = read_c("double f(void) { return 3.14159265358979323846 - M_PI + 0.3333333333333333; }", "f")
    assert read({}, Fractions())["return"] == [Fraction(1, 3)]
    assert [note.text for note in read.notes] == [
        "0.3333333333333333 is read as 1/3", "3.14159265358979323846 is read as pi"
    ]  # fmt: skip


def test_division_of_whole_numbers_is_done_and_noted() -> None:
    read = read_c("double f(double x, int n)\n{\n return 1/2*x\n + n/2 + 4/2;\n}", "f")
    assert read({"x": 8, "n": 7}, Fractions())["return"] == [5]
    assert [str(note) for note in read.notes] == [
        "line 3: division of whole numbers: 1/2 is 0, as C has it",
        "line 4: division of whole numbers: what follows the point is dropped, as C has it",
    ]


def test_a_global_that_could_change_is_noted() -> None:
    read = read_c("double gravity = 2;\nconst double h = 3;\ndouble f(double x) { return gravity*h*x; }", "f")
    assert read({"x": 1}, Fractions())["return"] == [6]
    assert [str(note) for note in read.notes] == ["line 1: the global gravity is taken to keep its first value"]


def test_comparisons_go_through_the_arithmetic_with_their_place() -> None:
    numbers = Doubles()
    text = "double f(double x)\n{\n if (x >= 1) return x;\n return fmax(x*x, 0.5);\n}"
    assert read_c(text, "f")({"x": -1.0}, numbers)["return"] == [1.0]
    assert numbers.sites == [("line 3: x < 1", True), ("line 4: fmax takes its second argument", False)]


def test_a_division_by_zero_says_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        read_c("double f(double x)\n{\n double y = x - 1;\n y = 2/y;\n return y;\n}", "f")({"x": 1}, Fractions())
    assert str(caught.value.place) == "line 4" and caught.value.__notes__ == ["at line 4"]


# --- outside the subset ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("again: x += 1; goto again; return x;", "goto: write the loop"),
        ("while (x < 1) x = x/2; return x;", "statements are executed; does a loop here end?"),
        ("for (;;) x += 1; return x;", "a loop without a bound"),
        ("return f(x);", "f calls itself"),
        ("double *p = malloc(8); return *p;", "malloc: the subset has no heap"),
        ("count = x; return x;", "count is const or global, and is written here"),
        ("double *p = &count; *p = x; return x;", "count is global, and is written here"),
        ("static double y = 1; y += x; return y;", "y is static and keeps its value"),
        ("static double y; y += x; return y;", "y is read before anything is written"),
        ("int i = x; return i;", "a real number becomes a whole one"),
        ("return floor(x);", "floor: it is constant between jumps"),
        ("return fmod(x, 2);", "fmod: it jumps, and exact numbers do not count its turns; between jumps it is x less"),
        ("return abs(x);", "fabs is meant"),
        ("return x % 2;", "% of real numbers"),
        ("return unknown(x);", "the function unknown is unknown"),
        ("return z;", "z is not declared"),
        ("double y[2]; y[0] = x; return y[1];", r"y\[1\] is read before anything is written"),
        ("double y[2] = {x}; return y[2];", r"index out of bounds: y\[2\], and y has 2 elements"),
        ("double y[2][3] = {{x}}; return y[0][3];", r"index out of bounds: y\[0\]\[3\]"),
        ("double y[2] = {x}, *p = y; return p[-1];", "index out of bounds: element -1 of y"),
        ("int i = 2147483647; i++; return i*x;", "2147483648 is beyond int"),
        ("int i = 0; return x/(1/i);", "a whole number is divided by zero"),
        ("unsigned i = 0; while (i >= 0) i++; return x;", "statements are executed; does a loop here end?"),
        ("double y[1000000]; return x;", "an array of 1000000 elements"),
        ("union { int i; double d; } u; return x;", "a union"),
        ("double (*g)(double) = f; return x;", "a pointer to a function"),
        ("double _Complex y = x; return x;", "a complex number"),
        ("return pow(x, 100000);", "a power of 100000"),
        ("return x*1e99999999;", "the exponent is beyond"),
        ("if (x < 0) return 1;", "f ends without a return"),
    ],
)  # fmt: skip
def test_what_is_outside_is_named_with_its_line(body: str, said: str) -> None:
    text = f"double count = 2;\ndouble f(double x)\n{{\n{body}\n}}\n"
    line = 2 if "ends without" in said else 4
    with pytest.raises(SourceError, match=f"^(?s:.*)line {line}: .*{said}"):
        read_c(text, "f")({"x": Fraction(1, 2)}, Fractions())


def test_all_problems_are_named_at_once() -> None:
    text = "double f(double x)\n{\n int i = x % 2;\n double y = lround(x)*i;\n z = 2;\n x += rand();\n return y;\n}"
    with pytest.raises(SourceError) as caught:
        read_c(text, "f")
    assert [place.line for place in caught.value.places] == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no function f here"),
        ("double g(double x) { return x; }", "functions: g"),
        ("double f(double x) { return x;", "the text ends"),
        ("double f(double x) { return x; } double f(double x) { return 2*x; }", "f is defined twice"),
        ("double f(double x, double x) { return x; }", "two parameters have the same name"),
        ("double f(const double x[2]) { x[1] = 2; return x[0]; }", r"x\[1\] is const or global"),
        ("double f(vec x) { return x; }", "at 'x'; is a type unknown here"),
        ("double f(x) double x; { return x; }", "1989"),
        ("double f(x) { return x; }", "1989"),
        ("#if 1\ndouble f(double x) { return x; }", "unterminated|expected #endif"),
        ("double f(double x) { return x; } /*", "does not end"),
        ("\0", "illegal character"),
        ("double f(double **x) { return **x; }", "pointer to double"),
        ("#error not for this machine", "#error not for this machine"),
    ],
)
def test_texts_that_are_no_function(text: str, said: str) -> None:
    with pytest.raises(SourceError, match=f"(?i){said}"):
        read_c(text, "f")


# --- bounds ----------------------------------------------------------------------------------------------------------
def doubling(count: int) -> str:
    return "\n".join(f"#define A{i} A{i + 1} + A{i + 1}" for i in range(count)) + f"\n#define A{count} x\n"


BOMBS = {
    "macros": (doubling(60) + "double f(double x) { return A0; }", "macros expand to more than"),
    "arguments": ("#define D(x) x + x\ndouble f(double x) { return " + "D(" * 60 + "x" + ")" * 60 + "; }", "expand to"),
    "chain": ("\n".join(f"#define A{i} A{i + 1}" for i in range(500)) + "\ndouble f(double x) { return A0; }", "deep"),
    "brackets": ("double f(double x) { return " + "(" * 20_000 + "x" + ")" * 20_000 + "; }", "nested too deeply"),
    "blocks": ("double f(double x) { " + "{" * 20_000 + "}" * 20_000 + " return x; }", "nested too deeply"),
    "shift": ("#if 1 << 9999999999\n#endif\ndouble f(double x) { return x; }", "<< is not followed"),
    "calls": ("double f0(double x) { return x; }\n" + "\n".join(
        f"double f{i + 1}(double x) {{ return f{i}(x) + f{i}(x); }}" for i in range(40)
    ) + "\ndouble f(double x) { return f40(x); }", "statements are executed"),
    "length": ("//" + "x" * 5_000_000, "characters of C"),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOMBS)
def test_no_text_takes_long(name: str) -> None:
    text, said = BOMBS[name]

    def read() -> None:
        with pytest.raises(SourceError, match=said):
            read_c(text, "f")({"x": 1}, Doubles())

    calls_of(read, at_most=MOST_CALLS)


def test_code_as_deep_and_as_long_as_programs_write_it() -> None:
    deep = "1 + x*(" * 300 + "1" + ")" * 300
    assert read_c(f"double f(double x) {{ return {deep}; }}", "f")({"x": 1}, Fractions())["return"] == [301]
    long = " + ".join(["x"] * 5_000)
    assert read_c(f"double f(double x) {{ return {long}; }}", "f")({"x": 2}, Fractions())["return"] == [10_000]


UNORDERED = {
    "J[0] = i++ + ++i;": "i is changed and used",
    "i = i++; J[0] = i;": "i is changed and used",
    "J[i++] = x[i];": "i is changed and used",
    "J[0] = hypot(x[i++], x[i]);": "i is changed and used",
    "J[0] = x[0]; J[0] = J[0]++ + J[0];": "is changed and used",
    "i = (2, i++); J[0] = i;": "i is changed and used",
    "i += (i++, 2); J[0] = i;": "i is changed and used",
}
ORDERED = ("J[i++] = x[0];", "J[0] = i++ < 3 && i > 0 ? x[0] : 0;", "i = i + 1; J[0] = x[i];", "J[0] = (i++, x[i]);",
           "i = (i++, 1); J[0] = i;", "i = i++ < 3 ? 1 : 2; J[0] = x[i];", "i = ++i && i; J[0] = i;")  # fmt: skip


@pytest.mark.parametrize("body", UNORDERED)
def test_what_has_no_order_in_c_is_refused(body: str) -> None:
    with pytest.raises(SourceError, match=f"line 3: .*{UNORDERED[body]}"):
        read_c(f"void f(const double x[2], double J[1])\n{{ int i = 0;\n{body} }}", "f")


@pytest.mark.parametrize("body", ORDERED)
def test_what_has_an_order_in_c_is_read(body: str) -> None:
    text = f"void f(const double x[2], double J[1])\n{{ int i = 0;\n{body} }}"
    assert read_c(text, "f")({"x": [1, 1]}, Fractions())["J"] == [1]


def test_linkage_of_another_language_is_named() -> None:
    with pytest.raises(SourceError, match='line 2: extern "C" is C\\+\\+'):
        read_c('#define A\nextern "C" double f(double x) { return x; }', "f")


# --- files -----------------------------------------------------------------------------------------------------------
def test_files_are_read_from_given_folders_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir(), outside.mkdir()
    (outside / "secret.h").write_text("#define SECRET 2\n")
    (inside / "way_out.h").symlink_to(outside / "secret.h")
    (inside / "own.h").write_text('#pragma once\n#include "own.h"\n#define OWN 3\n#include "../outside/secret.h"\n')
    for include in (
        '"../outside/secret.h"',
        f'"{outside}/secret.h"',
        f"<{outside}/secret.h>",
        '"way_out.h"',
        '"own.h"',
    ):
        text = f"#include {include}\ndouble f(double x)\n{{\n return SECRET*x;\n}}\n"
        with pytest.raises(
            SourceError, match="line 4: SECRET is not declared here .left out, outside of the given folders: "
        ):
            read_c(text, "f", include=[inside])
    text = '#include "own.h"\ndouble f(double x) { return OWN*x; }'
    assert read_c(text, "f", include=[inside])({"x": 2}, Fractions())["return"] == [6]
    with pytest.raises(SourceError, match="OWN is not declared"):
        read_c(text, "f")


def test_errors_in_an_included_file_name_it(tmp_path: Path) -> None:
    (tmp_path / "helper.h").write_text("static double g(double x)\n{\n return lround(x);\n}\n")
    path = tmp_path / "main.c"
    text = '#include "helper.h"\ndouble f(double x) { return g(x); }\n'
    path.write_text(text)
    for include in ([tmp_path], []):
        with pytest.raises(SourceError, match="^helper.h:3: lround"):
            read_c(path, "f", include=include)
    with pytest.raises(SourceError, match="line 2: the function g is unknown"):
        read_c(text, "f")


def test_headers_in_quotes_are_found_beside_the_file_that_includes_them(tmp_path: Path) -> None:
    """As a compiler finds them; what lies outside of that folder is read from given folders only."""
    own, outside = tmp_path / "own", tmp_path / "outside"
    (own / "inner").mkdir(parents=True), outside.mkdir()
    (own / "helper.h").write_text('#include "inner/count.h"\n#define SET(i, y) o[i] = (y)\n')
    (own / "inner" / "count.h").write_text('#include "more.h"\n#define COUNT 2\n')
    (own / "inner" / "more.h").write_text("#define MORE 3\n")
    (outside / "secret.h").write_text("#define SECRET 2\n")
    (own / "way_out.h").symlink_to(outside / "secret.h")
    path = own / "main.c"
    path.write_text('#include "helper.h"\nvoid f(double x, double o[1]) { SET(0, COUNT*MORE*x); }\n')
    for source in (path, str(path)):
        assert read_c(source, "f")({"x": 2}, Fractions())["o"] == [12]
    for include in ('"../outside/secret.h"', f'"{outside}/secret.h"', '"way_out.h"', "<helper.h>", '"secret.h"'):
        path.write_text(f"#include {include}\ndouble f(double x) {{ return SECRET*x; }}\n")
        with pytest.raises(SourceError, match="^main.c:2: SECRET is not declared here .left out"):
            read_c(path, "f")
    assert read_c(path, "f", include=[outside])({"x": 2}, Fractions())["return"] == [4]


def test_files_that_include_themselves_for_ever(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('int x;\n#include "b.h"\n')
    (tmp_path / "b.h").write_text('int y;\n#include "a.h"\n')
    with pytest.raises(SourceError, match="does it lack an include guard"):
        read_c('#include "a.h"\ndouble f(double x) { return x; }', "f", include=[tmp_path])


def test_macros_from_outside() -> None:
    text = "double f(real x) { return N*x; }"
    assert read_c(text, "f", define={"real": "double", "N": "4"})({"x": 2}, Fractions())["return"] == [8]
