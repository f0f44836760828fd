"""The command `sweep`: one mechanism with many numbers, measured, into a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from symvi.cli.commands import Coordinates, Inputs, Loops, Profile, Real, Settings, print_table, told_inputs
from symvi.cli.console import command
from symvi.cli.importing import set_starts, takes_mechanism
from symvi.cli.setting import given_numbers, simulator_with
from symvi.errors import SymviError, missing_extra

if TYPE_CHECKING:
    from symvi.importers import Imported
    from symvi.simulate import Simulator
    from symvi.sweeps import Design

Over = Annotated[
    list[str],
    typer.Option(
        "--over",
        help="NAME=VALUE,VALUE,... or NAME=FROM:TO:COUNT, as in pole.mass=0.1,0.2 or rod.length='50 cm:1 m:6'; all"
        " combinations are taken. With --random or --latin-hypercube NAME=FROM:TO.",
        metavar="NAME=VALUES",
    ),
]
Measures = Annotated[
    list[str],
    typer.Option(
        "--measure",
        help="NAME=WHAT: a column, as in swing='max(abs(hinge))', end='last(energy)' or low='min(pole.position[2])'.",
        metavar="NAME=WHAT",
    ),
]


@command
@takes_mechanism
def sweep(
    console: Console,
    imported: Imported,
    over: Over,
    measure: Measures,
    time: Annotated[float, typer.Option(help="Seconds to simulate.")],
    step: Annotated[float, typer.Option(help="Time step in seconds.")],
    out: Annotated[Path, typer.Option(help="The table to write, .csv or .parquet; what was begun goes on from it.")],
    set_: Settings = None,
    input_: Inputs = None,
    random: Annotated[int | None, typer.Option(min=1, help="So many variants, drawn independently.")] = None,
    latin_hypercube: Annotated[int | None, typer.Option(min=1, help="So many variants, drawn evenly (SciPy).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Look at every n-th knot.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; left out, threads of this one on all processors.")
    ] = None,
    dask: Annotated[str | None, typer.Option(help="The address of a Dask cluster's scheduler.")] = None,
    ray: Annotated[str | None, typer.Option(help="The address of a Ray cluster, or auto.")] = None,
    project: Annotated[bool, typer.Option(help="Move an approximate start onto the constraints.")] = False,
    real: Real = "double",
    profile: Profile = "reproducible",
    loops: Loops = "drop-redundant",
    coordinates: Coordinates = "maximal",
) -> Mapping[str, Any]:
    """Simulate and measure many variants of a mechanism, and write a table with a row for each.

    A variant that fails is a row with its error. Rows are kept as they come: the same command goes on where it was
    interrupted.
    """
    from symvi.sweeps import sweep as swept

    if sum(each is not None for each in (workers, dask, ray)) > 1:
        raise SymviError("--workers, --dask, --ray: give one of them")
    if random is not None and latin_hypercube is not None:
        raise SymviError("--random, --latin-hypercube: give one of them")
    imported, settings = set_starts(imported, set_ or [])
    build = {"real": real, "profile": profile, "loops": loops, "coordinates": coordinates, "backend": "c"}
    simulator = simulator_with(imported.mechanism, build, given_numbers(settings))
    design = _design(simulator, over, random, latin_hypercube, seed)
    inputs, begin = told_inputs(input_ or [], imported), perf_counter()
    with _executor(workers, dask, ray) as executor, _progress(console) as progress:
        table = swept(
            simulator, design, measure=_pairs("--measure", measure), time=time, step=step, inputs=inputs, every=every,
            project=project, executor=executor, out=out, progress=progress,
        )  # fmt: skip
    failed = [str(error) for error in table["error"] if error]
    rows = {
        "mechanism": simulator.mechanism.name,
        "variants": len(table),
        "failed": len(failed),
        "builds of their own": int(sum(table["own_build"])),
        "seconds": round(perf_counter() - begin, 3),
    }
    print_table(console, "sweep", rows)
    for error in dict.fromkeys(failed[:1000]):
        line = f"{sum(error == other for other in failed)} of the variants: {error}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(f"out: {out.resolve()}", highlight=False, soft_wrap=True)
    return {**{key.replace(" ", "_"): value for key, value in rows.items()}, "out": out.resolve()}


def _pairs(option: str, texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.strip() and value.strip()):
            raise SymviError(f"{option} {text!r}: write NAME={'WHAT' if option == '--measure' else 'VALUES'}")
        if name.strip() in found:
            raise SymviError(f"{option} {text!r}: it has a value already; give it one only")
        found[name.strip()] = value.strip()
    return found


def _design(simulator: Simulator, texts: list[str], random: int | None, even: int | None, seed: int) -> Design:
    from symvi.sweeps import grid, latin_hypercube
    from symvi.sweeps import random as drawn
    from symvi.sweeps.names import names_of, numbers_of

    given = _pairs("--over", texts)
    names, over = names_of(simulator, given), dict[str, Any]()
    for title, text in given.items():

        def number(part: str, title: str = title) -> float:
            return numbers_of(simulator, names[title], _plain(part))[0]

        if names[title].size > 1:
            raise SymviError(f"--over {title}: it has {names[title].size} numbers; name one of them, as {title}[0]")
        parts = text.split(":")
        if random is not None or even is not None:
            if len(parts) != 2:
                raise SymviError(f"--over {title}={text}: write {title}=FROM:TO")
            over[title] = (number(parts[0]), number(parts[1]))
        elif len(parts) == 1:
            over[title] = [number(part) for part in text.split(",")]
        elif len(parts) == 3 and parts[2].strip().isdecimal() and int(parts[2]) >= 1:
            over[title] = _between(number(parts[0]), number(parts[1]), int(parts[2]))
        else:
            raise SymviError(f"--over {title}={text}: write {title}=VALUE,VALUE,... or {title}=FROM:TO:COUNT")
    if random is not None:
        return drawn(random, over, seed=seed)
    return grid(over) if even is None else latin_hypercube(even, over, seed=seed)


def _between(first: float, last: float, count: int) -> list[float]:
    import numpy as np

    return np.linspace(first, last, count).tolist()


def _plain(text: str) -> float | str:
    """A number, or the text of one with its unit."""
    from symvi.mechanism.units import decimal

    try:
        return decimal(text)
    except ValueError:
        return text.strip()


@contextmanager
def _executor(workers: int | None, dask: str | None, ray: str | None) -> Iterator[Any]:
    if dask is not None:
        try:
            from distributed import Client
        except ImportError as error:
            raise missing_extra("dask", "Dask's distributed") from error
        with Client(dask) as client:
            yield client
    elif ray is not None:
        from symvi.sweeps import RayExecutor

        try:
            import ray as own
        except ImportError as error:
            raise missing_extra("ray", "Ray") from error
        own.init(address=ray, log_to_driver=False)
        yield RayExecutor()
    else:
        yield workers


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import Progress

    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("variants", total=1.0)
        yield lambda done, total: bar.update(task, completed=done / total)
