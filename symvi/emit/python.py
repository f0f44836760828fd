"""Kernels as Python functions: the oracle, and the way without a compiler.

The text is the same arithmetic in the same order as the C, so on floats it gives the same bits; given other numbers
(complex, exact rationals, a prime field) and their constants and functions, it gives exact answers.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from symvi.emit.printer import Language, statements
from symvi.emit.sines import QUARTER, cosine, sine
from symvi.kernels.kernel import Kernel, Location
from symvi.program.program import Program

FUNCTIONS = ("sqrt", "angle", "min", "max", "sin", "cos", "exp", "log", "atan2", "expm1", "log1p")


def access(location: Location) -> str:
    return f"{location.port}_{location.store}.{location.field}[{location.index}]"


def python_text(kernel: Kernel, literal: bool = False) -> str:
    """A Python function of one argument per record; constants are float literals, or made by `number(top, bottom)`."""
    language = Language(
        (lambda value: repr(value.numerator / value.denominator))
        if literal
        else (lambda value: f"number({value.numerator}, {value.denominator})"),
        access,
        lambda name, arguments: f"{name}({', '.join(arguments)})",
        frozenset({"number", *FUNCTIONS}),
    )
    arguments = ", ".join(f"{port.label}_{store}" for port, store, _ in kernel.used_stores())
    lines = [f"def {kernel.name}({arguments}):", f'    """{kernel.summary}"""']
    for statement in statements(kernel, language):
        comment = statement.kind == "comment"
        lines.append(f"    # {statement.expression}" if comment else f"    {statement.target} = {statement.expression}")
    return "\n".join([*lines, ""])


def angle(y, x, near):
    """2 atan2(y, x) on the branch nearest to `near`: the same arithmetic as in C, so the same bits."""
    return _nearest(2.0 * atan2(y, x), near)


def _nearest(value, near):
    turns = (near - value) / TURN
    return value + TURN * math.floor(turns + 0.5)


TURN = 6.283185307179586
HALF_TURN = 3.141592653589793
SERIES = tuple(1.0 / k for k in range(27, 0, -2))


def atan2(y, x):
    """atan2 by + - * / and sqrt: the argument's tangent is halved twice, then summed as a series."""
    a, b = abs(y), abs(x)
    if not a + b > 0.0:
        return 0.0
    t = a / b if a <= b else b / a
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    square = t * t
    total = SERIES[0]
    for term in SERIES[1:]:
        total = term - square * total
    value = 4.0 * (t * total)
    if a > b:
        value = QUARTER - value
    if x < 0.0:
        value = HALF_TURN - value
    return -value if y < 0.0 else value


def root(x: float) -> float:
    """The square root as C has it: of a negative number it is none, and the step goes on to notice."""
    return math.sqrt(x) if x >= 0.0 else math.nan


FLOATS: Mapping[str, Callable] = {
    "number": lambda top, bottom: top / bottom,
    "sqrt": root,
    "angle": angle,
    "min": min,
    "max": max,
    "sin": sine,
    "cos": cosine,
    "exp": math.exp,
    "log": math.log,
    "atan2": math.atan2,
    "expm1": math.expm1,
    "log1p": math.log1p,
    "abs": abs,
}


def _complex_angle(y, x, near):
    value = angle(y.real, x.real, near.real)
    return complex(value, 2 * ((x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)))


def _complex_atan2(y, x):
    value = math.atan2(y.real, x.real)
    return complex(value, (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2))


COMPLEX: Mapping[str, Callable] = {
    "number": lambda top, bottom: complex(top / bottom),
    "sqrt": cmath.sqrt,
    "angle": _complex_angle,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "exp": cmath.exp,
    "log": cmath.log,
    "atan2": _complex_atan2,
    "expm1": lambda z: cmath.exp(z) - 1,
    "log1p": lambda z: cmath.log(1 + z),
}


def compile_kernels(program: Program, numbers: Mapping[str, Callable] = FLOATS) -> dict[str, Callable]:
    """Every kernel of a program as a Python function over `numbers`."""
    return {kernel.name: compile_kernel(kernel, numbers) for kernel in program.kernels()}


def compile_kernel(kernel: Kernel, numbers: Mapping[str, Callable] = FLOATS) -> Callable:
    """One kernel as a Python function."""
    scope = dict(numbers)
    exec(compile(python_text(kernel, literal=numbers is FLOATS), f"<kernel {kernel.name}>", "exec"), scope)  # noqa: S102  (text of our own graph)
    return scope[kernel.name]


EXACT: Mapping[str, Callable] = {"number": Fraction}
