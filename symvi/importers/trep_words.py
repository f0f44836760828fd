"""The words of trep's S-expressions, and how their numbers and names are read.

Every word moves the system, so that none can be ignored: what nobody knows is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite

from symvi.importers.report import Findings
from symvi.importers.sexpr import Expression
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.units import decimal
from symvi.mechanism.values import LARGEST, TOO_LARGE
from symvi.mechanism.vectors import Vector3

__all__ = ["TRANSFORMS", "is_known", "name_of", "numbers", "text_of", "variable_or_number"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# word -> what a variable makes of it, and along or about which axis
TRANSFORMS: dict[str, tuple[str, Vector3]] = {
    "tx": ("prismatic", X), "ty": ("prismatic", Y), "tz": ("prismatic", Z),
    "rx": ("revolute", X), "ry": ("revolute", Y), "rz": ("revolute", Z),
}  # fmt: skip
ELSEWHERE = "take it out, and add what it does to symvi's own description"


def is_known(item: Expression, known: Collection[str], around: str, findings: Findings) -> bool:
    """Whether an item is a list with a known head; any other is refused. around: what it stands in."""
    if item.is_list and item.head in known:
        return True
    what = item.shown()
    remedy = did_you_mean(item.head, known) if item.head else f"known: {', '.join(known)}"
    remedy += f" If not, {ELSEWHERE}" if remedy.endswith("?") else f"; {ELSEWHERE}"
    findings.refuse(item.source, f"{what} is nothing that may stand in {around}; {remedy}")
    return False


def numbers(item: Expression, entries: list[Expression], counts: tuple[int, ...], findings: Findings) -> tuple:
    """Finite floats of a list: as many as one of the counts says, zeros where something is wrong.

    item: the list, for the error. Numbers may stand in quotes, as Table II of JM09 has them for masses.
    """
    zeros = (0.0,) * counts[0]
    if len(entries) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        findings.refuse(item.source, f"{item.shown()} needs {wanted} numbers, not {len(entries)}")
        return zeros
    values = []
    for entry in entries:
        value = _float(entry)
        if value is None or not isfinite(value):
            problem = "must be a number" + ("" if value is None else ", and finite")
            findings.refuse(entry.source, f"{item.shown()}: {entry.shown()} {problem}")
            return zeros
        if abs(value) > LARGEST:
            findings.refuse(entry.source, f"{item.shown()}: {entry.shown()} {TOO_LARGE}")
            return zeros
        values.append(value)
    return tuple(values)


def _float(entry: Expression) -> float | None:
    if entry.is_list or len(entry.text) > 100:
        return None
    try:
        return decimal(entry.text)
    except ValueError:
        return None


def text_of(entry: Expression, what: str, findings: Findings) -> str:
    """A name, which stands in quotes; empty where there is none. what: it is the name of."""
    if entry.is_quoted and entry.text.strip():
        return entry.text
    findings.refuse(entry.source, f"{what}: {entry.shown()} must be a name in quotes")
    return ""


def name_of(options: list[Expression], what: str, findings: Findings) -> str:
    """The name that (name "...") among some options gives; empty where there is none."""
    given = [item for item in options if item.head == "name"]
    for again in given[1:]:
        findings.refuse(again.source, f"{what}: has two names")
    if not given:
        return ""
    if len(given[0].items) != 2:
        findings.refuse(given[0].source, f'{what}: write (name "...")')
        return ""
    return text_of(given[0].items[1], what, findings)


def variable_or_number(entry: Expression, what: str, findings: Findings) -> tuple[str, float]:
    """(name of the configuration variable, 0) or ("", the constant) that a transformation has."""
    if entry.is_quoted:
        return text_of(entry, what, findings), 0.0
    if entry.is_list:
        if entry.head == "d" and len(entry.items) == 2:
            return text_of(entry.items[1], what, findings), 0.0
        findings.refuse(entry.source, f'{what}: {entry.shown()}: a configuration variable is "name" or (d "name")')
        return "", 0.0
    value = _float(entry)
    if value is None or not isfinite(value):
        remedy = 'must be a finite number, or a configuration variable: "name" or (d "name")'
        findings.refuse(entry.source, f"{what} {shown(entry.text)} {remedy}")
    elif abs(value) > LARGEST:
        findings.refuse(entry.source, f"{what} {shown(entry.text)} {TOO_LARGE}")
    return "", value if value is not None and abs(value) <= LARGEST else 0.0
