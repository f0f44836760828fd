"""What every phase of a program must do, entry by entry: inputs to set, and results by the naive definitions.

A stage runs one or two phases on the records that an earlier stage left. Its checks read records and name the numbers
that the definitions want there; they are in expected_step.py (the residual and its solution), expected_path.py
(contacts, limits and dry friction) and expected_state.py (everything else).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeVar

from symvi.program.matrix import Matrix
from symvi.proofs import expected_account as account
from symvi.proofs import expected_path as path
from symvi.proofs import expected_state as state
from symvi.proofs import expected_step as step
from symvi.proofs.check import Check, View
from symvi.proofs.crun import Memory
from symvi.proofs.expected_path import EXACT, NOTHING, SCALED
from symvi.proofs.expected_place import Places
from symvi.proofs.scene import Scene


@dataclass(frozen=True)
class Stage:
    """Phases that run on what stage `after` left, once `prepare` has set what the solver would have set."""

    name: str
    phases: tuple[str, ...]
    after: str | None
    prepare: Callable[[Memory], None]
    checks: tuple[Check, ...]


V = TypeVar("V", bound=View)
# name, phases, the stage before, what sets inputs, and what is expected
Row = tuple[str, tuple[str, ...], str | None, Callable, Callable[[V], Iterator[Check]]]


def stages_of(scene: Scene, matrix: Matrix) -> list[Stage]:
    """All stages of a program in maximal coordinates. Raises KeyError for a phase without a definition."""
    view = View(scene, matrix)
    return arranged(view, [*_step(view), *(_path(view) if scene.interior.nodes else _plain_solve(view)), *_knots(view)])


def arranged(view: V, table: list[Row[V]]) -> list[Stage]:
    """The stages of a table, each after those that it builds on. Raises KeyError for a phase without a definition."""
    scene = view.scene
    used = {phase for phase, calls in scene.program.phases.items() if calls}
    unknown = used - {phase for _, phases, *_ in table for phase in phases}
    if unknown:
        raise KeyError(f"no definition of the phases {', '.join(sorted(unknown))}")
    stages: dict[str, Stage] = {}
    before = {name: after for name, _, after, *_ in table}
    for name, phases, after, prepare, expected in table:
        if any(scene.program.phases.get(phase) for phase in phases):
            while after is not None and after not in stages:  # a mechanism may have nothing to do in a stage
                after = before[after]
            stages[name] = Stage(name, phases, after, prepare, tuple(expected(view)))
    return list(stages.values())


def _step(view: View) -> list[Row[View]]:
    """Up to the residual."""
    return [
        ("setup", ("setup",), None, view.nothing, lambda v: chain(step.setup(v), path.weights(v))),
        ("prepare", ("prepare",), "setup", view.set_switches, lambda v: chain(step.prepare(v), path.geometry(v))),
        ("watch", ("watch",), "prepare", view.nothing, step.watch),
        ("begin", ("begin",), "prepare", view.set_length, state.begin),
        ("rest", ("rest",), "prepare", view.nothing, state.rest),
        ("evaluate", ("evaluate",), "watch", view.set_motion, evaluate),
    ]


def evaluate(view: View) -> Iterator[Check]:
    """The residual, and the velocities that inequalities see."""
    return chain(step.evaluate(view), path.seen(view))


def _plain_solve(view: View) -> list[Row[View]]:
    """Newton's method."""
    system = step.plain(view)
    solve, blocks = partial(step.solve, system=system), partial(step.blocks, naive=system.matrix)
    merit = partial(step.merit, residual=system.residual, more=view.scene.zero)
    pushes, push = view.program.phases["push"], partial(step.push, system=system)
    return [
        ("merit", ("merit",), "evaluate", view.set_sums, merit),
        ("linearize", ("linearize",), "evaluate", view.nothing, blocks),
        ("solve", ("eliminate", "substitute"), "linearize", view.nothing, solve),
        ("take_velocity", ("take_velocity",), "solve", view.set_solution, state.take_velocity),
        ("advance", ("advance",), "solve", view.set_solution, state.advance),
        # a second iteration, on records that hold what the first one left: it must find the same
        ("evaluate again", ("evaluate",), "advance", view.set_motion, step.evaluate),
        ("solve again", ("linearize", "eliminate", "substitute"), "evaluate again", view.nothing, solve),
        ("shorten_step", ("shorten_step",), "evaluate", view.set_base, state.shorten_step),
        # what of the step acts before its first knot, and a residual of then
        *([("push", ("spread", "evaluate", "push"), "evaluate", view.set_motion, push)] if pushes else []),
        ("react", ("react",), "evaluate", view.nothing, state.react),
        ("compare", ("compare",), "evaluate", view.set_expected, state.compare),
        *_parts(view, lambda v: state.gather(v)),
        ("finish", ("finish",), "evaluate", view.nothing, state.finish),
    ]


def _parts(view: View, gather: Callable[[View], Iterator[Check]]) -> list[Row[View]]:
    """What is summed over the parts of a step, and what is done at the end of the last one."""
    return [
        ("reset", ("reset",), "react", view.nothing, state.reset),
        ("gather", ("gather",), "react", view.set_parts, gather),
        ("arrive", ("arrive",), "evaluate", view.nothing, state.arrive),
    ]


def _path(view: View) -> list[Row[View]]:
    """The interior point: starts, impulses, one law after the other, two right-hand sides."""
    laws = path.Laws(view)
    scaled, exact, other = laws.aimed(SCALED), laws.aimed(EXACT), laws.aimed(SCALED, 1)
    blocks, solve = step.blocks, step.solve
    merit = partial(step.merit, residual=laws.pressed.residual, more=path.merit(view))
    apply_impulse, kept = partial(path.apply_impulse, laws=laws), partial(path.kept, laws=laws)
    aim, aim_other = partial(view.set_aim, 0), partial(view.set_aim, 1)
    affine, affine_exact = laws.aimed(SCALED, NOTHING), laws.aimed(EXACT, NOTHING)
    respond, respond_exact = (partial(path.respond, laws=laws.of(form)) for form in (SCALED, EXACT))
    follow, follow_exact = (partial(path.respond, laws=laws.of(form, NOTHING)) for form in (SCALED, EXACT))

    def push(v: View) -> Iterator[Check]:
        return chain(step.push(v, laws.pressed), path.seen(v))

    def scale(v: View) -> Iterator[Check]:
        return chain(path.scaling(v), path.determinants(v), path.stiffness(v, laws.of(SCALED)))

    def linearised(v: View) -> Iterator[Check]:
        return chain(path.determinants(v), path.stiffness(v, laws.of(EXACT)))

    def advance(v: View) -> Iterator[Check]:
        return chain(state.advance(v), path.advance(v, laws.of(SCALED)))

    answer = partial(path.answer, laws=laws.of(EXACT))
    held = [
        ("differ", ("differ",), "apply_impulse", view.set_step_before, step.differ),
        ("soften", ("soften",), "apply_impulse", view.set_start, path.soften),
        ("answer", ("answer",), "exact", view.set_answered, answer),
        ("uncouple", ("uncouple",), "exact", view.nothing, path.uncouple),
    ]
    return [
        ("release", ("release",), "evaluate", view.nothing, path.release),
        ("linearize free", ("linearize",), "release", view.nothing, partial(blocks, naive=view.system.matrix)),
        ("warm", ("warm",), "evaluate", view.set_start, path.warm),
        ("apply_impulse", ("apply_impulse",), "evaluate", view.nothing, apply_impulse),
        ("spread", ("spread",), "apply_impulse", view.nothing, path.spread),
        ("push", ("evaluate", "push"), "spread", view.set_motion, push),
        ("merit", ("merit",), "apply_impulse", view.set_sums, merit),
        ("scale", ("scale",), "apply_impulse", view.nothing, scale),
        ("linearize", ("linearize",), "scale", view.nothing, partial(blocks, naive=scaled.matrix)),
        ("keep", ("keep",), "linearize", view.nothing, kept),
        ("predict", ("predict",), "keep", view.nothing, partial(path.sent, system=affine)),
        ("follow", ("respond",), "predict", view.set_solution, follow),
        ("right_hand_side", ("right_hand_side",), "keep", aim, partial(path.sent, system=scaled)),
        ("solve", ("eliminate", "substitute"), "right_hand_side", view.nothing, partial(solve, system=scaled)),
        ("respond", ("respond",), "solve", view.set_solution, respond),
        ("take_velocity", ("take_velocity",), "solve", view.set_solution, state.take_velocity),
        ("advance", ("advance",), "respond", view.set_solution, advance),
        # another right-hand side on the same factors
        ("recall", ("recall",), "solve", view.nothing, kept),
        ("aim again", ("right_hand_side",), "recall", aim_other, partial(path.sent, system=other)),
        ("resolve", ("resolve", "substitute"), "aim again", view.nothing, partial(solve, system=other)),
        # a second iteration, on records that hold what the first one left
        ("evaluate again", ("evaluate",), "advance", view.set_motion, evaluate),
        ("press again", ("apply_impulse",), "evaluate again", view.nothing, apply_impulse),
        ("exact", ("exact",), "press again", view.nothing, linearised),
        ("linearize exact", ("linearize",), "exact", view.nothing, partial(blocks, naive=exact.matrix)),
        ("predict exact", ("predict",), "linearize exact", view.nothing, partial(path.sent, system=affine_exact)),
        ("follow exact", ("respond",), "predict exact", view.set_solution, follow_exact),
        ("aim exact", ("right_hand_side_exact",), "linearize exact", aim, partial(path.sent, system=exact)),
        ("solve exact", ("eliminate", "substitute"), "aim exact", view.nothing, partial(solve, system=exact)),
        ("respond exact", ("respond",), "solve exact", view.set_solution, respond_exact),
        # what is held at a knot, where laws change from step to step
        *(held if view.program.phases["answer"] else []),
        (
            "shorten_step",
            ("shorten_step",),
            "apply_impulse",
            view.set_base,
            lambda v: chain(state.shorten_step(v), path.shorten_step(v)),
        ),
        ("react", ("react",), "apply_impulse", view.nothing, lambda v: chain(state.react(v), path.react(v))),
        ("compare", ("compare",), "apply_impulse", view.set_expected, state.compare),
        ("do_work", ("do_work",), "apply_impulse", view.set_sums, state.do_work),
        *_parts(view, lambda v: chain(state.gather(v), path.gather(v))),
        ("finish", ("finish",), "apply_impulse", view.nothing, lambda v: chain(state.finish(v), path.finish(v))),
    ]


def _knots(view: View) -> list[Row[View]]:
    """Joint coordinates, starts, displacements and energies."""
    places = Places(view)
    return [
        ("couple", ("couple",), "prepare", places.set, lambda v: places.coupled()),
        ("place", ("place",), "prepare", places.set, lambda v: places.placed()),
        ("measure", ("measure",), "prepare", places.set, lambda v: places.measured()),
        ("displace", ("displace",), "prepare", view.set_shift, state.displace),
        (
            "start_momenta",
            ("start_momenta",),
            "prepare",
            view.nothing,
            lambda v: chain(state.start_momenta(v), path.forget(v)),
        ),
        (
            "start_momenta_of_chord",
            ("start_momenta_of_chord",),
            "prepare",
            view.nothing,
            lambda v: chain(state.start_momenta_of_chord(v), path.forget(v)),
        ),
        ("start_momenta_of_turn", ("start_momenta_of_turn",), "prepare", view.nothing, state.start_momenta_of_turn),
        ("energy", ("energy",), "prepare", view.set_knot, state.energy),
        ("scatter", ("scatter",), "prepare", view.set_knot, account.scatter),
        ("ahead", ("ahead",), "prepare", view.nothing, account.ahead),
        (
            "account",
            ("account",),
            "apply_impulse" if view.interior.nodes else "evaluate",
            view.nothing,
            account.account,
        ),
        ("reread", ("reread",), "evaluate", view.set_seen, account.reread),
    ]
