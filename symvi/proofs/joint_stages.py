"""What every phase of a program in joint coordinates must do, entry by entry: inputs to set, and results.

As stages.py. Where a phase leaves nothing that a definition states, it runs in the stage of the next one that does: the
blocks and factors of a sweep are proved by the increments that come of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from symvi.proofs import expected_account as account
from symvi.proofs import expected_joint_residual as residuals
from symvi.proofs import expected_joints as joints
from symvi.proofs import expected_path as path
from symvi.proofs import expected_state as state
from symvi.proofs import expected_step as step
from symvi.proofs.check import Check
from symvi.proofs.crun import Memory
from symvi.proofs.expected_joint_residual import Residual
from symvi.proofs.expected_path import EXACT, NOTHING, SCALED
from symvi.proofs.expected_place import Places
from symvi.proofs.expected_step import Linear
from symvi.proofs.joint_scene import JointScene
from symvi.proofs.joint_view import JointView
from symvi.proofs.stages import Row, Stage, arranged

Expected = Callable[[JointView], Iterator[Check]]
SOLVE = ("linearize", "eliminate", "substitute")


def stages_of_joints(scene: JointScene) -> list[Stage]:
    """All stages of a program in joint coordinates. Raises KeyError for a phase without a definition."""
    view = JointView(scene)
    # roots that may not exist at this point: the cheapest first
    assert view.apart and view.slid and view.system.explicit and view.system.residual
    solving = _path(view) if scene.interior.nodes else _plain(view)
    return arranged(view, [*_step(view), *solving, *_knots(view)])


def _step(view: JointView) -> list[Row[JointView]]:
    """Up to the motion at which the residual is taken."""

    def turned(v: JointView) -> Iterator[Check]:
        return joints.inspect_turned(v.apart)

    return [
        ("setup", ("setup",), None, view.nothing, lambda v: chain(step.setup(v), path.weights(v))),
        ("prepare", ("prepare",), "setup", view.set_switches, lambda v: chain(joints.prepare(v), path.geometry(v))),
        ("watch", ("watch",), "prepare", view.nothing, step.watch),
        ("inspect", ("inspect",), "prepare", view.set_slid, lambda v: joints.inspect(v.slid)),
        *([("inspect turned", ("inspect",), "prepare", view.set_apart, turned)] if next(turned(view), None) else []),
        ("measure_bend", ("measure_bend",), "prepare", view.set_bends, joints.measure_bend),
        ("begin", ("begin",), "watch", view.set_beginning, joints.begin),
        ("rest", ("rest",), "prepare", view.nothing, joints.rest),
    ]


def _plain(view: JointView) -> list[Row[JointView]]:
    """Newton's method, and its factors for another right-hand side."""
    system = Linear(view.system.matrix, view.system.residual)
    other = view.otherwise(system)
    view.solution = view.solved(system)
    residual = Residual(view, system)
    beyond = Residual(view, system, before=residual)
    view.impulses = view.scene.impulses | residual.driven
    view.sum_up(residual.y, dict(joints.reactions(view, residual)))

    def solve(v: JointView) -> Iterator[Check]:
        return joints.solve(v, system)

    def evaluate(v: JointView) -> Iterator[Check]:
        return residuals.evaluate(v, residual)

    def balance(memory: Memory) -> None:
        """Nothing is left open, as at the end of a step."""
        for k, name in enumerate(view.scene.bodies):
            f = memory["work"]["body"][k]["f"]
            memory["work"]["body"][k]["f"] = [a - b for a, b in zip(f, residual.left[name], strict=True)]

    pushes = view.program.phases["push"]
    return [
        ("evaluate", ("evaluate",), "begin", view.set_motion, evaluate),
        (
            "merit",
            ("merit",),
            "evaluate",
            view.set_sums,
            partial(residuals.merit, residual=residual, more=view.scene.zero),
        ),
        ("solve", SOLVE, "evaluate", view.nothing, solve),
        ("take_velocity", ("take_velocity",), "solve", view.nothing, partial(joints.take_velocity, system=system)),
        ("depart", ("depart",), "solve", view.set_sums, partial(joints.depart, system=system)),
        ("advance", ("advance",), "solve", view.set_step, joints.advance),
        # a second iteration, on records that hold what the first one left, then another right-hand side
        ("begin again", ("begin",), "advance", view.set_beginning, joints.begin),
        ("evaluate again", ("evaluate",), "begin again", view.set_motion, evaluate),
        ("solve again", SOLVE, "evaluate again", view.nothing, solve),
        (
            "resolve",
            ("prepare", "evaluate", "resolve", "substitute"),
            "solve",
            view.set_other,
            partial(joints.solve, system=other),
        ),
        ("shorten_step", ("shorten_step",), "solve", view.set_base, joints.shorten_step),
        *(
            [
                (
                    "push",
                    ("spread", "evaluate", "push"),
                    "evaluate",
                    view.set_motion,
                    partial(residuals.evaluate, residual=beyond),
                )
            ]
            if pushes
            else []
        ),
        ("react", ("react",), "evaluate", balance, partial(joints.react, residual=residual)),
        ("recall", ("keep", "recall"), "evaluate", view.nothing, partial(residuals.rows_and_loads, residual=residual)),
        ("compare", ("compare",), "evaluate", view.set_expected, state.compare),
        ("do_work", ("do_work",), "evaluate", view.set_sums, residuals.do_work),
        ("reset", ("reset",), "react", view.nothing, state.reset),
        ("gather", ("gather",), "react", view.set_parts, partial(joints.gather, residual=residual)),
        ("arrive", ("arrive",), "evaluate", view.nothing, state.arrive),
        ("finish", ("finish",), "evaluate", view.nothing, partial(joints.finish, residual=residual)),
    ]


def _path(view: JointView) -> list[Row[JointView]]:
    """The interior point: as in maximal coordinates, but that joints leave to bodies what is open alone."""
    laws = path.Laws(view)
    free = Linear(view.system.matrix, view.system.residual)
    scaled = laws.aimed(SCALED)
    plain, pressed = Residual(view, free), Residual(view, laws.pressed)
    view.solution = view.solved(scaled)
    view.impulses = view.scene.impulses | pressed.balanced
    view.sum_up(pressed.y, dict(joints.reactions(view, pressed)))
    aim, aim_other = partial(view.set_aim, 0), partial(view.set_aim, 1)
    kept = partial(residuals.kept, residual=pressed)

    def sent(form: str, which: int = 0) -> Expected:
        return partial(residuals.sent, residual=pressed, laws=laws.of(form, which))

    def solve(form: str, which: int = 0) -> Expected:
        taken = {name: law for name, law in laws.of(form, which).items() if not view.is_bordered(name)}
        alone = view.interior.condensed(taken)
        return partial(joints.solve, system=laws.aimed(form, which), alone=alone)

    def respond(form: str, which: int = 0) -> Expected:
        """Increments of all variables, of those that nodes and bodies are solved for together."""
        solution, solved = view.solved(laws.aimed(form, which)), solve(form, which)
        return lambda v: chain(path.respond(v.solving(solution), laws.of(form, which)), solved(v))

    def evaluate(v: JointView) -> Iterator[Check]:
        return chain(residuals.evaluate(v, plain), path.seen(v))

    def press(v: JointView) -> Iterator[Check]:
        return chain(residuals.pressed(v, pressed), path.missed(v))

    def push(v: JointView) -> Iterator[Check]:
        return chain(residuals.evaluate(v, Residual(v, laws.pressed, before=pressed)), path.seen(v))

    def scale(v: JointView) -> Iterator[Check]:
        return chain(path.scaling(v), path.determinants(v), path.stiffness(v, laws.of(SCALED)))

    def linearised(v: JointView) -> Iterator[Check]:
        return chain(path.determinants(v), path.stiffness(v, laws.of(EXACT)))

    def advance(v: JointView) -> Iterator[Check]:
        return chain(joints.advance(v), path.advance(v, laws.of(SCALED)))

    def gather(v: JointView) -> Iterator[Check]:
        return chain(joints.gather(v, pressed), path.gather(v))

    answer = partial(path.answer, laws=laws.of(EXACT))
    held = [
        ("differ", ("differ",), "apply_impulse", view.set_step_before, step.differ),
        ("soften", ("soften",), "apply_impulse", view.set_start, path.soften),
        ("answer", ("answer",), "exact", view.set_answered, answer),
        ("uncouple", ("uncouple",), "exact", view.nothing, path.uncouple),
    ]
    return [
        ("evaluate", ("evaluate",), "begin", view.set_motion, evaluate),
        ("warm", ("warm",), "evaluate", view.set_start, path.warm),
        ("apply_impulse", ("apply_impulse",), "evaluate", view.nothing, press),
        ("release", ("release",), "apply_impulse", view.nothing, path.release),
        ("solve free", SOLVE, "release", view.nothing, partial(joints.solve, system=laws.pressed)),
        ("spread", ("spread",), "apply_impulse", view.nothing, path.spread),
        ("push", ("evaluate", "push"), "spread", view.set_motion, push),
        (
            "merit",
            ("merit",),
            "apply_impulse",
            view.set_sums,
            partial(residuals.merit, residual=pressed, more=path.merit(view)),
        ),
        ("scale", ("scale",), "apply_impulse", view.nothing, scale),
        ("linearize", ("linearize", "keep"), "scale", view.nothing, kept),
        ("predict", ("predict",), "linearize", view.nothing, sent(SCALED, NOTHING)),
        ("follow", ("eliminate", "substitute", "respond"), "predict", view.nothing, respond(SCALED, NOTHING)),
        ("right_hand_side", ("right_hand_side",), "linearize", aim, sent(SCALED)),
        ("solve", ("eliminate", "substitute"), "right_hand_side", view.nothing, solve(SCALED)),
        ("respond", ("respond",), "solve", view.nothing, respond(SCALED)),
        ("take_velocity", ("take_velocity",), "solve", view.nothing, partial(joints.take_velocity, system=scaled)),
        ("depart", ("depart",), "solve", view.set_sums, partial(joints.depart, system=scaled)),
        ("advance", ("advance",), "respond", view.set_step, advance),
        # another right-hand side on the same factors
        ("recall", ("recall",), "solve", view.nothing, kept),
        ("aim again", ("right_hand_side",), "recall", aim_other, sent(SCALED, 1)),
        ("resolve", ("resolve", "substitute"), "aim again", view.nothing, solve(SCALED, 1)),
        # a second iteration, on records that hold what the first one left
        ("begin again", ("begin",), "advance", view.set_beginning, joints.begin),
        ("evaluate again", ("evaluate",), "begin again", view.set_motion, evaluate),
        ("press again", ("apply_impulse",), "evaluate again", view.nothing, press),
        ("exact", ("exact",), "press again", view.nothing, linearised),
        ("linearize exact", ("linearize", "predict"), "exact", view.nothing, sent(EXACT, NOTHING)),
        (
            "follow exact",
            ("eliminate", "substitute", "respond"),
            "linearize exact",
            view.nothing,
            respond(EXACT, NOTHING),
        ),
        ("aim exact", ("linearize", "right_hand_side_exact"), "exact", aim, sent(EXACT)),
        ("solve exact", ("eliminate", "substitute"), "aim exact", view.nothing, solve(EXACT)),
        ("respond exact", ("respond",), "solve exact", view.nothing, respond(EXACT)),
        # what is held at a knot, where laws change from step to step
        *(held if view.program.phases["answer"] else []),
        (
            "shorten_step",
            ("shorten_step",),
            "solve",
            view.set_base,
            lambda v: chain(joints.shorten_step(v), path.shorten_step(v)),
        ),
        ("react", ("react",), "apply_impulse", view.nothing, lambda v: chain(joints.react(v, pressed), path.react(v))),
        ("compare", ("compare",), "apply_impulse", view.set_expected, state.compare),
        ("do_work", ("do_work",), "apply_impulse", view.set_sums, residuals.do_work),
        ("reset", ("reset",), "react", view.nothing, state.reset),
        ("gather", ("gather",), "react", view.set_parts, gather),
        ("arrive", ("arrive",), "apply_impulse", view.nothing, state.arrive),
        (
            "finish",
            ("finish",),
            "apply_impulse",
            view.nothing,
            lambda v: chain(joints.finish(v, pressed), path.finish(v)),
        ),
    ]


def _knots(view: JointView) -> list[Row[JointView]]:
    """Coordinates as a caller gives them, starts, displacements and energies."""
    places = Places(view.slid)

    def set_apart(memory: Memory) -> None:
        view.set_slid(memory)
        places.set(memory)

    def start(v: JointView) -> Iterator[Check]:
        return chain(state.start_momenta(v), path.forget(v), joints.started(v))

    def start_of_chord(v: JointView) -> Iterator[Check]:
        return chain(state.start_momenta_of_chord(v), path.forget(v), joints.started(v))

    return [
        ("couple", ("couple",), "prepare", set_apart, lambda v: places.coupled()),
        ("place", ("place",), "prepare", set_apart, lambda v: places.placed()),
        ("measure", ("measure",), "prepare", set_apart, lambda v: places.measured()),
        ("displace", ("displace",), "prepare", view.set_shift, joints.displace),
        ("start_momenta", ("start_momenta",), "prepare", view.nothing, start),
        ("start_momenta_of_chord", ("start_momenta_of_chord",), "prepare", view.nothing, start_of_chord),
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
