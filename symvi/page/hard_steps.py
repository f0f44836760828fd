"""Steps that were hard: taken in parts, begun again from another start, solved with a warning, or failed."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from symvi.numbers.control import SolverStatus

__all__ = ["hard_steps"]

MOST_MARKS = 400  # more cannot be told apart below a curve


def hard_steps(trajectory) -> list[dict[str, object]]:
    """{begin, end [s], text} of the recorded steps that were hard, neighbours with one reason together.

    Round-off in the residual is no reason: such a step is as exact as one can be.
    """
    time = np.asarray(trajectory.time, float)
    texts = [""] + [_reason(trajectory, k) for k in range(1, len(time))]
    found = []
    for text, run in groupby(range(len(time)), key=texts.__getitem__):
        steps = list(run)
        if text:
            found.append({"begin": float(time[steps[0] - 1]), "end": float(time[steps[-1]]), "text": text})
    if len(found) > MOST_MARKS:
        edges = np.linspace(time[0], time[-1], MOST_MARKS + 1)
        places = np.searchsorted(edges, [one["begin"] for one in found], side="right")
        groups = [[found[k] for k in run] for _, run in groupby(range(len(found)), key=places.__getitem__)]
        found = [_together(group) for group in groups]
    return found


def _together(group: list[dict[str, object]]) -> dict[str, object]:
    texts = dict.fromkeys(str(one["text"]) for one in group)
    return {"begin": group[0]["begin"], "end": group[-1]["end"], "text": "; ".join(list(texts)[:3])}


def _reason(trajectory, step: int) -> str:
    """Why the step that led to a knot was hard; nothing if it was not."""
    reasons = []
    parts, retries, status = (
        float(values[step]) if len(values := getattr(trajectory, name, ())) else 0.0
        for name in ("substeps", "retries", "status")
    )
    if parts > 1:
        reasons.append(f"taken in {parts:.0f} parts")
    if retries > 0:
        reasons.append(f"begun again {retries:.0f} times" if retries > 1 else "begun again once")
    if status not in (SolverStatus.OK, SolverStatus.ROUND_OFF) and np.isfinite(status):
        reasons.append(SolverStatus(int(status)).sentence)
    return ", ".join(reasons)
