"""The small table of a page: what was simulated, and how well."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symvi.page.charts import is_recorded
from symvi.page.hard_steps import hard_steps
from symvi.page.keyframes import Keyframes

__all__ = ["energy_change", "list_facts"]


def list_facts(trajectory, frames: Keyframes, facts: Mapping[str, object] | None) -> list[tuple[str, str]]:
    """The rows (name, value) of the table; `facts` are further ones, such as freedoms, and come after the counts."""
    mechanism, time = trajectory.mechanism, np.asarray(trajectory.time)
    steps = len(time) - 1
    rows = [("bodies", str(len(mechanism.bodies))), ("joints", str(len(mechanism.joints)))]
    rows += [(str(name), str(value)) for name, value in (facts or {}).items()]
    rows.append(("steps", _grouped(steps)))
    if steps > 0:
        rows.append(("step", f"{_short((time[-1] - time[0]) / steps)} s"))
        rows.append(("duration", f"{_short(time[-1] - time[0])} s"))
    whole = getattr(trajectory, "watched", None) or trajectory
    rows.append(("largest closure", _largest(whole.closure)))
    rows.append(("largest energy change", f"{_short(energy_change(whole))} J"))
    rows.append(("iterations per step", _iterations(trajectory)))
    substeps = np.asarray(getattr(trajectory, "substeps", ()))
    if (substeps > 1).any():
        rows.append(
            ("steps that were split", f"{_grouped(int((substeps > 1).sum()))}, at most in {substeps.max():.0f}")
        )
    if hard := hard_steps(trajectory):
        rows.append(("hard steps", f"in {_grouped(len(hard))} places (key H)"))
    if getattr(trajectory, "contact_names", ()):
        gaps = (trajectory if is_recorded(trajectory, "contacts") else whole).contact_values[:, :, 0]
        rows.append(("contact points", str(gaps.shape[1])))
        rows.append(("smallest gap", f"{_short(float(np.nanmin(gaps)))} m"))
    if len(frames.steps) <= steps:
        rows.append(("pictures", f"{_grouped(len(frames.steps))} of {_grouped(steps + 1)} knots"))
    return rows


def energy_change(trajectory) -> float:
    """The largest distance [J] of the total energy from its first value; NaN if there is no finite value."""
    energy = np.asarray(trajectory.energy, float)
    change = np.abs(energy - energy[0])
    return float(np.nanmax(change)) if np.isfinite(change).any() else float("nan")


def _largest(closure) -> str:
    values = np.asarray(closure, float)
    return f"{_short(np.nanmax(values))} m or rad" if np.isfinite(values).any() else "not known"


def _iterations(trajectory) -> str:
    """Mean and most, over the steps; the first knot is the start and took none."""
    iterations = np.asarray(trajectory.iterations, float)[1:]
    iterations = iterations[np.isfinite(iterations)]
    return f"{iterations.mean():.2f}, at most {iterations.max():.0f}" if iterations.size else "none"


def _short(value: float) -> str:
    return f"{value:.3g}"


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", " ")
