"""One four-bar with its loop in every form that is read moves alike in all of them, over the whole of ten seconds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from symvi.importers import Imported, Report, load
from symvi.mechanism.rotation import multiply, rotation_matrix
from symvi.simulate.simulator import Simulator
from tests.importers import four_bars, mjcf_texts
from tests.importers.trep_texts import FOUR_BAR

STEP, SECONDS, BARS = 0.01, 10.0, ("crank", "coupler", "rocker")
SAME = 1e-9  # m, and entries of unit quaternions
URDF = {f"URDF, {form}": ("bars.urdf", four_bars.four_bar(form)) for form in four_bars.FORMS}
MJCF = {f"MJCF, {form}": ("bars.xml", mjcf_texts.four_bar(form)) for form in mjcf_texts.LOOPS}
FILES = {
    "TOML": ("bars.toml", four_bars.by_hand().to_toml()),
    "JSON": ("bars.json", four_bars.by_hand().to_json()),
    "trep": ("bars.trep", FOUR_BAR),
    **URDF,
    **(MJCF if find_spec("mujoco") else {}),
}


def written(form: str, folder: Path) -> Imported:
    name, text = FILES[form]
    path = folder / name
    path.write_text(text)
    return load(path)


def motion(found: Imported) -> np.ndarray:
    """(knots, 3 bars, 7): positions and orientations of the frames that the bars have in their file."""
    run = Simulator(found.mechanism).simulate(SECONDS, STEP)
    assert run.closure.max() < 1e-12 and run.time[-1] == pytest.approx(SECONDS)
    bars = []
    for bar in BARS:
        at = found.links.get(bar)
        row = run.mechanism.body_names.index(at.body if at else bar)
        position, orientation = run.position[:, row], run.orientation[:, row]
        if at:
            matrices = [rotation_matrix(tuple(q)) for q in orientation]
            position = position + np.array([np.array(matrix) @ at.pose.position for matrix in matrices])
            orientation = np.array([multiply(tuple(q), at.pose.orientation) for q in orientation])
        orientation = orientation * np.where(orientation[:, :1] < 0, -1.0, 1.0)
        bars.append(np.hstack([position, orientation]))
    return np.stack(bars, axis=1)


@pytest.mark.thorough
@pytest.mark.slow
def test_every_form_of_the_loop_has_the_same_motion(tmp_path: Path) -> None:
    """What differs is the order of the rows, and with it round-off, which this motion does not let grow."""
    motions = {"Python": motion(Imported(four_bars.by_hand(), Report("", ())))}
    motions |= {form: motion(written(form, tmp_path)) for form in FILES}
    reference = motions["Python"]
    assert reference.shape == (1001, 3, 7) and np.ptp(reference[:, 0, 3]) > 0.1
    apart = {form: float(np.abs(found - reference).max()) for form, found in motions.items()}
    print("\n".join(f"{value:.1e}  {form}" for form, value in apart.items()))
    everything = np.array(list(motions.values()))
    assert np.ptp(everything, axis=0).max() < SAME, apart


@pytest.mark.parametrize("form", ["TOML", "JSON", "trep"])
def test_the_report_of_an_exact_form_has_no_losses(form: str, tmp_path: Path) -> None:
    written(form, tmp_path).report.strict()
