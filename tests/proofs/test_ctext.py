"""Reading printed C: as C reads it, word by word, and nothing else."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from symvi.emit.python import FLOATS, compile_kernel
from symvi.proofs.complex_step import random_memory
from symvi.proofs.cprogram import read_program
from symvi.proofs.crun import compiled, copy_of, run
from symvi.proofs.ctext import UnreadableText, exact_number, read_function
from symvi.proofs.kernels import read_printed
from tests.proofs.subjects import of_zoo


def kernel(*statements: str) -> str:
    return "static void k(const r *a_p, r *a)\n{\n" + "\n".join(statements) + "\n}\n"


def value(expression: str, **values: float) -> float:
    """What `expression` evaluates to, by way of a kernel that stores it."""
    loads = [f"const real {name} = a_p->{name};" for name in values]
    record = {"x": [0.0]}
    numbers = {"number": float, "sqrt": math.sqrt}
    compiled(read_function(kernel(*loads, f"a->x = {expression};")), numbers)(
        {k: [v] for k, v in values.items()}, record
    )
    return record["x"][0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("8.0 - 4.0 - 2.0", 2.0), ("8.0 - (4.0 - 2.0)", 6.0), ("8.0/4.0/2.0", 1.0), ("8.0/4.0*2.0", 4.0),
        ("2.0 + 3.0*4.0", 14.0), ("(2.0 + 3.0)*4.0", 20.0), ("-2.0*3.0 - -1.0", -5.0), ("-(2.0 - 5.0)", 3.0),
        ("M_SQRT(16.0)*2.0", 8.0), ("1e-3 + 2.5e2", 250.001), ("1.5f*2.0f", 3.0),
    ],
)  # fmt: skip
def test_operators_bind_as_in_c(expression: str, expected: float) -> None:
    assert value(expression) == expected


def test_names_entries_and_broken_lines() -> None:
    text = kernel("/* a comment */", "const real t1 = a_p->x[2]*", "    2.0;", "a->y[1] = t1 - a_p->h;")
    record = {"y": [0.0, 0.0]}
    compiled(read_function(text), {"number": float})({"x": [0.0, 0.0, 5.0], "h": [1.0]}, record)
    assert record["y"] == [0.0, 9.0]


@pytest.mark.parametrize(
    "statement",
    ["a->x = 1.0 +;", "a->x = (1.0;", "a->x = 1.0", "x = 1.0;", "a->x += 1.0;", "a->x = b ? 1.0 : 2.0;",
     "a->x[i] = 1.0;", "return 1.0;", "const int t = 1;", "a->x = \"1\";", "a->x = 1.0; }; {"],
)  # fmt: skip
def test_anything_else_is_refused(statement: str) -> None:
    with pytest.raises(UnreadableText):
        read_function(kernel(statement))


def test_a_function_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnreadableText, match="unknown function system"):
        compiled(read_function(kernel("a->x = system(1.0);")), {"number": float})


def test_numbers_are_exact() -> None:
    assert exact_number("0.1") == Fraction(1, 10)
    assert exact_number("1e-30") == Fraction(1, 10**30)
    assert exact_number("0.3333333333333333") == Fraction(1, 3)
    assert exact_number("3.141592653589793") == Fraction("3.141592653589793")


def test_writing_through_const_or_to_a_record_passed_twice_is_refused() -> None:
    phase = "static void run_begin(m_work *w)\n{{\n    k(&w->body[0], &w->body[{}]);\n}}\n"
    with pytest.raises(UnreadableText, match="const record"):
        read_program(kernel("a_p->x = 1.0;") + phase.format(1))
    with pytest.raises(UnreadableText, match="passed twice"):
        read_program(kernel("a->x = 1.0;") + phase.format(0))
    assert read_program(kernel("a->x = 1.0;") + phase.format(1)).phases["begin"]


@pytest.mark.thorough
@pytest.mark.parametrize("layout", ["inline", "unrolled", "looped"])
def test_the_text_gives_the_bits_of_the_reference(layout: str) -> None:
    """On floats, the C text as read here and the kernels printed as Python do the same arithmetic in the same order."""
    of = of_zoo("askew_universal")
    printed = read_printed(of.program, layout)
    numbers = {**FLOATS, "number": float}
    left, right = random_memory(of, 0.01, seed=1), random_memory(of, 0.01, seed=1)
    assert left == right
    for phase in ("setup", "prepare", "evaluate", "linearize", "eliminate", "substitute", "advance"):
        run(printed.phases[phase], left, lambda function: compiled(function, numbers))
        _run_reference(of, right, phase)
        assert left == right, phase
    before = copy_of(left)
    run(printed.phases["merit"], left, lambda function: compiled(function, numbers))
    assert left != before


def _run_reference(of, memory, phase: str) -> None:
    for call in of.program.phases[phase]:
        nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
        records = [memory[store][port.kind][nodes[port.label].index] for port, store, _ in call.kernel.used_stores()]
        compile_kernel(call.kernel, FLOATS)(*(_Attributes(record) for record in records))


class _Attributes:
    """A record whose fields are attributes, as the kernels printed as Python want them."""

    def __init__(self, record: dict):
        self.__dict__ = record
