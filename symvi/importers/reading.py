"""One file of any format: which reader takes it, and the way from its tree to the import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from symvi.errors import MechanismError
from symvi.importers.assemble import assembled
from symvi.importers.contact_account import note_made, refuse_none
from symvi.importers.gears import with_stops_on_leaders
from symvi.importers.ground_points import named_points, shape_contacts
from symvi.importers.mesh_contacts import MeshCorners
from symvi.importers.meshes import Folders
from symvi.importers.mjcf import read_mjcf
from symvi.importers.model import Imported, Placed, Shown
from symvi.importers.naming import Names
from symvi.importers.options import Options
from symvi.importers.policy import cleaned
from symvi.importers.pose import Pose
from symvi.importers.report import Findings, Report, Source
from symvi.importers.rotors import with_rotors
from symvi.importers.sexpr import looks_like_expression, parse_expression
from symvi.importers.starts import held_at_start, note_other_starts, with_start, without_starts_of_followers
from symvi.importers.tree import Start, Tree, by_name
from symvi.importers.trep import read_trep
from symvi.importers.urdf import ROOT_JOINT, read_urdf
from symvi.importers.xml import Element, parse_xml, read_bytes
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path, printable
from symvi.mechanism.joint_table import coordinate_count, coordinate_kinds
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.placement import start_placements
from symvi.mechanism.starting import starting_at

__all__ = ["read"]

OWN = (".toml", ".json")
XML = (".urdf", ".xml", ".xacro")
TREP = (".trep", ".sexp", ".sexpr", ".lisp", ".txt")
Reader = Callable[[Element, Findings, Options, Folders], Tree]
# root tag of a document -> the reader of its format
READERS: dict[str, Reader] = {
    "robot": lambda root, findings, options, folders: read_urdf(root, findings, options.base, options.repair),
    "mujoco": lambda root, findings, options, folders: read_mjcf(
        root, findings, bool(options.contacts), folders, bool(options.contacts or options.contact_points)
    ),
}
# root tag, or name of the format -> how the files of a format say themselves what hangs on the world
HANGING = {
    "mujoco": "MJCF says itself which bodies are free: those with <freejoint/>",
    "trep": "trep's frames say themselves how they hang on the world",
}
# the same -> what to do about a file in which nothing moves
MOVES = {
    "robot": "give a link a joint, or set the root link free: base 'floating'",
    "mujoco": "give a body a joint that no equality holds, or <freejoint/>",
    "trep": "give a frame a configuration variable, and a mass to what it moves",
}
# the same -> what would make contacts, beside points that the caller names, where the world holds what has shapes
STANDS = {"robot": ", or let the root link float: base 'floating', --base floating"}


def read(path: str | PathLike[str], options: Options) -> Imported:
    """The import of a file. Raises MechanismError with every problem and its place."""
    path = checked_path(path)
    place, ending = printable(path), path.suffix.lower()
    if ending in OWN:
        return Imported(_own(path, place, options), Report(place, ()))
    findings = Findings(place)
    folders = Folders(Path(fspath(path)).parent, options.packages)
    content = _content(path, place, options, folders, findings)
    if ending not in XML and (ending in TREP or looks_like_expression(content)):
        _refuse_base(place, options, "trep")
        tree = read_trep(parse_expression(content, findings, options.repair), findings)
        return imported(tree, findings, options, folders, Path(path).stem, "trep")
    if ending not in XML:
        raise MechanismError(f"{place}: the ending must be one of {', '.join((*OWN, *XML, *TREP))}")
    root = parse_xml(content, place)
    if root.tag not in READERS:
        remedy = did_you_mean(root.tag, READERS)
        raise MechanismError(f"{root.source}: <{root.tag[:60]}> is no description of a mechanism; {remedy}")
    _refuse_base(place, options, root.tag)
    tree = READERS[root.tag](root, findings, options, folders)
    return imported(tree, findings, options, folders, Path(path).stem, root.tag)


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


def _refuse_base(place: str, options: Options, form: str) -> None:
    if options.base != "fixed" and form in HANGING:
        raise MechanismError(f"{place}: base {options.base!r}: {HANGING[form]}")


def imported(tree: Tree, findings: Findings, options: Options, folders: Folders, stem: str, form: str) -> Imported:
    """The import of a tree, whatever format it came from.

    stem: the name of a mechanism that has none. form: root tag, or name of the format.
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
        raise MechanismError(f"{tree.source}: nothing in it moves; {MOVES[form]}")
    if options.contacts or options.contact_points:
        if not clean.contacts:
            is_held = bool(points) and options.base == "fixed"
            refuse_none(tree, points, links, STANDS.get(form, "") if is_held else "", findings)
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
