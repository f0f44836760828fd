"""Definitions that contacts are proved against: they keep momenta, let spheres roll, and hold Coulomb's law."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symvi.exact.field import Field
from symvi.naive.central_path import Scaling
from symvi.naive.inequalities import NaiveInequality, round_contact, solve
from symvi.naive.quaternion import add, cross, dot, scale, subtract
from symvi.proofs.kernels import Bench
from tests.proofs.subjects import of_zoo


@pytest.fixture(scope="module", params=("touching_bodies", "pyramids"))
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(of_zoo(request.param))


def between_bodies(bench: Bench) -> list[NaiveInequality]:
    return [node for node in bench.scene.interior.nodes.values() if len(node.moving) == 2]


@pytest.mark.thorough
def test_contacts_between_bodies_keep_linear_and_angular_momentum(bench: Bench) -> None:
    """Impulses on both bodies are opposite and have one line of action, with arms at the first knot.

    A user's own gap keeps them in its friction; its normal impulse follows the user's function of both placements.
    """
    interior, zero = bench.scene.interior, bench.scene.zero
    for node in between_bodies(bench):
        own = interior.contacts[node.name].point.contact.kind == "gap"
        for k in range(own, len(next(iter(node.pushes.values())))):
            force, torque = [zero] * 3, [zero] * 3
            for body in node.moving:
                push = node.pushes[body][k]
                force = add(force, push[:3])
                torque = add(torque, add(push[3:], cross(bench.scene.bodies[body].x, push[:3])))
            assert force == [0, 0, 0] and torque == [0, 0, 0], (node.name, k)


def test_pushes_of_the_normal_act_along_it_through_the_contact_point(bench: Bench) -> None:
    for name, contact in bench.scene.interior.contacts.items():
        if contact.point.contact.kind != "gap":
            push = bench.scene.interior.nodes[name].pushes[contact.child][0]
            assert push == [*contact.normal, *cross(contact.arms[contact.child], contact.normal)]


@pytest.mark.thorough
def test_a_rolling_sphere_does_not_slide() -> None:
    """Its centre moves with w x r n along a plane at rest: v = w x (r n) exactly, at any turn of the step."""
    scene = Bench(of_zoo("touching_askew")).scene
    contact, h = scene.interior.contacts["round"], scene.h
    x, q = scene.system.first["first"]
    w, radius = scene.field.randoms(3), contact.numbers["radius"][0]
    centred = replace(contact, numbers=contact.numbers | {"anchor_b": [scene.zero] * 3})
    v = cross(w, scale(radius, contact.normal))
    first, world = {"first": (x, q)}, {"world": scene.system.first["world"]}
    second = world | {"first": (add(x, scale(h, v)), scene.field.sphere(4))}
    assert centred.sliding(first, second, {"first": w}, h) == [0, 0, 0]
    slower = world | {"first": (add(x, scale(h / 2, v)), second["first"][1])}
    assert centred.sliding(first, slower, {"first": w}, h) != [0, 0, 0]


def test_the_scaling_is_symmetric_between_b_and_e() -> None:
    """W e = W^-1 b, and W keeps the cone's determinant but for eta²."""
    field = Field(seed=3)
    v = field.randoms(3)
    square, eta, e = dot(v, v), field.random(), field.randoms(4)
    scaling = Scaling(eta, [(1 + square) / (1 - square), *scale(2 / (1 - square), v)])
    b = scaling.partner(e)
    assert scaling.of_e(e) == scaling.of_b(b)
    determinants = [x[0] * x[0] - dot(x[1:], x[1:]) for x in (b, e)]
    assert determinants[0] == eta * eta * eta * eta * determinants[1]


def test_friction_that_slides_opposes_the_sliding_with_the_whole_bound() -> None:
    """Coulomb's law, beta = -b0 u/|u|, solves the equations at mu = 0; with less friction it does not."""
    field = Field(seed=4)
    bound, gamma = field.randoms(2)
    direction = [*field.sphere(2), field.zero]
    speed, b0 = field.random(), bound * gamma
    u = [field.zero, *scale(speed, direction)]
    node = round_contact("c", (), None, {}, bound)
    x = {
        "impulse": [gamma],
        "slack": [field.zero],
        "b": [b0, *scale(-b0, direction)],
        "e": [speed, *scale(speed, direction)],
    }
    assert all(value == 0 for value in [*node.products(x), *node.linear(x, u)])
    weaker = x | {"b": [b0, *scale(-b0 / 2, direction)]}
    assert any(value != 0 for value in node.products(weaker))
    assert node.miss(x, add(u, [field.one] * 4)) == [1, 1, 1, 1]


def test_dense_solutions_solve() -> None:
    """With a zero on the diagonal, too."""
    field = Field(seed=5)
    matrix = [field.randoms(3) for _ in range(3)]
    matrix[0][0] = field.zero
    rights = [field.randoms(3), field.randoms(3)]
    for right, solution in zip(rights, solve(matrix, rights), strict=True):
        assert subtract([dot(row, solution) for row in matrix], right) == [0, 0, 0]
