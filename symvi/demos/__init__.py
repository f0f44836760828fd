"""Mechanisms to look at and to copy from: one commented TOML file each, packaged with symvi."""

from __future__ import annotations

from pathlib import Path

from symvi.errors import MechanismError
from symvi.mechanism.names import did_you_mean, shown

__all__ = ["TOES", "WALKING_TOES", "demo_file", "demo_names"]

FOLDER = Path(__file__).parent

# The toes of the Strandbeest, as (body, point in its frame [m]): no joint holds them, and their paths are worth seeing.
# Where h 65.7 and i 49 meet, opposite g 36.7.
TOES = (
    ("left_foot", (-0.48383781180419666, 0.0, -0.07746594005449592)),
    ("right_foot", (0.48383781180419666, 0.0, -0.07746594005449592)),
)

# The same of the walker's three pairs.
WALKING_TOES = tuple((f"{body}{pair}", point) for body, point in TOES for pair in (1, 2, 3))


def demo_names() -> tuple[str, ...]:
    """The names of the demos, in alphabetical order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def demo_file(name: str) -> Path:
    """The mechanism file of a demo, such as "strandbeest". Raises MechanismError with the nearest name."""
    names = demo_names()
    if name not in names:
        raise MechanismError(f"no demo {shown(name)}; {did_you_mean(str(name), names)}")
    return FOLDER / f"{name}.toml"
