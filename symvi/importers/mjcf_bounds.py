"""Bounds on what a small MJCF file can ask MuJoCo's compiler for: copies, states, keyframes, points, large numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symvi.importers.mjcf_schema import ACTUATORS
from symvi.importers.report import Findings
from symvi.importers.xml import Element
from symvi.mechanism.names import shown
from symvi.mechanism.units import decimal
from symvi.mechanism.values import SMALLEST

__all__ = ["memory_of", "refuse_floods", "refuse_large_numbers", "refuse_timesteps"]

MOST_ELEMENTS = 40_000  # the compiler's time grows with their square
MOST_COPIES = 5000  # of elements of any kind, by all <replicate> of a file together
MOST_STATES = 1000  # of all actuators, by their attribute actdim
MOST_KEYED = 500_000  # keyframes times joints: every keyframe has the coordinates of all
FINEST = 100_000  # points of all meshes that are made of a formula, about
# MuJoCo divides directions and quaternions by the root of a sum of squares, which makes length zero of infinity, and a
# moment of inertia is the fifth power of a length.
LARGEST = 1e20
MAY_BE_LARGE = re.compile(r"[eE]\+?\d|\d{20}")
MEASURES = frozenset(
    "pos quat axisangle euler xyaxes zaxis axis ref springref springdamper fromto size scale refpos refquat vertex "
    "params sep offset mass density diaginertia fullinertia settotalmass boundmass boundinertia gravity armature "
    "damping frictionloss stiffness anchor relpose polycoef coef torquescale gear kp kv dampratio gainprm biasprm "
    "dynprm qpos qvel act ctrl".split()
)
# [bytes] What MuJoCo's compiler may ask the system for, and what any file may have; it uses what it needs of that.
MOST_MEMORY, LEAST_MEMORY = 4 << 30, 64 << 20
MEMORY = re.compile(r"\s*(\d{1,18})([KMGTPE]?)\s*", re.IGNORECASE | re.ASCII)
Counted = tuple[Element, int]


def refuse_floods(root: Element, findings: Findings) -> None:
    """Refuse what asks for more than anybody needs, at the first element that does."""
    counted = list(_with_counts(root))
    whole = ((element, 1) for element, _ in counted)
    _refuse(findings, whole, MOST_ELEMENTS, "more than {} elements; is it a mechanism file?")
    _refuse(findings, _copies(counted), MOST_COPIES, "<replicate> asks for more than {} elements")
    _refuse(findings, _states(counted), MOST_STATES, "actdim: more than {} states of actuators are asked for")
    _refuse(
        findings, _points(counted), FINEST, "<mesh> params: meshes that are made of more than {} points are asked for"
    )
    joints = sum(number for element, number in counted if element.tag in ("joint", "freejoint"))
    keys = ((element, joints) for element, _ in counted if element.tag == "key")
    _refuse(findings, keys, MOST_KEYED, "<key>: keyframes times joints are more than {}")


def refuse_large_numbers(root: Element, findings: Findings) -> None:
    """Refuse lengths, angles, loads and the like so large that their squares are no numbers; ranges may be so wide."""
    for element in root.walk():
        for name, text in element.attributes.items():
            if name in MEASURES and MAY_BE_LARGE.search(text) and any(map(_is_large, text.split())):
                remedy = f"must have no number beyond {LARGEST:g}"
                findings.refuse(element.source, f"<{element.tag}> {name}={shown(text)} {remedy}")


def refuse_timesteps(root: Element, findings: Findings) -> None:
    """Refuse steps of MuJoCo's that are none: what depends on them in its model is none either."""
    for option in root.all("option"):
        text = option.attributes.get("timestep", "1")
        try:
            is_step = decimal(text) >= SMALLEST
        except ValueError:  # for the compiler, which refuses it
            continue
        if not is_step:
            findings.refuse(option.source, f"<option> timestep={shown(text)} must be a positive number of seconds")


def memory_of(root: Element) -> int | None:
    """Bytes that <size memory=...> gives MuJoCo, kept within the bounds; None where it leaves that to MuJoCo."""
    given = [element.attributes["memory"] for element in root.all("size") if "memory" in element.attributes]
    found = MEMORY.fullmatch(given[-1]) if given else None
    if found is None:
        return None
    size = int(found[1]) << 10 * (" KMGTPE".index(found[2].upper()) if found[2] else 0)
    return min(max(size, LEAST_MEMORY), MOST_MEMORY)


def _is_large(word: str) -> bool:
    try:
        return abs(float(word)) > LARGEST
    except ValueError:  # for the compiler, which refuses it
        return False


def _refuse(findings: Findings, asked: Iterator[Counted], most: int, words: str) -> None:
    total = 0
    for element, number in asked:
        total += number
        if total > most:
            findings.refuse(element.source, words.format(most))
            return


def _with_counts(root: Element) -> Iterator[Counted]:
    """Every element, and how many of it there are after all <replicate> around it."""
    waiting = [(root, 1)]
    while waiting:
        element, number = waiting.pop()
        yield element, number
        inner = number * _times(element) if element.tag == "replicate" else number
        waiting += [(child, inner) for child in reversed(element.children)]


def _times(replicate: Element) -> int:
    text = replicate.attributes.get("count", "1").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else MOST_COPIES + 1


def _copies(counted: list[Counted]) -> Iterator[Counted]:
    """What stands in <replicate>, and the frames that this makes itself."""
    for element, number in counted:
        if element.tag == "replicate":
            yield element, number * _times(element)
        elif number > 1:
            yield element, number


def _states(counted: list[Counted]) -> Iterator[Counted]:
    for element, number in counted:
        if element.tag in ACTUATORS:
            yield element, number * round(max(_numbers(element.attributes.get("actdim", "0")), default=0.0))


def _points(counted: list[Counted]) -> Iterator[Counted]:
    """Meshes that are made of a formula: at the finest, a number of points each way."""
    for element, number in counted:
        if element.tag == "mesh" and "builtin" in element.attributes:
            finest = max(map(abs, _numbers(element.attributes.get("params", ""))), default=0.0)
            yield element, number * round(finest**2)


def _numbers(text: str) -> list[float]:
    """The numbers of an attribute; those that are none are left to the compiler, which refuses them."""
    found = []
    for word in text.split()[:100]:
        try:
            found.append(min(max(float(word), -1e9), 1e9))
        except ValueError:
            continue
    return [value for value in found if value == value]
