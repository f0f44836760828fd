"""What a person is told about loops: refusals that name joints, what was found and what would do; what was decided."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from symvi.analysis.assembly import CLOSED, Assembly, Position, largest
from symvi.analysis.choices import Lock
from symvi.analysis.rank import Rank
from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism
from symvi.mechanism.inertia import principal_moments
from symvi.mechanism.vectors import norm
from symvi.physics.model import ConstraintModel

CHECK = "check their lengths, anchors and axes, and the start placement"
PLAY = '; if the parts are meant to fit with play, loops="drop" lets the rows open that do not fit'
SHOWN_LOOPS = 4
FAR_APART = 1e6  # quantities that span more are named


def contradictory(assembly: Assembly, position: Position, small: bool) -> AssemblyError:
    """A loop that stays open wherever its bodies go."""
    spanning, rows = assembly.spanning, position.rows
    carriers = dict.fromkeys(k for k in spanning.carriers if k is not None and spanning.models[k].rows)
    errors = {
        k: largest(assembly.residual(rows, k, row) for row in range(spanning.models[k].rows))
        for k in (*spanning.loops, *carriers)
    }
    if not all(map(isfinite, errors.values())):
        return beyond_doubles(assembly.mechanism)
    open_loops = [k for k in spanning.loops if not errors[k] <= CLOSED]
    worst = max(open_loops or errors, key=lambda k: errors[k])  # a closed joint may pull another one of its loop open
    model = spanning.models[worst]
    shown = [
        f"{abs(rows[worst].g[row]):.3g} {model.row_units[row]} {model.row_names[row]}"
        for row in range(model.rows)
        if not abs(assembly.residual(rows, worst, row)) <= max(CLOSED, 1e-3 * errors[worst])
    ]
    around = [spanning.loop_of(k) for k in ((worst,) if worst in spanning.loops else spanning.loops)]
    loop = _loop(next((names for names in around if model.name in names), around[0]))
    return AssemblyError(
        f"{loop} cannot be closed: '{model.name}' stays open by {', '.join(shown)}; {CHECK}{PLAY if small else ''}"
    )


def beyond_doubles(mechanism: Mechanism) -> AssemblyError:
    """Numbers whose sums and products no double holds, as of masses that differ by twenty powers of ten."""
    anchors = {
        f"joint '{joint.name}'": max(norm(joint.parent_anchor), norm(joint.child_anchor)) for joint in mechanism.joints
    }
    moments = {f"body '{body.name}'": principal_moments(body.inertia) for body in mechanism.bodies}
    quantities = (
        ("masses", "kg", {f"body '{body.name}'": body.mass for body in mechanism.bodies}),
        ("moments of inertia", "kg m^2", {name: found[2] for name, found in moments.items()}),
        ("distances", "m", anchors | {f"body '{b.name}'": norm(b.center_of_mass) for b in mechanism.bodies}),
    )
    spans = []
    for what, unit, sizes in quantities:
        sizes = {name: size for name, size in sizes.items() if size > 0.0}
        if sizes:
            least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
            said = f"{what} from {sizes[least]:.3g} ({least}) to {sizes[most]:.3g} {unit} ({most})"
            spans.append((sizes[most] / sizes[least], said))
    widest = max(ratio for ratio, _ in spans)  # there are bodies, and they have masses
    said = "; ".join(said for ratio, said in spans if ratio >= min(widest, FAR_APART))
    return AssemblyError(
        f"mechanism '{mechanism.name}': its numbers are too large, too small or too far apart for the 16 digits of a "
        f"double: {said}; check their units"
    )


def nearly_redundant(assembly: Assembly, position: Position, rank: Rank) -> AssemblyError:
    """Rows that the others almost imply."""
    u, _, _ = assembly.reduced(position).singular()
    weights = np.abs(u[:, rank.independent : rank.independent + rank.doubtful]).max(axis=1)
    worst = assembly.spanning.loop_rows[int(np.argmax(weights))][0]
    return AssemblyError(
        f"{_loop(assembly.spanning.loop_of(worst))} is nearly redundant: {rank.doubtful} of its rows hold by only "
        f"{rank.weakest:.1g} of their size, as when an axis is off by about {2 * rank.weakest:.0g} rad (or links stand "
        "nearly straight); taken literally, the loop is rigid. Make its axes exactly parallel, or meet, or choose: "
        'loops="drop" drops these rows, loops="rigid" takes them literally'
    )


def dead_point(assembly: Assembly) -> AssemblyError:
    """Loops that seem free to move but close nowhere beside the start."""
    return AssemblyError(
        f"{_loops(assembly)}: closed at the start only, and not beside it, although the joints seem to leave a freedom "
        "there: a dead point, as of two links stretched between fixed pivots. Nothing can be said about its motion; "
        "shorten a distance or lengthen a link"
    )


def opens_too_far(assembly: Assembly, largest: float) -> AssemblyError:
    """Rows that cannot be dropped, because they are needed."""
    return AssemblyError(
        f"{_loops(assembly)}: rows that hold too weakly to be kept would open by {largest:.2g} (rad, or sizes of the "
        f"mechanism) if they were dropped; {CHECK}"
    )


def poor_choice(assembly: Assembly, quality: float) -> AssemblyError:
    """Every choice of rows is far worse than all rows together."""
    return AssemblyError(
        f"{_loops(assembly)}: the best choice of independent rows keeps only {quality:.2g} of what all rows hold; list "
        "the joints so that another one of the loop comes last"
    )


def nothing_to_lock(assembly: Assembly) -> AssemblyError:
    """Nearly redundant rows hold a motion that no joint coordinate stands for."""
    return AssemblyError(f'{_loops(assembly)}: no joint coordinate can be locked to make it rigid; choose loops="drop"')


def nothing_to_drive(mechanism: Mechanism, model: ConstraintModel) -> AssemblyError:
    """A driver whose coordinate is held already."""
    driver = mechanism.driver(model.name)
    return AssemblyError(
        f"driver '{driver.name}': coordinate {driver.coordinate} of joint '{driver.joint}' is held by the joints and "
        "the drivers before it, so nothing is left to drive; remove a driver, or free a joint"
    )


def what_is_kept(name: str, rows: Sequence[str], kept: Sequence[int], dropped: Sequence[int]) -> str:
    """One sentence about a constraint that lost rows."""
    lost = ", ".join(rows[k] for k in dropped)
    if not kept:
        return f"'{name}' holds nothing that the other joints do not hold; its rows are only watched: {lost}"
    names = tuple(rows[k] for k in kept)
    across = names == ("along first axis", "along second axis")
    held = "its two in-plane translations" if across else f"its rows {', '.join(names)}"
    return f"'{name}' keeps {held}; the other joints imply {lost}"


def what_is_locked(lock: Lock) -> str:
    """One sentence about a joint that was locked."""
    where = f"coordinate {lock.coordinate} at {lock.value:.6g}"
    return f"'{lock.joint}' is locked, {where}: rows that hold it weakly are taken literally"


def warnings(mobility: int, rank: Rank, opening: float) -> list[str]:
    """Sentences about what a simulation will meet."""
    found = []
    if mobility == 0:
        found.append("rigid: no freedom is left")
    if opening:
        found.append(f"dropped rows that do not fit open by {opening:.2g} (m or rad) or more")
    if 0 in rank.singular:
        found.append("starts in a singular position: from rest there, physics does not say which way it goes")
    elif rank.singular:
        found.append("passes singular positions: reactions grow near them")
    return found


def _loop(names: Sequence[str]) -> str:
    return "the loop " + " - ".join(f"'{name}'" for name in names)


def _loops(assembly: Assembly) -> str:
    shown = [_loop(assembly.spanning.loop_of(k)) for k in assembly.spanning.loops[:SHOWN_LOOPS]]
    more = len(assembly.spanning.loops) - len(shown)
    return "; ".join(shown) + (f"; and {more} more loops" if more else "")
