"""A scene in viser: a frame per body with its solids, arrows for contact forces, the ground."""

from __future__ import annotations

import numpy as np
import viser
from numpy.typing import NDArray

from symvi.page.framing import Framing
from symvi.page.looks import Looks
from symvi.page.parts import WORLD, Part
from symvi.page.scene import Scene

__all__ = ["Drawing"]

PALETTE = ("#4c86d8", "#e0873c", "#4fa66a", "#cf5d73", "#8c78cf", "#35a3a6", "#c9a22c", "#b0714c", "#7488a6", "#c872b4")
MARKER, ANCHOR, FORCE, SPAN = "#59636f", "#2c333c", "#d43d2a", "#59636f"  # those of pages


class Drawing:
    """The bodies of a mechanism, each where it is put."""

    def __init__(self, server: viser.ViserServer, mechanism, scene: Scene, looks: Looks, framing: Framing):
        self.scene, self.looks, self.mechanism, self.spans = server.scene, looks, mechanism, scene.spans
        self.thick = 0.011 * scene.length
        self.scene.set_up_direction(tuple(framing.up))
        self._place_camera(server, framing)
        self._lay_ground(framing)
        self.frames = [self.scene.add_frame(f"/bodies/{body.name}", show_axes=False) for body in mechanism.bodies]
        for number, part in enumerate(scene.parts):
            home = "/world" if part.body == WORLD else f"/bodies/{mechanism.bodies[part.body].name}"
            self._add(f"{home}/{number}", part)
        nothing = np.zeros((1, 2, 3))
        self.arrows = self.scene.add_arrows(
            "/forces", nothing, _rgb(FORCE), visible=False,
            shaft_radius=self.thick, head_radius=3.4 * self.thick, head_length=8 * self.thick,
        )  # fmt: skip
        lines = np.zeros((max(1, len(self.spans)), 2, 3))
        self.lines = self.scene.add_line_segments("/spans", lines, _rgb(SPAN), thickness=self.thick)

    def place(self, position: NDArray[np.float64], orientation: NDArray[np.float64]) -> None:
        """Put the body frames there: position (n, 3) [m], orientation (n, 4)."""
        for frame, place, turn in zip(self.frames, position, orientation, strict=True):
            frame.position, frame.wxyz = place, turn
        if self.spans:
            self.lines.points = np.array(
                [
                    [_world(position, orientation, body, point) for body, point in zip(s.bodies, s.points, strict=True)]
                    for s in self.spans
                ],
                np.float32,
            )

    def show_forces(self, point: NDArray[np.float64], arrow: NDArray[np.float64]) -> None:
        """Arrows of forces: where they act (m, 3) [m], and how they are drawn (m, 3) [m]; zero ones are left out."""
        acting = np.any(arrow != 0.0, axis=1)
        if acting.any():
            ends = [point[acting], point[acting] + arrow[acting]]
            self.arrows.points = np.stack(ends, axis=1).astype(np.float32)
        self.arrows.visible = bool(acting.any())

    def _add(self, name: str, part: Part) -> None:
        place = {"position": part.position, "wxyz": part.orientation}
        color = _rgb(self._color(part))
        if part.solid == "box":
            self.scene.add_box(name, color, part.size, **place)
        elif part.solid == "cylinder":
            self.scene.add_cylinder(name, part.size[0] / 2, part.size[2], color, **place)
        elif part.solid == "sphere":
            self.scene.add_icosphere(name, part.size[0] / 2, color, **place)
        else:
            mesh = self.looks.meshes[int(part.solid.split()[1])]
            vertices, triangles = _creased(mesh.vertices * part.size, mesh.triangles)
            self.scene.add_mesh_simple(name, vertices, triangles, color=color, side="double", **place)

    def _color(self, part: Part) -> str:
        if part.role == "joint":
            return MARKER
        if part.body == WORLD:
            return part.color or ANCHOR
        return part.color or self.mechanism.bodies[part.body].color or PALETTE[part.body % len(PALETTE)]

    def _place_camera(self, server: viser.ViserServer, framing: Framing) -> None:
        center = (framing.low + framing.high) / 2 + (framing.center[0] if framing.follow else 0.0)
        distance = 1.1 * float(np.linalg.norm(framing.high - framing.low)) + 1e-6
        server.initial_camera.look_at = center
        server.initial_camera.position = center + distance * framing.toward
        server.initial_camera.up = framing.up
        server.initial_camera.near, server.initial_camera.far = 1e-3 * distance, 1e3 * distance

    def _lay_ground(self, framing: Framing) -> None:
        """A grid across the up axis, at the height of the ground."""
        z = np.array([0.0, 0.0, 1.0])
        across, cosine = np.cross(z, framing.up), float(z @ framing.up)
        turn = np.array([1.0 + cosine, *across]) if cosine > -0.999 else np.array([0.0, 1.0, 0.0, 0.0])
        size = float(np.linalg.norm(framing.high - framing.low))
        cell = 10.0 ** np.floor(np.log10(max(size, 1e-9) / 3.0))
        self.scene.add_grid(
            "/ground", 40 * cell, 40 * cell, cell_size=cell, section_size=5 * cell,
            position=framing.up * framing.ground,
            wxyz=turn / np.linalg.norm(turn), infinite_grid=True, fade_distance=20 * size,
        )  # fmt: skip


def _creased(points: NDArray, triangles: NDArray) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The mesh with points of their own for faces that meet in an edge, so that it is not smoothed away.

    Faces are grouped by the direction of the box side that they look to most; normals are averaged within a group.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    side = np.argmax(np.concatenate([normals, -normals], axis=1), axis=1)
    keys, places = np.unique(
        np.stack([triangles, np.repeat(side[:, None], 3, axis=1)], axis=2).reshape(-1, 2), axis=0, return_inverse=True
    )
    return points[keys[:, 0]].astype(np.float32), places.reshape(-1, 3).astype(np.uint32)


def _world(position, orientation, body: int, point) -> NDArray[np.float64]:
    from symvi.page.turning import rotate

    return np.array(point, float) if body == WORLD else position[body] + rotate(orientation[body], np.array(point))


def _rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue
