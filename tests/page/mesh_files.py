"""Small mesh files: a box in each format, and what is wrong with some others."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path

import numpy as np

__all__ = ["box", "collada", "obj", "robot_with", "stl"]

Points = np.ndarray
PAINT = (
    '<bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material>'
)
RED_BOX = f'<instance_geometry url="#box">{PAINT}</instance_geometry>'


def box(size: tuple[float, float, float], center: tuple[float, float, float] = (0.0, 0.0, 0.0)):
    """(8, 3) corners and (12, 3) triangles of a box, counter-clockwise seen from outside."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3)))
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [corner for a, b, c, d in sides for corner in ((a, b, c), (a, c, d))]
    return corners * size + np.array(center), np.array(triangles)


def stl(path: Path, points: Points, triangles: np.ndarray) -> Path:
    """A binary STL file."""
    rows = [struct.pack("<12fH", 0, 0, 0, *points[triangle].ravel(), 0) for triangle in triangles]
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(rows)) + b"".join(rows))
    return path


def obj(path: Path, points: Points, triangles: np.ndarray, head: str = "") -> Path:
    """An OBJ file."""
    lines = [head, *("v {} {} {}".format(*p) for p in points), *("f {} {} {}".format(*(t + 1)) for t in triangles)]
    path.write_text("\n".join(lines) + "\n")
    return path


def collada(points: Points, triangles: np.ndarray, nodes: str = RED_BOX, **parts: str) -> str:
    """The text of a COLLADA file. nodes: inside the one node of the scene. parts: head, unit, up, library."""
    unit, up = parts.get("unit", "1"), parts.get("up", "Z_UP")
    place = "<accessor source='#a' count='8' stride='3'>" + "".join(f"<param name='{k}' type='float'/>" for k in "XYZ")
    return f"""<?xml version="1.0"?>{parts.get("head", "")}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2000-01-01T00:00:00</created><modified>2000-01-01T00:00:00</modified><unit meter="{unit}"/>
<up_axis>{up}</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="box"><mesh>
<source id="p"><float_array id="a" count="{points.size}">{" ".join(map(str, points.ravel()))}</float_array>
<technique_common>{place}</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(triangles)}" material="s"><input semantic="VERTEX" source="#v" offset="0"/>
<p>{" ".join(map(str, triangles.ravel()))}</p></triangles></mesh></geometry></library_geometries>
{parts.get("library", "")}
<library_visual_scenes><visual_scene id="scene"><node id="n">{nodes}</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


def robot_with(*shapes: str) -> str:
    """A URDF robot: one arm on a hinge, with these shapes: texts of <visual> or <collision>."""
    return f"""<robot name="arm"><link name="base"/><link name="arm">
<inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{"".join(shapes)}</link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
