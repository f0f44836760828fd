"""Explicit one-step methods for u' = f(u), to compare with: u is a tuple of floats."""

from __future__ import annotations

from collections.abc import Callable

State = tuple[float, ...]
Rates = Callable[[State], State]


def _moved(u: State, step: float, rates: State) -> State:
    return tuple(a + step * b for a, b in zip(u, rates, strict=True))


def euler(f: Rates, u: State, step: float) -> State:
    """Euler's method, first order."""
    return _moved(u, step, f(u))


def heun(f: Rates, u: State, step: float) -> State:
    """Heun's method, second order."""
    first = f(u)
    second = f(_moved(u, step, first))
    return tuple(a + step / 2 * (b + c) for a, b, c in zip(u, first, second, strict=True))


def runge_kutta(f: Rates, u: State, step: float) -> State:
    """The classical method of Runge and Kutta, fourth order."""
    k1 = f(u)
    k2 = f(_moved(u, step / 2, k1))
    k3 = f(_moved(u, step / 2, k2))
    k4 = f(_moved(u, step, k3))
    return tuple(a + step / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(u, k1, k2, k3, k4, strict=True))


def integrate(method: Callable, f: Rates, u: State, step: float, steps: int) -> list[State]:
    """The states at all knots, the first included, up to the first one that overflows."""
    states = [u]
    try:
        for _ in range(steps):
            states.append(method(f, states[-1], step))
    except OverflowError:
        pass
    return states
