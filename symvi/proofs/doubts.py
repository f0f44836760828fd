"""How likely a proof is to miss an error: degrees of what the printed text computes, over the size of the field.

Two different rational functions agree at a random point of a field of p numbers with a probability of at most d/p, d
the degree of their difference over a common denominator (Schwartz, Zippel). The degree of what a text computes is
counted by running it on degrees in the place of numbers. No cancellation is assumed, so that elimination, in which
nearly everything cancels, gets bounds that are much too large, and still harmless in a large field. A right text has a
degree of the same kind, so the degree counts twice. A root doubles it: a function of a root vanishes only where the
product of its two branches does. A scene has the roots that it needs, which makes an accident as many times as likely
as a scene is rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, log10

from symvi.exact.degree import OPAQUE, Degree, above_and_below
from symvi.proofs.cprogram import PrintedProgram
from symvi.proofs.crun import Compiler, Memory, copy_of, run
from symvi.proofs.scene import ATTEMPTS, Scene
from symvi.proofs.stages import Stage

STATED = 4  # degree of a scene's numbers, above and below: w = (2/h) a / length, a on a random point of a sphere


class _Numbers(dict):
    """What kernels run on: constants without a degree, roots with that of their radicand, opaque values."""

    def __missing__(self, name: str):
        return {"number": lambda value: Degree(0, 0), "sqrt": lambda x: x}.get(name, lambda *_: Degree(OPAQUE, OPAQUE))

    def __contains__(self, name: object) -> bool:
        return True


def degrees_of(scene: Scene, stages: Iterable[Stage], printed: PrintedProgram, start: Memory) -> dict[str, int]:
    """A bound of the degree of whatever each stage's checks compare."""
    compiler = Compiler(_Numbers())
    unknowns = sum(scene.system.sizes.values())
    left: dict[str | None, Memory] = {None: _stated(start)}
    found: dict[str, int] = {}
    for stage in stages:
        memory = copy_of(left[stage.after])
        stage.prepare(memory)
        memory = left[stage.name] = _stated(memory)
        for phase in stage.phases:
            run(printed.phases.get(phase, ()), memory, compiler.once)
        largest = max(
            (max(above_and_below(value)) for check in stage.checks for value in check.read(memory)), default=0
        )
        if "substitute" in stage.phases:  # a check of a solution multiplies it with blocks that were compared before
            largest += unknowns * max(found.values(), default=0)
        found[stage.name] = largest
    return found


def _stated(memory: Memory) -> Memory:
    """Records with a degree in the place of every number that has none yet."""
    found = copy_of(memory)
    for kinds in found.values():
        for records in kinds.values():
            for record in records:
                for name, values in record.items():
                    record[name] = [v if isinstance(v, Degree) else Degree(STATED, STATED) for v in values]
    return found


def doubts(scene: Scene, degrees: Mapping[str, int]) -> dict[str, float]:
    """The decimal logarithm of a bound of the probability that one wrong number passes at a scene's point, by stage."""
    rare = 2.0 ** (len(scene.field.roots) + scene.path.chances) * ATTEMPTS
    return {
        name: min(0.0, log10(2 * rare) + log10(degree) - log10(scene.field.prime)) if degree else -inf
        for name, degree in degrees.items()
    }
