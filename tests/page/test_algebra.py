"""The algebra of the page, run in node on random numbers, against the library's; and errors put into it, each found."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from symvi.emit.template_files import templates_folder
from symvi.mechanism.rotation import conjugate, from_rotation_vector, multiply, rotate, rotation_matrix, rotation_vector
from symvi.page.keyframes import LARGEST_BLEND, encode
from tests.page.motions import thrown_top

NODE = shutil.which("node")
SCRIPTS = ("algebra.js", "solids.js", "motion.js", "scene.js")  # those that calculate and draw nothing
PLACEMENTS = """(frames, bodies, times) => {
  const motion = new Motion(frames, bodies, null);
  return times.map((time) => motion.placementAt(time));
}"""
PATH = "(frames, bodies, body, point) => new Motion(frames, bodies, null).path(body, point)"
SCENE = "(data) => new Scene(data, {})"
ITEMS = f"(data, placement) => ({SCENE})(data).items(placement, {{ marker: '#000000', force: '#000000' }})"
PICK = f"(data, placement, ray) => ({SCENE})(data).pick(ray, placement, {{ marker: '#000000', force: '#000000' }})"

pytestmark = pytest.mark.skipif(NODE is None, reason="needs node: install the package nodejs")


class Page:
    """The scripts of the page, with some of their text replaced."""

    def __init__(self, changes: Iterable[tuple[str, str]] = ()):
        self.text = "\n".join((templates_folder() / "page" / name).read_text(encoding="utf-8") for name in SCRIPTS)
        for old, new in changes:
            assert self.text.count(old) == 1, old
            self.text = self.text.replace(old, new)

    def all(self, function: str, cases: Iterable[tuple]) -> list:
        """What a function of the page gives for each of the cases, tuples of its arguments."""
        plain = json.dumps([list(case) for case in cases], default=lambda array: array.tolist())
        script = f'"use strict";\n{self.text}\nconst call = {function};\n'
        script += f"console.log(JSON.stringify({plain}.map((case_) => call(...case_))));"
        answer = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, timeout=60, check=False)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)


def rotations(random: np.random.Generator, count: int) -> np.ndarray:
    """Random rotations, evenly spread, both signs of each."""
    parts = random.normal(size=(count, 4))
    return parts / np.linalg.norm(parts, axis=1, keepdims=True)


def near(found: object, wanted: object, within: float = 1e-12) -> None:
    np.testing.assert_allclose(np.array(found, float), np.array(wanted, float), rtol=0.0, atol=within)


def same_rotation(found: object, wanted: object, within: float) -> None:
    """Quaternions of either sign."""
    found, wanted = np.array(found, float), np.array(wanted, float)
    near(np.linalg.norm(found, axis=-1), np.ones(len(found)))
    near(found * np.sign(np.sum(found * wanted, axis=-1, keepdims=True)), wanted, within)


def short_way(p: np.ndarray, q: np.ndarray, share: float) -> tuple[float, ...]:
    """The rotation at that share of the angle from p to q, by the library: at most half a turn at one rate (slerp)."""
    turn = rotation_vector(multiply(conjugate(tuple(p)), tuple(q)))
    return multiply(tuple(p), from_rotation_vector(tuple(share * x for x in turn)))


# --- what the page calculates -----------------------------------------------------------------------------------------
def products(page: Page, random: np.random.Generator) -> None:
    p, q = rotations(random, 50), rotations(random, 50)
    near(page.all("multiplyQuaternions", zip(p, q, strict=True)), [multiply(*pair) for pair in zip(p, q, strict=True)])
    near(page.all("conjugate", ((a,) for a in p)), [conjugate(a) for a in p])


def turned_vectors(page: Page, random: np.random.Generator) -> None:
    q, v = rotations(random, 50), random.normal(size=(50, 3))
    near(page.all("rotate", zip(q, v, strict=True)), [rotate(*pair) for pair in zip(q, v, strict=True)])
    w = random.normal(size=(50, 3))
    for name, ours in (("add", v + w), ("subtract", v - w), ("cross", np.cross(v, w)), ("dot", np.sum(v * w, axis=1))):
        near(page.all(name, zip(v, w, strict=True)), ours)
    aside = np.array(page.all("across", ((a,) for a in v)))
    near(np.linalg.norm(aside, axis=1), np.ones(50))
    near(np.sum(aside * v, axis=1), np.zeros(50))


def blends(page: Page, random: np.random.Generator) -> None:
    """The blend goes the short way about slerp's axis: exact at both ends and in the middle, near it between.

    Along a chord of an arc of half the angle W = a / 2, the share s lies at the angle f of
    tan f = s sin W / (1 - s + s cos W); for frames as near as those of pages that is s W but for (a / 2)^3 / 9 sqrt 3.
    """
    p, turns = rotations(random, 60), rotations(random, 60)[:, 1:]
    angle = random.uniform(0.01, LARGEST_BLEND, 60)
    axis = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    q = np.array([multiply(a, from_rotation_vector(tuple(t))) for a, t in zip(p, axis * angle[:, None], strict=True)])
    q *= random.choice([-1.0, 1.0], size=(60, 1))  # the same rotation: the longer way along the quaternions
    for share in (0.0, 0.3, 0.5, 0.8, 1.0):
        found = page.all("blendQuaternions", ((a, b, share) for a, b in zip(p, q, strict=True)))
        chord = np.arctan2(share * np.sin(angle / 2), 1.0 - share + share * np.cos(angle / 2)) / (angle / 2)
        wanted = [short_way(a, b, s) for a, b, s in zip(p, q, chord, strict=True)]
        same_rotation(found, wanted, 1e-12)
        slerp = [short_way(a, b, share) for a, b in zip(p, q, strict=True)]
        little = angle < 0.3
        same_rotation(np.array(found)[little], np.array(slerp)[little], 0.15**3 / (9 * 3**0.5))
        if share in (0.0, 0.5, 1.0):
            same_rotation(found, slerp, 1e-12)
    v, w = random.normal(size=(9, 3)), random.normal(size=(9, 3))
    near(page.all("blend", ((a, b, 0.3) for a, b in zip(v, w, strict=True))), 0.7 * v + 0.3 * w)


def frames_and_between(page: Page, random: np.random.Generator) -> None:
    """At its keyframes a motion is what was written; between them near the closed form, with a blend of the two."""
    motion = thrown_top(161)
    count, signs = len(motion.time), random.choice([-1.0, 1.0], size=(161, 1, 1))
    written = motion.orientation * signs  # a quaternion of either sign is the same picture
    other = motion.position[:, :1] + [0.0, 0.0, 1.0]  # a second body, in its own places
    position = np.concatenate([motion.position, other], axis=1)
    orientation = np.concatenate([written, rotations(random, 1)[None].repeat(count, axis=0)], axis=1)
    frames = {
        "time": encode(motion.time, "f8"), "position": encode(position, "f4"), "blended": True,
        "orientation": encode(orientation, "f4"), "center": encode(position[:, 0], "f4"),
    }  # fmt: skip
    (knots,) = page.all(PLACEMENTS, [(frames, 2, motion.time)])
    for body in range(2):
        near([knot["bodies"][body]["position"] for knot in knots], position[:, body], 1e-6)
        same_rotation([knot["bodies"][body]["orientation"] for knot in knots], orientation[:, body], 1e-6)
    near([knot["center"] for knot in knots], position[:, 0], 1e-6)

    fine = thrown_top(4 * (count - 1) + 1)  # the same motion in closed form, at every quarter of a step
    quarters = np.flatnonzero(np.arange(len(fine.time)) % 4)
    (between,) = page.all(PLACEMENTS, [(frames, 2, fine.time[quarters])])
    before, share = quarters // 4, (quarters % 4)[:, None] / 4
    wanted = (1 - share) * position[before, 0] + share * position[before + 1, 0]
    near([one["bodies"][0]["position"] for one in between], wanted, 1e-6)
    near([one["center"] for one in between], wanted, 1e-6)
    near(wanted, fine.position[quarters, 0], 9.81 * 0.01**2 / 8 + 1e-6)  # a parabola leaves its chord by g h^2 / 8
    found = [one["bodies"][0]["orientation"] for one in between]
    slerp = [short_way(written[k, 0], written[k + 1, 0], s) for k, (s,) in zip(before, share, strict=True)]
    same_rotation(found, slerp, 2e-4)
    same_rotation(found, fine.orientation[quarters, 0], 2e-3)

    outside = [motion.time[0] - 1.0, motion.time[-1] + 1.0]  # it stands at its ends
    (ends,) = page.all(PLACEMENTS, [(frames, 2, outside)])
    near([end["bodies"][0]["position"] for end in ends], position[[0, -1], 0], 1e-6)
    (standing,) = page.all(PLACEMENTS, [({**frames, "blended": False}, 2, fine.time[quarters])])
    near([one["bodies"][0]["position"] for one in standing], position[before, 0], 1e-6)
    same_rotation([one["bodies"][0]["orientation"] for one in standing], written[before, 0], 1e-6)
    (knots,) = page.all(PLACEMENTS, [({**frames, "blended": False}, 2, motion.time)])
    near([knot["bodies"][0]["position"] for knot in knots], position[:, 0], 1e-6)

    point = (0.3, -0.2, 0.5)
    (path,) = page.all(PATH, [(frames, 2, 0, point)])
    near(path, [a + rotate(tuple(b), point) for a, b in zip(position[:, 0], written[:, 0], strict=True)], 1e-5)


def matrices(page: Page, random: np.random.Generator) -> None:
    """Those that graphics cards are given, 4 x 4 by columns."""
    place, q, size = random.normal(size=(20, 3)), rotations(random, 20), random.uniform(0.2, 3.0, (20, 3))
    turn = np.array([rotation_matrix(tuple(a)) for a in q])
    whole = np.tile(np.eye(4), (20, 1, 1))
    whole[:, :3, :3], whole[:, :3, 3] = turn * size[:, None, :], place
    near(page.all("placementMatrix", zip(place, q, size, strict=True)), whole.transpose(0, 2, 1).reshape(20, 16))
    normals = np.linalg.inv(whole[:, :3, :3]).transpose(0, 2, 1)
    near(page.all("normalMatrix", zip(q, size, strict=True)), normals.transpose(0, 2, 1).reshape(20, 9), 1e-10)
    other = random.normal(size=(20, 4, 4))
    columns = [(a.T.ravel(), b.T.ravel()) for a, b in zip(whole, other, strict=True)]
    near(page.all("multiplyMatrices", columns), (whole @ other).transpose(0, 2, 1).reshape(20, 16))
    v = random.normal(size=(20, 3))
    moved = page.all("transform", ((m.T.ravel(), a) for m, a in zip(whole, v, strict=True)))
    near(moved, np.einsum("kij,kj->ki", whole[:, :3, :3], v) + place)

    up, light = rotations(random, 20)[:, 1:], random.normal(size=(20, 3))
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    height = random.normal(size=20)
    flat = np.array(page.all("shadowMatrix", zip(light, up, height, strict=True))).reshape(20, 4, 4).transpose(0, 2, 1)
    lands = np.einsum("kij,kj->ki", flat[:, :3, :3], v) + flat[:, :3, 3]
    near(np.sum(lands * up, axis=1), height, 1e-9)  # on the ground
    near(np.cross(lands - v, light), np.zeros((20, 3)), 1e-8)  # along the light

    (lens,) = page.all("perspectiveMatrix", [(0.8, 1.5, 0.1, 50.0)])
    lens = np.array(lens).reshape(4, 4).T
    for depth, wanted in ((0.1, -1.0), (50.0, 1.0)):
        corner = lens @ [1.5 * depth * np.tan(0.4), depth * np.tan(0.4), -depth, 1.0]
        near(corner / corner[3], [1.0, 1.0, wanted, 1.0])


def parts_of_bodies(page: Page, random: np.random.Generator) -> None:
    """Parts turn with their bodies, spans go from point to point, and a click finds the point of the body under it."""
    place, q = random.normal(size=(2, 3)), rotations(random, 2)
    at, turn = random.normal(size=(2, 3)), rotations(random, 2)
    parts = [
        {"solid": "box", "body": body, "role": "shape", "color": "#ff0000", "size": [0.2, 0.3, 0.4],
         "position": at[body], "orientation": turn[body]}
        for body in range(2)
    ]  # fmt: skip
    ends = random.normal(size=(2, 3))
    span = {"kind": "rod", "bodies": [0, 1], "points": ends, "radius": 0.1}
    data = {"bodies": [{"color": None}, {"color": None}], "parts": parts, "spans": [span], "length": 1.0}
    bodies = [{"position": a, "orientation": b} for a, b in zip(place, q, strict=True)]
    placement = {"bodies": bodies, "contacts": [{"point": place[0], "arrow": at[0]}]}
    ((*drawn, rod, shaft, head),) = page.all(ITEMS, [(data, placement)])
    centers = np.array([place[k] + rotate(tuple(q[k]), tuple(at[k])) for k in range(2)])
    near([part["position"] for part in drawn], centers)
    near([part["orientation"] for part in drawn], [multiply(a, b) for a, b in zip(q, turn, strict=True)])
    first, second = (place[k] + rotate(tuple(q[k]), tuple(ends[k])) for k in range(2))
    near(rod["position"], (first + second) / 2)
    near(rotate(tuple(rod["orientation"]), (0.0, 0.0, rod["size"][2])), second - first)
    for piece in (shaft, head):
        along = at[0] / np.linalg.norm(at[0])
        near(rotate(tuple(piece["orientation"]), (0.0, 0.0, 1.0)), along)
    tip = np.array(head["position"]) + rotate(tuple(head["orientation"]), (0.0, 0.0, head["size"][2] / 2))
    near(tip, place[0] + at[0])

    for body in range(2):  # towards the middle of a face, from its side
        face = centers[body] + rotate(multiply(q[body], turn[body]), (0.1, 0.02, 0.03))
        outward = np.array(rotate(multiply(q[body], turn[body]), (1.0, 0.1, 0.2)))
        ray = {"origin": face + 0.05 * outward, "direction": -outward}
        (hit,) = page.all(PICK, [(data, placement, ray)])
        near((hit["body"], hit["distance"]), (body, 0.05), 1e-9)
        near(hit["point"], rotate(conjugate(tuple(q[body])), tuple(face - place[body])), 1e-9)


CHECKS = (products, turned_vectors, blends, frames_and_between, matrices, parts_of_bodies)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_page_calculates_as_the_library_does(check: Callable) -> None:
    check(Page(), np.random.default_rng(7))


# --- errors that must be found ----------------------------------------------------------------------------------------
PRODUCT = "    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],\n"
FAULTS = {
    **{
        f"sign of a product, {row}": (products, old, new)
        for row, old, new in (
            ("w", PRODUCT, PRODUCT.replace("- p[3]", "+ p[3]")),
            ("x", "p[2] * q[3] - p[3] * q[2]", "p[3] * q[2] - p[2] * q[3]"),
            ("y", "- p[1] * q[3] + p[2] * q[0]", "+ p[1] * q[3] + p[2] * q[0]"),
            ("z", "- p[2] * q[1] + p[3] * q[0]", "+ p[2] * q[1] + p[3] * q[0]"),
        )
    },
    "conjugate": (products, "[q[0], -q[1], -q[2], -q[3]]", "[q[0], -q[1], -q[2], q[3]]"),
    "turned back": (turned_vectors, "scale(q[0], once)", "scale(-q[0], once)"),
    "cross": (turned_vectors, "a[2] * b[0] - a[0] * b[2]", "a[0] * b[2] - a[2] * b[0]"),
    "the long way": (blends, "< 0 ? -1 : 1;", "< 0 ? 1 : -1;"),
    "whichever way": (blends, "< 0 ? -1 : 1;", "< 0 ? 1 : 1;"),
    "not of length one": (blends, "value / length);\n}\n\n/* Size", "value);\n}\n\n/* Size"),
    "blended backwards": (blends, "(1 - s) * value + s * sign * q[i]", "s * value + (1 - s) * sign * q[i]"),
    "next frame": (frames_and_between, "if (this.time[middle] <= time) low", "if (this.time[middle] < time) low"),
    "frame of another body": (frames_and_between, "4 * (frame * this.bodyCount + body)", "4 * (frame + body)"),
    "orientation stands": (
        frames_and_between, "this.orientation(next, body), s)", "this.orientation(frame, body), s)"
    ),
    "blended where it must not": (frames_and_between, "this.blended && gap > 0", "gap > 0"),
    "normals": (matrices, "scale(1 / size[1], rotate(q, [0, 1, 0]))", "scale(size[1], rotate(q, [0, 1, 0]))"),
    "shadow": (matrices, "scale(-height, along)", "scale(height, along)"),
    "product of parts": (
        parts_of_bodies, "multiplyQuaternions(frame.orientation, part.orientation)",
        "multiplyQuaternions(part.orientation, frame.orientation)",
    ),
    "aligned": (parts_of_bodies, "-y / length, x / length, 0]", "y / length, x / length, 0]"),
    "picked": (parts_of_bodies, "rotate(conjugate(frame.orientation), subtract", "rotate(frame.orientation, subtract"),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_in_it_is_found(fault: str) -> None:
    check, old, new = FAULTS[fault]
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(Page([(old, new)]), np.random.default_rng(7))
