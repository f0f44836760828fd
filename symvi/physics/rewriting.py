"""One change at a time to SymPy expressions: errors that people make, and rewrites that change no value.

Both start from a matrix and choose a node by a random generator, so that the same seed makes the same change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

import sympy as sp

Path = tuple[int, ...]
LOOKED_AT = 40  # parts of a matrix, for one to which a rewrite applies


def nodes(expression: sp.Basic, path: Path = ()) -> Iterator[tuple[Path, sp.Basic]]:
    """All parts of an expression, each with the way to it through `args`."""
    yield path, expression
    for k, part in enumerate(expression.args):
        yield from nodes(part, (*path, k))


def replaced(expression: sp.Basic, path: Path, new: sp.Basic) -> sp.Basic:
    """The expression with another part at the end of a path."""
    if not path:
        return new
    parts = list(expression.args)
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return expression.func(*parts)


def _changed(matrix: sp.Matrix, random: Random, change: Callable) -> sp.Matrix | None:
    """The matrix with change(part) in the place of one part of one entry; None where the part chosen has none."""
    entry = random.randrange(len(matrix))
    whole = matrix.flat()[entry]
    path, part = random.choice([(p, e) for p, e in nodes(whole) if isinstance(e, sp.Expr)])
    new = change(part)
    if new is None:
        return None
    result = sp.Matrix(matrix)
    result[entry] = replaced(whole, path, new)
    return result


# --- errors ----------------------------------------------------------------------------------------------------------
def edited(matrix: sp.Matrix, symbols: Sequence[sp.Symbol], random: Random) -> tuple[str, sp.Matrix]:
    """One error in one node: its kind, and the matrix with it."""
    while True:
        kind = random.choice(list(EDITS))
        found = _changed(matrix, random, lambda part, k=kind: EDITS[k](part, symbols, random))
        if found is not None:
            return kind, found


def _negated(part: sp.Expr, symbols, random: Random) -> sp.Expr:
    return -part


def _scaled(part: sp.Expr, symbols, random: Random) -> sp.Expr:
    return part * random.choice([sp.Integer(2), sp.Rational(1, 2)])


def _other_number(part: sp.Expr, symbols, random: Random) -> sp.Expr | None:
    return part + random.choice([-1, 1]) if part.is_Rational else None


def _other_symbol(part: sp.Expr, symbols, random: Random) -> sp.Expr | None:
    return random.choice([s for s in symbols if s != part]) if part.is_Symbol else None


def _shorter(part: sp.Expr, symbols, random: Random) -> sp.Expr | None:
    """A sum without one of its terms, a product without one of its factors."""
    if not (part.is_Add or part.is_Mul):
        return None
    left_out = random.randrange(len(part.args))
    return part.func(*(each for k, each in enumerate(part.args) if k != left_out))


def _other_power(part: sp.Expr, symbols, random: Random) -> sp.Expr | None:
    return part.base ** (part.exp + random.choice([-1, 1])) if isinstance(part, sp.Pow) else None


def _other_function(part: sp.Expr, symbols, random: Random) -> sp.Expr | None:
    exchange = {sp.sin: sp.cos, sp.cos: sp.sin, sp.exp: lambda x: sp.exp(-x), sp.log: lambda x: sp.log(1 + x**2)}
    return exchange[part.func](*part.args) if part.func in exchange else None


EDITS: dict[str, Callable] = {
    "sign": _negated,
    "factor": _scaled,
    "number": _other_number,
    "variable": _other_symbol,
    "term": _shorter,
    "power": _other_power,
    "function": _other_function,
}


# --- rewrites --------------------------------------------------------------------------------------------------------
def rewritten(matrix: sp.Matrix, units: Sequence[sp.Expr], random: Random) -> tuple[str, sp.Matrix]:
    """The same function on the manifold in other words: what was done, and the matrix. units: parts that are one."""
    while True:
        name = random.choice(list(REWRITES))
        if name in ("unit times", "unit plus") and not units:
            continue
        for _ in range(LOOKED_AT):
            found = _changed(matrix, random, lambda part, k=name: REWRITES[k](part, units, random))
            if found is not None:
                return name, found


def _times_unit(part: sp.Expr, units, random: Random) -> sp.Expr:
    return sp.Mul(random.choice(units), part, evaluate=False)


def _plus_unit(part: sp.Expr, units, random: Random) -> sp.Expr:
    """Something plus q·q less one."""
    return sp.Add(part, random.choice(units), -1, evaluate=False)


def _expanded(part: sp.Expr, units, random: Random) -> sp.Expr | None:
    found = sp.expand(part)
    return found if found != part else None


def _gathered(part: sp.Expr, units, random: Random) -> sp.Expr | None:
    found = sp.factor(part) if part.is_Add and sp.count_ops(part) < 30 else part
    return found if found != part else None


def _in_turn(part: sp.Expr, units, random: Random) -> sp.Expr | None:
    if not isinstance(part, sp.Add | sp.Mul):
        return None
    return part.func(*random.sample(part.args, len(part.args)), evaluate=False)


def _added_zero(part: sp.Expr, units, random: Random) -> sp.Expr | None:
    symbols = sorted((s for s in part.free_symbols if isinstance(s, sp.Symbol)), key=str)
    if not symbols:
        return None
    other = random.choice(symbols)
    return sp.Add(part, other, sp.Mul(-1, other, evaluate=False), evaluate=False)


REWRITES: dict[str, Callable] = {
    "unit times": _times_unit,
    "unit plus": _plus_unit,
    "expand": _expanded,
    "factor": _gathered,
    "order": _in_turn,
    "zero": _added_zero,
}


def numbers(matrix: sp.Matrix, symbols: Sequence[sp.Symbol]) -> Callable:
    """The entries as a function of mpmath's numbers, by SymPy's own printer: an independent witness."""
    return sp.lambdify(list(symbols), matrix.flat(), modules=["mpmath"])
