"""Models that no solver can take as they are: what is dropped, joined, refused and repaired, and that it is physics."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.importers.inertia import physical, violation
from symvi.importers.joining import joined
from symvi.importers.report import Findings, Source
from symvi.importers.starts import held_at_start
from symvi.importers.tree import Inertial, Link, Tree, TreeJoint
from symvi.mechanism.inertia import principal_moments, to_matrix
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.simulate.simulator import Simulator
from tests.importers.urdf_texts import inertial, joint, link, robot, words

X, Y, Z = ('<axis xyz="1 0 0"/>', '<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>')
LIMIT = '<limit lower="-2" upper="1"/>'


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "robot.urdf"
    path.write_text(text)
    return load(path, **options)


def test_massless_ends_are_dropped_with_their_joints_one_after_the_other(tmp_path: Path) -> None:
    text = robot(
        link("base"),
        link("arm"),
        link("wrist", ""),
        link(
            "sensor", '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
        ),
        joint("hinge", "continuous", "base", "arm", Y),
        joint("bend", "continuous", "arm", "wrist", X),
        joint("turn", "continuous", "wrist", "sensor", Z),
    )
    found = read(text, tmp_path)
    assert found.mechanism.body_names == ("arm",) and found.joints == {"hinge": ("hinge", 0)}
    assert [notice.element for notice in found.report.of("dropped")] == ["link 'wrist'", "link 'sensor'"]
    assert set(found.links) == {"base", "arm"}


def test_massless_ends_that_hold_a_contact_are_not_dropped(tmp_path: Path) -> None:
    text = robot(link("base"), link("foot", ""), joint("hinge", "continuous", "base", "foot", Y))
    with pytest.raises(
        MechanismError, match="link 'foot': has no mass, but has contacts and moves.* make contacts of other links"
    ):
        read(text, tmp_path, contact_points={"foot": [(0, 0, 0)]})


FOLLOWERS = {"one": 1.0, "two": -1.0, "empty": 2.0}


@pytest.mark.parametrize("hung_on", ["arm", "base"])
def test_a_massless_end_stays_while_any_joint_follows_its_own(hung_on: str, tmp_path: Path) -> None:
    """Whichever of the followers ends in nothing, and in whatever order they stand. On the world, the end has no
    neighbour but what the gears move with it."""
    for order in permutations(FOLLOWERS):
        text = robot(
            *(link("base"), link("arm"), link("lead", "")),
            *(link(name, "" if name == "empty" else None) for name in order),
            joint("shoulder", "revolute", "base", "arm", Y),
            joint("leading", "revolute", hung_on, "lead", Y),
            *(
                joint(f"to_{n}", "revolute", "arm", n, f'{X}<mimic joint="leading" multiplier="{FOLLOWERS[n]}"/>')
                for n in order
            ),
        )
        with pytest.raises(MechanismError, match="link 'lead': has no mass"):
            read(text, tmp_path)
        found = read(text, tmp_path, repair=True)
        gears = {coupling.joints[0]: coupling.ratio for coupling in found.mechanism.couplings}
        assert gears == {"to_one": 1.0, "to_two": -1.0}


def gripper(finger: str) -> str:
    """An arm, and a finger that turns back twice as far from 0.04, against a friction and a damper and up to stops."""
    acting = '<limit lower="-0.1" upper="0.5"/><dynamics damping="0.3" friction="0.2"/>'
    return robot(
        *(link("base"), link("arm", inertial(1.0, xyz=(0.3, 0.1, -0.2))), link("finger", finger)),
        joint("lead", "revolute", "base", "arm", Y + '<dynamics damping="0.05" friction="0.1"/>'),
        joint(
            "follow", "revolute", "base", "finger", X + acting + '<mimic joint="lead" multiplier="-2" offset="0.04"/>'
        ),
    )


def test_what_acts_on_a_massless_follower_acts_on_its_leader(tmp_path: Path) -> None:
    """A torque of the follower is -2 times that on the leader, at -2 times the rate; and so a stop of it at c is one of
    the leader at (c - 0.04) / -2. A follower with next to no mass swings alike, but for where in a step its damper
    acts: with so little mass of its own at the second knot, to first order in the step."""
    found = read(gripper(""), tmp_path)
    assert found.mechanism.body_names == ("arm",)
    loads = {type(force).__name__: force for force in found.mechanism.forces}
    assert loads["JointDamper"].damping == pytest.approx(0.05 + 4 * 0.3)
    assert loads["DryFriction"].bound == pytest.approx(0.1 + 2 * 0.2)
    (stop,) = found.mechanism.limits
    assert (stop.lower, stop.upper) == (pytest.approx(-0.23), pytest.approx(0.07))
    told = {notice.what for notice in found.report.of("taken") if notice.element == "joint 'follow'"}
    assert told >= {"limits of a mimic joint", "damping, friction of a mimic joint"}
    light = read(gripper(inertial(1e-7, (1e-7, 1e-7, 1e-7))), tmp_path)
    coarse, fine = (
        [Simulator(each).simulate(0.3, step).orientation[:: round(0.001 / step), 0] for each in (found, light)]
        for step in (0.001, 0.0005)
    )
    assert abs(fine[0][-1] - fine[0][0]).max() > 0.01
    assert abs(fine[0] - fine[1]).max() < 1e-4
    limits = [2 * half - whole for whole, half in zip(coarse, fine, strict=True)]
    assert np.allclose(*limits, rtol=0, atol=1e-6)


def test_a_massless_follower_of_a_massless_follower_passes_on_what_acts_on_it(tmp_path: Path) -> None:
    damper = '<dynamics damping="{}"/>'
    text = robot(
        *(link("base"), link("arm"), link("one", ""), link("two", "")),
        joint("lead", "continuous", "base", "arm", Y),
        joint("a", "continuous", "base", "one", damper.format(0.5) + '<mimic joint="lead" multiplier="3"/>'),
        joint("b", "continuous", "base", "two", damper.format(0.25) + '<mimic joint="a" multiplier="2"/>'),
    )
    (force,) = read(text, tmp_path).mechanism.forces
    assert force.joint == "lead" and force.damping == 9 * (0.5 + 4 * 0.25)


# --- two joints as one ------------------------------------------------------------------------------------------------
TURN = (0.3, 0.4, 0.5)


def seen_from(turn: tuple, axis: tuple) -> str:
    """An axis of the first joint's frame, as a joint whose origin is turned has to write it."""
    return f'<axis xyz="{words(Rotation.from_euler("xyz", turn).inv().apply(axis))}"/>'


def crossed(
    first: str,
    second: str,
    kinds: tuple = ("continuous", "continuous"),
    offset: tuple = (0, 0, 0),
    turn: tuple = (0, 0, 0),
) -> str:
    """Two joints with a link without mass between them, the second with an origin that is moved and turned."""
    damping = '<dynamics damping="{}"/>'
    return robot(
        link("base"),
        link("cross", ""),
        link("arm", inertial(1.0, (0.1, 0.2, 0.25), xyz=(0.3, 0.1, -0.5))),
        joint("a", kinds[0], "base", "cross", first + damping.format(0.1) + LIMIT, xyz=(0, 0, 1)),
        joint("b", kinds[1], "cross", "arm", second + damping.format(0.2) + LIMIT, xyz=offset).replace(
            f'xyz="{words(offset)}"', f'xyz="{words(offset)}" rpy="{words(turn)}"'
        ),
    )


def with_little_mass(text: str) -> str:
    """The same with a link that has some, so that both joints stay."""
    return text.replace('<link name="cross"></link>', f'<link name="cross">{inertial(1e-9, (1e-9, 1e-9, 1e-9))}</link>')


CROSSES = {
    "universal": (crossed(X, Y), "universal", (0.4, -0.7)),
    "universal off its lines": (crossed(X, Y, offset=(0.3, 0.2, 0.0)), "universal", (0.4, -0.7)),
    "universal, turned": (crossed(X, seen_from(TURN, (0, 0.6, 0.8)), turn=TURN), "universal", (0.4, -0.7)),
    "cylindrical, turned": (
        crossed(X, seen_from(TURN, (1, 0, 0)), ("continuous", "prismatic"), (0.1, 0.2, 0.3), TURN),
        "cylindrical",
        (0.4, -0.7),
    ),
    "slide first, turned": (
        crossed(X, seen_from(TURN, (1, 0, 0)), ("prismatic", "continuous"), (0.1, 0.2, 0.3), TURN),
        "cylindrical",
        (0.4, 0.7),
    ),
    "cylindrical": (crossed(X, X, ("continuous", "prismatic"), (0.1, 0.2, 0.3)), "cylindrical", (0.4, -0.7)),
    "cylindrical, slide first": (
        crossed(X, X, ("prismatic", "continuous"), (0.1, 0.2, 0.3)),
        "cylindrical",
        (0.4, 0.7),
    ),
}


@pytest.mark.parametrize("kind", CROSSES)
def test_two_joints_become_one_that_moves_alike(kind: str, tmp_path: Path) -> None:
    text, own, values = CROSSES[kind]
    joined, apart = read(text, tmp_path), read(with_little_mass(text), tmp_path)
    assert [item.type for item in joined.mechanism.joints] == [own] and len(apart.mechanism.joints) == 2
    coordinates = [0.0, 0.0]
    for name, value in zip("ab", values, strict=True):
        joint_name, first = joined.joints[name]
        coordinates[first] = value
    one = state_from(joined.mechanism, {joint_name: coordinates})
    two = state_from(apart.mechanism, dict(zip("ab", values, strict=True)))
    assert np.allclose(one.position[0], two.position[1], rtol=0, atol=1e-14)
    assert np.allclose(one.orientation[0], two.orientation[1], rtol=0, atol=1e-14)
    places = {name: first for name, (_, first) in joined.joints.items()}
    (damper,) = joined.mechanism.forces
    assert [damper.damping[places[name]] for name in "ab"] == [0.1, 0.2]


@pytest.mark.parametrize("kind", ["universal, turned", "slide first, turned"])
def test_joints_that_became_one_are_held_where_they_start_as_two_are(kind: str, tmp_path: Path) -> None:
    """Against servos on the same two joints with next to no mass between them."""
    text, start = CROSSES[kind][0], dict(zip("ab", CROSSES[kind][2], strict=True))
    ends = []
    for each, bodies in ((text, 1), (with_little_mass(text), 2)):
        found = read(each, tmp_path, start=start, hold=(300.0, 20.0))
        assert len(found.mechanism.bodies) == bodies
        state = Simulator(found).simulate(0.5, 0.0005).state(-1)
        ends.append(
            [float(coordinates_of(found.mechanism, own, state)[0][i]) for own, i in map(found.joints.get, "ab")]
        )
    assert np.abs(np.array(ends[0]) - list(start.values())).max() < 0.05  # what gravity stretches springs by
    assert np.allclose(*ends, rtol=0, atol=1e-4)


def test_a_spring_of_the_file_and_one_that_holds_are_one_spring(tmp_path: Path) -> None:
    """3 (c - 0.5) + 6 (c - 0.2) = 9 (c - 0.3); coordinates that had no joint of their own are not held."""
    tree = Tree("", Source(""), (), (TreeJoint(
        "u", "universal", "", "arm", Source(""), stiffness=(3.0, 0.0), rest=(0.5, 0.0), damping=(0.1, 0.2),
        coordinate=(0.2, -0.3),
    ),))  # fmt: skip
    (joint,) = held_at_start(tree, 6.0, 2.0, [("u", 0)]).joints
    assert joint.stiffness == (9.0, 0.0) and joint.rest == (pytest.approx(0.3), 0.0) and joint.damping == (2.1, 0.2)
    assert held_at_start(tree, 6.0, 2.0).joints == tree.joints


def chain_of_crosses(count: int) -> Tree:
    """Bodies, each on the last by two hinges that cross in a link without mass."""
    links, joints = [], []
    for k in range(count):
        last = f"arm{k - 1}" if k else ""
        links += [Link(f"cross{k}", Source("")), Link(f"arm{k}", Source(""), Inertial(1.0))]
        joints += [
            TreeJoint(f"a{k}", "revolute", last, f"cross{k}", Source(""), axis=(1.0, 0.0, 0.0)),
            TreeJoint(f"b{k}", "revolute", f"cross{k}", f"arm{k}", Source("")),
        ]
    return Tree("", Source(""), tuple(links), tuple(joints))


def instructions(call: Callable[[], object]) -> tuple[object, int]:
    """What a call returns, and how many instructions Python took for it, however busy the machine is."""
    count, before = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        return call(), count
    finally:
        sys.settrace(before)


def test_the_work_to_join_hinges_grows_with_their_number() -> None:
    """Sixteen times as many: sixteen times the work, where a look at all joints for each would be 256 times as much."""
    work = []
    for count in (50, 800):
        tree = chain_of_crosses(count)
        places = {joint.name: (joint.name, 0) for joint in tree.joints}
        (clean, found), steps = instructions(lambda tree=tree, places=places: joined(tree, places, Findings("")))
        work.append(steps)
        assert len(clean.joints) == count and all(clean.joints[k].type == "universal" for k in range(count))
        assert found == {f"{end}{k}": (f"b{k}", number) for k in range(count) for number, end in enumerate("ab")}
    assert 15 < work[1] / work[0] < 17


@pytest.mark.slow
def test_a_universal_joint_of_two_hinges_falls_alike(tmp_path: Path) -> None:
    """Against the same robot with a link of 1e-9 kg between the hinges; damping makes both first order in the step."""
    text = CROSSES["universal"][0]
    joined, apart = read(text, tmp_path).mechanism, read(with_little_mass(text), tmp_path).mechanism
    ends = []
    for mechanism in (joined, apart):
        run = Simulator(mechanism.changed(limits=())).simulate(1.0, 0.002)
        ends.append(run.position[-1, mechanism.body_names.index("arm")])
    assert np.abs(ends[0]).max() > 0.1
    assert np.abs(ends[0] - ends[1]).max() < 1e-6


@pytest.mark.parametrize(
    "text",
    [
        crossed(X, '<axis xyz="1 1 0"/>'),  # no right angle
        crossed(X, Y, offset=(0, 0, 0.3)),  # axes that do not meet
        crossed(X, Y, ("continuous", "prismatic")),  # a slide across the hinge
    ],
)
def test_others_are_refused_or_given_a_little_mass(text: str, tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match=r"robot.urdf:4: link 'cross': has no mass, but moves between joints"):
        read(text, tmp_path)
    found = read(text, tmp_path, repair=True)
    cross, arm = (found.mechanism.body(name) for name in ("cross", "arm"))
    assert cross.mass == pytest.approx(1e-3 * arm.mass) and len(found.report.of("repaired")) == 1


# --- inertia ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_inertia_that_a_body_can_have(seed: int) -> None:
    """It is one, has the same axes, and no other one (of random tries) is nearer."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(3, 3))
    matrix = matrix @ matrix.T + np.diag([0, 0, random.uniform(0, 20)])
    given = tuple(matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    mended = physical(given)
    assert violation(mended) < 1e-9
    if violation(given) == 0.0:
        assert np.allclose(mended, given, rtol=0, atol=1e-12 * max(given))
        return
    moments, axes = np.linalg.eigh(matrix)
    in_axes = axes.T @ np.array(to_matrix(mended)) @ axes
    assert np.abs(in_axes - np.diag(np.diag(in_axes))).max() < 1e-12 * moments[-1]
    distance = np.linalg.norm(np.diag(in_axes) - moments)
    for _ in range(200):
        a, b = random.uniform(0, 2 * moments[-1], 2)
        c = random.uniform(abs(a - b), a + b)
        assert np.linalg.norm(np.sort([a, b, c]) - moments) >= distance - 1e-9


def test_inertia_is_refused_or_repaired_and_digits_are_forgiven(tmp_path: Path) -> None:
    def arm(*moments: float) -> str:
        return robot(link("base"), link("arm", inertial(1.0, moments)), joint("h", "continuous", "base", "arm"))

    repaired = read(arm(0.1, 0.1, 0.5), tmp_path, repair=True)
    assert principal_moments(repaired.mechanism.body("arm").inertia) == pytest.approx((0.2, 0.2, 0.4))
    assert [notice.kind for notice in repaired.report.of("repaired")] == ["repaired"]
    digits = read(arm(0.1, 0.2, 0.300001), tmp_path)
    assert principal_moments(digits.mechanism.body("arm").inertia) == pytest.approx((0.1, 0.2, 0.3), rel=1e-5)
    assert len(digits.report.of("approximated")) == 1


def test_inertia_of_links_that_are_one_body_is_judged_together(tmp_path: Path) -> None:
    text = robot(
        link("base"),
        link("arm", inertial(5.0, (1.0, 1.0, 1.0))),
        link("odd", inertial(0.1, (0.001, 0.001, 0.01))),
        joint("h", "continuous", "base", "arm"),
        joint("m", "fixed", "arm", "odd"),
    )
    assert read(text, tmp_path).mechanism.body("arm").mass == 5.1


def test_of_links_that_are_one_body_the_one_with_the_inertia_that_no_body_has_is_named(tmp_path: Path) -> None:
    text = robot(
        link("base"),
        link("arm", inertial(1.0, (0.01, 0.01, 0.01))),
        link("tool", ""),
        link("odd", inertial(1.0, (1.0, 0.1, 0.1))),
        joint("h", "continuous", "base", "arm"),
        joint("m", "fixed", "arm", "tool"),
        joint("n", "fixed", "tool", "odd"),
    )
    with pytest.raises(MechanismError, match=r"robot.urdf:6: link 'odd': .*moments \(0.1, 0.1, 1\)") as caught:
        read(text, tmp_path)
    assert "'arm'" not in str(caught.value)
    (told,) = read(text, tmp_path, repair=True).report.of("repaired")
    assert told.element == "link 'odd'" and told.source.line == 6


def test_a_point_mass_beside_its_hinge_is_a_pendulum_and_one_in_it_is_repaired(tmp_path: Path) -> None:
    def point(height: float) -> str:
        mass = f'<inertial><origin xyz="0 0 {height}"/><mass value="2"/></inertial>'
        return robot(link("base"), link("bob", mass), joint("h", "continuous", "base", "bob", X))

    found = read(point(-1.0), tmp_path, start={"h": 0.1})
    bob = found.mechanism.body("bob")
    assert bob.inertia == (0.0,) * 6 and len(found.report.of("approximated")) == 1
    run = Simulator(found.mechanism).simulate(0.5, 0.001)
    (angle,), _ = coordinates_of(found.mechanism, "h", run.state(-1))
    assert angle == pytest.approx(0.1 * np.cos(np.sqrt(9.81) * 0.5), abs=2e-4)  # the rest is the size of the swing
    with pytest.raises(MechanismError, match="no joint holds that rotation"):
        read(point(0.0), tmp_path)
    assert read(point(0.0), tmp_path, repair=True).mechanism.body("bob").inertia[0] > 0.0


def test_stops_the_wrong_way_round_are_exchanged(tmp_path: Path) -> None:
    hinge = joint("h", "revolute", "base", "arm", '<limit lower="0.5" upper="-1"/>')
    found = read(robot(link("base"), link("arm"), hinge), tmp_path, repair=True)
    assert [(stop.lower, stop.upper) for stop in found.mechanism.limits] == [(-1.0, 0.5)]
    assert [notice.what for notice in found.report.of("repaired")] == ["limit lower above upper"]


def test_stops_that_contradict_those_of_the_leader(tmp_path: Path) -> None:
    """As in the gripper of the PR2, whose finger may only open while its leader may only close."""
    limit = '<limit lower="0" upper="0.5"/>'
    text = robot(
        *(link(name) for name in ("base", "one", "two")),
        joint("l", "revolute", "base", "one", limit),
        joint("c", "revolute", "base", "two", limit + '<mimic joint="l" multiplier="-1"/>'),
    )
    with pytest.raises(MechanismError, match="leave no motion"):
        read(text, tmp_path)
    found = read(text, tmp_path, repair=True)
    assert [(stop.joint, stop.lower, stop.upper) for stop in found.mechanism.limits] == [("l", 0.0, 0.5)]
