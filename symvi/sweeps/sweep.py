"""`sweep`: every variant of a design is simulated and measured, on as many workers as an executor has."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism import Mechanism
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import shown
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.simulate import Simulator
from symvi.simulate.arguments import Rates, check_modes, check_switches, checked_step, checked_steps, checked_table
from symvi.simulate.batch_columns import checked_quantities
from symvi.simulate.batch_names import entries_of, quantities_of
from symvi.simulate.progress import Progress, told_progress
from symvi.sweeps.design import Design, Rows, design_of
from symvi.sweeps.executors import check_executor, is_own, results, threads_for
from symvi.sweeps.job import Job, Row, Run, done
from symvi.sweeps.journal import Journal, checked_out
from symvi.sweeps.measures import Given, measures_of, recorded_for
from symvi.sweeps.names import Name, columns_of, names_of, numbers_of
from symvi.sweeps.tables import OWN, table_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

PACK = 256  # variants of a job, whose records are to fit in ROOM bytes
ROOM = 64 * 2**20


def sweep(
    mechanism: Mechanism | HasMechanism | Simulator,
    over: Mapping[str, Any] | Design,
    *,
    measure: Mapping[str, Given],
    time: float,
    step: float = 0.01,
    inputs: Mapping[str, object] | None = None,
    record: str | Sequence[str] = ("coordinates", "rates"),
    every: int = 1,
    options: SolverOptions = DEFAULTS,
    project: bool = False,
    rates: Rates = "momentum",
    executor: Executor | int | str | Any | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    progress: Progress = None,
) -> Any:
    """Simulate and measure every variant of a mechanism; a table with a row for each.

    mechanism: or a simulator, whose precision, coordinates and parameters all variants have. over: name -> values,
    of which all combinations are taken, or a design of `symvi.sweeps`. A name is that of a parameter or any other
    number of the description ("pole.mass", "rod.shape.length", which "rod.length" stands for, "gravity[2]"), of a
    start ("hinge.coordinate", "hinge.velocity") or of an input, held for the whole motion ("motor.force"). A variant
    moves as a simulator of the mechanism with these numbers does, to the last bit.
    measure: name -> a text such as "max(abs(hinge))" (first, last, min, max, mean, rms, range of a joint, joint.rate,
    body.position[k], .velocity, .angular_velocity, .orientation, or energy), or a function of named arrays (`Motion`)
    that gives a number, or (function, unit). record: what functions find, as in `Batch.rollout`. every: recorded knots.
    time, step: of the motion [s]. inputs, options, project, rates: as in `Simulator.reset`.
    executor: None for this process; a number of processes, or "processes"; any Executor of concurrent.futures; a
    Client of Dask; `symvi.sweeps.RayExecutor()`. threads: of each worker; left out, one, and all without an executor.
    out: a .csv or .parquet file. Rows are kept in a journal beside it as they come: an interrupted sweep goes on from
    there when it is called again. progress: called with (variants done, in all), or True for a bar.

    Returns a DataFrame of pandas, its units in `attrs["units"]`; without pandas, NumPy's records. Columns: what was
    changed, what was measured, `steps` that were taken, `own_build`: whether a variant's pattern is not the
    description's (a zero that came or went), so that it needed a build of its own; `error`: why a variant has no
    measures, else "". Raises MechanismError and ArgumentError for what is wrong with all variants, FileError for a file
    that another sweep has, CompilerError.
    """
    simulator = mechanism if isinstance(mechanism, Simulator) else Simulator(mechanism)
    if simulator.backend != "c":
        raise ArgumentError("a sweep runs in C: make the simulator with backend='c'; this one runs in Python")
    check_modes(rates=rates)
    check_switches(project=project)
    if not isinstance(options, SolverOptions):
        raise ArgumentError(f"options {shown(options)}: must be SolverOptions(...)")
    step = checked_step(step, "double" if simulator.text is None else simulator.text.real)
    steps = checked_steps(time, step)
    if isinstance(every, bool) or not isinstance(every, Integral) or every < 1 or steps % every:
        raise ArgumentError(f"every={shown(every)}: must divide the {steps} steps")
    path, design = checked_out(out), design_of(over)
    names = names_of(simulator, design.over)
    sizes = {title: name.size for title, name in names.items()}
    rows = design.rows(lambda title, value: numbers_of(simulator, names[title], value), sizes)
    held = _inputs(simulator, inputs, names)
    known = quantities_of(simulator.mechanism, entries_of(simulator))
    measures = measures_of(measure, known)
    _check_titles([*(column for name in names.values() for column in name.columns), *(each.title for each in measures)])
    recorded = recorded_for(measures, known, checked_quantities(record))
    check_executor(executor)
    run = Run(
        step, steps, int(every), recorded, measures, held, options, project, rates, threads_for(executor, threads)
    )
    _check_sent(run, executor)
    told = _told(simulator, rows, run)
    tell = told_progress(progress)
    with Journal(path, told) as journal:
        missing = np.array([k for k in range(len(design)) if k not in journal.rows], np.int64)
        if tell is not None and len(missing) < len(design):
            tell(len(journal.rows), len(design))
        jobs = _jobs(simulator, names, rows, missing, run)
        for found in results(executor, done, jobs):
            journal.keep(found)
            if tell is not None:
                tell(len(journal.rows), len(design))
        table = _table(names, rows, run, [journal.rows[k] for k in range(len(design))])
        journal.finish(table)
    return table


def _check_sent(run: Run, executor: object) -> None:
    """Raises ArgumentError for measures that cannot be sent to processes. Dask and Ray send functions of every kind."""
    if not isinstance(executor, ProcessPoolExecutor) and not is_own(executor):
        return
    for measure in run.measures:
        try:
            pickle.dumps(measure)
        except Exception as error:
            raise ArgumentError(
                f"measure '{measure.title}': this function cannot be sent to another process ({error}); define it with "
                "def at the top of a module, or write a text"
            ) from None


def _inputs(simulator: Simulator, inputs: object, names: Mapping[str, Name]) -> dict[str, Any]:
    """Inputs of all variants. Raises MechanismError, ArgumentError."""
    table = dict(checked_table("inputs", inputs, "names of inputs to numbers"))
    given, _ = simulator.gains.split(table)
    simulator.inputs.overlay(np.zeros((1, len(simulator.plan.inputs))), given)
    swept = {column: title for title in names for column in columns_of(simulator, title)}
    for name in given:
        other = next((swept[column] for column in columns_of(simulator, name) if column in swept), None)
        if other is not None:
            what = "what the sweep changes" if other == name else f"in part what the sweep changes as {other}"
            raise ArgumentError(f"inputs: {name} is {what}; leave it out here or there")
    return table


def _check_titles(titles: Iterable[str]) -> None:
    seen: set[str] = {"variant", *OWN}
    for title in titles:
        if title in seen:
            raise ArgumentError(f"two columns would be called {shown(title)}; give the measure another name")
        seen.add(title)


def _jobs(
    simulator: Simulator, names: Mapping[str, Name], rows: Rows, missing: NDArray[np.int64], run: Run
) -> Iterator[Job]:
    description = pickle.dumps(simulator)
    knots = 1 + run.steps // run.every
    each = 8 * knots * sum(3 * len(simulator.plan.bodies) if name != "energy" else 1 for name in run.record) + 1
    pack = max(1, min(PACK, ROOM // each))
    for first in range(0, len(missing), pack):
        here = missing[first : first + pack]
        yield Job(description, names, {title: values[here] for title, values in rows.items()}, here, run)


def _told(simulator: Simulator, rows: Rows, run: Run) -> dict[str, str]:
    """What makes a sweep the same as another: what differs is named where a file is of another one."""
    values = hashlib.sha256()
    for title, numbers in rows.items():
        values.update(f"{title} {numbers.shape}".encode() + numbers.tobytes())
    return {
        "mechanism": simulator.mechanism.digest,
        "parameters": repr(sorted(simulator.settings.items())),
        "solver": repr(sorted(simulator._how.items())),
        "over": values.hexdigest(),
        "measure": repr([(each.title, each.unit, each.told()) for each in run.measures]),
        "time and step": repr((run.step, run.steps, run.every, run.record)),
        "inputs": repr(sorted(run.inputs.items())),
        "options": repr((run.options, run.project, run.rates)),
    }


def _table(names: Mapping[str, Name], rows: Rows, run: Run, found: Sequence[Row]) -> Any:
    columns, units = {}, {each.title: each.unit for each in run.measures}
    for title, name in names.items():
        for k, column in enumerate(name.columns):
            columns[column], units[column] = rows[title][:, k], name.units[k]
    return table_of(columns, [each.title for each in run.measures], found, units)


def errors_of(table: Any) -> dict[str, int]:
    """Each error of a table -> how many variants have it."""
    found: dict[str, int] = {}
    for error in table["error"]:
        if error:
            found[str(error)] = found.get(str(error), 0) + 1
    return found
