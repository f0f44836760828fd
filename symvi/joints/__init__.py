"""symvi's own types of joints, one file for each; importing this room registers them (symvi/registry.py)."""

from __future__ import annotations

from symvi.joints import table, universal, screw, distance, custom  # isort: skip # in the order of messages

__all__ = ["custom", "distance", "screw", "table", "universal"]
