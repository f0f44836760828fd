"""One picture of a simulation: energy, closure, heights of the centres of mass, iterations.

Drawn by matplotlib, which comes with the extra "plot". The same trajectory gives the same bytes with the same
matplotlib: no date, no window, no settings of the user.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symvi.errors import SymviError, missing_extra, told_as_files
from symvi.mechanism.files import checked_path
from symvi.simulate.curves import Column, by_unit
from symvi.simulate.frames import rotation_matrices

__all__ = ["write_plot"]

# More lines than this cannot be told apart.
NAMED_BODIES = 8

# The page's colours for energies and closure, and eight that a colour-blind reader can tell apart (Okabe and Ito).
TOTAL, KINETIC, POTENTIAL, CLOSURE = "#1d2530", "#d9702a", "#2f6fd0", "#2f9160"
BODIES = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#7f7f7f", "#b8a500")

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#98a2b0",
    "axes.labelcolor": "#4b5563", "xtick.color": "#4b5563", "ytick.color": "#4b5563", "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#e4e8ee", "lines.linewidth": 1.3, "legend.frameon": False,
    "legend.fontsize": 8, "savefig.facecolor": "white",
}  # fmt: skip


def write_plot(trajectory, path: str | os.PathLike[str], curves: Sequence[str] | None = None) -> Path:
    """Write a PNG over time, and return its path: four panels, or what is chosen by name, a panel for each unit.

    curves: names as in `Trajectory.curves`, such as ["pin", "motor.power"]; left out, the four panels.
    trajectory: a value with mechanism, time (N,) [s], position (N, n, 3) [m], orientation (N, n, 4), energy,
        kinetic_energy, potential_energy (N,) [J], closure (N,) [m or rad], iterations (N,). Values that are not finite
        leave gaps.
    Raises SymviError for a name that does not end in .png, MissingExtraError without matplotlib, FileError if the file
    cannot be written; then nothing is left of it.
    """
    path = checked_path(path)
    if path.suffix.lower() != ".png":
        raise SymviError(f"{path}: a plot is a PNG file; let its name end in .png")
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing_extra("plot", "matplotlib") from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        groups = None if curves is None else list(by_unit(trajectory.curves.columns(curves)).items())
        height = 6.6 if groups is None else 0.9 + 2.4 * max(len(groups), 1)
        figure = Figure(figsize=(11, height), dpi=120, layout="constrained")
        FigureCanvasAgg(figure)
        if groups is None:
            panels = figure.subplots(2, 2, sharex=True)
            for draw, panel in zip((_energy, _closure, _heights, _iterations), panels.flat, strict=True):
                draw(panel, trajectory)
        else:
            panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)
            for panel, (title, columns) in zip(panels.flat, groups, strict=True):
                _chosen(panel, title, columns, trajectory.time)
        for panel in panels[-1]:
            panel.set_xlabel("time [s]")
        figure.suptitle(trajectory.mechanism.name, x=0.012, ha="left", fontsize=13, fontweight="bold", parse_math=False)
        _save_whole(figure, path)
    return path


def _chosen(panel, title: str, columns: Sequence[Column], time) -> None:
    """Curves of one unit. Beyond the colours that can be told apart they are dashed, then dotted."""
    panel.set_title(title)
    for k, column in enumerate(columns):
        style = ("-", "--", ":")[k // len(BODIES) % 3]
        panel.plot(time, column.values, style, color=BODIES[k % len(BODIES)], label=column.name)
    _legend(panel)


def _known(trajectory, name: str) -> tuple[Any, str]:
    """A motion that has it at every knot, and words for where that is one with fewer knots."""
    whole = getattr(trajectory, "watched", None)
    if whole is None or trajectory.has(name):
        return trajectory, ""
    return whole, f", at {len(whole)} of {len(trajectory)} knots"


def _energy(panel, trajectory) -> None:
    trajectory, where = _known(trajectory, "energy")
    panel.set_title(f"Energy [J]{where}")
    panel.plot(trajectory.time, trajectory.energy, color=TOTAL, linewidth=2.0, label="total", zorder=3)
    panel.plot(trajectory.time, trajectory.kinetic_energy, color=KINETIC, label="kinetic")
    panel.plot(trajectory.time, trajectory.potential_energy, color=POTENTIAL, label="potential")
    _legend(panel)


def _closure(panel, trajectory) -> None:
    """Zero has no logarithm: such knots are left out, and said so where there is nothing else."""
    trajectory, where = _known(trajectory, "closure")
    closure = np.asarray(trajectory.closure, float)
    positive = np.isfinite(closure) & (closure > 0.0)
    panel.set_title(f"Closure: largest residual [m or rad]{where}")
    panel.plot(np.asarray(trajectory.time)[positive], closure[positive], ".", color=CLOSURE, markersize=2.0)
    if positive.any():
        panel.set_yscale("log")
        panel.set_ylim(*_decades(closure[positive]))
    else:
        words = "exactly zero" if np.isfinite(closure).any() else "not known"
        panel.set_yticks([])
        panel.text(0.5, 0.5, words, ha="center", color=CLOSURE, transform=panel.transAxes)


def _decades(values: np.ndarray) -> tuple[float, float]:
    """Whole powers of ten around all values, at least three."""
    high = np.ceil(np.log10(values.max()) + 0.1)
    return 10.0 ** min(np.floor(np.log10(values.min())), high - 3), 10.0**high


def _heights(panel, trajectory) -> None:
    """Of the centres of mass, against gravity; those that move furthest, in the order of the description."""
    mechanism = trajectory.mechanism
    offsets = np.array([body.center_of_mass for body in mechanism.bodies])
    turned = rotation_matrices(np.asarray(trajectory.orientation)) @ offsets[..., None]
    heights = (np.asarray(trajectory.position) + turned[..., 0]) @ _up(mechanism.gravity)
    reach = np.ptp(np.nan_to_num(heights), axis=0)
    shown = sorted(np.argsort(-reach, kind="stable")[:NAMED_BODIES])
    more = heights.shape[1] - len(shown)
    panel.set_title("Height of centres of mass [m]" + (f", {len(shown)} of {heights.shape[1]}" if more else ""))
    for color, body in zip(BODIES, shown, strict=False):
        panel.plot(trajectory.time, heights[:, body], color=color, label=mechanism.bodies[body].name)
    _legend(panel)


def _up(gravity) -> np.ndarray:
    strength = float(np.linalg.norm(gravity))
    return -np.asarray(gravity) / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])


def _iterations(panel, trajectory) -> None:
    """The first knot is the start, to which no step led."""
    from matplotlib.ticker import MaxNLocator

    counts = np.asarray(trajectory.iterations, float)[1:]
    panel.set_title("Newton iterations per step")
    panel.plot(np.asarray(trajectory.time)[1:], counts, ".", color=TOTAL, markersize=2.5)
    panel.set_ylim(0, max(np.nanmax(counts, initial=0.0), 3.0) + 0.5)
    panel.yaxis.set_major_locator(MaxNLocator(integer=True))


def _legend(panel) -> None:
    """Beside the panel: there it hides no curve."""
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0, handlelength=1.2)


def _save_whole(figure, path: Path) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with told_as_files(path):
        try:
            figure.savefig(draft, format="png", metadata={"Software": None})
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
