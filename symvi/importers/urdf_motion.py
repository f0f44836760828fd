"""What acts on the coordinates of URDF's joints, in the tree and in loops: <limit>, <dynamics>, <mimic>."""

from __future__ import annotations

from math import inf
from typing import Literal, TypedDict

from symvi.importers.report import Findings
from symvi.importers.tree import Gear
from symvi.importers.urdf_words import required
from symvi.importers.xml import Element, numbers

__all__ = ["dynamics_of", "limits_of", "mimic_of"]

WITH_STOPS = ("revolute", "prismatic")
ENDLESS = 1e6  # a stop beyond this [m or rad] is how programs write that there is none


def limits_of(
    element: Element, kind: str, title: str, findings: Findings, repair: bool, is_loop: bool = False
) -> tuple:
    """The stops (lower, upper) of a joint [m, rad], after the report has been told about everything else in <limit>.

    kind: of URDF, or of a loop. is_loop: whether the joint closes a loop, which needs no <limit>.
    """
    limit = element.first("limit")
    if limit is None:
        if kind in WITH_STOPS and not is_loop:
            why = "a joint of this type needs <limit>; taken as without stops"
            findings.note("approximated", element.source, title, "no limit", why)
        return ()
    for key in ("effort", "velocity", "acceleration", "deceleration", "jerk"):
        if key in limit.attributes and numbers(limit, key, 1, findings, most=inf)[0] != 0.0:
            why = "a bound of the motor, which belongs to its controller; servos that `hold` adds know none"
            findings.note("skipped", limit.source, title, f"limit {key}", why)
    given = [key for key in ("lower", "upper") if key in limit.attributes]
    lower, upper = (numbers(limit, key, 1, findings, "0", inf)[0] for key in ("lower", "upper"))
    if kind not in WITH_STOPS:
        if given and kind != "fixed":
            findings.note("ignored", limit.source, title, "limit lower, upper", f"joints of type {kind} have no stops")
        return ()
    if lower > upper:
        if not repair:
            findings.refuse(limit.source, f"{title}: lower {lower:g} above upper {upper:g}; repair exchanges them")
        else:
            findings.note("repaired", limit.source, title, "limit lower above upper", "exchanged")
        lower, upper = upper, lower
    if lower == upper:
        why = "would hold the joint for good; taken as without stops (type fixed holds it)"
        findings.note("approximated", limit.source, title, "limit lower = upper", why)
        return ()
    for key, stop in zip(("lower", "upper"), (lower, upper), strict=True):
        if abs(stop) >= ENDLESS:
            why = f"so far off that it says there is none (from {ENDLESS:g} m or rad on)"
            findings.note("skipped", limit.source, title, f"limit {key} {stop:g}", why)
    stops = tuple(None if abs(stop) >= ENDLESS else stop for stop in (lower, upper))
    return (stops,) if stops != (None, None) else ()


class Dynamics(TypedDict, total=False):
    """Damping [N s/m, N m s/rad] and friction [N, N m] per coordinate, where they are above zero."""

    damping: tuple[float, ...]
    friction: tuple[float, ...]


LOADS: tuple[Literal["damping", "friction"], ...] = ("damping", "friction")


def dynamics_of(element: Element, count: int, title: str, findings: Findings) -> Dynamics:
    """Damping [N s/m, N m s/rad] and friction [N, N m] per coordinate, of which there are `count`."""
    dynamics = element.first("dynamics")
    if dynamics is None or count == 0:
        return {}
    result: Dynamics = {}
    for key in LOADS:
        value = numbers(dynamics, key, 1, findings, "0")[0]
        if value < 0.0:
            findings.refuse(dynamics.source, f"{title}: {key} {value:g} must not be negative")
        elif value > 0.0:
            result[key] = (value,) * count
    return result


def mimic_of(element: Element, name: str, kind: str, count: int, title: str, findings: Findings) -> Gear | None:
    """The coupling that <mimic> asks for; what it names is looked up later. count: coordinates of the joint."""
    mimic = element.first("mimic")
    if mimic is None:
        return None
    if count == 0:
        findings.note("ignored", mimic.source, title, "mimic", f"a {kind} joint follows nobody")
        return None
    if count != 1:
        findings.refuse(mimic.source, f"{title}: mimic needs a joint with one coordinate, not type '{kind}'")
        return None
    leader = required(mimic, "joint", findings)
    ratio, offset = (numbers(mimic, key, 1, findings, text)[0] for key, text in (("multiplier", "1"), ("offset", "0")))
    findings.note("taken", mimic.source, title, "mimic", "a coupling, held exactly in both directions")
    return Gear(name, leader, ratio, offset, mimic.source)
