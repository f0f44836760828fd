"""What a person is told about loops: refusals that name joints, what was found and what would do; and which rows were kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism
from symvi.physics.model import ConstraintModel
from symvi.program.assembly import CLOSED, Assembly, Position
from symvi.program.rank import Rank


def contradictory(assembly: Assembly, position: Position, small: bool) -> AssemblyError:
    """A loop that stays open wherever its bodies go."""
    spanning = assembly.spanning
    errors = {k: max(abs(assembly.residual(position.rows, k, row)) for row in range(spanning.models[k].rows)) for k in spanning.loops}
    worst = max(errors, key=errors.get)
    model = spanning.models[worst]
    open_rows = [
        f"{abs(g):.3g} {unit} {name}" for name, unit, g in zip(model.row_names, model.row_units, position.rows[worst].g, strict=True)
        if abs(g) / (1.0 if unit == "rad" else assembly.size) > max(CLOSED, 1e-3 * errors[worst])
    ]
    remedy = "check their lengths, anchors and axes, and the start placement"
    if small:
        remedy += '; if the parts are meant to fit with play, loops="drop" lets the rows open that do not fit'
    return AssemblyError(f"{_loop(spanning.loop_of(worst))} cannot be closed: '{model.name}' stays open by {', '.join(open_rows)}; {remedy}")


def nearly_redundant(assembly: Assembly, position: Position, rank: Rank) -> AssemblyError:
    """Rows that the others almost imply."""
    u, sigma, _ = assembly.reduced(position).singular()
    first = rank.independent
    weights = np.abs(u[:, first:first + rank.doubtful])
    share = {}
    for (k, _row), weight in zip(assembly.spanning.loop_rows, weights.max(axis=1), strict=True):
        share[k] = max(share.get(k, 0.0), float(weight))
    worst = max(share, key=share.get)
    loop = _loop(assembly.spanning.loop_of(worst))
    return AssemblyError(
        f"{loop} is nearly redundant: {rank.doubtful} of its rows hold by only {rank.weakest:.1g} of their size, as when "
        f"an axis is off by about {2 * rank.weakest:.0g} rad; taken literally, the loop is rigid. Make its axes exactly "
        'parallel (or meet exactly in a point), or choose: loops="drop" drops these rows, loops="rigid" keeps them'
    )


def poor_choice(assembly: Assembly, quality: float) -> AssemblyError:
    names = ", ".join(f"'{assembly.spanning.models[k].name}'" for k in assembly.spanning.loops)
    return AssemblyError(f"the loops closed by {names} leave no good choice of independent rows (the best keeps {quality:.2g} of what all rows "
                         "hold): list the joints so that another one of each loop comes last")


def nothing_to_drive(mechanism: Mechanism, model: ConstraintModel) -> AssemblyError:
    driver = mechanism.driver(model.name)
    return AssemblyError(f"driver '{driver.name}': coordinate {driver.coordinate} of joint '{driver.joint}' is held by the joints and the "
                         "drivers before it, so nothing is left to drive; remove a driver, or free a joint")


def what_is_kept(name: str, rows: Sequence[str], kept: Sequence[int], dropped: Sequence[int]) -> str:
    """One sentence about a constraint that lost rows."""
    lost = ", ".join(rows[k] for k in dropped)
    if not kept:
        return f"'{name}' holds nothing that the other joints do not hold; its rows are watched only: {lost}"
    names = tuple(rows[k] for k in kept)
    held = "its two in-plane translations" if names == ("along first axis", "along second axis") else f"its rows {', '.join(names)}"
    return f"'{name}' keeps {held}; the other joints imply {lost}"


def _loop(names: Sequence[str]) -> str:
    return "the loop " + " - ".join(f"'{name}'" for name in names)
