"""The demo's linkage against the thirteen public numbers, and what follows for it: rank, loops, a full turn."""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

from symvi.demos import TOES, demo_file
from symvi.mechanism import Mechanism, start_state
from tests.support.kinematics import jacobian

NUMBERS = dict(zip("abcdefghijklm", (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15), strict=True))
SCRIPT = Path(__file__).parents[2] / "examples" / "strandbeest_geometry.py"
PAIR = Mechanism.from_file(demo_file("strandbeest"))
SIDES = ("left", "right")
THICKNESS = 0.02  # of all tubes [m]


@pytest.fixture(scope="module")
def geometry():
    """The script that makes the file."""
    spec = importlib.util.spec_from_file_location("strandbeest_geometry", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def anchor(joint_name, body):
    """Where a joint holds a body, in the plane of the linkage [m]."""
    joint = PAIR.joint(joint_name)
    x, _, z = joint.parent_anchor if joint.parent == body else joint.child_anchor
    return np.array([x, z])


def leg(side):
    """One leg with the crank, as a mechanism."""
    names = {body.name for body in PAIR.bodies if body.name == "crank" or body.name.startswith(side)}
    joints = [joint for joint in PAIR.joints if joint.child in names]
    return PAIR.changed(bodies=[body for body in PAIR.bodies if body.name in names], joints=joints, drivers=())


def rank(mechanism):
    sizes = np.linalg.svd(jacobian(mechanism, start_state(mechanism)), compute_uv=False)
    return int(np.sum(sizes > 1e-10 * sizes[0]))


@pytest.mark.parametrize("side", SIDES)
def test_the_bars_have_the_thirteen_lengths(side):
    hip, toe = PAIR.joint(f"{side}_hip").parent_anchor, dict(TOES)[f"{side}_foot"]
    thigh, foot = f"{side}_thigh", f"{side}_foot"
    pivots = {
        "A": anchor(f"{side}_hip", thigh), "B": anchor(f"{side}_shoulder", thigh), "C": anchor(f"{side}_heel", thigh),
        "D": anchor(f"{side}_knee", foot), "F": anchor(f"{side}_ankle", foot), "G": np.array([toe[0], toe[2]]),
    }  # fmt: skip
    rods = {
        "c": ("hip_rocker", "knee", "rocker"), "f": ("heel", "ankle", "shank"),
        "j": ("shoulder", "upper_pin", "upper_rod"), "k": ("knee_rod", "lower_pin", "lower_rod"),
    }  # fmt: skip
    measured = {name: pivots[start] - pivots[end] for name, (start, end) in
                {"b": "AB", "d": "AC", "e": "BC", "g": "DF", "h": "FG", "i": "DG"}.items()}  # fmt: skip
    measured |= {
        name: anchor(f"{side}_{first}", f"{side}_{rod}") - anchor(f"{side}_{second}", f"{side}_{rod}")
        for name, (first, second, rod) in rods.items()
    }
    measured |= {"a": hip[0], "l": hip[2], "m": anchor(f"{side}_lower_pin", "crank")}
    lengths = {name: np.linalg.norm(value) for name, value in measured.items()}
    assert lengths == pytest.approx({name: value / 100 for name, value in NUMBERS.items()}, rel=1e-15, abs=1e-16)


@pytest.mark.parametrize("side", SIDES)
def test_a_leg_alone_has_7_bodies_10_revolutes_3_loops_and_rank_41_of_50(side):
    mechanism = leg(side)
    assert len(mechanism.bodies) == 7
    assert [joint.type for joint in mechanism.joints] == ["revolute"] * 10
    assert len(mechanism.joints) - len(mechanism.bodies) == 3
    assert jacobian(mechanism, start_state(mechanism)).shape == (50, 42)
    assert rank(mechanism) == 41


def test_the_pair_has_one_freedom_and_the_motor_holds_it():
    freedoms = 6 * len(PAIR.bodies)
    assert (freedoms, rank(PAIR.changed(drivers=())), rank(PAIR)) == (78, 77, 78)


def test_all_axes_are_exactly_parallel():
    """Else the loops would be nearly redundant: rigid, but for round-off."""
    assert all(joint.axis == (0, 1, 0) and joint.orientation == (1, 0, 0, 0) for joint in PAIR.joints)
    assert all(body.orientation[1] == body.orientation[3] == 0.0 for body in PAIR.bodies)


def test_the_crank_starts_upright_at_the_angle_of_its_signal():
    assert PAIR.body("crank").orientation == (1, 0, 0, 0)
    assert PAIR.driver("motor").signal == "2*(sqrt(1 + t**2) - 1)"


@pytest.mark.parametrize(
    "body", [body for body in PAIR.bodies if body.name.startswith("left")], ids=lambda body: body.name
)
def test_the_legs_start_as_mirror_images(body):
    other = PAIR.body(body.name.replace("left", "right"))
    assert (other.position[0], other.position[2]) == (-body.position[0], body.position[2])
    assert other.orientation == (body.orientation[0], 0.0, -body.orientation[2], 0.0)
    assert other.center_of_mass == (-body.center_of_mass[0] + 0.0, *body.center_of_mass[1:])
    ixx, iyy, izz, ixy, ixz, iyz = body.inertia
    assert other.inertia == pytest.approx((ixx, iyy, izz, ixy, -ixz, iyz), rel=1e-15, abs=0)


@pytest.mark.parametrize("name", ["left_thigh", "left_foot"])
def test_the_mass_of_a_triangle_lies_in_its_three_tubes(name):
    """Simpson's rule, exact for the squares of a straight line; the tubes' thickness adds less than mass radius^2."""
    corners = [anchor(f"left_{joint}", name) for joint in
               (("hip", "shoulder", "heel") if name == "left_thigh" else ("knee", "ankle"))]  # fmt: skip
    if name == "left_foot":
        corners.append(np.array(TOES[0][1])[[0, 2]])
    points, masses = [], []
    for start, end in itertools.combinations(corners, 2):
        points += [start, (start + end) / 2, end]
        masses += [0.15 * np.linalg.norm(end - start) * share for share in (1 / 6, 4 / 6, 1 / 6)]
    body, centre = PAIR.body(name), np.average(points, axis=0, weights=masses)
    x, z = (np.array(points) - centre).T
    thin = [np.dot(masses, value) for value in (z * z, x * x + z * z, x * x, -x * z)]
    assert body.mass == pytest.approx(sum(masses), rel=1e-14)
    assert body.center_of_mass == pytest.approx((centre[0], 0.0, centre[1]), abs=1e-11)  # 12 digits in the file
    assert np.allclose(np.array(body.inertia)[[0, 1, 2, 4]], thin, rtol=0, atol=body.mass * (THICKNESS / 2) ** 2)


def test_the_file_is_what_the_script_prints(geometry):
    assert demo_file("strandbeest").read_text(encoding="utf-8") == geometry.description()


def test_the_thirteen_numbers_close_over_a_full_turn(geometry):
    turn = geometry.full_turn(72)
    assert turn["error of a bar"] < 1e-45  # 50 digits
    assert 0.6 < turn["step length"] < 0.7 and 0.2 < turn["step height"] < 0.25


def test_tubes_pass_each_other_in_their_layers(geometry):
    """Over a full turn, two bodies in one layer keep more than their thickness apart."""
    layers = {body.name: round(body.position[1], 12) for body in PAIR.bodies}
    for k in range(24):
        tubes = placed_tubes(geometry, 2 * np.pi * k / 24)
        for (first, one), (second, other) in itertools.combinations(tubes, 2):
            if first != second and layers[first] == layers[second]:
                assert gap(one, other) > 1.5 * THICKNESS, (first, second, k)


def placed_tubes(geometry, crank_angle):
    """(body, ends) of every tube with the crank at an angle."""
    tubes = []
    for side, sign in (("left", -1), ("right", 1)):
        at = {name: np.array([float(point[0]), float(point[1])]) for name, point in
              geometry.pivots(geometry.mpf(crank_angle), sign).items()}  # fmt: skip
        for name, link in geometry.LINKS.items():
            tubes += [
                (name if name == "crank" else f"{side}_{name}", [at[end] for end in geometry.BARS[bar]])
                for bar in link.bars
            ]
    return tubes


def gap(one, other):
    """The smallest distance of two segments, by many points on each."""
    along = np.linspace(0.0, 1.0, 41)[:, None]
    first, second = (start + along * (end - start) for start, end in (one, other))
    return np.min(np.linalg.norm(first[:, None] - second[None], axis=-1))
