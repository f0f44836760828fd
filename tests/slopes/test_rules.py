"""The rules of differentiation, one for every operation that a residual may hold, by differences in many digits."""

from __future__ import annotations

import mpmath
import pytest

from symvi.emit.python import compile_kernel
from symvi.kernels.kernel import Kernel, Location, Port
from symvi.program.slopes import Place, kernel_of_tangents
from symvi.scalar import EXTREMES, OPERATIONS, Graph
from tests.support.many_digits import NUMBERS

ARGUMENTS = {"neg": 1, "sqrt": 1, "angle": 3, "atan2": 2, **dict.fromkeys(("add", "sub", "mul", "div"), 2)}
VALUES, WAYS = (mpmath.mpf("0.7"), mpmath.mpf("1.3"), mpmath.mpf("6.9")), (1.5, -0.25, 2.0)


class Record:
    """A record of a node."""

    def __init__(self, **fields: list):
        self.__dict__.update(fields)


def kernel_of(operation: str) -> tuple[Kernel, int]:
    """A kernel that applies one operation to its inputs."""
    graph, count = Graph(), ARGUMENTS.get(operation, 1)
    inputs = [graph.symbol(Location("node", "state", "x", k)) for k in range(count)]
    value = graph.apply(operation, inputs) * inputs[0]
    return Kernel("tried", "", (Port("node", "node"),), graph, ((Location("node", "work", "y", 0), value),)), count


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each not in ("const", "symbol", *EXTREMES)])
def test_a_tangent_is_the_slope_along_a_way(operation: str) -> None:
    kernel, count = kernel_of(operation)
    wanted, moving = {Place("node", "work", "y", 0)}, {Place("node", "state", "x", k) for k in range(count)}
    tangents = kernel_of_tangents(kernel, "slopes_of_tried", wanted, moving)
    with mpmath.workdps(50):
        given, way, found = Record(x=list(VALUES[:count])), Record(x=list(WAYS[:count])), Record(y=[0])
        compile_kernel(tangents, NUMBERS)(given, way, found)

        def at(t):
            moved, result = Record(x=[x + t * w for x, w in zip(VALUES[:count], WAYS, strict=False)]), Record(y=[0])
            compile_kernel(kernel, NUMBERS)(moved, result)
            return result.y[0]

        step = mpmath.mpf(10) ** -16
        expected = (at(step) - at(-step)) / (2 * step)
        assert abs(found.y[0] - expected) < mpmath.mpf(10) ** -28 * max(1, abs(expected))


@pytest.mark.parametrize("operation", EXTREMES)
def test_what_has_a_kink_is_refused(operation: str) -> None:
    graph = Graph()
    a, b = (graph.symbol(Location("node", "state", "x", k)) for k in range(2))
    kernel = Kernel(
        "kinked",
        "",
        (Port("node", "node"),),
        graph,
        ((Location("node", "work", "y", 0), graph.apply(operation, [a, b])),),
    )
    moving = {Place("node", "state", "x", 0)}
    with pytest.raises(ValueError, match=f"no slope of '{operation}'"):
        kernel_of_tangents(kernel, "slopes", {Place("node", "work", "y", 0)}, moving)
