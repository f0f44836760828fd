"""Elementary functions beyond the six of a world: each by those six, so that every world and every dual has them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symvi.exact.dual import reciprocal
from symvi.verify.errors import OutsideDomain, VerificationError
from symvi.verify.reading.worlds import World


def call(world: World, name: str, arguments: list):
    """The function of this name in a world. Raises VerificationError for a name that is none."""
    if name in PLAIN:
        return getattr(world.functions, name)(*arguments)
    if name not in TABLE:
        raise VerificationError(f"the function {name} is not among those that can be verified: {', '.join(NAMES)}")
    return TABLE[name](world, *arguments)


def power(world: World, x, exponent: int | Fraction):
    """x to a rational power: products, quotients and roots where they do, else exp((p/q) log x)."""
    exponent = Fraction(exponent)
    if exponent < 0:
        return reciprocal(power(world, x, -exponent))
    whole, rest = divmod(exponent.numerator, exponent.denominator)
    found = world.one
    for bit in bin(whole)[2:]:
        found = found * found
        found = found * x if bit == "1" else found
    if rest == 0:
        return found
    if exponent.denominator == 2:
        return found * world.functions.sqrt(x)
    f, part = world.functions, world.constant(Fraction(rest, exponent.denominator))
    return found * f.exp(part * f.log(x))


def absolute(world: World, x, site: object = "a number in |...| below zero"):
    """|x|; both of its sides are tested."""
    return -x if world.decide(world.compare(x, world.zero) < 0, site) else x


def sign(world: World, x, site: object = "the number in sign() below zero"):
    """-1, 0 or 1; both sides are tested."""
    order = world.compare(x, world.zero)
    world.decide(order < 0, site)
    return world.constant(order)


def _cofactor(world, x):
    """The root of 1 - x²."""
    return world.functions.sqrt(1 - x * x)


def _sinh(world, x):
    e = world.functions.exp(x)
    return (e - reciprocal(e)) / 2


def _cosh(world, x):
    e = world.functions.exp(x)
    return (e + reciprocal(e)) / 2


def _tanh(world, x):
    """1 - 2/(e^2x + 1), whose derivative loses no digits where the function has come to its ends."""
    e = world.functions.exp(x)
    return 1 - 2 * reciprocal(e * e + 1)


def _asinh(world, x):
    return world.functions.log(x + world.functions.sqrt(x * x + 1))


def _acosh(world, x):
    f = world.functions
    return f.log(x + f.sqrt(x - 1) * f.sqrt(x + 1))


def _erf(world, x):
    """Of the worlds that have it; its derivative is 2/sqrt(pi) e^-x²."""
    f = world.functions
    if "erf" not in f.base:
        raise VerificationError("the error function has no value on these numbers")
    return f.erf(x, lambda: 2 * reciprocal(f.sqrt(world.pi)))


def _cbrt(world, x):
    if world.decide(world.compare(x, world.zero) < 0, "the number in cbrt() below zero"):
        return -power(world, -x, Fraction(1, 3))
    return power(world, x, Fraction(1, 3))


def _sinc(world, x):
    """sin(x)/x, 1 at zero."""
    if world.compare(x, world.zero) == 0:
        raise OutsideDomain("sinc at zero has no derivative rule here")
    return world.functions.sin(x) / x


TABLE: dict[str, Callable] = {
    "abs": absolute,
    "sign": sign,
    "tan": lambda w, x: w.functions.sin(x) / w.functions.cos(x),
    "cot": lambda w, x: w.functions.cos(x) / w.functions.sin(x),
    "sec": lambda w, x: reciprocal(w.functions.cos(x)),
    "csc": lambda w, x: reciprocal(w.functions.sin(x)),
    "asin": lambda w, x: w.functions.atan2(x, _cofactor(w, x)),
    "acos": lambda w, x: w.functions.atan2(_cofactor(w, x), x),
    "atan": lambda w, x: w.functions.atan2(x, w.one),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "coth": lambda w, x: reciprocal(_tanh(w, x)),
    "sech": lambda w, x: reciprocal(_cosh(w, x)),
    "csch": lambda w, x: reciprocal(_sinh(w, x)),
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": lambda w, x: w.functions.log((1 + x) / (1 - x)) / 2,
    "acoth": lambda w, x: TABLE["atanh"](w, reciprocal(x)),
    "acot": lambda w, x: w.functions.atan2(reciprocal(x), w.one),
    "asec": lambda w, x: TABLE["acos"](w, reciprocal(x)),
    "acsc": lambda w, x: TABLE["asin"](w, reciprocal(x)),
    "asech": lambda w, x: _acosh(w, reciprocal(x)),
    "acsch": lambda w, x: _asinh(w, reciprocal(x)),
    "erf": _erf,
    "erfc": lambda w, x: 1 - _erf(w, x),
    "expm1": lambda w, x: w.functions.exp(x) - 1,
    "log1p": lambda w, x: w.functions.log(x + 1),
    "log2": lambda w, x: w.functions.log(x) / w.functions.log(w.constant(2)),
    "log10": lambda w, x: w.functions.log(x) / w.functions.log(w.constant(10)),
    "hypot": lambda w, *xs: w.functions.sqrt(sum((x * x for x in xs), w.zero)),
    "cbrt": _cbrt,
    "pow": lambda w, x, y: w.functions.exp(y * w.functions.log(x)),
    "sinc": _sinc,
    "max": lambda w, *xs: _extreme(w, xs, 1),
    "min": lambda w, *xs: _extreme(w, xs, -1),
}
PLAIN = ("sqrt", "sin", "cos", "exp", "log", "atan2")
NAMES = (*PLAIN, *TABLE)


def _extreme(world, entries, way: int):
    best = entries[0]
    for x in entries[1:]:
        if world.decide(world.compare(x, best) == way, "max" if way == 1 else "min"):
            best = x
    return best
