"""Kernels of slopes in a prime field: tangents against duals of the kernels they are of, adjoints against tangents.

Kernels of values are proved against naive definitions elsewhere (test_kernels.py, test_joint_tree.py), so that their
derivative is that of the definition. Left to prove is the derivative: exactly, at random points of the field, of every
kernel of every script. Functions that a field does not have are opaque, with the rules of symvi/exact/dual.py for
slopes, which share nothing with those of symvi/scalar/derivative.py. Of a tape: L d = dK, and w . (L d) = (Lᵀ w) . d.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache
from random import Random
from typing import ClassVar

import pytest

from symvi import Simulator
from symvi.exact.dual import Dual, Functions, reciprocal
from symvi.exact.field import MERSENNE_61, Number
from symvi.kernels.kernel import Kernel, Location
from symvi.program.precision import in_precision
from symvi.program.program import Program
from symvi.program.slope_scripts import slopes_of
from symvi.program.slopes import MARK, Slopes, is_of_slopes
from symvi.program.tape import COLUMN, TAPE, LinearParts, Made, tape_of
from symvi.scalar.derivative import LEAST
from symvi.scalar.operations import EXTREMES
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.solver_build import composed
from tests.slopes.random_slopes import parameters_of
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import only

P, TAG = MERSENNE_61, 10**9
Values = dict[Location, object]


class Numbers:
    """Random numbers of the field, one for each question: an opaque function says the same when asked again.

    idle: mutants of kernels, by name and change, that make the same number: of products that cancel, minus is plus.
    """

    idle: ClassVar[set[tuple[str, tuple[int, str]]]] = set()

    def __init__(self, seed: object):
        self.random, self.known = Random(str(seed)), {}
        opaque = ("sqrt", "sin", "cos", "exp", "log", "atan2", "angle", "expm1", "log1p", *EXTREMES)
        self.functions = Functions({name: lambda *x, name=name: self(name, *(each.n for each in x)) for name in opaque})
        self.operations: dict[str, Callable] = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "div": lambda a, b: a / b,
            "neg": lambda a: -a,
            "any": lambda *x: self("any"),
            **{name: getattr(self.functions, name) for name in ("sqrt", "sin", "cos", "exp", "log", "atan2", "angle")},
            "expm1": lambda x: self.functions._apply("expm1", x, lambda x, value: value + 1),
            "log1p": lambda x: self.functions._apply("log1p", x, lambda x, value: reciprocal(x + 1)),
            **{name: lambda a, b, name=name: self._extreme(name, a, b) for name in EXTREMES},
        }

    def __call__(self, *question) -> Number:
        if question not in self.known:
            self.known[question] = Number(self.random.randrange(1, P), P)
        return self.known[question]

    def _extreme(self, name: str, a, b):
        """A root that is divided by is above the least one."""
        if name == "max" and isinstance(b, Number) and b.n == field(LEAST).n:
            return a
        return self(name, a.n, b.n)

    def outputs(
        self,
        kernel: Kernel,
        values: Callable[[Location], object],
        changed: tuple | None = None,
        wanted: Collection[Location] | None = None,
    ) -> Values:
        """What a kernel computes, all or some of it. changed: (node, operation) that is another one there."""
        graph, found = kernel.graph, {}
        outputs = [(at, value) for at, value in kernel.outputs if wanted is None or at in wanted]
        for i in graph.sequence([value for _, value in outputs]):
            operation = graph.operation(i)
            if operation == "symbol":
                found[i] = values(graph.arguments(i)[0])
            elif operation == "const":
                found[i] = field(graph.arguments(i)[0])
            else:
                operands = [found[j] for j in graph.operands(i)]
                found[i] = self.operations[operation](*operands)
                if changed and changed[0] == i:
                    made = self.operations[changed[1]](*operands)
                    if made.n == found[i].n:
                        self.idle.add((kernel.name, changed))
                    found[i] = made
        return {at: found[value.index] for at, value in outputs}


def field(value) -> Number:
    return Number(value.numerator * pow(value.denominator, -1, P) % P, P)


def slope(value) -> Number:
    return value.slope if isinstance(value, Dual) else Number(0, P)


def tangent(at: Location, mark: str = MARK) -> Location:
    return Location(at.port, mark + at.store, at.field, at.index)


@cache
def built(name: str, coordinates: str) -> tuple[Program, dict[str, Slopes], Made]:
    """A scene's program, its scripts with all parameters that may move, and the kernels of its tapes."""
    mechanism, _ = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    places = tangents_of(simulator, parameters_of(simulator)).places
    program = in_precision(composed(mechanism, simulator.loops, coordinates, 2), "double")
    scripts, made = slopes_of(program, places), Made()
    for script in ("step", "knot"):
        tape_of(scripts[script], made)
    return program, scripts, made


def pairs(name: str, coordinates: str) -> Iterator[tuple[Kernel, Kernel]]:
    """Kernels of values, and those of their tangents."""
    program, scripts, _ = built(name, coordinates)
    phases = (*program.phases.values(), *program.tangents.values())
    known = {call.kernel.name: call.kernel for calls in phases for call in calls}
    own = {kernel.name: kernel for each in scripts.values() for kernel in each.kernels()}
    for kernel in own.values():
        assert is_of_slopes(kernel)
        yield known[kernel.name.partition("_of_")[2]], kernel


def differs(values: Kernel, tangents: Kernel, changed: tuple | None = None) -> list[Location]:
    """Tangents that are not those of the kernel over duals, where what has no tangent does not move."""
    numbers = Numbers(tangents.name)
    moving = {at for at in tangents.reads if at.store.startswith(MARK)}

    def plain(at: Location) -> Number:
        return numbers("number", at)

    def dual(at: Location):
        d = tangent(at)
        return Dual(TAG, plain(at), plain(d)) if d in moving else plain(at)

    found = numbers.outputs(tangents, plain, changed)
    expected = numbers.outputs(values, dual, wanted=[_source(at) for at in found])
    return [at for at, value in found.items() if slope(expected[_source(at)]).n != value.n]


def _source(at: Location) -> Location:
    return Location(at.port, at.store.removeprefix(MARK), at.field, at.index)


def linear_faults(kernel: Kernel, parts: LinearParts, changed: tuple | None = None) -> list[str]:
    """Where a tape does not say what its kernel of tangents says, and where its reverse is not the transpose."""
    numbers = Numbers(kernel.name)
    store: Values = {}
    if parts.record is not None:
        store = numbers.outputs(parts.record, lambda at: numbers("number", at))

    def at_tape(at: Location, columns: Callable[[Location], object]):
        return store[at] if at.store == TAPE else columns(at)

    def source(at: Location) -> Location:
        return Location(at.port, MARK + at.store.removeprefix(COLUMN), at.field, at.index)

    def given(at: Location) -> Number:
        return numbers("number", source(at))

    known = numbers.outputs(kernel, lambda at: numbers("number", at))
    along = numbers.outputs(parts.forwards, lambda at: at_tape(at, given))
    faults = [f"along {at}" for at, value in along.items() if value.n != known[source(at)].n]
    # what is read and not written stays, and so do slopes by it
    read = {at for at in parts.forwards.reads if at.store.startswith(COLUMN)}
    after = {**{at: given(at) for at in read}, **along}
    back = numbers.outputs(parts.backwards, lambda at: at_tape(at, lambda at: numbers("weight", at)), changed)
    forwards = sum((numbers("weight", at) * value for at, value in after.items()), Number(0, P))
    backwards = sum((back[at] * given(at) for at in read), Number(0, P))
    left = [at for at in along if at not in read and back[at].n]
    return faults + ["transpose"] * (forwards.n != backwards.n) + [f"left {at}" for at in left]


CASES = [(name, coordinates) for name in SCENES for coordinates in ("maximal", "tree")]
KEPT = [("servo", "tree"), ("four_bar", "maximal"), ("sphere", "tree")]


@pytest.mark.parametrize(("name", "coordinates"), only(KEPT, CASES))
def test_tangents_are_those_of_duals(name: str, coordinates: str) -> None:
    found = list(pairs(name, coordinates))
    assert len(found) > 10
    for values, tangents in found:
        assert not differs(values, tangents), tangents.name


@pytest.mark.parametrize(("name", "coordinates"), only(KEPT, CASES))
def test_adjoints_are_transposes(name: str, coordinates: str) -> None:
    _, scripts, made = built(name, coordinates)
    own = {kernel.name: kernel for each in scripts.values() for kernel in each.kernels()}
    assert len(made.linear) > 10
    for kernel_name, parts in made.linear.items():
        assert not linear_faults(own[kernel_name], parts), kernel_name


OTHER = {"add": "sub", "sub": "add", "mul": "div", "div": "mul"}
MUTANTS = 3  # a kernel
EXCUSED = 0.03  # of the mutants may change nothing, where numbers vanish at every point


def mutations(kernel: Kernel) -> list[tuple[int, str]]:
    """Some of a kernel."""
    own = [i for i in kernel.sequence if kernel.graph.operation(i) in OTHER]
    return [(i, OTHER[kernel.graph.operation(i)]) for i in Random(kernel.name).sample(own, min(MUTANTS, len(own)))]


def fate(kernel: Kernel, differ: Callable[[tuple[int, str]], list], changed: tuple[int, str]) -> str:
    """Of a mutant: "seen"; "idle" where it makes the same number; "dead" at a node for which any other number does as
    well, as what it becomes is times nothing; else "missed"."""

    def is_seen(change: tuple[int, str]) -> bool:
        try:
            return bool(differ(change))
        except ZeroDivisionError:
            return True

    if is_seen(changed):
        return "seen"
    if (kernel.name, changed) in Numbers.idle:
        return "idle"
    return "missed" if is_seen((changed[0], "any")) else "dead"


@pytest.mark.parametrize(("name", "coordinates"), only([("servo", "tree")], CASES))
def test_mutants_are_seen(name: str, coordinates: str) -> None:
    """One operation of a kernel is another one: of tangents, and of what goes backwards."""
    _, scripts, made = built(name, coordinates)
    own = {kernel.name: kernel for each in scripts.values() for kernel in each.kernels()}
    fates: Counter[str] = Counter()
    for values, tangents in pairs(name, coordinates):
        for changed in mutations(tangents):
            fates[fate(tangents, lambda c, v=values, t=tangents: differs(v, t, c), changed)] += 1
    for kernel_name, parts in made.linear.items():
        for changed in mutations(parts.backwards):
            whole = own[kernel_name]
            fates[fate(parts.backwards, lambda c, k=whole, p=parts: linear_faults(k, p, c), changed)] += 1
    assert fates["seen"] > 30 and not fates["missed"]
    assert fates["idle"] + fates["dead"] <= EXCUSED * fates.total()
