"""Declarations as cffi writes them, byte for byte: of what symvi prints, and of headers made at random."""

from __future__ import annotations

from random import Random

import pytest

from symvi.demos import demo_names
from symvi.emit.queries import asked
from symvi.native import compile_library, load_library
from symvi.native.cffi_tables import module_of
from symvi.native.library import _parse as written_by_cffi
from symvi.simulate.model_library import PREFIX, QUESTIONS
from symvi.simulate.solver_build import text_of
from tests.support.exported import demo
from tests.support.subset import first_of

EVERYTHING = """\
typedef float a_real;
enum { A_MOST = 2147483647, A_LEAST = -2147483648 };
enum { A_ONE = 1 };
typedef struct { a_real x; int n; const unsigned long many[3]; a_real q[10][4]; } a_inner;
typedef struct { a_inner inner[2]; const a_inner *const one; unsigned int *counts; char **names; } a_outer;
extern const a_outer a_described;
extern a_outer a_changed;
extern const a_real a_table[2][3];
extern const a_real *a_chosen;
void a_nothing(void);
const a_inner *a_find(const a_outer *outer, const char *name, unsigned long size);
int a_many(a_real[3], const a_real matrix[3][4], a_real x[2], double, const a_inner *const *of, void *rest);
"""
LEFT = (
    "#define A 3",
    "enum { A, B };",
    "enum { A = 0x10 };",
    "enum { A = 2147483648 };",
    "enum named { A = 1 };",
    "typedef struct a a;",
    "typedef struct { int many[]; } a;",
    "typedef struct { int bit: 1; } a;",
    "typedef struct { struct { int x; } inner; } a;",
    "typedef union { int x; float y; } a;",
    "typedef int (*called)(int);",
    "int wait(const volatile int *flag);",
    "int count(const char *form, ...);",
    "long long longest(void);",
    "long int long_one(void);",
    "size_t size(void);",
    "_Bool yes(void);",
)
WRONG = (
    "int a(int)",
    "no_type a(void);",
    "enum { A = 1, A = 2 };",
    "typedef struct { int x; int ; } a; ;;",
    "int a(void x);",
)


@pytest.mark.parametrize("name", first_of(demo_names()))
def test_declarations_of_a_mechanism(name):
    declarations = text_of(demo(name)).declarations
    assert module_of(declarations) == written_by_cffi(declarations)


def test_declarations_of_everything_else_that_is_printed():
    pendulum = demo("pendulum")
    alone, single = (text_of(pendulum, slopes=(), real=real).declarations for real in ("double", "float"))
    model = "typedef double R_real; typedef struct { R_real x; } R_parameters; typedef struct { R_real x; } R_work;"
    questions = model.replace("R_", f"{PREFIX}_model_") + asked(PREFIX, QUESTIONS).declarations
    for declarations in (alone, single, questions, EVERYTHING):
        assert module_of(declarations) == written_by_cffi(declarations)


@pytest.mark.parametrize("seed", first_of(range(60), kept=10))
def test_random_headers(seed):
    declarations = header(Random(seed))
    assert module_of(declarations) == written_by_cffi(declarations)


@pytest.mark.parametrize("declarations", LEFT)
def test_what_symvi_does_not_print_is_left_to_cffi(declarations):
    assert module_of(declarations) is None
    assert "_cffi_backend.FFI" in written_by_cffi(declarations)


@pytest.mark.parametrize("declarations", WRONG)
def test_cffi_words_the_errors(declarations):
    assert module_of(declarations) is None


def test_a_library_through_these_tables(sources, declarations):
    assert module_of(declarations) == written_by_cffi(declarations)
    assert load_library(compile_library(sources, "pend"), declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0


def header(random: Random) -> str:
    """Constants, structs of structs, variables and functions, in an order in which each is known before it is used."""
    types, lines = ["int", "double", "char", "unsigned int", "unsigned long", "float"], ["typedef double h_real;"]
    types.append("h_real")

    def sized() -> str:
        return "".join(f"[{random.randint(1, 12)}]" for _ in range(random.choice((0, 0, 1, 2))))

    def pointed() -> str:
        const, stars = random.choice(("", "const ")), random.choice(("*", "**", "*const *"))
        return f"{const}{random.choice([*types, 'void'])} {stars}"

    for k in range(random.randint(1, 12)):
        members = [f"{random.choice(types)} m{i}{sized()};" for i in range(random.randint(1, 4))]
        name = f"h_{random.choice('abz')}{k}"
        lines.append(f"typedef struct {{ {' '.join(members)} {pointed()}p; }} {name};")
        types.append(name)
        values = (f"H{k}_{i} = {random.randint(-9, 99)}" for i in range(random.randint(1, 3)))
        lines.append(f"enum {{ {', '.join(values)} }};")
        arguments = [f"{random.choice(('', 'const '))}{random.choice(types)} a[4]{sized()}", f"{pointed()}b", "int"]
        lines.append(f"{random.choice((*types, 'void'))} h_do{k}({', '.join(random.sample(arguments, 2))});")
        lines.append(f"extern {random.choice(('', 'const '))}{random.choice(types)} h_one{k}{sized()};")
    return "\n".join(lines)
