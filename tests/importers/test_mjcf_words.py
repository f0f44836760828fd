"""Nothing of MJCF is lost without a word: every attribute of MuJoCo's own schema is used or has its line."""

from __future__ import annotations

import pytest

from symvi.importers.mjcf_words import DROPPED, REFUSED, UNKNOWN, note_what_has_no_effect
from symvi.importers.report import Findings, Notice, Source
from symvi.importers.xml import Element

mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")

# Of <sensor>, <visual> and soft bodies, which are dropped or refused as a whole.
WITHIN_OTHERS = set(DROPPED) | set(REFUSED) | {"config", "instance"}


def notices(tag: str, **attributes: str) -> list[Notice]:
    child = Element(tag, attributes, Source("model.xml", 2), [])
    findings = Findings("model.xml")
    note_what_has_no_effect(Element("mujoco", {}, Source("model.xml", 1), [child]), findings)
    return findings.notices


def own_tags() -> list[tuple[str, str]]:
    """(tag, attribute) of MuJoCo's schema, of the sections that are not left out as a whole."""
    found: list[tuple[str, str]] = []
    outer: dict[int, str] = {}
    tag = ""
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head = line[:30].split()
        if head:
            depth = len(line) - len(line.lstrip())
            tag = "body" if head[0] == "(world)body" else head[0]
            outer = {own: name for own, name in outer.items() if own < depth} | {depth: tag}
        if not WITHIN_OTHERS & set(outer.values()) and tag != "mujoco":
            found += [(tag, attribute) for attribute in line[30:].split()]
    return found


def test_every_attribute_of_the_schema_is_used_or_has_its_line() -> None:
    known = own_tags()
    assert len(known) > 400 and {("motor", "armature"), ("body", "gravcomp"), ("key", "ctrl")} <= set(known)
    lost = [
        (tag, attribute)
        for tag, attribute in known
        if any(notice.why == UNKNOWN for notice in notices(tag, **{attribute: "0.123"}))
    ]
    assert lost == []


@pytest.mark.parametrize("tag, attribute", [("motor", "backlash"), ("geom", "rolling"), ("option", "aether")])
def test_what_a_later_format_adds_is_ignored_with_a_line(tag: str, attribute: str) -> None:
    (notice,) = notices(tag, **{attribute: "1"})
    assert (notice.kind, notice.what, notice.why) == ("ignored", f"{attribute} of <{tag}>", UNKNOWN)


def test_a_tag_of_a_later_format_is_ignored_with_a_line() -> None:
    assert [notice.kind for notice in notices("wormhole", mass="1")] == ["ignored", "ignored"]
