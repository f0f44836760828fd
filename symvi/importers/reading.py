"""One file of any format: which reader takes it, and the way from its tree to the import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from symvi.errors import MechanismError

from symvi.importers import urdf, mjcf, trep  # noqa: F401  isort: skip  # they register formats, in this order
from symvi.importers.assemble import assembled
from symvi.importers.contact_account import note_made, refuse_none
from symvi.importers.formats import FORMATS, OWN_FORM, Format, endings
from symvi.importers.gears import with_stops_on_leaders
from symvi.importers.ground_points import named_points, shape_contacts
from symvi.importers.mesh_contacts import MeshCorners
from symvi.importers.meshes import Folders
from symvi.importers.model import Imported, Placed, Shown
from symvi.importers.naming import Names
from symvi.importers.options import Options
from symvi.importers.policy import cleaned
from symvi.importers.pose import Pose
from symvi.importers.report import Findings, Report, Source
from symvi.importers.rotors import with_rotors
from symvi.importers.starts import held_at_start, note_other_starts, with_start, without_starts_of_followers
from symvi.importers.tree import Start, Tree, by_name
from symvi.importers.urdf import ROOT_JOINT
from symvi.importers.xml import parse_xml, read_bytes
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path, printable
from symvi.mechanism.joint_table import coordinate_count, coordinate_kinds
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.placement import start_placements
from symvi.mechanism.starting import starting_at

__all__ = ["read"]


def read(path: str | PathLike[str], options: Options) -> Imported:
    """The import of a file. Raises MechanismError with every problem and its place."""
    path = checked_path(path)
    place, ending = printable(path), path.suffix.lower()
    if ending in OWN_FORM:
        return Imported(_own(path, place, options), Report(place, ()))
    findings = Findings(place)
    folders = Folders(Path(fspath(path)).parent, options.packages)
    content = _content(path, place, options, folders, findings)
    form, document = _parsed(content, place, ending, findings, options)
    _refuse_base(place, options, form)
    return imported(form.read(document, findings, options, folders), findings, options, folders, Path(path).stem, form)


def _parsed(content: bytes, place: str, ending: str, findings: Findings, options: Options) -> tuple[Format, Any]:
    """The format of a document, and what its reader takes."""
    records = list(FORMATS.values())
    tags = {form.tag: form for form in records if form.tag}
    if any(ending in form.endings for form in tags.values()):
        root = parse_xml(content, place)
        if root.tag not in tags:
            remedy = did_you_mean(root.tag, tags)
            raise MechanismError(f"{root.source}: <{root.tag[:60]}> is no description of a mechanism; {remedy}")
        return tags[root.tag], root
    others = [form for form in records if form.parse]
    for form in [form for form in others if ending in form.endings] or others:
        if form.parse and (ending in form.endings or form.is_content(content)):
            return form, form.parse(content, findings, options)
    raise MechanismError(f"{place}: the ending must be one of {', '.join(endings())}")


def _own(path: Path, place: str, options: Options) -> Mechanism:
    """The mechanism of symvi's own file. Of the options of an import it knows where joints start."""
    start = options.start
    if replace(options, start={}) != Options():
        raise MechanismError(f"{place}: is symvi's own form; the options of an import, but for start, belong to others")
    if isinstance(start, str):
        raise MechanismError(f"{place}: start {shown(start)}: symvi's own form names no starts; give joint -> value")
    return starting_at(Mechanism.from_file(path), start)


def _content(path: str | PathLike[str], place: str, options: Options, folders: Folders, findings: Findings) -> bytes:
    """The document, after xacro where it is one."""
    if Path(path).suffix.lower() != ".xacro":
        if options.arguments:
            raise MechanismError(f"{place}: arguments belong to .xacro files")
        return read_bytes(path)
    from symvi.importers.xacro import expanded

    findings.note("taken", Source(place), "", "xacro", "expanded first: lines are those of the expanded text")
    return expanded(path, options.arguments, folders, findings)


def _refuse_base(place: str, options: Options, form: Format) -> None:
    if options.base != "fixed" and form.hanging:
        raise MechanismError(f"{place}: base {options.base!r}: {form.hanging}")


def imported(tree: Tree, findings: Findings, options: Options, folders: Folders, stem: str, form: Format) -> Imported:
    """The import of a tree, whatever format it came from.

    stem: the name of a mechanism that has none.
    """
    by_name(tree.links), by_name(tree.joints), by_name(tree.motors)  # from here on, everything is found by its name
    tree = with_start(tree, options.start, findings)
    points = list(tree.contacts) + named_points(tree, options.contact_points, findings)
    chosen = options.contacts
    links = None if chosen is True or chosen == "collision" else frozenset(chosen or ())
    if options.contacts:
        points += shape_contacts(tree, links, MeshCorners(folders, options.contact_corners), findings)
    findings.check()
    clean, places, coordinates = cleaned(replace(tree, contacts=tuple(points)), findings, options.repair)
    clean = without_starts_of_followers(with_stops_on_leaders(clean, findings, options.repair))
    if options.hold:
        single = {joint.name for joint in tree.joints if len(coordinate_kinds(joint.type)) == 1}
        stiffness, damping = options.hold
        clean = held_at_start(clean, stiffness, damping, [coordinates[name] for name in single & set(coordinates)])
    clean = with_rotors(clean, findings)
    findings.check()
    if not clean.links:
        raise MechanismError(f"{tree.source}: nothing in it moves; {form.moves}")
    if options.contacts or options.contact_points:
        if not clean.contacts:
            is_held = bool(points) and options.base == "fixed"
            refuse_none(tree, points, links, form.stands if is_held else "", findings)
            findings.check()
        note_made(tree, points, links, len(clean.contacts), findings)
    lift = ROOT_JOINT if options.base == "floating" else ""
    name = Names(findings, options.prefix).make(tree.name or stem, "robot")
    result = assembled(clean, findings, name, options.prefix, options.friction, options.gravity, _floating(clean, lift))
    made = {link.name for link in tree.links if not link.is_named}
    links = {link: Placed(result.bodies.get(at.body, WORLD), at.pose) for link, at in places.items()}
    own = tree.starts.get(options.start) if isinstance(options.start, str) else None if options.start else tree.start
    if own:
        note_other_starts(tree, own, _start_poses(links, result.mechanism), findings)
    shapes = _shown(tree, links, folders, findings)
    joints = {joint: (result.joints[own], first) for joint, (own, first) in coordinates.items() if own in result.joints}
    starts = {name: _start(start, joints, result.mechanism) for name, start in tree.starts.items()}
    links = {name: placed for name, placed in links.items() if name not in made}
    inputs = {name: _inputs(start, clean, result.mechanism) for name, start in tree.starts.items()}
    return Imported(result.mechanism, findings.report(), links, joints, shapes, starts, inputs=inputs)


def _start_poses(links: Mapping[str, Placed], mechanism: Mechanism) -> dict[str, Pose]:
    """Link -> where it starts in the world; none where the mechanism's start is not known."""
    try:
        at = start_placements(mechanism)
    except MechanismError:  # as a simulation of it will say
        return {}
    return {"": Pose(), **{name: Pose(*at[place.body]).then(place.pose) for name, place in links.items()}}


def _inputs(start: Start, tree: Tree, mechanism: Mechanism) -> dict[str, float]:
    """The inputs of a start by their names in the mechanism, whose last forces are the tree's motors."""
    forces = mechanism.forces[len(mechanism.forces) - len(tree.motors) :]
    found = {}
    for motor, force in zip(tree.motors, forces, strict=True):
        if motor.name in start.inputs and motor.signal is None:
            what = "force" if motor.kind == "effort" else "target" if motor.stiffness else "target_rate"
            found[f"{force.name}.{what}"] = start.inputs[motor.name]
    return found


def _start(start: Start, joints: Mapping[str, tuple[str, int]], mechanism: Mechanism) -> dict[str, dict[str, tuple]]:
    """A start by the names and coordinates of the mechanism's joints: keywords of state_from."""
    found: dict[str, dict[str, tuple]] = {}
    for what in ("coordinates", "velocities"):
        values: dict[str, list[float]] = {}
        for name, given in getattr(start, what).items():
            if name in joints:
                own, first = joints[name]
                entries = values.setdefault(own, [0.0] * coordinate_count(mechanism.joint(own)))
                entries[first : first + len(given)] = given
        found[what] = {own: tuple(entries) for own, entries in values.items()}
    return found


def _floating(tree: Tree, lift: str) -> str:
    """The joint that lets the base float; empty if none does."""
    free = [joint.name for joint in tree.joints if joint.type == "floating" and not joint.parent]
    return free[0] if lift and free else ""


def _shown(tree: Tree, links: dict[str, Placed], folders: Folders, findings: Findings) -> tuple[Shown, ...]:
    """All shapes and meshes of the links that are left; what a viewer cannot show of them is noted."""
    found: list[Shown] = []
    known: dict[str, tuple[Path | None, str]] = {}
    for link in tree.links:
        if link.name not in links:
            continue
        at: Placed = links[link.name]
        for shape in link.geometries:
            path = None
            if shape.kind == "mesh" and not shape.mesh:
                continue  # its points stand in the file itself, and no viewer gets them
            if shape.kind == "mesh":
                if shape.mesh not in known:
                    known[shape.mesh] = folders.find(shape.mesh)
                path, why = known[shape.mesh]
                if path is None:
                    title = f"mesh {shown(shape.mesh)}"
                    findings.note("ignored", shape.source, title, "mesh", f"{why}; only a viewer would show it")
            found.append(Shown(at.body, shape, at.pose.then(shape.frame), path))
    return tuple(found)
