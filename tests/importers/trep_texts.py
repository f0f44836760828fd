"""S-expressions of trep for tests: those of the examples, random ones, and the four-bar of four_bars.py."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from tests.importers.four_bars import MOMENTS, A, B, C, D

__all__ = ["FOUR_BAR", "LISTING_1", "NEAR_START", "mended", "random_system", "scissor_lift"]

_spec = importlib.util.spec_from_file_location("_trep", Path(__file__).parents[2] / "examples" / "_trep.py")
_examples = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_examples)
LISTING_1, NEAR_START, scissor_lift = _examples.LISTING_1, _examples.NEAR_START, _examples.scissor_lift


def mended() -> str:
    """Listing 1 with the bracket that is missing at the end of its second arm."""
    return LISTING_1.replace('(tz -1.0 (Name "O")))))', '(tz -1.0 (Name "O"))))))')


def _bar(name: str, at: np.ndarray, start: np.ndarray, end: np.ndarray, inner: str = "") -> str:
    """A bar that a hinge about x carries at a point of the bar before, with its mass in the middle."""
    (_, y, z), (_, my, mz) = at, (end - start) / 2
    moments = " ".join(map(str, MOMENTS))
    return f'''(ty {y} tz {z} rx "{name}" (name "{name}")
      (ty {my} tz {mz} (mass 1 {moments}))
      {inner})'''


def _point(name: str, at: np.ndarray) -> str:
    return f'(ty {at[1]} tz {at[2]} (name "{name}"))'


FOUR_BAR = f"""(system (gravity 0 0 -9.81)
    {_bar("crank", A, A, B, _bar("coupler", B - A, B, C, _point("C", C - B)))}
    {_bar("rocker", D, D, C, _point("C2", C - D))}
    (point-constraint "C" "C2" (0 1 0) (name "c"))
    (point-constraint "C" "C2" (0 0 1)))
"""


def random_system(seed: int, count: int = 8) -> str:
    """A tree of frames: constants and variables along and about all axes, masses with and without inertia, names."""
    random = np.random.default_rng(seed)
    inner: dict[int, list[str]] = {k: [] for k in range(-1, count)}
    for k in reversed(range(count)):
        parent = int(random.integers(-1, k)) if k else -1
        words = []
        for _ in range(int(random.integers(0, 4))):
            words.append(f"{random.choice(['tx', 'ty', 'tz', 'rx', 'ry', 'rz'])} {random.normal():.3f}")
        kind = random.choice(["TX", "ty", "Tz", "rX", "ry", "rz"])
        words.append(f'{kind} (D "q{k}")' if k % 2 else f'{kind} "q{k}"')
        moments = " ".join(f"{x:.3f}" for x in random.uniform(0.1, 0.15, 3))
        place = f"{random.choice(['tx', 'ty', 'tz'])} {random.normal():.3f} ry 0.3"
        name = f'(name "f{k}")' if k % 3 else ""
        masses = f'({place} (mass {random.uniform(0.5, 2):.3f} {moments}) (name "m{k}")) (rz 1 tx 0.2 (mass 0.3))'
        inner[parent].append(f"({' '.join(words)} {name}\n {masses}\n {' '.join(inner[k])})")
    return f"(mechanical-system (gravity 0.5 -1 -9.81)\n{' '.join(inner[-1])})"
