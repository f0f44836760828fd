"""A format from outside: a hanging chain, a line for each link, "NAME length mass", from the top to the bottom.

Links are thin rods that hang from hinges along y; a line "start NAME angle" says where one starts [rad]. One record in
one file is all that it takes.
"""

from __future__ import annotations

from typing import Any

from symvi import Format
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings, Source
from symvi.importers.tree import Inertial, Link, Tree, TreeJoint


def parse(content: bytes, findings: Findings, options: Any) -> list[tuple[Source, list[str]]]:
    """The words of every line with its place."""
    lines = content.decode().splitlines()
    return [(Source(findings.file, k + 1), line.split()) for k, line in enumerate(lines) if k and line.strip()]


def read(lines: list[tuple[Source, list[str]]], findings: Findings, options: Any, folders: Any) -> Tree:
    """A link and a hinge for each line."""
    starts = {words[1]: float(words[2]) for _, words in lines if words[0] == "start"}
    links, joints, above, end = [Link("top", lines[0][0])], [], "top", 0.0
    for source, words in lines:
        if words[0] == "start":
            continue
        if len(words) != 3:
            findings.refuse(source, f"a link has 3 words, not {len(words)}: NAME length mass")
            continue
        name, length, mass = words[0], float(words[1]), float(words[2])
        moment = mass * length**2 / 12
        inertial = Inertial(mass, (0.0, 0.0, -length / 2), (moment, moment, 1e-6, 0.0, 0.0, 0.0))
        links.append(Link(name, source, inertial))
        at = starts.get(name, 0.0)
        joints.append(
            TreeJoint(f"hinge_{name}", "revolute", above, name, source, Pose((0.0, 0.0, -end)), axis=(0.0, 1.0, 0.0),
                      coordinate=(at,))
        )  # fmt: skip
        above, end = name, length
    base = TreeJoint("root", "fixed", "", "top", lines[0][0], STANDING)
    return Tree(name="", source=lines[0][0], links=tuple(links), joints=(base, *joints), gravity=(0.0, 0.0, -9.81))


PLUMB = Format(
    "plumb",
    read,
    "give a link a mass",
    (".plumb",),
    parse=parse,
    is_content=lambda content: content.startswith(b"plumb"),
    hanging="a plumb line hangs from the world",
)
