"""Contacts, limits and dry friction as equations of their own variables, and what Newton's method makes of them.

Every such node has variables x (impulses, slacks, and those of friction), sees velocities u of its bodies and puts
impulses P(x) on them. Its equations are

    products(x) = (mu, ..., mu, 0)      bilinear: complementarity
    linear(x, u) = 0                    slacks stand for velocities, bounds of friction for impulses

With u changed by du, Newton's method gives dx = k - X du by one dense system, whose matrix is taken by dual numbers:
nothing of it is eliminated by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symvi.exact.dual import derivatives
from symvi.naive.quaternion import add, dot

Variables = Mapping[str, Sequence]


@dataclass(frozen=True)
class NaiveInequality:
    """One node.

    fields: its variables by name and size; misses: how many of the linear equations hold slacks to velocities.
    products(x, scaling): what must become mu, or zero where `centred` has a zero; a scaling has them in other
    variables, W^-1 b and W e.
    pushes: by body, a force and torque per component of the impulse P.
    """

    name: str
    moving: tuple[str, ...]
    fields: tuple[tuple[str, int], ...]
    velocities: Callable
    pushes: Mapping[str, list[list]]
    products: Callable[..., list]
    centred: tuple[int, ...]
    linear: Callable[[Variables, Sequence], list]
    impulse: Callable[[Variables], list]
    misses: int

    def miss(self, x: Variables, u: Sequence) -> list:
        """Velocities minus the slacks that stand for them."""
        return [-value for value in self.linear(x, u)[: self.misses]]

    def push(self, body: str, impulse: Sequence) -> list:
        """The force and torque of an impulse on a body."""
        return [sum((row[m] * p for row, p in zip(self.pushes[body], impulse, strict=True)), 0) for m in range(6)]


@dataclass(frozen=True)
class Law:
    """dx = k - X du of one node: k and the columns of X by field, and the same for its impulse P."""

    node: NaiveInequality
    k: dict[str, list]
    columns: list[dict[str, list]]

    def change(self, du: Sequence) -> dict[str, list]:
        """Increments of all variables."""
        found = {name: list(values) for name, values in self.k.items()}
        for rate, column in zip(du, self.columns, strict=True):
            found = {
                name: [old - entry * rate for old, entry in zip(values, column[name], strict=True)]
                for name, values in found.items()
            }
        return found

    @property
    def sent(self) -> list:
        """The impulse's change where velocities stay."""
        return self.node.impulse(self.k)

    @property
    def stiffness(self) -> list[list]:
        """K in dP = k - K du, by rows."""
        return [list(row) for row in zip(*(self.node.impulse(column) for column in self.columns), strict=True)]


def law(node: NaiveInequality, x: Variables, u: Sequence, mu, second, affine: Variables, zero, scaling=None) -> Law:
    """What Newton's method with Mehrotra's second-order term makes of a node's equations, by one dense system.

    scaling: maps that take b and e into other variables; None: the equations as they stand.
    """
    names = [(name, k) for name, size in node.fields for k in range(size)]

    def flat(values: Variables) -> list:
        return [values[name][k] for name, k in names]

    def named(values: Sequence) -> dict[str, list]:
        found: dict[str, list] = {name: [] for name, _ in node.fields}
        for (name, _), value in zip(names, values, strict=True):
            found[name].append(value)
        return found

    def equations(values: Variables, rates: Sequence) -> list:
        return [*node.products(values, scaling), *node.linear(values, rates)]

    now = flat(x)
    matrix = derivatives(lambda steps: equations(named(add(now, steps)), u), zero, len(now))
    slopes = derivatives(lambda steps: equations(x, add(u, steps)), zero, len(u))
    wanted = [mu * unit for unit in node.centred]
    right = [-value for value in equations(x, u)]
    for k, (target, product) in enumerate(zip(wanted, node.products(affine, scaling), strict=True)):
        right[k] = right[k] + target - second * product
    solved = solve(matrix, [right, *map(list, zip(*slopes, strict=True))])
    return Law(node, named(solved[0]), [named(column) for column in solved[1:]])


def solve(matrix: list[list], rights: list[list]) -> list[list]:
    """Solutions of a dense system for several right-hand sides, with any pivot that is not zero."""
    n = len(matrix)
    rows = [[*row, *(right[i] for right in rights)] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        inverse = 1 / rows[k][k]
        rows[k] = [value * inverse for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [[row[n + j] for row in rows] for j in range(len(rights))]


# --- the equations of contacts, limits and dry friction -----------------------------------------------------------
def jordan(x: Sequence, y: Sequence) -> list:
    """x o y = (x·y, x0 y + y0 x)."""
    return [sum((a * b for a, b in zip(x, y, strict=True)), 0), *(x[0] * y[i] + y[0] * x[i] for i in (1, 2, 3))]


def pairs(x: Variables) -> list:
    return [p * s for p, s in zip(x["impulse"], x["slack"], strict=True)]


def smooth_contact(name, moving, velocities, pushes) -> NaiveInequality:
    """s gamma = mu,  s = u_n."""
    return NaiveInequality(
        name, moving, (("impulse", 1), ("slack", 1)), velocities, pushes,
        lambda x, scaling=None: pairs(x), (1,),
        lambda x, u: [x["slack"][0] - u[0]],
        lambda x: [x["impulse"][0]],
        1,
    )  # fmt: skip


def round_contact(name, moving, velocities, pushes, bound) -> NaiveInequality:
    """s gamma = mu,  (b0, beta) o (e0, eta) = (mu, 0),  s = u_n,  eta = u_t,  b0 = c_f gamma."""

    def products(x, scaling=None):
        b, e = (x["b"], x["e"]) if scaling is None else (scaling[0](x["b"]), scaling[1](x["e"]))
        return [*pairs(x), *jordan(b, e)]

    def linear(x, u):
        slip = [eta - rate for eta, rate in zip(x["e"][1:], u[1:], strict=True)]
        return [x["slack"][0] - u[0], *slip, x["b"][0] - bound * x["impulse"][0]]

    return NaiveInequality(
        name, moving, (("impulse", 1), ("slack", 1), ("b", 4), ("e", 4)), velocities, pushes,
        products, (1, 1, 0, 0, 0), linear, lambda x: [x["impulse"][0], *x["b"][1:]], 4,
    )  # fmt: skip


def linear_contact(name, moving, velocities, pushes, bound, ways) -> NaiveInequality:
    """s gamma = mu,  b_i eta_i = mu,  zeta psi = mu,  s = u_n,  eta_i = d_i·u_t + psi,  zeta = c_f gamma - sum b_i."""
    n = len(ways)

    def linear(x, u):
        (_, *b, zeta), (s, *eta, psi) = x["impulse"], x["slack"]
        slip = [rate - dot(way, u[1:]) - psi for rate, way in zip(eta, ways, strict=True)]
        return [s - u[0], *slip, zeta - bound * x["impulse"][0] + sum(b, 0)]

    def impulse(x):
        b = x["impulse"][1 : 1 + n]
        return [x["impulse"][0], *(sum((way[i] * p for way, p in zip(ways, b, strict=True)), 0) for i in range(3))]

    return NaiveInequality(
        name, moving, (("impulse", n + 2), ("slack", n + 2)), velocities, pushes,
        lambda x, scaling=None: pairs(x), (1,) * (n + 2), linear, impulse, 1 + n,
    )  # fmt: skip


def limit(name, moving, velocities, pushes, count: int) -> NaiveInequality:
    """s gamma = mu,  s = u for every side of a limit: gamma pushes away from it."""
    return NaiveInequality(
        name, moving, (("impulse", count), ("slack", count)), velocities, pushes,
        lambda x, scaling=None: pairs(x), (1,) * count,
        lambda x, u: [s - rate for s, rate in zip(x["slack"], u, strict=True)],
        lambda x: list(x["impulse"]),
        count,
    )  # fmt: skip


def dry_friction(name, moving, velocities, pushes, most) -> NaiveInequality:
    """(L - lambda) y1 = mu,  (L + lambda) y2 = mu,  y2 - y1 = u, for every coordinate."""
    n = len(most)

    def linear(x, u):
        b, y, held = x["impulse"], x["slack"], x["held"]
        slip = [y[2 * i + 1] - y[2 * i] - u[i] for i in range(n)]
        left = [b[2 * i] + held[i] - most[i] for i in range(n)]
        return [*slip, *left, *(b[2 * i + 1] - held[i] - most[i] for i in range(n))]

    return NaiveInequality(
        name, moving, (("impulse", 2 * n), ("slack", 2 * n), ("held", n)), velocities, pushes,
        lambda x, scaling=None: pairs(x), (1,) * (2 * n), linear, lambda x: list(x["held"]), n,
    )  # fmt: skip
