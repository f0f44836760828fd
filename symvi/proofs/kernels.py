"""A bench: a mechanism's printed kernels run in a prime field, every result beside its naive definition.

Every stage starts from the records that the stages before it left, so that a number which one kernel keeps for another
is proved where it is used. The text that runs is what emit/c.py prints; that all layouts say the same is in layouts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.emit.c import generate
from symvi.exact.field import MERSENNE_61
from symvi.mechanism import Mechanism
from symvi.physics.multibody import MultibodySystem
from symvi.program.compose import Composer
from symvi.program.matrix import Matrix
from symvi.program.maximal import MaximalCoordinates
from symvi.program.program import Program
from symvi.program.tree import TreeCoordinates
from symvi.proofs.check import Check
from symvi.proofs.cprogram import PrintedProgram, read_program
from symvi.proofs.crun import Compiler, Memory, copy_of, run
from symvi.proofs.joint_scene import JointScene
from symvi.proofs.joint_stages import stages_of_joints
from symvi.proofs.scene import Scene, make_scene
from symvi.proofs.stages import Stage, stages_of
from symvi.proofs.unseen import Unseen


@dataclass(frozen=True)
class Subject:
    """A mechanism with its program, and the program as printed."""

    mechanism: Mechanism
    choices: Choices
    program: Program
    formulation: MaximalCoordinates | TreeCoordinates
    printed: PrintedProgram

    @property
    def coordinates(self) -> str:
        """What it is solved for: "maximal" or "tree"."""
        return next(name for name, made in FORMULATIONS.items() if isinstance(self.formulation, made))

    @property
    def matrix(self) -> Matrix:
        """The Newton matrix by blocks, which joint coordinates never form."""
        if not isinstance(self.formulation, MaximalCoordinates):
            raise ValueError(f"{self.mechanism.name} in joint coordinates has no Newton matrix")
        return self.formulation.newton


FORMULATIONS = {"maximal": MaximalCoordinates, "tree": TreeCoordinates}


def subject(
    mechanism: Mechanism,
    choices: Choices = NOTHING_DROPPED,
    layout: str = "unrolled",
    real: str = "double",
    coordinates: str = "maximal",
) -> Subject:
    """Compose, print and read back a mechanism. coordinates: what it is solved for, "maximal" or "tree"."""
    composer = Composer(MultibodySystem(mechanism), choices, FORMULATIONS[coordinates])
    program, formulation = composer.program(), composer.formulation
    assert isinstance(formulation, MaximalCoordinates | TreeCoordinates), "one of these two was asked for"
    return Subject(mechanism, choices, program, formulation, read_printed(program, layout, real))


def read_printed(program: Program, layout: str, real: str = "double") -> PrintedProgram:
    sources = generate(program, layout=layout, real=real)
    return read_program(sources.files[f"{sources.name}.c"])


class Bench:
    """One scene of a subject with everything that is expected of its kernels: what a proof and its mutations run on.

    Definitions are evaluated first, so that the roots and opaque values which kernels may use are those of the
    definitions.
    """

    def __init__(self, of: Subject, *, prime: int = MERSENNE_61, seed: int = 0, guarded: bool = False):
        self.of, self.stages = of, []

        def make(point: int) -> Scene:
            if isinstance(of.formulation, TreeCoordinates):
                tree = of.formulation
                return JointScene(of.mechanism, of.program, of.choices, tree, prime=prime, seed=point, guarded=guarded)
            return Scene(of.mechanism, of.program, of.choices, prime=prime, seed=point, guarded=guarded)

        self.scene = make_scene(make, seed, self._complete)
        self.start = self.scene.memory()
        self.compiler = Compiler(self.scene.kernel_numbers())
        self.left: dict[str | None, Memory] = {None: self.start}
        self.seconds: dict[str, float] = {}
        for stage in self.stages:
            began = perf_counter()
            self.left[stage.name] = self.after(stage, self.left[stage.after])
            self.seconds[stage.name] = perf_counter() - began
        self.knowledge = self.scene.opaque.save()
        self.unseen = Unseen(of.printed)

    def _complete(self, scene: Scene) -> None:
        joints = isinstance(scene, JointScene)
        self.stages: list[Stage] = stages_of_joints(scene) if joints else stages_of(scene, self.of.matrix)

    def after(self, stage: Stage, before: Memory, compile_function: Callable | None = None) -> Memory:
        """The records after a stage."""
        memory = copy_of(before)
        stage.prepare(memory)
        for phase in stage.phases:
            run(self.of.printed.phases.get(phase, ()), memory, compile_function or self.compiler.once)
        return memory

    def failures(self, stage: Stage, memory: Memory) -> Iterator[str]:
        """What in the records is not as the definitions say, entry by entry."""
        for check in stage.checks:
            yield from differences(check, memory)


def differences(check: Check, memory: Memory) -> Iterator[str]:
    """The entries of one check that differ."""
    found = check.read(memory)
    if len(found) != len(check.expected):
        yield f"{check.place}: {len(found)} entries instead of {len(check.expected)}"
        return
    for k, (value, wanted) in enumerate(zip(found, check.expected, strict=True)):
        if value != wanted:
            yield f"{check.place}, entry {k}"
