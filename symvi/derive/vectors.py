"""Vectors as expressions, each with the rule by which it is differentiated.

With a step of the rotation vector theta on the body's side, q -> q (1, theta/2), and v^ u = v x u:
    d(R v) = -R v^ theta + R dv        d(Rᵀ v) = (Rᵀ v)^ theta + Rᵀ dv        d(u x v) = u^ dv - v^ du
    d(l q r) = (1/2) L(l q) R(r) Vᵀ theta       d(l q* r) = -(1/2) L(l) R(q* r) Vᵀ theta
and on the world's side, q -> (1, theta/2) q:
    d(R v) = -(R v)^ theta + R dv      d(Rᵀ v) = Rᵀ v^ theta + Rᵀ dv          and l, r exchanged likewise.
Every node has `terms`, what it is, and `by(name)`, its derivative; both are sums in the sense of `notation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symvi.derive.notation import IDENTITY, Factor, Sum, Term, shown, times, value, whole
from symvi.naive.quaternion import conjugate, multiply
from symvi.verify.asking.points import rotation_of

ONE, HALF = Fraction(1), Fraction(1, 2)
EMBED = Factor("Vᵀ", r"V^{\mathsf T}", lambda v: np.eye(4, dtype=object)[:, 1:])
PARTS = {
    "V": Factor("V", "V", lambda v: np.eye(4, dtype=object)[1:]),
    "S": Factor("S", "S", lambda v: np.eye(4, dtype=object)[:1]),
}
GREEK = ("tau", "alpha", "phi")


@dataclass(frozen=True)
class Tangent:
    """side: "body" or "world". size: 1 for rotation vectors, 2 for half of them."""

    side: str = "body"
    size: Fraction = ONE


def name_factor(name: str, number: bool = False) -> Factor:
    """A variable by its name."""
    return Factor(name, latex_name(name), lambda v: v[name], number=number)


def latex_name(name: str) -> str:
    stem, _, end = name.partition("_")
    stem = f"\\{stem}" if stem in GREEK else stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    end = rf"\mathrm{{{end}}}" if len(end) > 1 else end
    return f"{stem}_{{{end}}}" if end else stem


def rotation_factor(q: str, inverse: bool = False) -> Factor:
    """R_a for q_a, R(q) for q; or its transpose."""
    end = q.partition("_")[2]
    text, latex = (f"R_{end}", latex_name(f"R_{end}")) if end else (f"R({q})", f"R({q})")

    def matrix(values):
        found = np.array(rotation_of(list(values[q])), dtype=object).reshape(3, 3)
        return found.T if inverse else found

    return Factor(text + "ᵀ" * inverse, latex + r"^{\mathsf T}" * inverse, matrix)


def skew_factor(terms: Sum) -> Factor:
    """v^ of a vector."""
    of = whole(terms)
    simple = not of.text.startswith("(")

    def matrix(values):
        x, y, z = of.value(values)
        return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)

    latex = f"{{{of.latex}}}^{{\\wedge}}" if simple else f"{of.latex}^{{\\wedge}}"
    return Factor(f"{of.text}^", latex, matrix)


def row_factor(terms: Sum) -> Factor:
    """vᵀ of a vector."""
    of = whole(terms)
    return Factor(f"{of.text}ᵀ", f"{of.latex}^{{\\mathsf T}}", lambda v: np.array([of.value(v)], dtype=object))


def row_factors(terms: Sum) -> tuple[Factor, ...]:
    """vᵀ of a vector; of a symmetric matrix times a vector, (J w)ᵀ = wᵀ J."""
    only, *more = terms
    *before, last = only.factors
    if more or only.coefficient != 1 or not all(factor.symmetric for factor in before):
        return (row_factor(terms),)
    return (row_factor((Term(ONE, (last,)),)), *reversed(before))


def column_factor(terms: Sum) -> Factor:
    """A vector as a matrix of one column."""
    of = whole(terms)
    return Factor(of.text, of.latex, lambda v: np.array(of.value(v), dtype=object).reshape(-1, 1))


def applied(factor: Factor, terms: Sum) -> Sum:
    """factor * terms, in brackets if they are several."""
    return times(terms, factor) if len(terms) == 1 else (Term(ONE, (factor, whole(terms))),)


class Node:
    """A vector: `terms`, and `by(name)`, its derivative by a variable."""

    terms: Sum

    def by(self, name: str, tangent: Tangent) -> Sum:
        raise NotImplementedError


class Variable(Node):
    def __init__(self, name: str):
        self.name, self.terms = name, (Term(ONE, (name_factor(name),)),)

    def by(self, name, tangent):
        return (Term(ONE, (IDENTITY,)),) if name == self.name else ()


class Constant(Node):
    """A vector that no derivative is taken by."""

    def __init__(self, factor: Factor):
        self.terms = (Term(ONE, (factor,)),)

    def by(self, name, tangent):
        return ()


class Called(Node):
    """A vector under a shorter name: u for what it is."""

    def __init__(self, name: str, of: Node):
        self.of = of
        self.terms = (Term(ONE, (Factor(name, latex_name(name), lambda v: value(of.terms, v)),)),)

    def by(self, name, tangent):
        return self.of.by(name, tangent)


class Total(Node):
    """A sum of vectors, each with a number before it."""

    def __init__(self, *parts: tuple[int | Fraction, Node]):
        self.parts = parts
        self.terms = tuple(t for by, part in parts for t in times(part.terms, by=Fraction(by)))

    def by(self, name, tangent):
        return tuple(t for by, part in self.parts for t in times(part.by(name, tangent), by=Fraction(by)))


class Times(Node):
    """A constant matrix, or a constant number with a name, times a vector."""

    def __init__(self, factor: Factor, of: Node):
        self.factor, self.of = factor, of
        self.terms = applied(factor, of.terms)

    def by(self, name, tangent):
        return times(self.of.by(name, tangent), self.factor)


class Turned(Node):
    """R(q) v, or R(q)ᵀ v."""

    def __init__(self, q: str, of: Node, inverse: bool = False):
        self.q, self.of, self.inverse = q, of, inverse
        self.factor = rotation_factor(q, inverse)
        self.terms = applied(self.factor, of.terms)

    def by(self, name, tangent):
        inner = times(self.of.by(name, tangent), self.factor)
        return self._own(tangent) + inner if name == self.q else inner

    def _own(self, tangent: Tangent) -> Sum:
        outside = (tangent.side == "world") != self.inverse
        factors = (skew_factor(self.terms),) if outside else (self.factor, skew_factor(self.of.terms))
        return (Term(tangent.size if self.inverse else -tangent.size, factors),)


class Crossed(Node):
    """u x v."""

    def __init__(self, u: Node, v: Node):
        self.u, self.v = u, v
        self.terms = applied(skew_factor(u.terms), v.terms)

    def by(self, name, tangent):
        left = times(self.v.by(name, tangent), skew_factor(self.u.terms))
        return left + times(self.u.by(name, tangent), skew_factor(self.v.terms), by=-ONE)


class Scaled(Node):
    """A number that depends on variables, times a vector."""

    def __init__(self, number: Number, of: Node):
        self.number, self.of = number, of
        self.terms = applied(number.factor, of.terms)

    def by(self, name, tangent):
        outer = times(self.number.by(name, tangent), column_factor(self.of.terms))
        return times(self.of.by(name, tangent), self.number.factor) + outer


class Stacked(Node):
    """A number above a vector."""

    def __init__(self, number: Number, below: Node):
        self.number, self.below = number, below
        self.terms = (Term(ONE, (_column(number.factor, below.terms),)),)

    def by(self, name, tangent):
        top, bottom = self.number.by(name, tangent), self.below.by(name, tangent)
        if not top and not bottom:
            return ()
        text, latex = (f"[{shown(top, kind)}; {shown(bottom, kind)}]" for kind in (False, True))
        latex = latex.replace("[", r"\begin{bmatrix} ", 1).replace("; ", r" \\ ", 1)[:-1] + r" \end{bmatrix}"
        return (Term(ONE, (Factor(text, latex, lambda v: np.vstack([value(top, v), value(bottom, v)])),)),)


def _column(top: Factor, bottom: Sum) -> Factor:
    text, latex = (
        f"[{top.text}; {shown(bottom)}]",
        rf"\begin{{bmatrix}} {top.latex} \\ {shown(bottom, True)} \end{{bmatrix}}",
    )
    return Factor(text, latex, lambda v: np.array([top.value(v), *value(bottom, v)], dtype=object))


def product_factor(q: str) -> Factor:
    """L(q), which multiplies by q from the left."""
    return Part((q,), "")._side("L", (q,))[0]


class Part(Node):
    """V or S of a product of quaternions, or all of it (part ""); factors are names, with * behind a conjugate's."""

    def __init__(self, factors: Sequence[str], part: str = "V", name: str = "d"):
        self.quaternions, self.part = tuple(factors), part
        self.product = Factor(name, name, lambda v: np.array(_product(self.quaternions, v), dtype=object))
        self.left = (PARTS[part],) if part else ()
        self.terms = (Term(ONE, (*self.left, self.product)),)

    def by(self, name, tangent):
        return tuple(t for i in range(len(self.quaternions)) for t in self._by_one(i, name, tangent))

    def _by_one(self, i: int, name: str, tangent: Tangent) -> Sum:
        q = self.quaternions[i]
        if q.rstrip("*") != name:
            return ()
        conjugated = q.endswith("*")
        split = i if conjugated == (tangent.side == "body") else i + 1
        factors = [*self._side("L", self.quaternions[:split]), *self._side("R", self.quaternions[split:])]
        size = (-HALF if conjugated else HALF) * tangent.size
        return (Term(size, (*self.left, *factors, EMBED)),)

    def _side(self, letter: str, quaternions: Sequence[str]) -> list[Factor]:
        if not quaternions:
            return []
        every = len(quaternions) == len(self.quaternions) > 1
        text = self.product.text if every else " ".join(quaternions)
        latex = self.product.latex if every else " ".join(_latex_quaternion(q) for q in quaternions)

        def matrix(values):
            p = _product(quaternions, values)
            units = [list(row) for row in np.eye(4, dtype=object)]
            images = [multiply(p, u) if letter == "L" else multiply(u, p) for u in units]
            return np.array(images, dtype=object).T

        return [Factor(f"{letter}({text})", f"{letter}({latex})", matrix)]


def _latex_quaternion(q: str) -> str:
    name = latex_name(q.rstrip("*"))
    return f"{name}^{{*}}" if q.endswith("*") else name


def quaternion_text(factors: Sequence[str], latex: bool) -> str:
    return " ".join(_latex_quaternion(q) if latex else q for q in factors)


def _product(quaternions: Sequence[str], values) -> list:
    found = [1, 0, 0, 0]
    for name in quaternions:
        q = list(values[name.rstrip("*")])
        found = multiply(found, conjugate(q) if name.endswith("*") else q)
    return found


class ByColumns(Node):
    """A matrix row by row, told by its columns: `column` makes the column i of the unit vector e_i."""

    def __init__(self, text: str, latex: str, column: Callable[[Node], Node]):
        self.columns = [column(Constant(_unit(k))) for k in range(3)]

        def entries(values):
            return np.array([value(each.terms, values) for each in self.columns], dtype=object).T.reshape(-1)

        self.terms = (Term(ONE, (Factor(text, latex, entries),)),)

    def by(self, name, tangent):
        slopes = [each.by(name, tangent) for each in self.columns]
        if not slopes[0]:
            return ()
        text, latex = f"{shown(slopes[0])} for the column i", rf"{shown(slopes[0], True)} \quad \text{{(column }}i)"

        def entries(values):
            found = np.array([value(each, values) for each in slopes], dtype=object)
            return found.transpose(1, 0, 2).reshape(9, -1)

        return (Term(ONE, (Factor(text, latex, entries),)),)


def _unit(k: int) -> Factor:
    return Factor("e_i", "e_i", lambda v: np.eye(3, dtype=object)[k])


# --- numbers ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Number:
    """A number that depends on variables: as a factor, and its derivative, a row."""

    factor: Factor
    slope: Callable[[str, Tangent], Sum]

    def by(self, name: str, tangent: Tangent) -> Sum:
        return self.slope(name, tangent)


class Row(Node):
    """A number as a vector of one entry."""

    def __init__(self, number: Number):
        self.number, self.terms = number, (Term(ONE, (number.factor,)),)

    def by(self, name, tangent):
        return self.number.by(name, tangent)


def dot(u: Node, v: Node) -> Number:
    """u·v."""
    left, right = row_factor(u.terms), whole(v.terms)

    def slope(name: str, tangent: Tangent) -> Sum:
        return times(v.by(name, tangent), left) + times(u.by(name, tangent), *row_factors(v.terms))

    text, latex = f"{whole(u.terms).text}·{right.text}", rf"{whole(u.terms).latex} \cdot {right.latex}"
    return Number(Factor(text, latex, lambda values: (left.value(values) @ right.value(values))[0], number=True), slope)


def function_of(u: Node, text: str, latex: str, of: Callable, slope_text: str, slope_latex: str, slope: Callable):
    """A number f of a vector u whose derivative is f' uᵀ du, f' another number of u."""
    inner = whole(u.terms)
    before = Factor(slope_text, slope_latex, lambda v: slope(list(inner.value(v)), v), number=True)
    factor = Factor(text, latex, lambda v: of(list(inner.value(v)), v), number=True)
    return Number(factor, lambda name, tangent: times(u.by(name, tangent), before, row_factor(u.terms)))


def length(values: list):
    return np.sqrt(values[0] * values[0] + values[1] * values[1] + values[2] * values[2])
