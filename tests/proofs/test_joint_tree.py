"""Plain definitions of joint coordinates: against closed forms, and against motions of bodies."""

from __future__ import annotations

import math

import pytest

from symvi.exact.dual import Functions, derivative
from symvi.exact.field import Field
from symvi.exact.linear import solve
from symvi.exact.opaque import Opaque, UnknownBranch
from symvi.naive.joint_tree import Carried, JointTree, Motion, Standing
from symvi.naive.joints import JointNumbers
from symvi.naive.quaternion import conjugate, dot, multiply, scale, subtract, vector
from symvi.proofs.kernels import Bench
from tests.proofs.subjects import TREES, of_zoo

PLAIN = Functions({"angle": lambda y, x, near: 2 * math.atan2(y, x), "sqrt": math.sqrt})
ONE = [1.0, 0.0, 0.0, 0.0]
AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
GROUND = {"world": ([0.0] * 3, ONE)}


def joint(joint_type: str, parent: str, child: str, **more) -> JointNumbers:
    return JointNumbers(joint_type, parent, child, [0.3, -0.2, 0.4], [0.1, 0.5, -0.2], ONE, AXES, **more)


def times(matrix: list[list], column: tuple, zero) -> list:
    return [sum((a * x for a, x in zip(row, column, strict=True)), zero) for row in matrix]


# --- exact equations ------------------------------------------------------------------------------------------------
def test_equations_are_solved_whatever_stands_on_the_diagonal() -> None:
    field = Field()
    matrix = [field.randoms(4) for _ in range(4)]
    matrix[0][0] = matrix[2][2] = field.zero
    wanted = [field.randoms(2) for _ in range(4)]
    right = [
        [sum((a * x[k] for a, x in zip(row, wanted, strict=True)), field.zero) for k in range(2)] for row in matrix
    ]
    assert solve(matrix, right) == wanted
    with pytest.raises(ZeroDivisionError):
        solve([matrix[0], scale(2, matrix[0]), *matrix[2:]], right)
    with pytest.raises(ValueError, match="as many equations as unknowns"):
        solve(matrix[:3], right[:3])


def test_only_numbers_with_an_order_are_compared() -> None:
    field = Field()
    opaque, (x, y) = Opaque(field), field.randoms(2)
    assert opaque.greater(x, x) == x
    with pytest.raises(UnknownBranch):
        opaque.greater(x, y)
    opaque.order(y, x)
    assert opaque.greater(x, y) == opaque.greater(y, x) == y


# --- motions --------------------------------------------------------------------------------------------------------
def test_a_hinge_turns_by_four_times_the_angle_of_its_rate() -> None:
    tree = JointTree([], PLAIN, 0.0, {})
    c, *v = tree.hinge(0.3, AXES[2])
    assert 2 * math.atan2(v[2], c) == pytest.approx(4 * math.atan(0.3), abs=1e-15)
    assert c * c + dot(v, v) == pytest.approx(1, abs=1e-15) and v[:2] == [0, 0]


@pytest.mark.parametrize("outward", [True, False])
def test_a_screw_advances_as_it_turns(outward: bool) -> None:
    held = joint("screw", "world", "b", pitch=0.7) if outward else joint("screw", "b", "world", pitch=0.7)
    tree = JointTree([link := Carried("b", "j", held, outward)], PLAIN, 0.0, {"j": {0: 0}})
    first, after = (Standing([], [tree.hinge(t, AXES[2])]) for t in (0.1, 0.2))
    low, high = (tree.beside(link, GROUND["world"], stands)[0][2] for stands in (first, after))
    sign = 1 if outward else -1
    assert high - low == pytest.approx(sign * 0.7 * 4 * (math.atan(0.2) - math.atan(0.1)), abs=1e-15)


def test_a_step_forth_and_back_ends_where_it_began() -> None:
    """A cylinder on a hinge, a ball on that: rates over h, and over -h."""
    links = [
        Carried("one", "j1", joint("revolute", "world", "one")),
        Carried("two", "j2", joint("cylindrical", "two", "one"), outward=False),
        Carried("three", "j3", joint("spherical", "two", "three")),
    ]
    tree = JointTree(links, PLAIN, 0.0, {})
    spin = [math.cos(0.2), *scale(math.sin(0.2), [0.6, 0.0, 0.8])]
    turns = {"one": [tree.hinge(0.1, AXES[2])], "two": [tree.hinge(-0.2, AXES[2])], "three": [spin]}
    stands = {name: Standing([0.4] if name == "two" else [], turn) for name, turn in turns.items()}
    first = dict(GROUND)
    for link in links:
        first[link.body] = tree.beside(link, first[link.below], stands[link.body])
    motions = {
        "one": Motion([0.7]),
        "two": Motion([-0.3, 0.9]),
        "three": Motion([], lambda h: spin if h > 0 else conjugate(spin)),
    }
    there = tree.walk(first, stands, motions, 0.1)
    moved = {}
    for link in links:
        place = first[link.body]
        moved[link.body] = tree.moved(link, there[link.below], place, stands[link.body], motions[link.body], 0.1)[1]
    back = tree.walk(there, moved, motions, -0.1)
    for name in motions:
        assert max(map(abs, subtract(back[name][0], first[name][0]))) < 1e-15
        assert max(map(abs, vector(multiply(back[name][1], conjugate(first[name][1]))))) < 1e-15
    speeds = tree.velocities(first, stands, {"one": [0.7], "two": [-0.3, 0.9], "three": [0.0, 0.0, 2.0]})
    small = tree.walk(first, stands, {**motions, "three": Motion([], lambda h: [1.0, 0.0, 0.0, h])}, 1e-7)
    for name, (x, q) in first.items():
        if name != "world":
            w = scale(2e7, vector(multiply(small[name][1], conjugate(q))))
            v = scale(1e7, subtract(small[name][0], x))
            assert speeds[name] == pytest.approx([*v, *w], abs=1e-6)


# --- equations of a tree --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [TREES[9], "damped_planar_axis (tree)", "damped_cylindrical_free (tree)"])
def test_motions_of_a_tree_are_those_that_its_rows_allow(name: str) -> None:
    """The walk's own slopes by its rates are what Newton's system is solved for: N of the second knot, row by row."""
    scene = Bench(of_zoo(name), seed=4).scene
    tree, system, h = scene.tree, scene.system, scene.h
    for joint_name in (link.name for link in tree.links.values()):
        rows = next((c.rows for c in system.constraints if c.name == joint_name), None)
        for body, link in tree.links.items():
            if rows is None:
                continue
            for k in range(link.slides if link.is_absolute else link.freedoms):

                def opened(e, body=body, k=k, rows=rows) -> list:
                    motions = dict(scene.motions["to come"])
                    rates = list(motions[body].rates)
                    rates[k] = rates[k] + e
                    motions[body] = Motion(rates, motions[body].turn)
                    return rows(tree.walk(system.first, scene.stands, motions, h))

                assert opened(scene.zero) == [0] * system.sizes[joint_name]
                assert derivative(opened, scene.zero) == [0] * system.sizes[joint_name]


def test_what_joints_hold_and_leave_open_adds_up() -> None:
    """f = Gᵀ y + Cᵀ g for any impulses, and what drivers lead is left to no body."""
    scene = Bench(of_zoo("askew_cylindrical (tree)"), seed=4).scene
    f = {name: scene.field.randoms(6) for name in scene.bodies}
    y, g = scene.equations.split(f, lambda name: scene.equations.coordinates[name])
    for body, values in f.items():
        total = [scene.zero] * 6
        for (row, other), lines in scene.system.gradients.items():
            if other == body and row in y:
                for amount, line in zip(y[row], lines, strict=True):
                    total = [a + amount * b for a, b in zip(total, line, strict=True)]
        for name, by_body in scene.equations.coordinates.items():
            for amount, line in zip(g[name], by_body.get(body, []), strict=False):
                total = [a + amount * b for a, b in zip(total, line, strict=True)]
        assert total == values
    _, _, rest = scene.equations.held(f)
    assert rest["second"] == [0] * 6 != rest["first"]  # the second body's joint is led along both of its coordinates
