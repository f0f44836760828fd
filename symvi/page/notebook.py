"""What a notebook shows of a mechanism, a picture with its joints and freedoms, and of a motion: its page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from symvi.errors import SymviError
from symvi.mechanism import Mechanism, coordinate_kinds
from symvi.mechanism.elements_from_tables import TABLES
from symvi.page.still import still_svg
from symvi.page.write import page_text
from symvi.physics.multibody import MultibodySystem
from symvi.simulate.reactions import gradients
from symvi.simulate.solver_state import solver_state

__all__ = ["freedoms_at_start", "mechanism_html", "motion_html"]

MOST_JOINTS = 24  # rows of the table
FRAME_BYTES = 45  # of a body in a picture: seven floats in base 64, and what goes with them
MOST_BYTES = 1_500_000  # of all pictures: a notebook keeps them in its file
FEWEST, MOST = 61, 601  # pictures
HEIGHT = 660  # pixels
IMPLIED = 1e-9  # a singular value below this share of the largest is of a row that others imply


def mechanism_html(mechanism: Mechanism) -> str:
    """A picture of the mechanism where it starts, its counts, freedoms and joints."""
    try:
        picture = still_svg(mechanism)
    except SymviError as error:
        picture = f"<p>{escape(str(error))}</p>"
    counts = {table: len(getattr(mechanism, table)) for table in TABLES}
    words = [f"1 {TABLES[table].label}" if n == 1 else f"{n} {table}" for table, n in counts.items() if n]
    facts = ", ".join([*words, *_freedoms(mechanism)])
    title = f"<b>{escape(mechanism.name)}</b>: {escape(facts)}"
    about = f"<br>{escape(mechanism.description)}" if mechanism.description else ""
    side = 'style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"'
    return f"<div><p>{title}{about}</p><div {side}>{picture}{_joints(mechanism)}</div></div>"


def _freedoms(mechanism: Mechanism) -> Iterator[str]:
    try:
        free = freedoms_at_start(mechanism)
    except SymviError:  # the picture says why
        return
    yield f"{free} freedom{'' if free == 1 else 's'}"
    if mechanism.drivers:
        yield f"{len(mechanism.drivers)} of them driven"


def freedoms_at_start(mechanism: Mechanism) -> int:
    """6 n less the rank of all rows of joints and gears, drivers left out, where the mechanism starts.

    At a singular start that is more than elsewhere. Raises MechanismError where the start is not known.
    """
    from symvi.mechanism import start_state

    placed = solver_state(mechanism, start_state(mechanism))
    bodies = {name: k for k, name in enumerate(mechanism.body_names)}
    driven = {driver.name for driver in mechanism.drivers}
    models = [model for model in MultibodySystem(mechanism).in_joint_axes if model.name not in driven]
    x, q = (np.asarray(placed[name], float)[None] for name in "xq")
    rows = [gradients(model, bodies, x, q)[0] for model in models]
    if not rows:
        return 6 * len(bodies)
    values = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    return 6 * len(bodies) - int((values > IMPLIED * values[0]).sum())


def _joints(mechanism: Mechanism) -> str:
    if not mechanism.joints:
        return ""
    rows = [("joint", "type", "between", "free")]
    for joint in mechanism.joints[:MOST_JOINTS]:
        kinds = coordinate_kinds(joint.type)
        rows.append((joint.name, joint.type, f"{joint.parent} \u2192 {joint.child}", str(len(kinds)) if kinds else ""))
    cells = [[f"<td>{escape(cell)}</td>" for cell in row] for row in rows[1:]]
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    more = len(mechanism.joints) - MOST_JOINTS
    rest = f'<tr><td colspan="4">and {more} more</td></tr>' if more > 0 else ""
    lines = [f"<tr>{''.join(row)}</tr>" for row in cells]
    return f"<table><tr>{head}</tr>{''.join(lines)}{rest}</table>"


def motion_html(trajectory) -> str:
    """The page of a motion, in a frame of its own; with so many pictures that a notebook stays small."""
    bodies = len(trajectory.mechanism.bodies) + 1
    pictures = int(np.clip(MOST_BYTES // (FRAME_BYTES * bodies), FEWEST, MOST))
    text = escape(page_text(trajectory, max_frames=pictures))
    style = f"width:100%;height:{HEIGHT}px;border:1px solid #8884"
    return f'<iframe srcdoc="{text}" title="{escape(trajectory.mechanism.name)}" style="{style}"></iframe>'
