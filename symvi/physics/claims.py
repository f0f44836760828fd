"""Functions of rigid bodies with their derivatives, as SymPy has them: what verification is put to the test with.

A derivative is taken along the tangents that users state: a vector's components; a unit quaternion's rotation vector in
body axes, dq = (1/2) q (0, e_k), or in world axes, (1/2) (0, e_k) q; the rotational gradient, dq = q (0, e_k) (BM20
(17)); an angular velocity's components, its unit quaternion [sqrt(1 - (h²/4) w·w); (h/2) w] (BM20 (31)) moving along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from symvi.physics.algebra import conjugate, cross, dot, left, right


@dataclass(frozen=True, eq=False)
class Claim:
    """A function of named arguments: kind of each argument, what it is differentiated by, its builder."""

    name: str
    arguments: Mapping[str, str]
    by: tuple[str, ...]
    builder: Callable

    @cached_property
    def symbols(self) -> dict[str, tuple[sp.Symbol, ...]]:
        """The symbols of every argument."""
        return {name: _symbols(name, kind) for name, kind in self.arguments.items()}

    @cached_property
    def function(self) -> sp.MatrixBase:
        """The outputs, a column."""
        values = {name: s[0] if len(s) == 1 else sp.Matrix(s) for name, s in self.symbols.items()}
        found = self.builder(**values)
        return found if isinstance(found, sp.MatrixBase) else sp.Matrix([found])

    @cached_property
    def derivative(self) -> sp.Matrix:
        """One column for every direction of every argument in `by`."""
        return sp.Matrix.hstack(*(self._columns(name) for name in self.by))

    def _columns(self, name: str) -> sp.Matrix:
        gradient = self.function.jacobian(sp.Matrix(self.symbols[name]))
        kind = self.arguments[name]
        if kind not in ("body", "world", "half"):
            return gradient
        q = sp.Matrix(self.symbols[name])
        turn = (right(q) if kind == "world" else left(q))[:, 1:]
        return gradient * (turn if kind == "half" else turn / 2)

    @property
    def has_branches(self) -> bool:
        """Whether the function is another one in some part of space."""
        return bool(self.function.has(sp.Piecewise))

    def units(self) -> list[sp.Expr]:
        """Expressions that are one on the manifold: q·q of every unit quaternion."""
        return [
            sum((s**2 for s in self.symbols[name]), sp.Integer(0))
            for name, kind in self.arguments.items()
            if kind in ("body", "world", "half")
        ]


def _symbols(name: str, kind: str) -> tuple[sp.Symbol, ...]:
    size = 4 if kind in ("body", "world", "half") else 3 if kind in ("vector", "angular velocity") else 1
    positive = True if kind in ("positive", "step") else None
    if size == 1:
        return (sp.Symbol(name, real=True, positive=positive),)
    return tuple(sp.Symbol(f"{name}{k}", real=True) for k in range(size))


def _rotated(q, p) -> sp.Matrix:
    """R(q) p = p + 2 (s v x p + v x (v x p)), for unit quaternions."""
    v = sp.Matrix(q[1:])
    return p + 2 * (q[0] * cross(v, p) + cross(v, cross(v, p)))


def _spherical(x_a, q_a, x_b, q_b, p_a, p_b) -> sp.Matrix:
    return x_b + _rotated(q_b, p_b) - x_a - _rotated(q_a, p_a)


def _aligned(q_a, q_b) -> sp.Matrix:
    return 2 * sp.Matrix((left(conjugate(q_a)) * q_b)[1:])


def _length(x, q, p) -> sp.Expr:
    r = x + _rotated(q, p)
    return sp.sqrt(dot(r, r))


def _momentum(w, J, h) -> sp.Matrix:
    """l = c J w + (h/2) w x J w, c = sqrt(1 - (h²/4) w·w) (BSMH23 (16), times h/2)."""
    spun = sp.Matrix([J[k] * w[k] for k in range(3)])
    return sp.sqrt(1 - h**2 * dot(w, w) / 4) * spun + h / 2 * cross(w, spun)


def _updated(q, w, h) -> sp.Matrix:
    """q [c; (h/2) w] (BM20 (31))."""
    return left(q) * sp.Matrix([sp.sqrt(1 - h**2 * dot(w, w) / 4), *(h * w / 2)])


def _spring(x, k, L) -> sp.Matrix:
    return -k * (1 - L / sp.sqrt(dot(x, x))) * x


def _friction(v, mu, s) -> sp.Matrix:
    return -mu * v / sp.sqrt(dot(v, v) + s**2)


def _pendulum(x, L, k) -> sp.Matrix:
    return sp.Matrix([L * sp.sin(x[0]) + k * sp.exp(-x[1]), L * sp.cos(x[0]) * x[2], sp.log(1 + x[2] ** 2) * x[1]])


def _torque(q, p, n) -> sp.Matrix:
    return cross(p, _rotated(conjugate(q), n))


def _weight(q, p, n) -> sp.Expr:
    return dot(n, _rotated(q, p))


def _penalty(x, k, L) -> sp.Expr:
    """k g²/2 where the gap g is negative, a steeper straight line where it is below -L."""
    g = x[2] + x[0] * x[1]
    deep = k * L * (-g - L / 2)
    return sp.Piecewise((deep, g < -L), (k * g**2 / 2, g < 0), (0, True))


V, W, P, S = "vector", "angular velocity", "positive", "scalar"
CLAIMS: tuple[Claim, ...] = (
    Claim("rotated", {"q": "body", "p": V}, ("q",), _rotated),
    Claim("rotated_world", {"q": "world", "p": V}, ("q",), _rotated),
    Claim("rotated_half", {"q": "half", "p": V}, ("q", "p"), _rotated),
    Claim("spherical", {"x_a": V, "q_a": "body", "x_b": V, "q_b": "body", "p_a": V, "p_b": V}, ("x_a", "q_a", "x_b",
          "q_b"), _spherical),
    Claim("aligned", {"q_a": "body", "q_b": "world"}, ("q_a", "q_b"), _aligned),
    Claim("length", {"x": V, "q": "body", "p": V}, ("x", "q"), _length),
    Claim("momentum", {"w": W, "J": V, "h": "step"}, ("w",), _momentum),
    Claim("updated", {"q": "body", "w": W, "h": "step"}, ("q", "w"), _updated),
    Claim("spring", {"x": V, "k": S, "L": P}, ("x",), _spring),
    Claim("friction", {"v": V, "mu": S, "s": P}, ("v",), _friction),
    Claim("pendulum", {"x": V, "L": S, "k": S}, ("x",), _pendulum),
    Claim("torque", {"q": "world", "p": V, "n": V}, ("q",), _torque),
    Claim("weight", {"q": "body", "p": V, "n": V}, ("q", "p"), _weight),
    Claim("penalty", {"x": V, "k": S, "L": P}, ("x",), _penalty),
)  # fmt: skip
