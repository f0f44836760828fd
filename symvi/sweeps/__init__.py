"""Sweeps: one mechanism with many numbers, measured, on as many processors or machines as an executor has."""

from symvi.sweeps.design import Design, grid, latin_hypercube, listed, random
from symvi.sweeps.executors import RayExecutor
from symvi.sweeps.measures import Motion
from symvi.sweeps.sweep import sweep

__all__ = ["Design", "Motion", "RayExecutor", "grid", "latin_hypercube", "listed", "random", "sweep"]
