"""Importing: mechanisms that other programs have described, taken as they are, with a report on each of their parts.

    imported = symvi.load("robot.urdf", base="floating", contacts="collision")
    print(imported.report)
    simulator = symvi.Simulator(imported.mechanism)

A reader per format (formats.py) makes a neutral tree (tree.py) of a file. One policy makes it something that can be
simulated (policy.py), and one module makes it a mechanism (assemble.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Literal

from symvi.errors import MechanismError
from symvi.importers.formats import FORMATS, Format, register_format
from symvi.importers.model import Imported, Placed, Shown
from symvi.importers.options import Options
from symvi.importers.reading import read
from symvi.importers.report import Notice, Report, Source
from symvi.mechanism.names import shown
from symvi.mechanism.starting import Given

__all__ = [
    "Format", "Imported", "Notice", "Options", "Placed", "Report", "Shown", "Source", "load", "register_format",
]  # fmt: skip

FORMATS.close_own()


def load(
    path: str | PathLike[str],
    *,
    base: Literal["fixed", "floating"] = "fixed",
    contacts: Literal["collision"] | bool | Collection[str] = False,
    contact_points: Mapping[str, Sequence[Sequence[float]]] | None = None,
    contact_corners: int = 32,
    friction: float = 0.8,
    packages: Mapping[str, str | PathLike[str]] | None = None,
    arguments: Mapping[str, str] | None = None,
    gravity: Sequence[float] | None = None,
    prefix: str = "",
    start: str | Mapping[str, Given] | None = None,
    hold: Sequence[float] | None = None,
    repair: bool = False,
    strict: bool = False,
) -> Imported:
    """The mechanism of a file in any format.

    symvi's own (.toml, .json), URDF (.urdf, .xml, .xacro), MJCF (.xml), trep's S-expressions (.trep, .sexp, .txt, or
    whatever begins with a bracket). MJCF says itself which bodies are free and where the ground is, and needs
    MuJoCo's compiler: symvi[mjcf]. trep's frames hang on the world; its configuration variables are the joints' names.

    base: whether the root link is fixed to the world or free, where the file does not say it.
    contacts: "collision", or True, lets the ground, the half-space below z = 0, hold off the collision shapes of all
        links; a list of links, those of these links.
        Where none can be made at all, that is an error.
    contact_points: link -> points (x, y, z) or spheres (x, y, z, radius) in its frame [m], held off likewise.
    contact_corners: of a collision mesh, the most corners of its convex hull that are held off, from 6 to 1000: the
        outermost along the axes of the link, then each time the one furthest from the hull of those before. The report
        says how far the mesh reaches out of them. Meshes need symvi[mesh].
    friction: coefficient of these contacts, where the file has none.
    packages: name of a ROS package -> its folder, for package:// in the file. Nothing is read outside the folder of
        the file and these.
    arguments: of a .xacro file.
    gravity: instead of the file's own, or of (0, 0, -9.81) [m/s^2].
    start: start coordinates by the joints' names in the file [m, rad, or as "60 deg"]; others start at zero, or the
        stop nearest to it; in symvi's own files, where these say.
        Or the name of one of the file's own starts (MJCF's keyframes).
        A floating base starts so high that the lowest contact point touches the ground.
    hold: (stiffness, damping) of a servo on every joint with one coordinate that follows no other, has no motor and
        closes no loop; it holds the joint where it starts. Of joints that become one joint with several coordinates,
        a spring and a damper hold each coordinate alike.
    prefix: before the names of all elements, so that several robots can be merged; with an underscore between, unless
        it ends with one ("left" and "left_" both give left_arm).
    repair: mend what would be refused (inertia that no body has, links without mass between joints, brackets that are
        missing by the indentation).
    strict: raise an error if anything was approximated, dropped or ignored.
    Raises MechanismError with every problem, each with file and line.
    """
    if not isinstance(strict, bool):
        raise MechanismError(f"strict {shown(strict)} must be True or False")
    options = Options(
        base=base,
        contacts=contacts,
        contact_points={} if contact_points is None else contact_points,
        contact_corners=contact_corners,
        friction=friction,
        packages={} if packages is None else packages,
        arguments={} if arguments is None else arguments,
        gravity=gravity,
        prefix=prefix,
        repair=repair,
        start={} if start is None else start,
        hold=hold,
    )
    imported = read(path, options)
    if strict:
        imported.report.strict()
    return imported
