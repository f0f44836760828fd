"""SymPy expressions as plain trees, for whoever evaluates them on numbers of another kind.

A tree is a list of nodes in an order in which every node comes after its arguments; a node is (operation, arguments):
    ("symbol", name)  ("number", Fraction)  ("decimal", float)  ("pi",)
    ("add", i, j, ...)  ("multiply", i, j, ...)  ("power", i, Fraction)  ("call", name, i, ...)
    ("choose", (condition, i), ...)      the first value whose condition holds
    ("compare", sign, i, j)  ("and", i, ...)  ("or", i, ...)  ("not", i)  ("true",)  ("false",)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from keyword import iskeyword

import sympy as sp
from sympy.core.function import AppliedUndef

from symvi.errors import SymviError

CALLS = {
    sp.sin: "sin", sp.cos: "cos", sp.tan: "tan", sp.cot: "cot", sp.sec: "sec", sp.csc: "csc", sp.asin: "asin",
    sp.acos: "acos", sp.atan: "atan", sp.atan2: "atan2", sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh",
    sp.exp: "exp", sp.log: "log", sp.Abs: "abs", sp.sign: "sign", sp.Max: "max", sp.Min: "min", sp.sinc: "sinc",
    sp.coth: "coth", sp.sech: "sech", sp.csch: "csch", sp.asinh: "asinh", sp.acosh: "acosh", sp.atanh: "atanh",
    sp.acoth: "acoth", sp.acot: "acot", sp.asec: "asec", sp.acsc: "acsc", sp.asech: "asech", sp.acsch: "acsch",
    sp.erf: "erf", sp.erfc: "erfc",
}  # fmt: skip
RELATIONS = {sp.StrictLessThan: "<", sp.LessThan: "<=", sp.StrictGreaterThan: ">", sp.GreaterThan: ">=",
             sp.Equality: "==", sp.Unequality: "!="}  # fmt: skip


class UnreadableExpression(SymviError):
    """An expression has a part that has no value on plain numbers."""

    exit_code = 2


@dataclass(frozen=True)
class Tree:
    """nodes as above; texts: for each node, the SymPy expression that it is; outputs: nodes; shape: of the outputs."""

    nodes: tuple[tuple, ...]
    texts: tuple[object, ...]
    outputs: tuple[int, ...]
    shape: tuple[int, ...]

    def names(self) -> list[str]:
        return [node[1] for node in self.nodes if node[0] == "symbol"]

    def made_by(self, name: str) -> str:
        """What stands for a symbol in Python: its name, or the call that makes it where that is no name there."""
        places = [number for number, node in enumerate(self.nodes) if node == ("symbol", name)]
        text = self.texts[places[0]]
        stem = name if isinstance(text, sp.Symbol) else name.partition("[")[0]  # A[0, 1] of a MatrixSymbol is Python
        return name if stem.isidentifier() and not iskeyword(stem) else sp.srepr(text)


def is_sympy(value: object) -> bool:
    """Whether a value is an expression, a matrix or an array of SymPy."""
    return isinstance(value, sp.Basic | sp.MatrixBase | sp.NDimArray)


def sympy_inside(value: object) -> bool:
    """Whether a value is SymPy's, or a list of such."""
    if isinstance(value, list | tuple):
        return any(sympy_inside(item) for item in value)
    return is_sympy(value)


def read_tree(expressions: object) -> Tree:
    """The tree of an expression, matrix, array, or nested list of them. Raises UnreadableExpression."""
    if isinstance(expressions, sp.MatrixExpr):
        expressions = expressions.as_explicit()
    if isinstance(expressions, list | tuple):
        expressions = sp.Array(_nested(expressions))
    if isinstance(expressions, sp.MatrixBase | sp.NDimArray):
        flat, shape = list(sp.flatten(expressions)), tuple(int(n) for n in expressions.shape)
    else:
        flat, shape = [expressions], ()
    reader = _Reader()
    outputs = tuple(reader.node(sp.sympify(e)) for e in flat)
    return Tree(tuple(reader.nodes), tuple(reader.texts), outputs, shape)


def _nested(expressions: object) -> object:
    """Lists of lists, where matrices stand in a list: one Hessian for each output."""
    if isinstance(expressions, sp.MatrixBase | sp.NDimArray):
        return expressions.tolist()
    if isinstance(expressions, list | tuple):
        return [_nested(e) for e in expressions]
    return expressions


def symbol_names(symbols: Sequence) -> list[str]:
    """The names of symbols, of the elements of a MatrixSymbol, of a Matrix of symbols, or of texts."""
    flat = list(symbols) if isinstance(symbols, list | tuple) else list(sp.flatten(symbols))
    return [str(s.func if isinstance(s, AppliedUndef) else s) for s in sp.flatten(flat)]


class _Reader:
    def __init__(self):
        self.nodes: list[tuple] = []
        self.texts: list[object] = []
        self.known: dict = {}

    def node(self, expression) -> int:
        if expression not in self.known:
            self.known[expression] = self._add(expression, *self._read(expression))
        return self.known[expression]

    def _add(self, expression, *node) -> int:
        self.nodes.append(node)
        self.texts.append(expression)
        return len(self.nodes) - 1

    def _read(self, e) -> tuple:
        if isinstance(e, sp.Symbol | sp.matrices.expressions.matexpr.MatrixElement | sp.Indexed):
            return "symbol", str(e)
        if isinstance(e, AppliedUndef):  # of SymPy's mechanics: theta(t)
            return "symbol", str(e.func)
        if isinstance(e, sp.Heaviside):
            return self._read(e.rewrite(sp.Piecewise))
        if isinstance(e, sp.Rational):
            return "number", Fraction(int(e.p), int(e.q))
        if isinstance(e, sp.Float):
            return ("decimal", float(e)) if e._prec <= 53 else ("number", Fraction(str(e)))
        if e is sp.pi:
            return ("pi",)
        if e is sp.E:
            return "call", "exp", self.node(sp.Integer(1))
        if isinstance(e, sp.Add | sp.Mul):
            return "add" if isinstance(e, sp.Add) else "multiply", *(self.node(a) for a in e.args)
        if isinstance(e, sp.Pow):
            return self._power(*e.args)
        if isinstance(e, sp.Piecewise):
            return "choose", *((self.node(pair.args[1]), self.node(pair.args[0])) for pair in e.args)
        if type(e) in RELATIONS:
            return "compare", RELATIONS[type(e)], self.node(e.lhs), self.node(e.rhs)
        return self._logic_or_call(e)

    def _power(self, base, exponent) -> tuple:
        if isinstance(exponent, sp.Rational):
            return "power", self.node(base), Fraction(int(exponent.p), int(exponent.q))
        if isinstance(exponent, sp.Float) and float(2 * exponent).is_integer():
            return "power", self.node(base), Fraction(int(2 * exponent), 2)
        if base is sp.E:
            return "call", "exp", self.node(exponent)
        return "call", "pow", self.node(base), self.node(exponent)

    def _logic_or_call(self, e) -> tuple:
        if e is sp.true or e is sp.false:
            return ("true" if e is sp.true else "false",)
        for kind, word in ((sp.And, "and"), (sp.Or, "or"), (sp.Not, "not")):
            if isinstance(e, kind):
                return word, *(self.node(a) for a in e.args)
        if isinstance(e, sp.ITE):
            return self._read(e.to_nnf(simplify=False))
        if isinstance(e, sp.Derivative | sp.Integral | sp.Subs):
            return self._done(e)
        if type(e) in CALLS:
            return "call", CALLS[type(e)], *(self.node(a) for a in e.args)
        raise UnreadableExpression(
            f"the SymPy expression {_short(e)} ({type(e).__name__}) has no value on plain numbers"
        )

    def _done(self, e) -> tuple:
        done = e.doit()
        if isinstance(done, type(e)):
            raise UnreadableExpression(f"the SymPy expression {_short(e)} cannot be carried out")
        return "add", self.node(done)


def _short(e) -> str:
    text = str(e)
    return text if len(text) <= 80 else text[:77] + "..."
