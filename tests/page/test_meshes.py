"""Meshes of files in a page: read in every format, scaled, thinned, and never trusted."""

from __future__ import annotations

import builtins
import json
import re
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from symvi.extras import install_command
from symvi.importers import load
from symvi.mechanism import start_state
from symvi.page import looks, write_page
from symvi.page.looks import looks_of
from symvi.page.meshes import Mesh, MeshError, read_meshes, thinned
from symvi.page.turning import rotate
from symvi.simulate import Simulator
from tests.page.browser import NO_WEBGL, WEBGL, Browser, find_chromium
from tests.page.mesh_files import box, collada, obj, robot_with, stl

SIZE, CENTER = (1.0, 2.0, 4.0), (0.5, 0.0, 1.0)
POINTS, TRIANGLES = box(SIZE, CENTER)


def volume(mesh: Mesh) -> float:
    """The volume inside, negative where triangles are seen from inside."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def written(folder: Path, kind: str) -> Path:
    path = folder / f"box.{kind}"
    if kind == "dae":
        path.write_text(collada(POINTS, TRIANGLES))
        return path
    return {"stl": stl, "obj": obj, "STL": stl}[kind](path, POINTS, TRIANGLES)


# --- reading ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["stl", "STL", "obj", "dae"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.001, 0.001, 0.001), (-1.0, 1.0, 2.0)])
def test_every_format_is_read_and_scaled_with_its_outside_outside(tmp_path: Path, kind: str, scale) -> None:
    (mesh,) = read_meshes(written(tmp_path, kind), scale)
    assert (len(mesh.vertices), len(mesh.triangles)) == (8, 12)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert high - low == pytest.approx(np.abs(scale) * SIZE) and (low + high) / 2 == pytest.approx(
        np.multiply(scale, CENTER)
    )
    assert volume(mesh) == pytest.approx(8.0 * abs(np.prod(scale)))
    assert mesh.color == ("#ff0000" if kind == "dae" else None)


def test_the_unit_of_collada_counts_and_its_up_axis_does_not(tmp_path: Path) -> None:
    """As in the viewers that robots are described for."""
    nodes = '<translate>100 0 0</translate><rotate>0 0 1 90</rotate><instance_geometry url="#box"/>'
    (tmp_path / "box.dae").write_text(collada(POINTS, TRIANGLES, nodes, unit="0.01", up="Y_UP"))
    (mesh,) = read_meshes(tmp_path / "box.dae", (1.0, 1.0, 1.0))
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([0.02, 0.01, 0.04])
    assert mesh.vertices.mean(axis=0) == pytest.approx([1.0, 0.005, 0.01])


def test_nothing_that_a_mesh_names_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.mtl").write_text("newmtl m\nmap_Kd secret.png\n")
    (tmp_path / "secret.png").write_bytes(b"")
    outside = '<library_images><image id="i"><init_from>secret.png</init_from></image></library_images>'
    (tmp_path / "b.dae").write_text(collada(POINTS, TRIANGLES, library=outside))
    paths = [obj(tmp_path / "a.obj", POINTS, TRIANGLES, "mtllib secret.mtl\nusemtl m"), tmp_path / "b.dae"]
    for path in paths:
        read_meshes(path, (1.0, 1.0, 1.0))  # what trimesh imports is imported now
    opened, real = [], builtins.open
    monkeypatch.setattr(
        builtins, "open", lambda file, *rest, **named: (opened.append(str(file)), real(file, *rest, **named))[1]
    )
    for path in paths:
        read_meshes(path, (1.0, 1.0, 1.0))
    assert opened == [str(path) for path in paths]


BOMB = '<library_nodes><node id="k0"><instance_geometry url="#box"/></node>' + "".join(
    f'<node id="k{k}"><instance_node url="#k{k - 1}"/><instance_node url="#k{k - 1}"/></node>' for k in range(1, 40)
)
BOMB += "</library_nodes>"
ENTITIES = '<!DOCTYPE c [<!ENTITY a "1 1 1 "><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
NODE = '<instance_node url="#{}"/>'
WRONG = {
    "empty.stl": (b"", "cannot be read|no triangle"),
    "rubbish.stl": (bytes(range(256)) * 40, "cannot be read|no triangle|nowhere"),
    "rubbish.obj": (bytes(range(256)) * 40, "cannot be read|no triangle"),
    "nowhere.obj": (b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "nowhere|no triangle"),
    "beyond.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "cannot be read|no triangle"),
    "text.dae": (b"no XML", "is not valid XML"),
    "entities.dae": (collada(POINTS, TRIANGLES, head=ENTITIES).encode(), "has a document type"),
    "bomb.dae": (collada(POINTS, TRIANGLES, NODE.format("k39"), library=BOMB).encode(), "places too much"),
    "circle.dae": (collada(POINTS, TRIANGLES, NODE.format("n")).encode(), "places too much"),
    "unit.dae": (collada(POINTS, TRIANGLES, unit="nan").encode(), "unit is no length"),
    "mesh.blend": (b"BLENDER", "none of the formats that are read: .stl, .obj, .dae"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_files_that_hold_no_mesh_say_why_and_soon(tmp_path: Path, name: str) -> None:
    content, words = WRONG[name]
    (tmp_path / name).write_bytes(content)
    read_meshes(written(tmp_path, "obj"), (1.0, 1.0, 1.0))  # what trimesh imports is imported now
    begin = time.process_time()
    with pytest.raises(MeshError, match=words):
        read_meshes(tmp_path / name, (1.0, 1.0, 1.0))
    assert time.process_time() - begin < 5.0


def test_a_file_of_a_hundred_megabytes_is_left_out(tmp_path: Path) -> None:
    with open(tmp_path / "large.stl", "wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(MeshError, match="is larger than 50 MB"):
        read_meshes(tmp_path / "large.stl", (1.0, 1.0, 1.0))


# --- thinning ---------------------------------------------------------------------------------------------------------
def ball(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a sphere of 1 m, 2 count (count - 1) of them."""
    turn, height = np.arange(count) * 2 * np.pi / count, np.linspace(-np.pi / 2, np.pi / 2, count + 1)[1:-1]
    rings = [(np.cos(h) * np.cos(t), np.cos(h) * np.sin(t), np.sin(h)) for h in height for t in turn]
    number = lambda i, j: i * count + j % count  # noqa: E731
    sides = [
        triangle
        for i, j in product(range(count - 2), range(count))
        for triangle in (
            (number(i, j), number(i, j + 1), number(i + 1, j + 1)),
            (number(i, j), number(i + 1, j + 1), number(i + 1, j)),
        )
    ]
    last = len(rings)
    caps = [(last, number(0, j + 1), number(0, j)) for j in range(count)]
    caps += [(last + 1, number(count - 2, j), number(count - 2, j + 1)) for j in range(count)]
    return np.array([*rings, (0, 0, -1), (0, 0, 1)]), np.array([*sides, *caps])


def test_a_thinned_mesh_keeps_its_form() -> None:
    points, triangles = ball(100)
    assert volume(Mesh(points, triangles)) == pytest.approx(4.19, abs=0.01)
    thin = thinned(Mesh(1e-3 * points + [7.0, 0.0, 0.0], triangles), 500)
    assert 400 <= len(thin.triangles) <= 500 and len(thin.vertices) < 300
    assert volume(Mesh(1e3 * (thin.vertices - [7.0, 0.0, 0.0]), thin.triangles)) == pytest.approx(4.19, rel=0.03)


def test_all_meshes_of_a_page_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "MOST_TRIANGLES", 3000)
    stl(tmp_path / "fine.stl", *ball(60))
    stl(tmp_path / "box.stl", POINTS, TRIANGLES)
    found = looked_at(
        tmp_path,
        *(visual(f'<mesh filename="{name}.stl" scale="{k} 1 1"/>') for name in ("fine", "box") for k in (1, 2)),
    )
    counts = [len(mesh.triangles) for mesh in found.meshes]
    assert counts[2:] == [12, 12] and all(1300 < count <= 1488 for count in counts[:2])
    assert found.notices == (f"meshes thinned: {sum(counts)} of 14184 triangles are shown",)


# --- the looks of a file ----------------------------------------------------------------------------------------------
def visual(shape: str, kind: str = "visual", xyz: str = "0 0 0") -> str:
    return f'<{kind}><origin xyz="{xyz}"/><geometry>{shape}</geometry></{kind}>'


def looked_at(folder: Path, *shapes: str):
    (folder / "arm.urdf").write_text(robot_with(*shapes))
    imported = load(folder / "arm.urdf")
    return looks_of(imported.shown, imported.mechanism)


def test_meshes_stand_where_the_file_has_them(tmp_path: Path) -> None:
    stl(tmp_path / "box.stl", POINTS, TRIANGLES)
    found = looked_at(tmp_path, visual('<mesh filename="box.stl" scale="0.1 0.1 0.1"/>', xyz="0 0 -1"))
    ((part,),) = found.parts.values()
    assert part.solid == "mesh 0" and part.size == pytest.approx((0.1, 0.2, 0.4))
    assert part.position == pytest.approx((0.05, 0.0, -0.9))
    assert np.ptp(found.meshes[0].vertices, axis=0) == pytest.approx(1.0) and found.notices == ()


def test_what_is_for_contact_only_is_drawn_where_there_is_nothing_else(tmp_path: Path) -> None:
    solid = visual('<box size="1 1 1"/>', "collision")
    capsule = visual('<capsule radius="0.1" length="1"/>')
    assert [part.solid for part in looked_at(tmp_path, solid).parts[0]] == ["box"]
    assert [part.solid for part in looked_at(tmp_path, solid, capsule).parts[0]] == ["cylinder", "sphere", "sphere"]


def test_missing_meshes_and_a_missing_extra_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stl(tmp_path / "box.stl", POINTS, TRIANGLES)
    (tmp_path / "cut.stl").write_bytes(b"solid")
    shapes = [visual(f'<mesh filename="{name}"/>') for name in ("box.stl", "cut.stl", "../gone.stl")]
    found = looked_at(tmp_path, *shapes)
    assert [part.solid for part in found.parts[0]] == ["mesh 0"]
    assert len(found.notices) == 2 and "'cut.stl': " in found.notices[0] and "'../gone.stl': " in found.notices[1]
    monkeypatch.setattr(looks, "has_reader", lambda: False)
    found = looked_at(tmp_path, *shapes)
    assert not found.parts and not found.meshes
    assert "'box.stl', 'cut.stl': their packages are not installed: " + install_command("mesh") in found.notices[0]


# --- the page ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    """The page of an arm with a box, and that of one with the same box from a file."""
    stl(tmp_path / "box.stl", *box((0.2, 0.3, 1.0), (0.0, 0.0, -0.5)))
    shapes = [visual('<box size="0.2 0.3 1"/>', xyz="0 0 -0.5"), visual('<mesh filename="box.stl"/>')]
    found = []
    for k, shape in enumerate(shapes):
        (tmp_path / "arm.urdf").write_text(robot_with(shape))
        imported = load(tmp_path / "arm.urdf", start={"hinge": 0.5})
        motion = Simulator(imported.mechanism).simulate(0.2, 0.01)
        drawn = looks_of(imported.shown, imported.mechanism)
        found.append(write_page(motion, tmp_path / f"page{k}.html", looks=drawn))
    return found


@pytest.mark.thorough
@pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")
@pytest.mark.parametrize("flags", [WEBGL, NO_WEBGL], ids=["webgl", "painter"])
def test_a_box_from_a_file_looks_like_a_box(pages: list[Path], flags: tuple[str, ...]) -> None:
    pictures = []
    with Browser(find_chromium(), *flags) as browser:
        for page in pages:
            browser.open(page, "t=0.1")
            assert browser.complaints() == []
            (page.parent / "picture.png").write_bytes(browser.screenshot())
            pictures.append(imread(page.parent / "picture.png")[80:520, :, :3])
    box_seen = np.ptp(pictures[0], axis=-1) > 0.25
    assert box_seen.sum() > 3000
    assert (np.abs(pictures[0] - pictures[1]).max(axis=-1) > 0.1).sum() < 0.02 * box_seen.sum()


def test_the_page_holds_meshes_as_small_numbers(pages: list[Path]) -> None:
    data = [json.loads(re.search(r'id="data">(.*?)</script>', page.read_text()).group(1)) for page in pages]
    assert data[0]["meshes"] == [] and len(data[1]["meshes"]) == 1
    assert len(json.dumps(data[1]["meshes"])) < 400 and data[1]["parts"][0]["solid"] == "mesh 0"


def test_meshes_of_mjcf_stand_where_mujoco_has_them(tmp_path: Path) -> None:
    """MuJoCo moves meshes to their principal axes; its own points are the witness."""
    mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (0.5, 0.5, 0.5)]) + (3.0, 1.0, 0.0)
    stl(tmp_path / "part.stl", points, np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]))
    text = """<mujoco><asset><mesh name="m" file="part.stl" scale="0.1 0.2 -0.3"/></asset><worldbody>
    <body pos="0.3 0.2 0.1" euler="20 30 40"><joint axis="0 1 0"/>
    <geom type="mesh" mesh="m" pos="0.5 0 0.2" euler="10 50 70" rgba="0 0 1 1" mass="1"/></body></worldbody></mujoco>"""
    (tmp_path / "part.xml").write_text(text)
    imported = load(tmp_path / "part.xml")
    found = looks_of(imported.shown, imported.mechanism)
    (part,), state = found.parts[0], start_state(imported.mechanism)
    own = part.position + rotate(part.orientation, found.meshes[0].vertices * part.size)
    drawn = state.position[0] + rotate(state.orientation[0], own)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "part.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    wanted = data.geom_xpos[0] + model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    distance = np.linalg.norm(drawn[:, None] - wanted[None], axis=2)
    assert distance.min(axis=0).max() < 1e-6 and distance.min(axis=1).max() < 1e-6  # STL holds single precision
    assert part.color == "#0000ff"
