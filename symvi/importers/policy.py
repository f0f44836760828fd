"""What is done with models that no solver can take as they are. Real files are full of them; nothing is done silently.

links without motion between them     one body, exactly, all names kept (structure.py)
links without mass that end a chain   dropped with their joint, unless something else needs them
links without mass between two joints one joint where a standard one moves alike (joining.py);
                                      otherwise refused by name, or given a little mass if repair is asked for
inertia that no body can have         refused by name, or changed as little as possible if repair is asked for
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from symvi.importers.between import filled_between
from symvi.importers.gears import with_loads_on_leaders
from symvi.importers.inertia import POINT, ROUNDING, physical, violation
from symvi.importers.joining import joined
from symvi.importers.model import Placed
from symvi.importers.report import Findings, Source
from symvi.importers.structure import in_order, merged
from symvi.importers.tree import Inertial, Link, Tree, TreeJoint
from symvi.importers.turning import unheld_axis
from symvi.mechanism.inertia import Inertia6, principal_moments
from symvi.mechanism.names import shown

__all__ = ["cleaned"]

# Of a neighbouring body: what a link without mass is given. Accelerations change by about as much.
LITTLE = 1e-3
SMALL = 0.01  # radius of gyration [m] of what is given inertia, where nothing near has any


def cleaned(tree: Tree, findings: Findings, repair: bool) -> tuple[Tree, dict[str, Placed], dict[str, tuple[str, int]]]:
    """A tree whose links all have mass and an inertia that a body can have.

    Returns the tree, where each link of the file is, and where each joint's coordinates are: joint, first coordinate.
    Raises MechanismError with everything that cannot be used.
    """
    links = tree.links
    tree, places = merged(tree, findings)
    parts: dict[str, list[Link]] = {}
    for link in links:
        if link.name in places:
            parts.setdefault(places[link.name].body, []).append(link)
    tree = in_order(tree, findings)
    tree = _without_massless_leaves(tree, findings, repair)
    known = (joint.name for joint in tree.joints if joint.keeps_coordinates and joint.type != "fixed")
    tree, coordinates = joined(tree, {name: (name, 0) for name in known}, findings)
    left = {"", *(link.name for link in tree.links)}
    places = {name: place for name, place in places.items() if place.body in left}
    tree = _with_mass(filled_between(tree, findings), findings, repair)
    mended = (_with_physical_inertia(link, parts.get(link.name, ()), findings, repair) for link in tree.links)
    tree = replace(tree, links=tuple(mended))
    findings.check()
    tree = _with_turning_inertia(tree, findings, repair)
    findings.check()
    return tree, places, coordinates


def _is_massless(link: Link) -> bool:
    return link.inertial is None or link.inertial.mass == 0.0


def _without_massless_leaves(tree: Tree, findings: Findings, repair: bool) -> Tree:
    """The tree without links that have no mass, carry nothing and close no loop.

    What acts on a joint that goes acts on the one that it follows (gears.py); a follower that a motor drives stays.
    """
    gone: set[str] = set()
    links = {link.name: link for link in tree.links}
    driven = {motor.joint for motor in tree.motors} & {gear.follower for gear in tree.gears}
    needed = {point.link for point in tree.contacts} | {joint.child for joint in tree.joints if joint.name in driven}
    joints = dict.fromkeys(range(len(tree.joints)))
    ends = {name: 0 for name in ("", *links)}
    for joint in tree.joints:
        ends[joint.parent] += 1
        ends[joint.child] += 1
    led_by = {gear.follower: gear.leader for gear in tree.gears}
    led = Counter(led_by.values())  # joint -> how many follow it that are not gone
    for index in reversed(joints.copy()):  # joints run outwards, so that this runs inwards
        joint = tree.joints[index]
        link = links[joint.child]
        is_leaf = ends[link.name] == 1 and not joint.closes
        if not (is_leaf and _is_massless(link)) or link.name in needed or led[joint.name]:
            continue
        if link.inertial and any(link.inertial.inertia):
            continue
        del joints[index]
        ends[joint.parent] -= 1
        gone.add(link.name)
        if joint.name in led_by:
            led[led_by[joint.name]] -= 1
        why = f"no mass, and nothing hangs on it; its joint {shown(joint.name)} goes with it"
        findings.note("dropped", link.source, f"link {shown(link.name)}", "link without mass", why)
    if not gone:
        return tree
    names = {tree.joints[index].name for index in joints}
    tree = with_loads_on_leaders(tree, {joint.name for joint in tree.joints} - names, findings, repair)
    return replace(
        tree,
        links=tuple(link for link in tree.links if link.name not in gone),
        joints=tuple(tree.joints[index] for index in joints),
        gears=tuple(gear for gear in tree.gears if gear.follower in names and gear.leader in names),
        motors=tuple(motor for motor in tree.motors if motor.joint in names),
    )


def _with_mass(tree: Tree, findings: Findings, repair: bool) -> Tree:
    """Every link with mass; those without are refused, or given a little of what their neighbours have."""
    if not any(map(_is_massless, tree.links)):
        return tree
    links, joints_of = {link.name: link for link in tree.links}, _joints_of(tree)
    nearest = _of_gears(tree, links) | _nearest(tree, joints_of, lambda inertial: inertial.mass > 0.0)
    touching = {point.link for point in tree.contacts}
    for link in tree.links:
        if not _is_massless(link):
            continue
        place = link.inertial_source or link.source
        title = f"link {shown(link.name)}"
        joints = ", ".join(shown(joint.name) for joint in joints_of[link.name][:4])
        if not repair:
            what = f"{'has contacts and ' if link.name in touching else ''}moves between joints ({joints})"
            remedy = "make contacts of other links, " if link.name in touching else ""
            findings.refuse(
                place,
                f"{title}: has no mass, but {what}; give it mass and inertia, fix a joint, {remedy}or ask for repair",
            )
            continue
        near = nearest.get(link.name)
        if near is None:
            findings.refuse(place, f"{title}: has no mass, nor has anything that it is joined to")
            continue
        moment = LITTLE * (principal_moments(near.inertia)[2] or near.mass * SMALL**2)
        center = link.inertial.center if link.inertial else (0.0, 0.0, 0.0)
        own = Inertial(LITTLE * near.mass, center, (moment, moment, moment, 0.0, 0.0, 0.0))
        links[link.name] = replace(link, inertial=own)
        why = f"given {LITTLE:g} of its neighbour's: {own.mass:.3g} kg, {moment:.3g} kg m^2"
        findings.note("repaired", place, title, "link without mass", why)
    return replace(tree, links=tuple(links[link.name] for link in tree.links))


def _of_gears(tree: Tree, links: Mapping[str, Link]) -> dict[str, Inertial]:
    """Link -> the inertia of the lightest link with mass that a gear moves with it."""
    child = {joint.name: links[joint.child] for joint in tree.joints}
    found: dict[str, Inertial] = {}
    for gear in tree.gears:
        ends = child[gear.follower], child[gear.leader]
        for link, other in (ends, ends[::-1]):
            if not _is_massless(other) and other.inertial:
                found[link.name] = min(found.get(link.name, other.inertial), other.inertial, key=lambda own: own.mass)
    return found


def _with_turning_inertia(tree: Tree, findings: Findings, repair: bool) -> Tree:
    """Bodies without inertia about an axis that no joint holds are refused, or given a little of their neighbours'."""
    joints_of = _joints_of(tree)
    links = {link.name: link for link in tree.links}
    nearest = _nearest(tree, joints_of, lambda inertial: principal_moments(inertial.inertia)[0] > 0.0)
    for link in tree.links:
        inertial = link.inertial
        axis = None if inertial is None else unheld_axis(link.name, inertial, joints_of[link.name])
        if inertial is None or axis is None:
            continue
        place, title = link.inertial_source or link.source, f"link {shown(link.name)}"
        about = f"no inertia about ({', '.join(f'{round(x, 4):g}' for x in axis)}), and no joint holds that rotation"
        if not repair:
            findings.refuse(place, f"{title}: {about}; give it inertia, fix a joint, or ask for repair")
            continue
        near = nearest.get(link.name)
        moment = LITTLE * principal_moments(near.inertia)[2] if near else inertial.mass * SMALL**2
        ixx, iyy, izz, ixy, ixz, iyz = inertial.inertia
        mended = replace(inertial, inertia=(ixx + moment, iyy + moment, izz + moment, ixy, ixz, iyz))
        links[link.name] = replace(link, inertial=mended)
        findings.note("repaired", place, title, "inertia", f"{about}; given {moment:.3g} kg m^2 more")
    return replace(tree, links=tuple(links[link.name] for link in tree.links))


def _joints_of(tree: Tree) -> dict[str, list[TreeJoint]]:
    """Link -> the joints that it is in."""
    joints: dict[str, list[TreeJoint]] = {name: [] for name in ("", *(link.name for link in tree.links))}
    for joint in tree.joints:
        joints[joint.parent].append(joint)
        joints[joint.child].append(joint)
    return joints


def _nearest(
    tree: Tree, joints_of: dict[str, list[TreeJoint]], fits: Callable[[Inertial], bool]
) -> dict[str, Inertial]:
    """Link -> the inertia that fits of the nearest link that has such, its own or another's; of equally near ones the
    lightest. Links that nothing fitting is joined to are absent.
    """
    known = {link.name: link.inertial for link in tree.links if link.inertial is not None and fits(link.inertial)}
    ring = list(known)
    while ring:
        found: dict[str, Inertial] = {}
        for inner in ring:
            for end in (end for joint in joints_of[inner] for end in (joint.parent, joint.child)):
                if end and end not in known:
                    found[end] = min(found.get(end, known[inner]), known[inner], key=lambda inertial: inertial.mass)
        known |= found
        ring = list(found)
    return known


def _with_physical_inertia(link: Link, parts: Sequence[Link], findings: Findings, repair: bool) -> Link:
    """The body with an inertia that a body can have. parts: the links of the file that it is made of.

    The body is judged as a whole, and those of its parts are named that no body can be.
    """
    inertial = link.inertial
    if inertial is None:
        return link
    off = violation(inertial.inertia)
    place: Source = link.inertial_source or link.source
    title = f"link {shown(link.name)}"
    if any(inertial.inertia) and max(map(abs, inertial.inertia)) <= inertial.mass * POINT**2:
        findings.note("approximated", place, title, "inertia", "so small that it is taken as that of a point mass")
        return replace(link, inertial=replace(inertial, inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    if off <= 1e-9:
        return link
    mended = replace(link, inertial=replace(inertial, inertia=physical(inertial.inertia)))
    if off <= ROUNDING:
        why = f"digits of the file: changed by up to {off:.1e} of the largest moment until a body can have it"
        findings.note("approximated", place, title, "inertia", why)
        return mended
    known = [(part, part.inertial.inertia) for part in parts if part.inertial]
    for part, own in [each for each in known if violation(each[1]) > ROUNDING] or [(link, inertial.inertia)]:
        _tell_impossible(part, own, findings, repair)
    return mended if repair else link


def _tell_impossible(link: Link, inertia: Inertia6, findings: Findings, repair: bool) -> None:
    """Note or refuse a link with an inertia that no body has."""
    place, title = link.inertial_source or link.source, f"link {shown(link.name)}"
    moments = ", ".join(f"{moment:.6g}" for moment in principal_moments(inertia))
    what = f"principal moments ({moments}) kg m^2, of which none may be negative or exceed the sum of the others"
    if repair:
        findings.note("repaired", place, title, f"inertia that no body has: {what}", "the nearest that one can have")
    else:
        findings.refuse(place, f"{title}: no body has this inertia: {what}; correct it, or ask for repair")
