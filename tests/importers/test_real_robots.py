"""Sixty-nine real robots: each is read or refused with file, line and remedy, is where Pinocchio has it, and stands."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.importers.mesh_contacts import moved
from symvi.importers.mesh_files import read_meshes
from symvi.importers.pose import Pose
from symvi.page.looks import looks_of
from symvi.simulate import Trajectory
from symvi.simulate.simulator import Simulator
from tests.importers.real_robots import PACKAGE, robot_file, robot_files, share

FILES = robot_files()
pytestmark = pytest.mark.skipif(not FILES, reason="needs the extra peers")

# What no repair can mend: names that lead nowhere, one free body without a base, a file without a link.
BEYOND_REPAIR = {"alex_psyonic_hands.urdf", "iris_simple.urdf", "quadrotor_base.urdf", "ur3.urdf"}
# Links whose own masses are mended: Pinocchio has the others.
MENDED = {"human.urdf", "icub.urdf", "icub_reduced.urdf"}
# Where a joint mimics one of another branch, which Pinocchio refuses: there they are told to it one by one.
OTHER_BRANCHES = {"romeo.urdf", "talos_full_v2.urdf", "talos_full_v2_box.urdf"}
READ = [path for path in FILES if path.name not in BEYOND_REPAIR]
ACCELERATIONS = [
    ("TwoDofs.urdf", "fixed"), ("ur5_robot.urdf", "fixed"), ("finger_edu.urdf", "fixed"), ("z1.urdf", "fixed"),
    ("panda.urdf", "fixed"), ("bolt.urdf", "floating"), ("solo12.urdf", "floating"), ("a1.urdf", "floating"),
    ("borinot_flying_arm_2.urdf", "floating"), ("iris.urdf", "floating"), ("hyq_no_sensors.urdf", "floating"),
    ("double_pendulum.urdf", "fixed"),
]  # fmt: skip


def names(paths: list[Path]) -> list[str]:
    return [f"{path.parents[1].name}-{path.stem}" for path in paths]


def test_there_are_as_many_as_there_should_be() -> None:
    assert len(FILES) == 69


@pytest.mark.parametrize("repair", [False, True], ids=["as it is", "repaired"])
@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_each_is_read_or_refused_with_file_line_and_remedy(path: Path, repair: bool) -> None:
    try:
        found = load(path, repair=repair, packages={PACKAGE: share()})
    except MechanismError as error:
        assert not repair or path.name in BEYOND_REPAIR
        for line in str(error).splitlines():
            assert re.match(re.escape(str(path)) + r":\d+: ", line) or line.startswith("... and")
            assert re.search(r"did you mean|ask for repair|correct|give a link a joint|part of a file", line), line
    else:
        bodies = {"world", *found.mechanism.body_names}
        assert len(bodies) > 1 and {placed.body for placed in found.links.values()} <= bodies
        told = " ".join(f"{notice.element} {notice.why}" for notice in found.report.of("dropped", "merged"))
        every = {link.get("name") for link in ElementTree.parse(path).getroot().findall("link")}
        assert all(f"'{name}'" in told for name in every - found.links.keys())


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("path", READ, ids=names(READ))
def test_links_are_where_pinocchio_has_them(path: Path, base: str) -> None:
    against = pytest.importorskip("tests.importers.test_against_pinocchio", reason="needs the extra peers")
    kept = path.name not in MENDED
    against.same_places(path, base, 1, masses=kept, mimic=path.name not in OTHER_BRANCHES, repair=True)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name, base", ACCELERATIONS)
def test_a_short_step_has_pinocchios_acceleration(name: str, base: str) -> None:
    against = pytest.importorskip("tests.importers.test_against_pinocchio", reason="needs the extra peers")
    against.same_acceleration(robot_file(name), base, 1)


# --- standing ---------------------------------------------------------------------------------------------------------
def stands(run: Trajectory, drop: float) -> None:
    """After two seconds it has hardly sunk, is upright, at rest, and the ground carries its weight."""
    mechanism = run.mechanism
    row = mechanism.body_names.index(mechanism.joint("root_joint").child)
    sunk = run.position[0, row, 2] - run.position[-1, row, 2]
    assert 0.0 < sunk < drop
    assert abs(run.orientation[-1, row, 0]) > 0.999
    weight = 9.81 * sum(body.mass for body in mechanism.bodies)
    carried = sum(contact.normal_force[-20:].mean() for contact in run.contacts.values())
    assert carried == pytest.approx(weight, rel=0.02)
    assert run.contact_values[:, :, 0].min() > -1e-12 and run.closure.max() < 1e-10


@pytest.mark.slow
def test_a1_stands_on_its_collision_shapes() -> None:
    legs = ("FL", "FR", "RL", "RR")
    start = {f"{leg}_{joint}_joint": value for leg in legs for joint, value in (("thigh", 0.8), ("calf", -1.6))}
    found = load(robot_file("a1.urdf"), base="floating", contacts="collision", start=start, hold=(100.0, 5.0))
    assert len(found.mechanism.contacts) == 212
    run = Simulator(found.mechanism).simulate(2.0, 0.005)
    stands(run, drop=0.02)
    touching = {name for name, contact in run.contacts.items() if contact.normal_force[-1] > 1.0}
    assert touching == {f"{leg}_foot_sphere" for leg in legs}


@pytest.mark.slow
def test_talos_stands_on_the_boxes_of_its_feet() -> None:
    knees = {
        f"leg_{side}_{k}_joint": value for side in ("left", "right") for k, value in ((3, -0.4), (4, 0.8), (5, -0.4))
    }
    feet = [f"leg_{side}_6_link" for side in ("left", "right")]
    found = load(robot_file("talos_reduced_box.urdf"), base="floating", contacts=feet, start=knees, hold=(3000.0, 50.0))
    stands(Simulator(found.mechanism).simulate(2.0, 0.005), drop=0.01)


@pytest.mark.slow
def test_solo_whose_feet_are_meshes_stands_on_points(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from symvi import cli

    options, legs = [], {"FL": 0.8, "FR": 0.8, "HL": -0.8, "HR": -0.8}
    for leg, angle in legs.items():
        options += ["--contact-points", f"{leg}_FOOT:0,0,0", "--start", f"{leg}_HFE={angle}"]
        options += ["--start", f"{leg}_KFE={-2 * angle}"]
    out = tmp_path / "solo.npz"
    command = ["simulate", str(robot_file("solo12.urdf")), "--base", "floating", "--hold", "5,0.1", *options]
    assert cli.main([*command, "--time", "2", "--step", "0.005", "--out", str(out)]) == 0
    run = Trajectory.load(out)
    assert set(run.contacts) == {f"{leg}_FOOT_point" for leg in legs}
    stands(run, drop=0.03)


def lowest(found: Imported, run: Trajectory) -> float:
    """The height of the lowest vertex of all collision meshes, as their files have them, at the end [m]."""
    heights = []
    for item in found.shown:
        if item.geometry.use == "collision" and item.geometry.kind == "mesh" and item.body != "world":
            row = run.mechanism.body_names.index(item.body)
            at = Pose(tuple(run.position[-1, row]), tuple(run.orientation[-1, row]))
            for mesh in read_meshes(item.path, item.geometry.size):
                heights.append(moved(mesh.vertices, at.then(item.pose))[:, 2].min())
    return min(heights)


MESHED = {
    "solo12.urdf": (
        {f"{leg}_{joint}": turn * times for leg, turn in (("FL", 0.8), ("FR", 0.8), ("HL", -0.8), ("HR", -0.8))
         for joint, times in (("HFE", 1), ("KFE", -2))},
        (5.0, 0.1), "_FOOT_mesh",
    ),
    "go2.urdf": (
        {f"{leg}_{joint}_joint": turn for leg in ("FL", "FR", "RL", "RR")
         for joint, turn in (("thigh", 0.8), ("calf", -1.6))},
        (100.0, 5.0), "_foot_mesh",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MESHED)
def test_quadrupeds_stand_on_the_meshes_of_their_feet(name: str) -> None:
    """At the height that the vertices of the files say, by less than the report says that thinning leaves uncovered."""
    pytest.importorskip("trimesh", reason="needs the extra mesh")
    start, hold, feet = MESHED[name]
    packages = {PACKAGE: share()}
    found = load(robot_file(name), base="floating", contacts="collision", start=start, hold=hold, packages=packages)
    run = Simulator(found.mechanism).simulate(2.0, 0.0025)
    stands(run, drop=0.02)
    touching = {contact.rpartition("_")[0] for contact, forces in run.contacts.items() if forces.normal_force[-1] > 0.5}
    assert len(touching) == 4 and all(contact.endswith(feet) for contact in touching)
    assert -2e-3 < lowest(found, run) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("hold", [None, (100.0, 5.0)], ids=["limp", "held"])
def test_bolt_falls_onto_the_ground_and_not_through_it(hold) -> None:
    pytest.importorskip("trimesh", reason="needs the extra mesh")
    packages = {PACKAGE: share()}
    found = load(robot_file("bolt.urdf"), base="floating", contacts="collision", hold=hold, packages=packages)
    run = Simulator(found.mechanism).simulate(2.0, 0.005)
    row = run.mechanism.body_names.index("base_link")
    assert run.position[0, row, 2] > 0.4 and run.position[-1, row, 2] < 0.15
    assert -5e-3 < lowest(found, run) < 1e-4 and run.contact_values[:, :, 0].min() > -1e-9
    weight = 9.81 * sum(body.mass for body in run.mechanism.bodies)
    assert sum(contact.normal_force[-20:].mean() for contact in run.contacts.values()) == pytest.approx(
        weight, rel=0.01
    )


def test_robots_without_collision_shapes_are_refused_where_contacts_are_asked_for() -> None:
    for name in ("TwoDofs.urdf", "simple_humanoid_classical.urdf", "alexander_v1.lowerBodyOnly.urdf"):
        with pytest.raises(MechanismError, match="none is made: without collision shapes"):
            load(robot_file(name), base="floating", contacts="collision", packages={PACKAGE: share()})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a1.urdf", "talos_reduced_box.urdf", "solo12.urdf", "panda.urdf"])
def test_their_meshes_are_drawn_on_every_body_that_has_some(name: str) -> None:
    pytest.importorskip("trimesh", reason="needs the extra mesh")
    found = load(robot_file(name), base="floating", packages={PACKAGE: share()})
    looks = looks_of(found.shown, found.mechanism)
    meshed = {item.body for item in found.shown if item.geometry.kind == "mesh" and item.geometry.is_seen}
    solids = {found.mechanism.bodies[body].name: {part.solid for part in parts} for body, parts in looks.parts.items()}
    drawn = {body for body, kinds in solids.items() if any(kind.startswith("mesh") for kind in kinds)}
    assert len(drawn) > 7 and drawn == meshed
    assert sum(len(mesh.triangles) for mesh in looks.meshes) <= 60_000
    assert [notice for notice in looks.notices if "not shown" in notice] == []
