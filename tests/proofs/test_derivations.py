"""Errors planted where formulas are derived, as people make them: the printed C shows every one of them.

test_mutation.py edits the text of kernels, one place at a time. Here a formula itself is wrong, so that the error
spreads through all that is made of it, consistently.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from symvi.physics.formula import Formula
from symvi.proofs.kernels import Bench, Subject, subject
from tests.proofs.subjects import ZOO, of_zoo

EVALUATE = Formula.__call__
PER_MECHANISM = 2  # errors of random outputs, in every mechanism below
MECHANISMS = ("along_spherical", "along_universal", "along_screw", "along_custom", "body_forces", "touching_askew",
              "pyramids")  # fmt: skip
GYROSCOPIC, HALF, FRAMES = ("angular_momentum", "l"), ("half_turn", "a"), ("rotation_matrix", "R")
TRANSPOSED = (0, 3, 6, 1, 4, 7, 2, 5, 8)
Change = Callable[[dict, dict], list]


def product(p: list, q: list) -> list:
    """Hamilton's product."""
    return [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]


# what people get wrong: (formula, output): its wrong value, from the formula's right results and its inputs
BLUNDERS: dict[str, tuple[tuple[str, str], Change]] = {
    "L for R in the update of a quaternion": (
        ("turned", "q2"), lambda right, given: product(given["q"], [*given["c"], *given["a"]])),
    "L for R in a quaternion that a body carries": (
        ("carried_quaternion", "p"), lambda right, given: product(given["o"], given["q"])),
    "no gyroscopic term": (GYROSCOPIC, lambda right, given: [x * given["c"][0] for x in right["Jw"]]),
    "h forgotten in the half turn": (HALF, lambda right, given: [x + x for x in given["w"]]),
    "a transposed rotation": (FRAMES, lambda right, given: [right["R"][k] for k in TRANSPOSED]),
    "body axes for world axes": (("world_inertia", "J"), lambda right, given: list(given["j"])),
    "a missing term of the chain rule": (
        ("velocity_change", "dw"), lambda right, given: [x * given["c"][0] for x in given["s"]]),
    "bodies exchanged in a gradient": (("coincidence", "G_b"), lambda right, given: right["G_a"]),
    "one entry of the second body's gradient": (
        ("coincidence", "G_b"), lambda right, given: [-x if k == 4 else x for k, x in enumerate(right["G_b"])]),
    "the papers' rotational gradient, twice ours": (
        ("coincidence", "G_b"), lambda right, given: [x + x if k % 6 > 2 else x for k, x in enumerate(right["G_b"])]),
}  # fmt: skip


def unprojected(right, given) -> list:
    """A part of K along the normal is left."""
    n = given["n"]
    return [x + given["eta"][0] * n[k // 3] * n[k % 3] for k, x in enumerate(right["K"])]


CONTACT_BLUNDERS: dict[str, tuple[tuple[str, str], Change]] = {
    "the contact point of a sphere in its centre, so that it never rolls": (
        ("arms", "l_b"), lambda right, given: list(given["r_b"])),
    "a sphere's surface that moves as its centre does": (
        ("sliding", "u"), lambda right, given: [v + r for v, r in zip(given["v"], given["rate"], strict=True)]),
    "the parent's arm from the child's centre": (("arms", "l_a"), lambda right, given: right["l_b"]),
    "a bound of friction that does not follow the normal impulse": (
        ("scaled_law", "m"), lambda right, given: [x * 0 for x in right["m"]]),
    "a stiffness of friction that was not projected": (("scaled_law", "K"), unprojected),
    "W for its square": (("scaled_law", "K"), lambda right, given: [x / given["eta"][0] for x in right["K"]]),
    "b and e exchanged in the scaling": (("scaling_point", "eta"), lambda right, given: [1 / right["eta"][0]]),
    "a start inside the cone, but off the central path": (
        ("friction_on_path", "e"), lambda right, given: [x + x if k == 0 else x for k, x in enumerate(right["e"])]),
}  # fmt: skip


def planted(monkeypatch: pytest.MonkeyPatch, name: str, place: tuple[str, str], change: Change) -> Subject:
    """A mechanism of the zoo, composed and printed with one output of one formula wrong."""

    def evaluate(formula: Formula, graph, mark="", **values):
        right = EVALUATE(formula, graph, mark, **values)
        if (formula.key or formula.name, place[1]) != place:
            return right
        given = {key: [graph.wrap(value) for value in entries] for key, entries in values.items()}
        return right | {place[1]: change(right, given)}

    with monkeypatch.context() as patch:
        patch.setattr(Formula, "__call__", evaluate)
        return subject(*ZOO[name])


def is_caught(of: Subject) -> bool:
    try:
        bench = Bench(of, guarded=True)
    except ArithmeticError:  # a root, branch or quotient that no definition has
        return True
    return any(next(bench.failures(stage, bench.left[stage.name]), None) for stage in bench.stages)


def texts(of: Subject) -> list[str]:
    return [function.text for function in of.printed.kernels.values()]


@pytest.mark.parametrize("blunder", BLUNDERS)
def test_a_blunder_is_caught(blunder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, change = BLUNDERS[blunder]
    try:
        wrong = planted(monkeypatch, "askew_fixed", place, change)
    except ValueError as error:  # what eliminates a joint with its body sees it at once
        assert "not each other's negatives" in str(error)
        return
    assert texts(wrong) != texts(of_zoo("askew_fixed"))
    assert is_caught(wrong)


@pytest.mark.thorough
@pytest.mark.parametrize("blunder", CONTACT_BLUNDERS)
def test_a_blunder_about_contacts_is_caught(blunder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, change = CONTACT_BLUNDERS[blunder]
    wrong = planted(monkeypatch, "touching_bodies", place, change)
    assert texts(wrong) != texts(of_zoo("touching_bodies"))
    assert is_caught(wrong)


@pytest.mark.thorough
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_sign_or_a_factor_in_any_formula_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In some outputs of the formulas that a mechanism uses; an output that is zero here changes no text."""
    random, right, found = Random(name), texts(of_zoo(name)), 0
    outputs = sorted(used_outputs(monkeypatch, name))
    assert not is_caught(of_zoo(name))
    while found < PER_MECHANISM:
        formula, output, size = random.choice(outputs)
        entry, sign = random.randrange(size), random.random() < 0.5

        def change(results, given, output=output, entry=entry, sign=sign):
            return [(-x if sign else x + x) if k == entry else x for k, x in enumerate(results[output])]

        wrong = planted(monkeypatch, name, (formula, output), change)
        if texts(wrong) != right:
            assert is_caught(wrong), (formula, output, entry, "sign" if sign else "factor 2")
            found += 1


def used_outputs(monkeypatch: pytest.MonkeyPatch, name: str) -> set[tuple[str, str, int]]:
    """(formula, output, size) of everything that a mechanism's kernels are made of."""
    found = set()

    def evaluate(formula: Formula, graph, mark="", **values):
        results = EVALUATE(formula, graph, mark, **values)
        found.update((formula.key or formula.name, output, len(entries)) for output, entries in results.items())
        return results

    with monkeypatch.context() as patch:
        patch.setattr(Formula, "__call__", evaluate)
        subject(*ZOO[name])
    return found
