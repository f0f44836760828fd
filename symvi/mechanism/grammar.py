"""The small language of expressions in descriptions: text in, a nested tuple out, nothing is ever executed.

    numbers   2  0.5  1e-3  pi          operators  + - * /  and  ** with a whole number, or half of one (1/2, 0.5)
    functions sqrt sin cos exp log (one argument), atan2(y, x)
    names     those the place allows: t in a signal; parameters; parts of placements, as x_a[0], R_a[0, 1], q_b[3]

x, R, q of a and b are the position of the body frame in the world [m], its rotation matrix body to world, and its
unit quaternion (w, x, y, z); a is the parent, b the child. The text is parsed by Python's own parser into a syntax
tree of which a white list of nodes is taken; a tree is

    ("number", "0.5")   decimal text, exact     ("name", "k")            ("item", "R_a", (0, 1))
    ("add" | "sub" | "mul" | "div", a, b)       ("neg", a)  ("pow", a, 3)  ("call", "atan2", y, x)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from fractions import Fraction
from functools import lru_cache
from math import inf, pi
from typing import Any, NoReturn

from symvi.mechanism.names import did_you_mean, shown

__all__ = ["FUNCTIONS", "PLACEMENT_NAMES", "GrammarError", "Tree", "parse"]

Tree = tuple[Any, ...]

FUNCTIONS = {"sqrt": 1, "sin": 1, "cos": 1, "atan2": 2, "exp": 1, "log": 1}
SHAPES = {"x": (3,), "R": (3, 3), "q": (4,)}
PLACEMENT_NAMES = {f"{letter}_{body}": shape for letter, shape in SHAPES.items() for body in "ab"}
OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
LONGEST = 10_000
DEEPEST = 200  # every stage may walk a tree by recursion
LARGEST_POWER = 64

# Python would only warn of 2if or 2x; here a number ends at its last digit. (?> ) never gives digits back.
_RUN_ON = re.compile(r"(?<![\w.])(?>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[A-Za-z_]", re.ASCII)
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


class GrammarError(ValueError):
    """A text that is no expression; says what, and at which column (counted from 1)."""


@lru_cache(maxsize=4096)
def parse(text: str, names: frozenset[str] = frozenset(), placements: bool = False) -> Tree:
    """The tree of an expression.

    names: the scalars it may use. placements: whether x_a, R_a, q_a, x_b, R_b, q_b are known.
    Raises GrammarError.
    """
    if len(text) > LONGEST:
        raise GrammarError(f"has {len(text)} characters; at most {LONGEST} are allowed")
    line = re.sub(r"[\r\n\t]", " ", text)
    for column, character in enumerate(line, 1):
        if not " " <= character <= "~":
            raise GrammarError(f"column {column}: the character {ascii(character)} is not allowed")
    run_on = _RUN_ON.search(line)
    if run_on:
        raise GrammarError(f"column {run_on.end()}: a number runs into a name; put an operator between them")
    try:
        syntax = ast.parse(line.strip(), mode="eval").body
    except SyntaxError as error:
        column = (error.offset or 1) + len(line) - len(line.lstrip())
        raise GrammarError(f"column {column}: is no expression ({error.msg})") from None
    except (ValueError, RecursionError, MemoryError):
        raise GrammarError("is nested too deeply, or is no expression") from None
    return _Reader(line, len(line) - len(line.lstrip()), names, placements).tree(syntax, 0)


class _Reader:
    """Takes the allowed nodes of a Python syntax tree and refuses all others."""

    def __init__(self, line: str, shift: int, names: Collection[str], placements: bool):
        self.line, self.shift, self.names, self.placements = line, shift, names, placements

    def tree(self, node: ast.expr, depth: int) -> Tree:
        if depth > DEEPEST:
            self.refuse(node, f"is nested more than {DEEPEST} deep; split it or use brackets to balance long sums")
        match node:
            case ast.Constant():
                return self.number(node)
            case ast.Name():
                return self.name(node)
            case ast.Subscript():
                return self.item(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ("neg", self.tree(operand, depth + 1))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.tree(operand, depth + 1)
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                return self.power(base, exponent, depth)
            case ast.BinOp(op=operator, left=left, right=right) if type(operator) in OPERATORS:
                return (OPERATORS[type(operator)], self.tree(left, depth + 1), self.tree(right, depth + 1))
            case ast.Call():
                return self.call(node, depth)
        self.refuse(node, f"{shown(self.source(node))} is not part of the grammar (+ - * / **, {', '.join(FUNCTIONS)})")

    def number(self, node: ast.Constant) -> Tree:
        digits = self.source(node)
        if not _DECIMAL.fullmatch(digits) or float(digits) == inf:
            self.refuse(node, f"{shown(digits)} is no decimal number")
        return ("number", digits)

    def name(self, node: ast.Name) -> Tree:
        if node.id in self.names:
            return ("name", node.id)
        if node.id == "pi":
            return ("number", repr(pi))
        if self.placements and node.id in PLACEMENT_NAMES:
            indices = ", ".join("0" for _ in PLACEMENT_NAMES[node.id])
            self.refuse(node, f"{node.id} has several parts; write one of them, like {node.id}[{indices}]")
        known = [*self.names, "pi", *(PLACEMENT_NAMES if self.placements else ())]
        self.refuse(node, f"unknown name {shown(node.id)}; {did_you_mean(node.id, known)}")

    def item(self, node: ast.Subscript) -> Tree:
        name, indices = self.source(node.value), self.indices(node)
        while isinstance(node.value, ast.Subscript):  # R_a[0][1] is R_a[0, 1]
            node = node.value
            name, indices = self.source(node.value), (*self.indices(node), *indices)
        shape = PLACEMENT_NAMES.get(name) if self.placements else None
        if shape is None:
            self.refuse(node, f"{shown(name)} has no parts to take by [ ]")
        if len(shape) == 1 and len(indices) == 2 and indices[1] == 0:
            indices = indices[:1]  # SymPy writes the parts of a column as x_a[0, 0]
        if len(indices) != len(shape) or any(not 0 <= i < size for i, size in zip(indices, shape, strict=True)):
            sizes = " x ".join(str(size) for size in shape)
            self.refuse(node, f"{name} has {sizes} parts, counted from 0, but the index is {indices}")
        return ("item", name, indices)

    def indices(self, node: ast.Subscript) -> tuple[int, ...]:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = tuple(_whole(part) for part in parts)
        whole = tuple(index for index in indices if index is not None)
        if len(whole) != len(indices):
            self.refuse(node, "an index must be a whole number")
        return whole

    def power(self, base: ast.expr, exponent: ast.expr, depth: int) -> Tree:
        """A whole power, or a whole power of a root, which SymPy writes as x**(3/2) or x**1.5."""
        sign, size, divisor = 1, exponent, 1
        if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Div) and _whole(size.right) == 2:
            size, divisor = size.left, 2
        if isinstance(size, ast.UnaryOp) and isinstance(size.op, ast.USub):
            sign, size = -1, size.operand
        power = None if (number := _decimal(size)) is None else sign * number / divisor
        if power is None or abs(power) > LARGEST_POWER or power.denominator > 2:
            self.refuse(exponent, f"a power must be a whole number of at most {LARGEST_POWER}, or half of one")
        tree = self.tree(base, depth + 1)
        return ("pow", ("call", "sqrt", tree) if power.denominator == 2 else tree, power.numerator)

    def call(self, node: ast.Call, depth: int) -> Tree:
        name = self.source(node.func)
        if name not in FUNCTIONS:
            self.refuse(node, f"unknown function {shown(name)}; {did_you_mean(name, FUNCTIONS)}")
        if node.keywords or len(node.args) != FUNCTIONS[name]:
            self.refuse(node, f"{name} takes {FUNCTIONS[name]} argument{'s' if FUNCTIONS[name] > 1 else ''}")
        return ("call", name, *(self.tree(argument, depth + 1) for argument in node.args))

    def source(self, node: ast.expr) -> str:
        return self.line[self.shift + node.col_offset : self.shift + (node.end_col_offset or 0)]

    def refuse(self, node: ast.expr, reason: str) -> NoReturn:
        raise GrammarError(f"column {self.shift + node.col_offset + 1}: {reason}")


def _decimal(node: ast.expr) -> Fraction | None:
    """The value of a number without a sign, as a fraction; None for anything else."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < inf:
        return Fraction(value)
    return None


def _whole(node: ast.expr) -> int | None:
    """The value of a whole number without a sign; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
