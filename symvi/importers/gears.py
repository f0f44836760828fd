"""Joints that mimic others: their own stops become stops of the joint they follow; it is the same, and never twice.

Where nothing of a follower is left but what acts on its coordinate, all of that acts on the joint that it follows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symvi.importers.report import Findings
from symvi.importers.tree import Gear, Tree, TreeJoint
from symvi.mechanism.names import shown

__all__ = ["with_loads_on_leaders", "with_stops_on_leaders"]

Stops = tuple[float | None, float | None]


def with_stops_on_leaders(tree: Tree, findings: Findings, repair: bool) -> Tree:
    """The tree in which only joints that follow nobody have stops.

    c1 = ratio c2 + offset turns lower <= c1 <= upper into stops of c2. Refused are gears that lead round in a circle,
    and stops that contradict those of the leader, which repair leaves out.
    """
    if not tree.gears:
        return tree
    stops: dict[str, Stops] = {joint.name: joint.limits[0] if joint.limits else (None, None) for joint in tree.joints}
    for gear in _from_the_last(tree.gears, findings):
        own = stops[gear.follower]
        if own == (None, None) or gear.ratio == 0.0:
            continue
        found = _narrowed(stops[gear.leader], own, gear)
        stops[gear.follower] = (None, None)
        title = f"joint {shown(gear.follower)}"
        lower, upper = found
        if lower is not None and upper is not None and lower >= upper:
            found = f"its limits and those of {shown(gear.leader)}, which it mimics, leave no motion"
            if repair:
                findings.note("repaired", gear.source, title, "limits", f"left out: {found}")
            else:
                findings.refuse(
                    gear.source, f"{title}: {found}; correct them, or ask for repair, which leaves its own out"
                )
            continue
        stops[gear.leader] = found
        findings.note(
            "taken", gear.source, title, "limits of a mimic joint", f"limits of {shown(gear.leader)}, exactly"
        )
    joints = [replace(joint, limits=_kept(joint.limits, stops[joint.name])) for joint in tree.joints]
    return replace(tree, joints=tuple(joints))


def with_loads_on_leaders(tree: Tree, gone: Collection[str], findings: Findings, repair: bool) -> Tree:
    """The tree in which what acts on followers that are to go acts on the joints that they follow, where these stay.

    With c1 = r c2 + o, a torque -d c1' - k (c1 - s) of the follower is r (-d r c2' - k (r c2 + o - s)) on the leader, a
    dry friction that never exceeds f is one that never exceeds |r| f, and a rotor's inertia J is r^2 J.
    """
    leader_of = {gear.follower: gear.leader for gear in tree.gears}

    def stays(name: str) -> bool:
        while name in gone and name in leader_of:
            name = leader_of[name]
        return name not in gone

    going = tuple(gear for gear in tree.gears if gear.follower in gone and stays(gear.leader))
    if not going:
        return tree
    joints = {j.name: j for j in with_stops_on_leaders(replace(tree, gears=going), findings, repair).joints}
    for gear in _from_the_last(going, findings):
        follower, leader = joints[gear.follower], joints[gear.leader]
        acting = [name for name in ("damping", "friction", "stiffness", "armature") if any(getattr(follower, name))]
        if gear.ratio == 0.0 or not acting:
            continue
        joints[gear.leader] = _with_loads_of(follower, leader, gear)
        what, why = f"{', '.join(acting)} of a mimic joint", f"act on {shown(gear.leader)}, exactly"
        findings.note("taken", gear.source, f"joint {shown(gear.follower)}", what, why)
    return replace(tree, joints=tuple(joints.values()))


def _with_loads_of(follower: TreeJoint, leader: TreeJoint, gear: Gear) -> TreeJoint:
    """The leader with what acts on the follower's coordinate."""

    def of(joint: TreeJoint, name: str) -> float:
        return getattr(joint, name)[0] if getattr(joint, name) else 0.0

    square = gear.ratio**2
    own = {name: of(leader, name) + square * of(follower, name) for name in ("damping", "stiffness", "armature")}
    own["friction"] = of(leader, "friction") + abs(gear.ratio) * of(follower, "friction")
    if own["stiffness"]:
        pull = gear.ratio * of(follower, "stiffness") * (of(follower, "rest") - gear.offset)
        own["rest"] = (of(leader, "stiffness") * of(leader, "rest") + pull) / own["stiffness"]
    return replace(leader, **{name: (value,) for name, value in own.items() if value or getattr(leader, name)})


def _kept(limits: tuple[Stops, ...], stops: Stops) -> tuple[Stops, ...]:
    if len(limits) > 1:
        return limits
    return () if stops == (None, None) else (stops,)


def _from_the_last(gears: tuple[Gear, ...], findings: Findings) -> list[Gear]:
    """The gears in an order in which followers of followers come first."""
    leader_of = {gear.follower: gear for gear in gears}
    depth: dict[str, int] = {}
    for gear in gears:
        path, name = [], gear.follower
        while name in leader_of and name not in depth and name not in path:
            path.append(name)
            name = leader_of[name].leader
        if name in path:
            findings.refuse(gear.source, f"joint {shown(gear.follower)}: joints mimic each other in a circle")
            findings.check()
        for step, inner in enumerate(reversed(path)):
            depth[inner] = depth.get(name, 0) + step + 1
    return sorted(gears, key=lambda gear: -depth[gear.follower])


def _narrowed(leader: Stops, follower: Stops, gear: Gear) -> Stops:
    """Stops of the leader that keep its own and the follower's."""
    ends = [None if stop is None else (stop - gear.offset) / gear.ratio for stop in follower]
    if gear.ratio < 0.0:
        ends.reverse()
    lowers = [stop for stop in (leader[0], ends[0]) if stop is not None]
    uppers = [stop for stop in (leader[1], ends[1]) if stop is not None]
    return max(lowers, default=None), min(uppers, default=None)
