"""Broyden's updates of a direction under a quadrature rule (Broyden 1965; Lee16 compares its RIQN with them).

An iteration asks for the increment t = B^-1 r by slopes B that stay, those of rule_impulses.py. With sigma = lambda s
taken of the increment s before, and the t that the updates until then make of what is left, the slopes between both
are mended by a matrix of rank one, Broyden's first update as one of the inverse:

    B^-1 += v sigmaᵀ B^-1,    v = (t + (lambda - 1) s)/(sigma·sigma/lambda - sigma·t),    s_next = t + v (sigma·t)

Updates are kept as pairs (sigma_i, v_i), the newest last, and multiply one after the other,

    t <- t + v_i alpha_i,    alpha_i = sigma_i·t_0 + sum over j < i of (sigma_i·v_j) alpha_j

so that two sweeps over the links tell all: sums of products, then what follows of them. Of more pairs than are kept the
oldest is forgotten. An update is shortened where it would turn the direction around: its denominator is held above a
tenth of sigma·sigma/lambda.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symvi.kernels.blocks import Matrix, Vector
from symvi.kernels.carried_joint import Traced
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
from symvi.kernels.rule_joint import INCREMENT, RuleJoint, in_rows
from symvi.kernels.tracing import Trace
from symvi.scalar import Rate, Scalar

SOURCE = "Broyden 1965, derived here"
PAIRS = 6  # that are kept
NOTHING = Fraction(1, 10**30)  # squares of increments below it are round-off, or zero where nothing was left to solve
OF_COMMON = {
    "pairs": ("products of increments that were taken with the updates before them", "1"),
    "met": ("products of these increments with the new one", "rad²/s², m²/s²"),
    "crossed": ("products of the last increment that was taken with the updates before it", "1"),
    "taken_square": ("its square", "rad²/s², m²/s²"),
    "shares": ("how much of each update the increment takes", "rad²/s², m²/s²"),
    "denominator": ("of the newest update", "rad²/s², m²/s²"),
    "last_length": ("share of the last increment that was taken", "1"),
    "begun": ("one where no increment was taken yet, else zero", "1"),
}
SIZES = {"pairs": PAIRS * PAIRS, "met": PAIRS, "crossed": PAIRS, "shares": PAIRS}


class RuleBroyden:
    """What a joint does for the updates."""

    def __init__(self, own: RuleJoint):
        self.own, self.size = own, own.link.freedoms * own.points.degree

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        return {
            "forget_taken": (self.forget, "no increment was taken yet"),
            "take_increment": (self.take, "the increment that was taken joins those before it"),
            "meet_taken": (self.meet, "products of increments"),
            "mend_increment": (self.mend, "the newest update, and the increment by all of them"),
        }

    def _kept(self, trace: Trace, name: str) -> Matrix:
        return in_rows(self.own.get(trace, name, PAIRS * self.size), self.size)

    def _keep(self, trace: Trace, name: str, rows: Matrix) -> None:
        self.own.put(trace, name, [x for row in rows for x in row])

    def forget(self, trace: Trace) -> None:
        zero = trace.graph.constant(0)
        for name in ("taken", "led"):
            self.own.put(trace, name, [zero] * (PAIRS * self.size))
        self.own.put(trace, INCREMENT, [zero] * self.size)

    def take(self, trace: Trace) -> None:
        """Before a new increment takes the place of the last one."""
        length, last = trace.read(COMMON, "work", "length")[0], self.own.get(trace, INCREMENT, self.size)
        with trace.computing("sigma = lambda s", SOURCE):
            taken = [*self._kept(trace, "taken")[1:], [length * x for x in last]]
        self._keep(trace, "taken", taken)
        self._keep(trace, "led", [*self._kept(trace, "led")[1:], [trace.graph.constant(0)] * self.size])
        self.own.put(trace, "last_increment", last)

    def meet(self, trace: Trace) -> None:
        taken, led = self._kept(trace, "taken"), self._kept(trace, "led")
        start = self.own.get(trace, INCREMENT, self.size)
        with trace.computing("sigma_i·t_0,  sigma·v_j,  sigma·sigma", SOURCE):
            _add(trace, "met", [_dot(row, start) for row in taken])
            _add(trace, "crossed", [_dot(taken[-1], row) for row in led])
            _add(trace, "taken_square", [_dot(taken[-1], taken[-1])])

    def mend(self, trace: Trace) -> None:
        led, shares = self._kept(trace, "led"), _get(trace, "shares")
        length, denominator = (_get(trace, name)[0] for name in ("last_length", "denominator"))
        t, last = self.own.get(trace, INCREMENT, self.size), self.own.get(trace, "last_increment", self.size)
        with trace.computing("t += v_i alpha_i", SOURCE):
            for row, share in zip(led[:-1], shares[:-1], strict=True):
                t = [a + share * b for a, b in zip(t, row, strict=True)]
        with trace.computing("v = (t + (lambda - 1) s)/(sigma·sigma/lambda - sigma·t),  s = t + v (sigma·t)", SOURCE):
            update = [(a + (length - 1) * b) / denominator for a, b in zip(t, last, strict=True)]
            self.own.put(trace, INCREMENT, [a + shares[-1] * b for a, b in zip(t, update, strict=True)])
        self._keep(trace, "led", [*led[:-1], update])


def common_kernels(records: Records) -> dict[str, Kernel]:
    """What no joint does alone, by name."""

    def forget(trace: Trace) -> None:
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        _put(trace, "pairs", [zero] * (PAIRS * PAIRS))
        _put(trace, "begun", [one])

    def take(trace: Trace) -> None:
        with trace.computing("lambda, which is a start's number before anything was taken, and may be zero", SOURCE):
            _put(trace, "last_length", [trace.read(COMMON, "work", "length")[0] + _get(trace, "begun")[0]])
        for name in ("met", "crossed", "taken_square"):
            _put(trace, name, [trace.graph.constant(0)] * SIZES.get(name, 1))

    def share(trace: Trace) -> None:
        graph, zero = trace.graph, trace.graph.constant(0)
        met, crossed, square = _get(trace, "met"), _get(trace, "crossed"), _get(trace, "taken_square")[0]
        old = in_rows(_get(trace, "pairs"), PAIRS)
        pairs = [*([*row[1:], zero] for row in old[1:]), crossed]
        shares: Vector = []
        with trace.computing("alpha_i = sigma_i·t_0 + sum (sigma_i·v_j) alpha_j", SOURCE):
            for i in range(PAIRS):
                total = met[i]
                for j in range(i):
                    total = total + pairs[i][j] * shares[j]
                shares.append(total)
        with trace.computing("sigma·sigma/lambda - sigma·t, not below a tenth of sigma·sigma/lambda", SOURCE):
            whole = square / _get(trace, "last_length")[0]
            bound = graph.max(whole - shares[-1], whole / 10) + (_get(trace, "begun")[0] + graph.constant(NOTHING))
        _put(trace, "pairs", [x for row in pairs for x in row])
        _put(trace, "shares", shares)
        _put(trace, "denominator", [bound])
        _put(trace, "begun", [zero])

    built = {
        "forget_pairs": (forget, "no update yet"),
        "begin_products": (take, "products of increments begin at zero"),
        "share_pairs": (share, "how much of each update the increment takes"),
    }
    return {
        name: single(records, f"{name}_{COMMON}", text, (SHARED,), COMMON, build)
        for name, (build, text) in built.items()
    }


def _get(trace: Trace, name: str) -> Vector:
    return trace.read(COMMON, "work", name, SIZES.get(name, 1), *OF_COMMON[name])


def _put(trace: Trace, name: str, values: Sequence[Scalar]) -> None:
    trace.write(COMMON, name, values, *OF_COMMON[name])


def _add(trace: Trace, name: str, values: Sequence[Scalar]) -> None:
    meaning, unit = OF_COMMON[name]
    trace.add_to(COMMON, name, values, rate=Rate.ITERATION, meaning=meaning, unit=unit)


def _dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total
