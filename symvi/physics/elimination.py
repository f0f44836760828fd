"""Newton's equations of an inequality's own variables, linear in their changes, solved for one change after the other.

Contacts, limits and dry friction state their equations as products that are to become mu, and as linear equations.
The products are linearised here, every change is what makes one of the equations vanish, and what bodies see of a
change is its derivative by their velocities, chained through the change that it follows. Numbers that many terms share
are named (`Steps`), so that a change stays as short as its equation.
"""

from __future__ import annotations

from symvi.physics.straight_line import Symbolic


def linearised(products, values, changes) -> Symbolic:
    """The derivative of bilinear products along changes. products: a function of x and y; values, changes: (x, y)."""
    (x, y), (dx, dy) = values, changes
    return products(dx, y) + products(x, dy)


def unknowns(name: str, count: int = 1) -> Symbolic:
    """A column of changes: to be solved for, or made by bodies."""
    import sympy as sp

    return sp.Matrix([sp.Symbol(f"{name}_change_{k}", real=True) for k in range(count)])


def solve_for(change, equation, inverse=None) -> Symbolic:
    """The change for which an equation that is linear in it vanishes.

    inverse: what stands for 1 over the slope of the equation, where that has a name.
    Raises ValueError for an equation that is not linear in the change, or does not depend on it.
    """
    slope = slope_of(equation, change)
    if slope == 0 or slope.has(change):
        raise ValueError(f"{equation} = 0 does not decide {change}")
    rest = at_rest(equation, [change])
    return -rest / slope if inverse is None else -rest * inverse


def slope_of(equation, change) -> Symbolic:
    """The derivative of a linear equation by one change."""
    import sympy as sp

    return sp.diff(equation, change)


def at_rest(value, changes) -> Symbolic:
    """A value where changes are zero."""
    return value.xreplace(dict.fromkeys(changes, 0))


def ensure_equal(left, right, *replaced) -> None:
    """Check a form that is given by hand: two columns agree once symbols are replaced, by one table after the other.

    Raises ValueError where they do not.
    """
    import sympy as sp

    for one, other in zip(sp.Matrix(left).flat(), sp.Matrix(right).flat(), strict=True):
        rest = one - other
        for table in replaced:
            rest = rest.xreplace(table)
        if sp.cancel(sp.together(rest)) != 0:
            raise ValueError(f"{one} is not {other}")
