"""A bench of a model: the printed kernels of its answers run in a prime field, beside d'Alembert on placements.

What control does between the phases (emit/queries.py) is done here by `prepare`: coordinates, rates, accelerations and
forces are put into the records that the C puts them into. What loops and gears tie is in model_ties.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from symvi.analysis.choices import Choices
from symvi.analysis.loops import choices_for
from symvi.emit.queries import generate_queries
from symvi.exact.field import MERSENNE_61
from symvi.kernels.body_kernels import BODY
from symvi.kernels.kernel import Kernel
from symvi.kernels.spatial import ENTRY, FREEDOM, OWN, PLACE, WHOLE
from symvi.kernels.tied import TIES
from symvi.mechanism import Mechanism
from symvi.naive.quaternion import add, columns, cross, rotate, subtract
from symvi.physics.multibody import MultibodySystem
from symvi.program.limbs import Limbs
from symvi.program.queries import ANSWERS, Queries
from symvi.proofs.check import Check
from symvi.proofs.cprogram import FUNCTION, PrintedCall, PrintedProgram, Record, cached_function, read_program
from symvi.proofs.crun import Compiler, Memory, copy_of, run
from symvi.proofs.kernels import differences
from symvi.proofs.model_scene import ModelScene
from symvi.proofs.model_ties import tied_phase, tied_stages
from symvi.proofs.stages import Stage
from symvi.proofs.unseen import Unseen
from symvi.simulate.model_ties import queries_of

UNUSED = "    (void)p;\n    (void)w;\n"
LOOPS = "drop-redundant"


@dataclass(frozen=True)
class ModelSubject:
    """A mechanism with the program of its answers, and that as printed. Columns of bodies are phases of their own."""

    mechanism: Mechanism
    queries: Queries
    printed: PrintedProgram


def model_subject(mechanism: Mechanism) -> ModelSubject:
    """Compose, print and read back the answers of a tree. Raises MechanismError for what cannot be asked."""
    queries = queries_of(mechanism, {}, LOOPS)
    text = generate_queries(queries, "model").files["model_queries.c"].replace(UNUSED, "")
    printed = read_program(text)
    bodies = {match.group(1): match.group(0) for match in FUNCTION.finditer(text)}
    asked = {name: cached_function(bodies[kernel.name]) for name, kernel in queries.asked.items()}
    phases = dict(printed.phases)
    for name, kernel in (queries.tied.kernels if queries.tied else {}).items():
        asked[name] = cached_function(bodies[kernel.name])
        phases[tied_phase(name)] = (PrintedCall(asked[name], _records(kernel, {TIES: (TIES, 0)})),)
    for k, (body, path) in enumerate(zip(queries.bodies, queries.paths, strict=True)):
        records = {OWN: (BODY, k), PLACE: (PLACE, 0)}
        calls = [PrintedCall(asked["locate"], _records(queries.asked["locate"], records))]
        for freedom in path:
            of = {**records, FREEDOM: (FREEDOM, freedom)}
            calls.append(PrintedCall(asked["lead"], _records(queries.asked["lead"], of)))
        phases[_leading(body)] = tuple(calls)
    kernels = {**printed.kernels, **{function.name: function for function in asked.values()}}
    return ModelSubject(mechanism, queries, replace(printed, kernels=kernels, phases=phases))


def _leading(body: str) -> str:
    return f"jacobian of {body}"


def _records(kernel: Kernel, places: dict[str, tuple[str, int]]) -> tuple[Record, ...]:
    """The records of a call of control's, in the order of its arguments."""
    return tuple(Record(store, *places[port.label]) for port, store, _ in kernel.used_stores())


class ModelBench:
    """One point of a subject: what a proof of its answers, and mutations, run on (as kernels.Bench)."""

    def __init__(self, of: ModelSubject, *, prime: int = MERSENNE_61, seed: int = 0):
        self.of = of
        system, tied = MultibodySystem(of.mechanism), of.queries.tied
        choices = choices_for(MultibodySystem(of.mechanism.changed(drivers=())), LOOPS)
        limbs = list(Limbs(system, {}, choices, tied is not None and bool(tied.gaps)).limbs())
        self.scene = ModelScene(of.mechanism, of.queries, limbs, prime=prime, seed=seed)
        start = self.scene.memory()
        self.stages = list(_stages(of, self.scene, start, choices))
        self.compiler = Compiler(self.scene.kernel_numbers())
        self.left: dict[str | None, Memory] = {None: start}
        for stage in self.stages:
            self.left[stage.name] = self.after(stage, self.left[stage.after])
        self.knowledge = self.scene.opaque.save()
        self.unseen = Unseen(of.printed)

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


# --- what is expected -------------------------------------------------------------------------------------------------
def _stages(of: ModelSubject, scene: ModelScene, start: Memory, choices: Choices) -> Iterator[Stage]:
    tree, point = scene.tree, scene.field.randoms(3)
    matrix, zeros = tree.mass_matrix(), tree.nothing()
    forces, held = tree.forces(scene.motion, scene.change), tree.forces(scene.motion, zeros)

    def put(field: str, values: dict[str, list], memory: Memory) -> None:
        for which in tree.rates:
            memory["work"][FREEDOM][scene.freedom(which)][field] = [values[which[0]][which[1]]]

    def nothing(memory: Memory) -> None:
        """Runs on what is there."""

    def aim(memory: Memory) -> None:
        memory["work"][PLACE][0]["given"] = list(point)

    def told(field: str, values: dict[str, list]) -> tuple[Check, ...]:
        return tuple(
            _check(f"{field} along {body} {k}", [values[body][k]], FREEDOM, scene.freedom((body, k)), field)
            for body, k in tree.rates
        )

    yield Stage("place", ("place",), None, nothing, tuple(_placements(of, scene)))
    yield Stage("frames", ANSWERS["frames"], "place", nothing, tuple(_frames(of, scene)))
    yield Stage("mass matrix", ANSWERS["mass_matrix"], "place", nothing, tuple(_entries(of, scene, matrix)))
    yield Stage("move", ("move",), "place", partial(put, "rate", scene.motion), ())
    driven = partial(put, "acceleration", scene.change)
    yield Stage("inverse dynamics", ANSWERS["inverse_dynamics"], "move", driven, told("force", forces))
    still = partial(put, "acceleration", zeros)
    yield Stage("bias", ANSWERS["inverse_dynamics"], "move", still, told("force", held))
    if not of.queries.tied:  # where rates are tied, the projected matrix is solved with
        pushed, answer = partial(put, "force", forces), told("acceleration", scene.change)
        yield Stage("forward dynamics", ANSWERS["forward_dynamics"], "move", pushed, answer)
    total = _check("momentum", tree.momentum(scene.motion), WHOLE, 0, "momentum")
    yield Stage("momentum", ANSWERS["momentum"], "move", nothing, (total,))
    middle = _check("centre of mass", tree.center(), WHOLE, 0, "center")
    yield Stage("centre of mass", ANSWERS["center_of_mass"], "place", nothing, (middle,))
    shifts = tuple(_shifts(scene))
    yield Stage("its Jacobian", ANSWERS["center_of_mass_jacobian"], "place", nothing, shifts)
    for k, body in enumerate(of.queries.bodies):
        yield Stage(_leading(body), (_leading(body),), "place", aim, tuple(_columns(of, scene, k, point)))
    if of.queries.tied:
        yield from tied_stages(of, scene, start, choices)


def _check(place: str, expected: list, kind: str, index: int, field: str) -> Check:
    return Check(place, expected, lambda memory: memory["work"][kind][index][field])


def _placements(of: ModelSubject, scene: ModelScene) -> Iterator[Check]:
    for k, body in enumerate(of.queries.bodies):
        x, q = scene.tree.first[body]
        sides = columns(q)
        yield _check(f"rotation of {body}", [sides[c][r] for r in range(3) for c in range(3)], BODY, k, "r")
        yield _check(f"centre of {body}", subtract(x, scene.tree.origin(body)), BODY, k, "x")


def _frames(of: ModelSubject, scene: ModelScene) -> Iterator[Check]:
    for k, body in enumerate(of.queries.bodies):
        x, q = scene.tree.first[body]
        origin = subtract(x, rotate(q, scene.weights[body].center))
        yield _check(f"frame of {body}", origin, BODY, k, "place")


def _entries(of: ModelSubject, scene: ModelScene, matrix: dict) -> Iterator[Check]:
    """Those that are told, and that the others are zero."""
    places = {scene.freedom(which): which for which in scene.tree.rates}
    for n, (near, far) in enumerate(of.queries.pairs):
        yield _check(f"M of {near}, {far}", [matrix[places[near], places[far]]], ENTRY, n, "value")
    given = {tuple(sorted(pair)) for pair in of.queries.pairs}
    left = [
        matrix[one, other]
        for one in scene.tree.rates
        for other in scene.tree.rates
        if tuple(sorted((scene.freedom(one), scene.freedom(other)))) not in given
    ]
    yield Check("entries of M that are not told", [scene.field.zero] * len(left), lambda memory: left)


def _shifts(scene: ModelScene) -> Iterator[Check]:
    tree, mass = scene.tree, scene.tree.mass()
    for which, speeds in tree.jacobians().items():
        moved = [scene.field.zero] * 3
        for body, weights in scene.weights.items():
            moved = add(moved, [weights.mass * v / mass for v in speeds[body][0]])
        yield _check(f"centre of mass by {which}", moved, FREEDOM, scene.freedom(which), "shift")


def _columns(of: ModelSubject, scene: ModelScene, k: int, point: list) -> Iterator[Check]:
    """Of the freedoms that move a body; by the others it does not move."""
    tree, body, told = scene.tree, of.queries.bodies[k], set(of.queries.paths[k])
    arm = rotate(tree.first[body][1], subtract(point, scene.weights[body].center))
    for which, speeds in tree.jacobians().items():
        v, w = speeds[body]
        column = [*add(v, cross(w, arm)), *w]
        if scene.freedom(which) in told:
            yield _check(f"column of {body} by {which}", column, FREEDOM, scene.freedom(which), "column")
        else:
            yield Check(f"{body} by {which}", [scene.field.zero] * 6, lambda memory, column=column: column)
