"""A job: some variants of a sweep, as a description and numbers; what a worker makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, MechanismError
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.arguments import Rates
from symvi.simulate.batch import batch_of_worlds
from symvi.simulate.batch_names import quantities_of
from symvi.simulate.world import World, world_at
from symvi.sweeps.measures import Measure, measured, only_ends
from symvi.sweeps.names import Name
from symvi.sweeps.patterns import variants_of

if TYPE_CHECKING:
    from symvi.simulate import Simulator


@dataclass(frozen=True)
class Run:
    """How every variant moves and is measured.

    steps: of `step` seconds, of which each `every`-th knot is recorded. inputs: name -> number(s), for all variants.
    threads: of each worker.
    """

    step: float
    steps: int
    every: int
    record: tuple[str, ...]
    measures: tuple[Measure, ...]
    inputs: Mapping[str, Any]
    options: SolverOptions
    project: bool
    rates: Rates
    threads: int


@dataclass(frozen=True)
class Job:
    """Variants of a sweep. description: a pickled simulator. names, rows: title -> what it means, (n, k) numbers.

    variants: (n,) their numbers in the sweep.
    """

    description: bytes
    names: Mapping[str, Name]
    rows: Mapping[str, NDArray[np.float64]]
    variants: NDArray[np.int64]
    run: Run


@dataclass(frozen=True)
class Row:
    """What became of a variant. steps: taken. own: whether its pattern needed a build of its own. error: or ""."""

    variant: int
    values: tuple[float, ...]
    steps: int
    own: bool
    error: str


def done(job: Job) -> list[Row]:
    """The rows of a job, in the order of its variants."""
    variants, run = variants_of(job.description), job.run
    rows: dict[int, Row] = {}
    groups: dict[int, tuple[Simulator, list[tuple[int, World, bool]]]] = {}
    nothing = (np.nan,) * len(run.measures)
    for n, variant in enumerate(job.variants.tolist()):
        values = {title: name.value(job.rows[title][n]) for title, name in job.names.items()}
        given = {**run.inputs, **{title: value for title, value in values.items() if job.names[title].kind == "input"}}
        own = False
        try:
            found = variants.of(values, job.names)
            own = found.base is not variants.origin
            world = world_at(found.simulator, found.start, given, run.step, run.options, run.project, run.rates)
        except (AssemblyError, MechanismError) as error:
            rows[variant] = Row(variant, nothing, 0, own, str(error))
            continue
        groups.setdefault(id(found.base), (found.base, []))[1].append((variant, world, own))
    for base, group in groups.values():
        rows.update((row.variant, row) for row in _moved(base, group, run))
    return [rows[variant] for variant in job.variants.tolist()]


def _moved(base: Simulator, group: list[tuple[int, World, bool]], run: Run) -> list[Row]:
    """The rows of variants that run on the text of `base`."""
    worlds = [world for _, world, _ in group]
    every = run.steps if only_ends(run.measures) else run.every
    with batch_of_worlds(base._twin(), worlds, run.options, run.threads) as batch:
        record = batch.rollout(steps=run.steps, record=run.record, every=every, progress=False)
        known = quantities_of(base.mechanism, batch.entries)
    whole = (record.status >= 0) & (record.done == run.steps)
    numbers, errors = measured(run.measures, known, record, whole)
    rows = []
    for n, (variant, _, own) in enumerate(group):
        steps, error = int(record.done[n]), errors[n]
        if not whole[n]:
            status = SolverStatus(int(record.status[n]))
            error = f"after {steps} steps, t = {run.step * steps:g} s: {status.sentence}"
        values = tuple(numbers[n].tolist()) if not error else (np.nan,) * len(run.measures)
        rows.append(Row(variant, values, steps, own, error))
    return rows
