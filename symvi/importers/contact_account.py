"""What a caller who asked for contacts is told: how many there are and where none is, or that there are none at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from symvi.importers.ground_points import MADE_OF, collision_shapes
from symvi.importers.report import Findings, Notice, Report
from symvi.importers.tree import ContactPoint, Link, Tree
from symvi.mechanism.names import shown

__all__ = ["contacts_made", "note_made", "refuse_none"]

MADE = "contacts made"
MOST_NAMED, MOST_REASONS = 8, 8  # links, reasons in one message


def note_made(
    tree: Tree, points: Sequence[ContactPoint], links: Collection[str] | None, kept: int, findings: Findings
) -> None:
    """Say how many contacts there are, and which links have none.

    points: of all links. links: whose shapes were asked for; all where none are given. kept: contacts of the mechanism.
    """
    made = {point.link for point in points}
    without = [link.name for link in _asked(tree, links) if link.name not in made]
    why = f"{_counted(kept, 'point')} of {_counted(len(made), 'link')}"
    if without:
        why += f"; none of {_counted(len(without), 'link')}: {_listed(without)}"
    lost = sum(map(_is_lost, findings.notices))
    if lost:
        why += f"; {_counted(lost, 'collision shape')} left out, as the report says"
    findings.note("taken", tree.source, "", MADE, why)


def contacts_made(report: Report) -> str:
    """What an import says about the contacts that were asked for; "" where none were."""
    return next((f"contacts with the ground: {notice.why}" for notice in report.notices if notice.what == MADE), "")


def refuse_none(
    tree: Tree, points: Sequence[ContactPoint], links: Collection[str] | None, remedy: str, findings: Findings
) -> None:
    """Refuse the file because contacts were asked for and none is made: of which links, why, and what would do.

    points: those that are held by the world. links: as above. remedy: what else would do, in words of the format.
    """
    reasons = dict.fromkeys(
        f"{notice.element}: {notice.why}" if notice.element else notice.why
        for notice in findings.notices
        if _is_lost(notice) or (notice.kind == "ignored" and (notice.what, notice.element) == ("contacts", ""))
    )
    told = list(reasons)[:MOST_REASONS]
    held = list(dict.fromkeys(point.link for point in points))
    if held:
        told.append(f"held by the world, as the ground is: {_listed(held)}")
    bare = [link.name for link in _asked(tree, links) if not collision_shapes(link)]
    if bare:
        told.append(f"without collision shapes: {_listed(bare)}")
    findings.refuse(
        tree.source,
        f"contacts with the ground are asked for, and none is made: {'; '.join(told)}. Name points of links "
        f"(contact_points, --contact-points LINK:x,y,z){remedy}",
    )


def _asked(tree: Tree, links: Collection[str] | None) -> list[Link]:
    return [link for link in tree.links if link.is_named and (links is None or link.name in links)]


def _is_lost(notice: Notice) -> bool:
    """Whether it tells of a collision shape that makes no contact."""
    is_shape = notice.what == "<collision>" or notice.what.startswith("collision ")
    return notice.kind == "ignored" and (is_shape or MADE_OF in notice.why)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(shown(name) for name in names[:MOST_NAMED]) + more
