"""The curves below the picture: energies and closure, and what was chosen by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symvi.page.keyframes import Keyframes, encode, extremes, peaks
from symvi.simulate.curves import by_unit

__all__ = ["chosen_charts", "is_recorded", "own_curves"]

CURVE_BUCKETS, CLOSURE_BUCKETS = 600, 250

# Colours that a colour-blind reader can tell apart (Okabe and Ito), on light and on dark.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8a8a8a", "#b8a500")


def own_curves(trajectory, frames: Keyframes) -> list[dict[str, object]]:
    """Those of every page: thinned for drawing, and their values in the keyframes for reading.

    What was not recorded at every knot is left out.
    """
    sources = (
        ("energy", "total", "energy"),
        ("energy", "kinetic", "kinetic_energy"),
        ("energy", "potential", "potential_energy"),
        ("closure", "closure", "closure"),
    )
    return [
        {"chart": chart, "name": name, **_drawn(trajectory, frames, getattr(trajectory, field), chart)}
        for chart, name, field in sources
        if is_recorded(trajectory, chart)
    ]


def is_recorded(trajectory, name: str) -> bool:
    """Whether a motion has something at every knot; those that cannot have a part alone have all."""
    return getattr(trajectory, "watched", None) is None or trajectory.has(name)


def chosen_charts(trajectory, frames: Keyframes, names: Sequence[str]) -> list[dict[str, object]]:
    """A chart for each unit: its title, and curves with their colours."""
    if not len(names):
        return []
    charts = []
    for title, columns in by_unit(trajectory.curves.columns(names)).items():
        curves = [
            {
                "name": column.name,
                "color": COLORS[k % len(COLORS)],
                **_drawn(trajectory, frames, column.values, "chosen"),
            }
            for k, column in enumerate(columns)
        ]
        charts.append({"title": title, "curves": curves})
    return charts


def _drawn(trajectory, frames: Keyframes, source, chart: str) -> dict[str, object]:
    time, values = np.asarray(trajectory.time, float), np.asarray(source, float)
    if chart == "closure":  # round-off jumps over decades from step to step; what counts is how far it goes
        drawn = peaks(time, values, CLOSURE_BUCKETS)
    else:
        drawn = extremes(time, values, CURVE_BUCKETS)
    names = ("time", "values", "readings")
    return {name: encode(array, "f8") for name, array in zip(names, (*drawn, values[frames.steps]), strict=True)}
