"""The proof of one mechanism's kernels: verdicts phase by phase, and how likely an error would have passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log10
from time import perf_counter

from symvi.exact.field import MERSENNE_61, MERSENNE_521
from symvi.proofs.doubts import degrees_of, doubts
from symvi.proofs.kernels import Bench, Subject
from symvi.proofs.parameter_values import parameter_differences


@dataclass(frozen=True)
class Point:
    """Where a proof is done: a prime, a seed, and whether the guards of loops are zero."""

    prime: int = MERSENNE_61
    seed: int = 0
    guarded: bool = False


POINTS = (Point(MERSENNE_61, 1), Point(MERSENNE_521, 2, guarded=True))


@dataclass(frozen=True)
class Verdict:
    """What was proved of one phase of one mechanism: kernels, numbers compared, points, failing entries, seconds.

    doubt: the decimal logarithm of a bound of the probability that a wrong number was compared and passed.
    """

    mechanism: str
    phase: str
    kernels: tuple[str, ...]
    outputs: int
    points: int
    failures: tuple[str, ...]
    seconds: float
    doubt: float = -inf

    @property
    def proved(self) -> bool:
        return not self.failures

    def plain(self) -> dict:
        """The same as JSON has it."""
        own = {name: value for name, value in vars(self).items() if name not in ("mechanism", "doubt")}
        return {**own, "proved": self.proved, "log10_doubt": None if self.doubt == -inf else round(self.doubt, 1)}


def prove(of: Subject, points: tuple[Point, ...] = POINTS, *, doubted: bool = True) -> list[Verdict]:
    """Prove every kernel of a subject at some points; one verdict per stage, and one for its parameters.

    doubted: with how likely an error would have passed, for which kernels run once more on degrees.
    """
    began = perf_counter()
    wrong = tuple(parameter_differences(of.mechanism, of.choices, of.program))
    count = sum(len(numbers) for record in of.program.parameters.values() for numbers in record.values())
    return [
        Verdict(of.mechanism.name, "parameters", (), count, 1, wrong, perf_counter() - began),
        *_prove_stages(of, points, doubted),
    ]


def _prove_stages(of: Subject, points: tuple[Point, ...], doubted: bool) -> list[Verdict]:
    outputs: dict[str, int] = {}
    failures: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    doubt: dict[str, float] = {}
    degrees: Mapping[str, int] = {}
    for point in points:
        bench = Bench(of, prime=point.prime, seed=point.seed, guarded=point.guarded)
        if doubted:
            degrees = degrees or degrees_of(bench.scene, bench.stages, of.printed, bench.start)
        at_point = doubts(bench.scene, degrees) if doubted else {}
        for stage in bench.stages:
            began = perf_counter()
            failures.setdefault(stage.name, []).extend(bench.failures(stage, bench.left[stage.name]))
            outputs[stage.name] = outputs.get(stage.name, 0) + sum(len(check.expected) for check in stage.checks)
            seconds[stage.name] = seconds.get(stage.name, 0.0) + bench.seconds[stage.name] + perf_counter() - began
            # an error may show at one of the points only, with guards say: the surest point counts alone
            doubt[stage.name] = min(doubt.get(stage.name, 0.0), at_point.get(stage.name, 0.0))
    return [
        Verdict(
            of.mechanism.name,
            stage.name,
            kernels_of(of, stage.phases),
            outputs[stage.name],
            len(points),
            tuple(dict.fromkeys(failures[stage.name])),
            seconds[stage.name],
            doubt[stage.name] + log10(outputs[stage.name]),
        )
        for stage in bench.stages
    ]


def kernels_of(of: Subject, phases: tuple[str, ...]) -> tuple[str, ...]:
    """The kernels that some phases call, in order."""
    return tuple(dict.fromkeys(c.function.name for phase in phases for c in of.printed.phases.get(phase, ())))


@dataclass
class Tally:
    """Proofs added up. log10_doubt: of the probability that any wrong number passed in any of them."""

    mechanisms: int = 0
    kernels: int = 0
    numbers: int = 0
    wrong: int = 0
    log10_doubt: float = -inf
    seconds: float = 0.0

    def add(self, kernels: int, verdicts: list[Verdict], differing_layouts: int = 0) -> None:
        self.mechanisms += 1
        self.kernels += kernels
        self.wrong += differing_layouts
        for verdict in verdicts:
            self.numbers += verdict.outputs
            self.wrong += len(verdict.failures)
            self.seconds += verdict.seconds
            self.log10_doubt = log10_of_sum(self.log10_doubt, verdict.doubt)

    def merge(self, other: Tally) -> None:
        self.mechanisms += other.mechanisms
        self.kernels += other.kernels
        self.numbers += other.numbers
        self.wrong += other.wrong
        self.seconds += other.seconds
        self.log10_doubt = log10_of_sum(self.log10_doubt, other.log10_doubt)

    def __str__(self) -> str:
        primes = " and ".join(f"2^{point.prime.bit_length()} - 1" for point in POINTS)
        return (
            f"proved: {self.kernels} kernels of {self.mechanisms} mechanisms, {self.numbers} numbers compared in the "
            f"prime fields {primes}, {self.wrong} wrong; {self._chance}"
        )

    @property
    def _chance(self) -> str:
        if self.log10_doubt >= 0:  # elimination in large mechanisms, in which hardly any cancellation is counted
            return "no bound of the probability that a wrong one passes, as the degrees counted exceed the fields"
        return f"a wrong one passes with a probability below 1e{ceil(self.log10_doubt)}"


def log10_of_sum(a: float, b: float) -> float:
    """log10(10^a + 10^b)."""
    high, low = max(a, b), min(a, b)
    return high if low == -inf else high + log10(1 + 10 ** (low - high))
