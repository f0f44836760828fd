"""trep's S-expressions (JM09, Section V, Table II): what a file says becomes a tree (see tree.py).

    (system (gravity 0 0 -9.81)                                 or mechanical-system, as in Listing 1
      (ry "q" (name "arm") (tz -1 (mass 1 0.1 0.1 0) ...)       frames within frames; masses in their origins
      (point-constraint "arm" "peg" (1 0 0) (name "pin")))      or 1 0 0 without brackets; the name may be left out

Case does not matter. tx ty tz rx ry rz with a number are a fixed place in the parent's frame; with a name in quotes, or
(d "name"), they are a joint with that configuration variable as its coordinate. Several pairs in one frame are frames
within each other, and what follows belongs to the last.
"""

from __future__ import annotations

from collections import Counter

from symvi.importers.formats import Format, register_format
from symvi.importers.report import Findings, Source
from symvi.importers.sexpr import Expression, looks_like_expression, parse_expression
from symvi.importers.tree import Tree, TreeJoint
from symvi.importers.trep_constraints import closing_joints
from symvi.importers.trep_frames import Frames
from symvi.importers.trep_words import TRANSFORMS, is_known, numbers
from symvi.mechanism.vectors import Vector3

__all__ = ["read_trep"]

SYSTEM = ("system", "mechanical-system")
COMPONENTS = (*TRANSFORMS, "gravity", "point-constraint")


def read_trep(root: Expression, findings: Findings) -> Tree:
    """The tree of a system.

    What cannot be used is refused in `findings`; raises MechanismError where nothing sensible can be made of the file.
    """
    is_known(root, SYSTEM, "a file of trep", findings)
    findings.check()
    components = [item for item in root.items[1:] if is_known(item, COMPONENTS, "a system", findings)]
    gravity = _gravity([item for item in components if item.head == "gravity"], root.source, findings)
    frames = Frames([item for item in components if item.head in TRANSFORMS], root, findings)
    if not frames.variables:
        findings.refuse(root.source, "no frame has a configuration variable, so that nothing moves")
    findings.check()
    constraints = [item for item in components if item.head == "point-constraint"]
    loops = closing_joints(constraints, frames, findings)
    findings.check()
    count = f"{frames.count} frames, {len(frames.variables)} variables, {frames.masses} masses"
    findings.note("taken", root.source, "", count, "frames without a variable between them are one body")
    links = (*frames.body_links(_between(frames, loops)), *frames.links)
    return Tree("", root.source, links, (*frames.joints, *loops), gravity=gravity)


def _gravity(found: list[Expression], place: Source, findings: Findings) -> Vector3:
    """The acceleration [m/s^2] of all masses."""
    for again in found[1:]:
        findings.refuse(again.source, f"gravity is given in line {found[0].source.line} already; write their sum")
    if not found:
        findings.note("taken", place, "", "no gravity", "nothing has weight; the option gravity gives it")
        return (0.0, 0.0, 0.0)
    x, y, z = numbers(found[0], found[0].items[1:], (3,), findings)
    return (x, y, z)


def _between(frames: Frames, loops: list[TreeJoint]) -> set[str]:
    """Bodies that are nothing but a place between two variables: no mass, one joint onwards, no constraint."""
    moving = [joint for joint in frames.joints if joint.type != "fixed"]
    onwards = Counter(joint.parent for joint in moving)
    held = {end for joint in loops for end in (joint.parent, joint.child)}
    return {
        body.link
        for body in frames.bodies[1:]
        if not body.has_mass and onwards[body.link] == 1 and body.link not in held
    }


register_format(
    Format(
        "trep",
        lambda root, findings, options, folders: read_trep(root, findings),
        "give a frame a configuration variable, and a mass to what it moves",
        (".trep", ".sexp", ".sexpr", ".lisp", ".txt"),
        parse=lambda content, findings, options: parse_expression(content, findings, options.repair),
        is_content=looks_like_expression,
        hanging="trep's frames say themselves how they hang on the world",
    )
)
