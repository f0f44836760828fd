"""Collision meshes on the ground: they move as the shapes that they are, and rest where their lowest corner touches."""

from __future__ import annotations

import re
from math import pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symvi import cli
from symvi.errors import MechanismError, MissingExtraError
from symvi.extras import install_command
from symvi.importers import Imported, load, mesh_contacts
from symvi.mechanism.placement import start_placements
from symvi.simulate import Simulator, Trajectory
from tests.importers.mjcf_texts import model
from tests.importers.test_hulls import ellipsoid
from tests.importers.urdf_texts import inertial, joint, link, robot
from tests.page.mesh_files import box, collada, obj, stl

pytest.importorskip("trimesh", reason="needs the extra mesh")
SIZE = (0.25, 0.5, 1.0)  # STL has floats of 4 bytes, which these are too
TILTED = (0.0, 0.0, 0.0, 0.3, 0.5, 0.2)


def body(shape: str, origin: str = "", name: str = "base") -> str:
    solid = f"<collision>{origin}<geometry>{shape}</geometry></collision>"
    return link(name, inertial(2.0, (0.3, 0.2, 0.1)) + solid)


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "robot.urdf"
    path.write_text(text)
    return load(path, **{"base": "floating", "contacts": "collision"} | options)


def refused(text: str, folder: Path, **options: object) -> str:
    with pytest.raises(MechanismError) as caught:
        read(text, folder, **options)
    return str(caught.value)


def box_file(folder: Path, kind: str, center: tuple = (0.0, 0.0, 0.0)) -> str:
    """A box of SIZE in a file of a kind; its name."""
    path = folder / f"box.{kind}"
    points, triangles = box(SIZE, center)
    if kind == "dae":
        path.write_text(collada(100 * points, triangles, unit="0.01"))
    else:
        {"stl": stl, "obj": obj}[kind](path, points, triangles)
    return path.name


def ellipsoid_file(folder: Path, count: int = 200) -> np.ndarray:
    """The points of a mesh that is round everywhere, in a file; its triangles are those of its hull."""
    from scipy.spatial import ConvexHull

    points = ellipsoid(count).astype(np.float32).astype(float)
    stl(folder / "egg.stl", points, ConvexHull(points).simplices)
    return points


def notices(found: Imported, kind: str) -> list[str]:
    return [notice.why for notice in found.report.of(kind) if notice.what == "collision mesh"]


# --- meshes as the shapes that they are -------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["stl", "obj", "dae"])
def test_a_box_of_a_file_tumbles_as_a_box(kind: str, tmp_path: Path) -> None:
    origin = '<origin xyz="0.125 0 -0.25" rpy="0 0 1.5"/>'
    shapes = (f'<mesh filename="{box_file(tmp_path, kind)}"/>', f'<box size="{SIZE[0]} {SIZE[1]} {SIZE[2]}"/>')
    runs = []
    for shape in shapes:
        found = read(robot(body(shape, origin)), tmp_path, start={"root_joint": TILTED}, friction=0.4)
        assert len(found.mechanism.contacts) == 8
        runs.append(Simulator(found.mechanism).simulate(1.0, 0.01))
    assert runs[0].position == pytest.approx(runs[1].position, abs=1e-9)
    assert np.ptp(runs[0].position[:, 0, 2]) > 0.05 and runs[0].contact_values[:, :, 0].min() > -1e-9


def test_scales_mirror_and_stretch_a_mesh(tmp_path: Path) -> None:
    """A box about (0.5, 0, 1) with the scale (-2, 1, 0.5) is one of (0.5, 0.5, 0.5) about (-1, 0, 0.5)."""
    name = box_file(tmp_path, "stl", center=(0.5, 0.0, 1.0))
    found = read(robot(body(f'<mesh filename="{name}" scale="-2 1 0.5"/>')), tmp_path)
    places = np.array([contact.child_anchor for contact in found.mechanism.contacts])
    assert places.min(axis=0) == pytest.approx([-1.25, -0.25, 0.25])
    assert places.max(axis=0) == pytest.approx([-0.75, 0.25, 0.75])


@pytest.mark.parametrize("turn", ["0 0 0", "1 2 3"])
def test_a_body_rests_at_the_height_of_the_lowest_point_of_its_mesh(turn: str, tmp_path: Path) -> None:
    """Where all corners are kept it starts so, exactly; it settles with none of its points in the ground."""
    points = ellipsoid_file(tmp_path)
    found = read(
        robot(body('<mesh filename="egg.stl"/>', f'<origin rpy="{turn}"/>')), tmp_path, contact_corners=1000,
        start={"root_joint": TILTED},
    )  # fmt: skip
    assert notices(found, "taken") == ["contact with the ground at the 200 corners of its convex hull"]
    (shape,) = found.shown

    def lowest(position: np.ndarray, orientation: np.ndarray) -> float:
        corners = mesh_contacts.moved(points, shape.pose)
        pose = type(shape.pose)(tuple(position), tuple(orientation))
        return float(mesh_contacts.moved(corners, pose)[:, 2].min())

    at = start_placements(found.mechanism)["base"]
    assert lowest(np.array(at.position), np.array(at.orientation)) == pytest.approx(0.0, abs=1e-12)
    run = Simulator(found.mechanism).simulate(0.5, 0.01)
    heights = [lowest(x, q) for x, q in zip(run.position[:, 0], run.orientation[:, 0], strict=True)]
    assert min(heights) > -1e-9 and heights[-1] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("most", [6, 16, 32])
def test_a_thinned_mesh_stands_no_deeper_than_the_report_says(most: int, tmp_path: Path) -> None:
    """Whichever way it lies; and with its axes upright not at all, since its lowest point is kept."""
    points = ellipsoid_file(tmp_path)
    text = robot(body('<mesh filename="egg.stl"/>'))
    for turn in np.random.default_rng(0).uniform(-pi, pi, (20, 3)):
        found = read(text, tmp_path, contact_corners=most, start={"root_joint": (0, 0, 0, *turn)})
        assert len(found.mechanism.contacts) == most
        (told,) = notices(found, "approximated")
        bound = 1e-3 * float(re.search(r"by at most ([\d.e-]+) mm", told)[1])
        pose = start_placements(found.mechanism)["base"]
        deep = -mesh_contacts.moved(points, type(found.shown[0].pose)(*pose))[:, 2].min()
        assert -1e-12 < deep <= bound * 1.005
    upright = read(text, tmp_path, contact_corners=most)
    height = start_placements(upright.mechanism)["base"].position[2]
    assert height == pytest.approx(-points[:, 2].min(), abs=1e-12)


def test_what_is_bent_inwards_stands_on_its_hull(tmp_path: Path) -> None:
    """Two boxes of one COLLADA scene: a table that has no corner between its feet."""
    points, triangles = box((0.2, 0.2, 0.4))
    nodes = "".join(f'<node><translate>{x} 0 0</translate><instance_geometry url="#box"/></node>' for x in (-1.0, 1.0))
    (tmp_path / "table.dae").write_text(collada(points, triangles, nodes))
    found = read(robot(body('<mesh filename="table.dae"/>')), tmp_path)
    places = np.array([contact.child_anchor for contact in found.mechanism.contacts])
    assert len(places) == 8 and np.abs(places) == pytest.approx(np.tile([1.1, 0.1, 0.2], (8, 1)))


def test_packages_and_folders_are_those_of_every_mesh(tmp_path: Path) -> None:
    folder = tmp_path / "my_robot" / "urdf"
    folder.mkdir(parents=True)
    name = box_file(folder.parent, "stl")
    text = robot(body(f'<mesh filename="package://my_robot/{name}"/>'))
    assert len(read(text, folder, packages={"my_robot": folder.parent}).mechanism.contacts) == 8
    told = refused(text, folder)
    assert "robot.urdf:3: link 'base': contacts need the collision mesh 'package://my_robot/box.stl': " in told
    assert f"my_robot={folder.parent}" in told and "--package " in told
    three = text.replace("package://", "package:///")
    assert len(read(three, folder, packages={"my_robot": folder.parent}).mechanism.contacts) == 8


# --- what cannot be used ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name, content, words",
    [
        ("gone.stl", None, "there is no such file; put it there, or name links or points"),
        ("../outside.stl", b"", "lies outside the folders given; allow its folder"),
        ("cut.stl", b"solid", "mend it, or name links or points"),
        ("text.dae", b"no XML", "is not valid XML"),
        ("form.blend", b"BLENDER", "none of the formats that are read: .stl, .obj, .dae"),
    ],
)
def test_a_mesh_that_cannot_be_read_is_refused_by_its_name(name: str, content, words: str, tmp_path: Path) -> None:
    """Even where other shapes make contacts: what stands on the others only may be half in the ground."""
    folder = tmp_path / "inner"
    folder.mkdir()
    if content is not None:
        (folder / name).write_bytes(content)
    arm = body('<sphere radius="0.1"/>', name="arm")
    text = robot(body(f'<mesh filename="{name}"/>'), arm, joint("h", "continuous", "base", "arm"))
    told = refused(text, folder)
    assert f"robot.urdf:3: link 'base': contacts need the collision mesh '{name}': " in told and words in told
    assert len(read(text, folder, contacts=["arm"]).mechanism.contacts) == 1
    assert not read(text, folder, contacts=False).mechanism.contacts


def test_meshes_that_are_missing_for_one_reason_are_named_together(tmp_path: Path) -> None:
    parts = [body(f'<mesh filename="part{k}.stl"/>', name=f"l{k}") for k in range(12)]
    joints = [joint(f"j{k}", "continuous", f"l{k}", f"l{k + 1}") for k in range(11)]
    told = refused(robot(*parts, *joints), tmp_path)
    assert (
        told.count("\n") == 0 and "'part0.stl', 'part1.stl'" in told and "'part7.stl' and 4 more: there is no" in told
    )


def test_points_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_contacts, "MOST_POINTS", 100)
    ellipsoid_file(tmp_path)
    assert "has 200 points; no more than 100" in refused(robot(body('<mesh filename="egg.stl"/>')), tmp_path)
    with open(tmp_path / "large.stl", "wb") as file:
        file.truncate(100_000_000)
    assert "is larger than 50 MB" in refused(robot(body('<mesh filename="large.stl"/>')), tmp_path)


@settings(max_examples=100)
@given(data=st.data())
def test_a_damaged_mesh_makes_contacts_or_is_refused_by_its_name(data: st.DataObject, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    name = box_file(folder, data.draw(st.sampled_from(["stl", "obj", "dae"])))
    content = (folder / name).read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(content)))
        end = begin + data.draw(st.integers(0, 60))
        piece = data.draw(
            st.sampled_from([b"", content[begin:end] * 2, b"\xff\xff\xff\x7f", b"9", b"-", b"nan ", b"\n"])
        )
        content = content[:begin] + piece + content[end:]
    (folder / name).write_bytes(content)
    scale = data.draw(st.sampled_from(["1 1 1", "-1 0 1e99"]))
    try:
        found = read(robot(body(f'<mesh filename="{name}" scale="{scale}"/>')), folder, contact_corners=6)
    except MechanismError as error:
        assert f"contacts need the collision mesh '{name}': " in str(error)
    else:
        assert 0 < len(found.mechanism.contacts) <= 6


@pytest.mark.parametrize("package", ["trimesh", "collada", "scipy"])
def test_a_missing_extra_is_named_with_what_installs_it(package: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(mesh_contacts, "has_packages", lambda names: package not in names)
    text = robot(body(f'<mesh filename="{box_file(tmp_path, "stl")}"/>'))
    with pytest.raises(MissingExtraError) as caught:
        read(text, tmp_path)
    assert f"contacts of its collision mesh 'box.stl' need the package {package}; " in str(caught.value)
    assert "robot.urdf:3: link 'base': " in str(caught.value) and install_command("mesh") in str(caught.value)
    assert not read(text, tmp_path, contacts=False).mechanism.contacts


@pytest.mark.parametrize("corners", [5, 1001, 6.0, True, "12"])
def test_numbers_of_corners_that_mean_nothing(corners: object, tmp_path: Path) -> None:
    told = refused(robot(body('<sphere radius="1"/>')), tmp_path, contact_corners=corners)
    assert "must be a whole number from 6 to 1000" in told


# --- asked for, and none made -----------------------------------------------------------------------------------------
BARE = [link("base"), link("arm"), joint("h", "continuous", "base", "arm")]


@pytest.mark.parametrize("contacts", ["collision", True, []])
def test_contacts_that_are_asked_for_and_not_made_are_an_error(contacts: object, tmp_path: Path) -> None:
    if contacts == []:  # of no link: nothing is asked for
        assert not read(robot(*BARE), tmp_path, contacts=contacts).mechanism.contacts
        return
    told = refused(robot(*BARE), tmp_path, contacts=contacts)
    assert "robot.urdf:2: contacts with the ground are asked for, and none is made" in told
    assert "without collision shapes: 'base', 'arm'" in told and "--contact-points LINK:x,y,z" in told
    assert "float" not in told  # which would change nothing


def test_shapes_that_make_no_contact_are_named(tmp_path: Path) -> None:
    told = refused(robot(body('<box size="0 1 1"/>'), *BARE[1:]), tmp_path)
    assert "link 'base': its size (0, 1, 1) must be positive; without collision shapes: 'base', 'arm'" in told


def test_the_command_fails_where_none_is_made_and_tells_how_many_where_some_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(robot(*BARE))
    command = ["simulate", str(file), "--base", "floating", "--contacts", "--time", "0.1", "--step", "0.01"]
    assert cli.main(command) == 1
    assert "none is made: without collision shapes: 'base', 'arm'" in capsys.readouterr().err
    box_file(tmp_path, "stl")
    odd = '<collision><geometry><box size="0 1 1"/></geometry></collision>'
    solid = body('<mesh filename="box.stl"/>').replace("</link>", odd + "</link>")
    file.write_text(robot(solid, *BARE[1:]))
    assert cli.main(command) == 0
    shown = "".join(capsys.readouterr())
    assert "contacts with the ground: 8 points of 1 link; none of 1 link: 'arm'; 1 collision shape left out" in shown
    assert cli.main([*command, "--contact-corners", "3"]) == 1


def test_trep_has_no_shapes_and_says_so(tmp_path: Path) -> None:
    from tests.importers.trep_texts import random_system

    (tmp_path / "system.trep").write_text(random_system(0))
    with pytest.raises(MechanismError, match="none is made: without collision shapes"):
        load(tmp_path / "system.trep", contacts="collision")


# --- MJCF -------------------------------------------------------------------------------------------------------------
MESHES = {
    "a file": '<mesh name="m" file="egg.stl"/>',
    "a file, moved": '<mesh name="m" file="egg.stl" scale="-0.5 1 2" refpos="0.1 0.2 0.3" refquat="0.6 0 0.8 0"/>',
    "in the file": '<mesh name="m" vertex="{}"/>',
    "in the file, moved": '<mesh name="m" vertex="{}" scale="2 -1 1" refpos="0.1 0.2 0.3" refquat="0.6 0 0.8 0"/>',
}


@pytest.mark.parametrize("kind", MESHES)
def test_a_mesh_of_mjcf_is_as_far_from_the_ground_as_mujoco_says(kind: str, tmp_path: Path) -> None:
    """Distances of the geom from the plane, by MuJoCo's own routine; its vertices are floats of 4 bytes."""
    mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")
    points = ellipsoid_file(tmp_path)
    asset = MESHES[kind].format(" ".join(map(str, points.ravel())))
    geom = '<geom name="g" type="mesh" mesh="m" pos="0.1 0 0.2" quat="0.8 0 0.6 0"/>'
    at = 'pos="0 0 3" quat="0.5 0.5 0.1 -0.7"'
    plane = '<geom name="f" type="plane" size="1 1 1" pos="0 0 0.5" euler="10 20 0"/>'
    text = model(f"<asset>{asset}</asset>", world=f'{plane}<body name="a" {at}><freejoint/>{geom}</body>')
    file = tmp_path / "model.xml"
    file.write_text(text)
    peer = mujoco.MjModel.from_xml_string(text, {"egg.stl": (tmp_path / "egg.stl").read_bytes()})
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    wanted = mujoco.mj_geomDistance(peer, data, 0, 1, 100.0, None)
    found = load(file, contacts="collision", contact_corners=1000)
    places = start_placements(found.mechanism)
    gaps = [
        np.dot(contact.normal, np.subtract(places["a"].point(contact.child_anchor), contact.parent_anchor))
        for contact in found.mechanism.contacts
    ]
    assert len(gaps) == 200 and min(gaps) == pytest.approx(wanted, abs=1e-6)
    assert all("mesh" not in notice.what for notice in found.report.of("ignored"))


def test_a_mesh_of_mjcf_that_is_missing_is_refused_where_it_is_to_stand(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="needs the extra mjcf")
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    world = f'<body name="a"><freejoint/>{mass}<geom name="g" type="mesh" mesh="m"/></body>'
    (tmp_path / "model.xml").write_text(model('<asset><mesh name="m" file="gone.stl"/></asset>', world=world))
    with pytest.raises(MechanismError) as caught:
        load(tmp_path / "model.xml", contacts="collision")
    assert "link 'a': contacts need the collision mesh 'gone.stl': there is no such file; put" in str(caught.value)
    assert not load(tmp_path / "model.xml").mechanism.contacts


# --- the manual's line ------------------------------------------------------------------------------------------------
def test_the_line_of_the_manual_holds_a_robot_off_the_ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a robot whose only collision shapes are the meshes of its feet."""
    page = (Path(__file__).parents[2] / "symvi" / "manual" / "imports.md").read_text(encoding="utf-8")
    lines = [line.split() for line in page.splitlines() if re.match(r"python3 -m symvi simulate .*--contacts", line)]
    line = next(words for words in lines if "--page" in words)
    points, triangles = box((0.2, 0.2, 0.05))
    stl(tmp_path / "foot.stl", points, triangles)
    sides = {"left": 0.3, "right": -0.3}
    feet = [body('<mesh filename="foot.stl"/>', name=side) for side in sides]
    knees = [joint(f"{side}_hip", "continuous", "trunk", side, xyz=(0, y, -0.5)) for side, y in sides.items()]
    (tmp_path / "robot.urdf").write_text(robot(link("trunk"), *feet, *knees))
    monkeypatch.chdir(tmp_path)
    assert cli.main([*line[3:], "--out", "robot.npz"]) == 0
    run = Trajectory.load(tmp_path / "robot.npz")
    assert run.position[-1, 0, 2] == pytest.approx(0.525, abs=0.01)
    carried = sum(contact.normal_force[-1] for contact in run.contacts.values())
    assert carried == pytest.approx(5.0 * 9.81, rel=1e-3)
