"""Joints that mimic others: their own stops become stops of the joint they follow; it is the same, and never twice."""

from __future__ import annotations

from dataclasses import replace

from symvi.importers.report import Findings
from symvi.importers.tree import Gear, Tree
from symvi.mechanism.names import shown

__all__ = ["with_stops_on_leaders"]

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
