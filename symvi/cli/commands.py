"""The commands: demo, info, generate, simulate, bench. Each prints on a console and returns its last result."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from symvi.cli.console import building, command
from symvi.cli.importing import imported_looks, set_starts, takes_mechanism
from symvi.cli.setting import given_numbers, set_numbers, simulator_with
from symvi.errors import EnergyWarning, RateWarning, SpinWarning, StiffnessWarning, SymviError, missing_extra
from symvi.numbers.control import DEFAULTS, MOST_ITERATIONS, MOST_PARTS, PARTS

if TYPE_CHECKING:
    from symvi.analysis.choices import Choices
    from symvi.importers import Imported
    from symvi.mechanism import Mechanism
    from symvi.physics.multibody import MultibodySystem
    from symvi.simulate import Simulator, Trajectory

Layout = Annotated[
    Literal["auto", "inline", "unrolled", "looped"], typer.Option(help="How the schedule is written out.")
]
Real = Annotated[Literal["double", "float"], typer.Option(help="The type of real numbers.")]
Profile = Annotated[
    Literal["reproducible", "fast"], typer.Option(help="Same bits everywhere, or all that this processor has.")
]
Loops = Annotated[
    Literal["drop-redundant", "rigid", "drop"], typer.Option(help="What is done with nearly redundant loops.")
]
Coordinates = Annotated[
    Literal["auto", "maximal", "tree"],
    typer.Option(
        help="What is solved for: velocities of bodies, rates of joints, or (auto) what takes fewer operations."
        " With auto a motion that goes on keeps its own."
    ),
]
Order = Annotated[
    str, typer.Option(help="Of the steps: 2, 4, 6, 8, or a composition by name, such as triple-jump; see the manual.")
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="Quadrature of the steps of a tree: midpoint, trapezoid, simpson, lobatto-6, ...; see the manual."
    ),
]
Solver = Annotated[
    str,
    typer.Option(
        help="Of the steps of a rule: newton, or with impulses at the first knot: riqn, broyden; see the manual."
    ),
]
Substeps = Annotated[
    int, typer.Option(help="Equal parts, a power of two, that a step which fails may be split into; 1: none.")
]
FixedIterations = Annotated[
    int,
    typer.Option(
        min=0, max=MOST_ITERATIONS, help="Newton iterations in every step, exactly so many; 0: until it converges."
    ),
]
Backend = Annotated[Literal["auto", "c", "python"], typer.Option(help="Compiled C, or the Python reference.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="NAME=VALUE: a parameter, as arm.mass=2; a length or an anchor, as pin.parent_anchor='0,0,25 cm'; or a"
        " start, as pin.coordinate='60 deg'.",
        metavar="NAME=VALUE",
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="A force, torque or target held for the whole run, as in motor.force=2; or a keyframe's controls.",
        metavar="NAME=VALUE|KEY",
    ),
]
Curves = Annotated[
    list[str] | None,
    typer.Option(
        "--curves",
        help="What --plot, --csv and the page's curves show: pin, pin.rate, pin.reaction, motor.power, foot.force.",
        metavar="NAME[,NAME...]",
    ),
]
Record = Annotated[
    list[str] | None,
    typer.Option(
        "--record",
        help="Of these knots: coordinates, rates, energy, closure, contacts, reactions, inputs; all if left out.",
        metavar="NAME[,NAME...]",
    ),
]
DEMO_TIME, DEMO_STEP = 10.0, 0.01
CANNOT_RUN = 3  # the exit code of a benchmark that lacks a package or a program


@command
def demo(
    console: Console,
    page: Annotated[Path, typer.Option(help="The page to write.")] = Path("strandbeest.html"),
    time: Annotated[float, typer.Option(help="Seconds to simulate.")] = DEMO_TIME,
    step: Annotated[float, typer.Option(help="Time step in seconds.")] = DEMO_STEP,
) -> Mapping[str, Any]:
    """Let the Strandbeest walk: three pairs of Jansen's legs on the ground, from their description to a page."""
    from symvi.demos import WALKING_TOES, demo_file
    from symvi.mechanism import Mechanism
    from symvi.page import write_page

    _check_steps(time, step, 1)
    _check_outputs(page=page)
    mechanism = Mechanism.from_file(demo_file("walker"))
    simulator, trajectory, seconds = _run(console, mechanism, time, step, {})
    result = _summary(console, simulator, trajectory, seconds)
    write_page(trajectory, page, traces=WALKING_TOES)
    console.print(f"page: {page.resolve()}", highlight=False, soft_wrap=True)
    return {**result, "page": page.resolve()}


@command
@takes_mechanism
def info(
    console: Console,
    imported: Imported,
    loops: Loops = "drop-redundant",
    coordinates: Coordinates = "auto",
    set_: Settings = None,
    order: Order = "2",
    rule: Rule = None,
    solver: Solver = "newton",
    kernels: Annotated[bool, typer.Option("--kernels", help="Show the operations of every kernel too.")] = False,
) -> Mapping[str, Any]:
    """Show what a mechanism is: nodes, freedoms, rank, redundant rows, elimination order, fill-in, operation counts."""
    from symvi.program.info import describe
    from symvi.simulate.described import settable_values
    from symvi.simulate.orders import name_of
    from symvi.simulate.solver_build import composed, decided

    mechanism = set_numbers(imported, set_, loops).mechanism
    steps = name_of(order, rule, solver) or 2
    with building(console, f"analysing {mechanism.name}"):
        known = decided(mechanism, loops)
        program = composed(mechanism, loops, coordinates, steps, known if steps == 2 else None)
        facts: dict[str, Any] = describe(mechanism, program) | settable_values(mechanism, program)
        facts |= _other_coordinates(mechanism, loops, facts["coordinates"], known)
    plain = {key: value for key, value in facts.items() if not isinstance(value, Mapping)}
    print_table(console, facts["name"], plain)
    for title in ["parameters", "redundant rows", "operations per phase", *["operations per kernel"] * kernels]:
        if facts.get(title):
            print_table(console, title, facts[title])
    return facts


def _other_coordinates(
    mechanism: Mechanism, loops: str, coordinates: str, known: tuple[MultibodySystem, Choices]
) -> dict[str, Any]:
    """Operations of an iteration in the coordinates that were not asked for, or why it cannot be solved in them."""
    from symvi.program.info import ITERATION
    from symvi.program.tree_refusals import refusal
    from symvi.simulate.solver_build import composed

    other = "tree" if coordinates == "maximal" else "maximal"
    title, why = f"operations per iteration, {other}", refusal(mechanism, known[1])
    if why:
        return {title: f"none: {why}"}
    program = composed(mechanism, loops, other, known=known)
    return {title: sum(program.flops(phase) for phase in ITERATION)}


@command
@takes_mechanism
def generate(
    console: Console,
    imported: Imported,
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write to; it is made.")],
    layout: Layout = "auto",
    real: Real = "double",
    prefix: Annotated[str | None, typer.Option(help="Of every symbol; the mechanism's name if left out.")] = None,
    loops: Loops = "drop-redundant",
    coordinates: Coordinates = "auto",
    order: Order = "2",
    rule: Rule = None,
    solver: Solver = "newton",
    fixed_iterations: FixedIterations = 0,
    substeps: Substeps = DEFAULTS.substeps,
    set_: Settings = None,
) -> Mapping[str, Any]:
    """Write a mechanism's solver as C: one header and one source."""
    from symvi.simulate.simulator import generate_text

    _check_prefix(prefix)
    if substeps not in PARTS:
        raise SymviError(f"--substeps {substeps}: must be a power of two, from 1 to {MOST_PARTS}")
    imported = set_numbers(imported, set_, loops)
    how = layout, real, loops, prefix, fixed_iterations, substeps, coordinates
    with building(console, f"generating {imported.mechanism.name}"):
        text = generate_text(imported.mechanism, *how, order=order, rule=rule, solver=solver)
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in text.files.items():
        _write_whole(output / name, contents)
        console.print(f"{output / name}: {len(contents.splitlines())} lines", highlight=False, soft_wrap=True)
    return {"files": [output / name for name in text.files], "layout": text.layout, "real": text.real}


@command
@takes_mechanism
def simulate(
    console: Console,
    imported: Imported,
    time: Annotated[float, typer.Option(help="Seconds to simulate.")],
    step: Annotated[float, typer.Option(help="Time step in seconds.")],
    out: Annotated[Path | None, typer.Option(help="Save the trajectory (npz).")] = None,
    csv: Annotated[Path | None, typer.Option(help="Save the trajectory as a table.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write a page that replays the motion.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot, a .png file (extra 'plot').")] = None,
    curves: Curves = None,
    set_: Settings = None,
    input_: Inputs = None,
    every: Annotated[int, typer.Option(min=1, help="Record every n-th step.")] = 1,
    record: Record = None,
    project: Annotated[bool, typer.Option(help="Move an approximate start onto the constraints.")] = False,
    rates: Annotated[
        Literal["momentum", "turn"],
        typer.Option(help="Whether angular velocities of a start give momenta, or the rates at which bodies turn."),
    ] = "momentum",
    resume: Annotated[Path | None, typer.Option("--continue", help="Go on from a saved trajectory.")] = None,
    layout: Layout = "auto",
    real: Real = "double",
    profile: Profile = "reproducible",
    backend: Backend = "auto",
    loops: Loops = "drop-redundant",
    coordinates: Coordinates = "auto",
    order: Order = "2",
    rule: Rule = None,
    solver: Solver = "newton",
    accuracy: Annotated[
        float | None,
        typer.Option(help="Largest error in m and rad: chooses steps and order; --step lies between knots."),
    ] = None,
    tolerance: Annotated[float | None, typer.Option(help="Change of a velocity that may be left, in m/s.")] = None,
    complementarity: Annotated[
        float | None, typer.Option(help="Product that contacts may leave, of weight times fall in a step.")
    ] = None,
    papers_method: Annotated[bool, typer.Option(help="Contacts by the papers' basic interior point.")] = False,
    fixed_iterations: FixedIterations = 0,
    substeps: Substeps = DEFAULTS.substeps,
) -> Mapping[str, Any]:
    """Simulate a mechanism, and save, plot or show its motion.

    Springs, dampers and servos are implicit and of second order, as all else is: no stiffness or damping is too large
    for the step, but along three free rotations swings beyond 0.2 rad want h² k below 2 J. Tension across a point
    spring, sinusoidal springs that swing far and potentials of your own act at the knots: for them h² K must stay
    below 4 m, and those that do not are told with the step that would do. Where energy, or energy and what dampers
    and stops took of it, rises by what nothing has paid for, a WARNING says so. A step that cannot be solved is taken
    in parts; one in which a body turns by a right angle or more is refused.
    """
    from symvi.simulate import SolverOptions, Trajectory
    from symvi.simulate.recording import checked_record

    _check_steps(time, step, every)
    try:
        options = SolverOptions(
            tolerance=tolerance,
            complementarity=complementarity,
            papers_method=papers_method,
            fixed_iterations=fixed_iterations,
            substeps=substeps,
        )
    except ValueError as error:
        raise SymviError(f"--{error}") from None
    _check_outputs(out=out, csv=csv, page=page, plot=plot)
    chosen, recorded = _names(curves), checked_record(None if record is None else _names(record))
    if chosen and not (csv or page or plot):
        raise SymviError("--curves: says what --plot, --csv or --page show; give one of them")
    if backend == "python" and real == "float":
        raise SymviError("--backend python computes in double; --real float needs --backend c")
    imported, settings = set_starts(imported, set_ or [])
    mechanism = imported.mechanism
    start = None if resume is None else Trajectory.load(resume)
    build: dict[str, Any] = {"layout": layout, "real": real, "profile": profile, "backend": backend, "loops": loops}
    build |= {"coordinates": coordinates, "order": order, "rule": rule, "solver": solver}
    given = given_numbers(settings)
    how: dict[str, Any] = {
        "every": every,
        "record": recorded,
        "project": project,
        "start": start,
        "options": options,
        "rates": rates,
        "accuracy": accuracy,
    }
    how["inputs"] = told_inputs(input_ or [], imported)
    simulator, trajectory, seconds = _run(console, mechanism, time, step, build, chosen, given, **how)
    imported = replace(imported, mechanism=simulator.mechanism)
    result = dict(_summary(console, simulator, trajectory, seconds))
    looks = None if page is None else imported_looks(console, imported)
    if looks and looks.notices:
        result["not shown"] = looks.notices
    for what, path, write in _outputs(trajectory, out, csv, page, plot, looks, chosen):
        write(path)
        result[what] = path.resolve()
        console.print(f"{what}: {path.resolve()}", highlight=False, soft_wrap=True)
    return result


class MissedBound(SymviError):
    """A benchmark missed a bound. found: the figures of all that ran."""

    def __init__(self, message: str, found: Mapping[str, Any]):
        self.found = found
        super().__init__(message)


@command
def bench(
    console: Console,
    name: Annotated[str | None, typer.Argument(help="A benchmark; all of them if left out.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: shows that it runs, its times say little.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the figures of NAME, where it draws.", metavar="F.png")
    ] = None,
) -> Mapping[str, Any]:
    """Run the benchmarks of a checkout (tests/benchmarks), or one of them: tables, and bounds met or missed."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "benchmarks"
    known = sorted(path.stem for path in folder.glob("[!_]*.py") if not path.stem.startswith("test_"))
    if not known:
        raise SymviError("benchmarks live in a checkout of the repository, under tests/benchmarks; here are none")
    if name is not None and name not in known:
        raise SymviError(f"no benchmark '{name}'; there are {', '.join(known)}")
    if plot is not None and name is None:
        raise SymviError(f"--plot {plot}: a figure is of one benchmark; name it")
    _check_outputs(plot=plot)
    results, codes = {}, {}
    for each in [name] if name else known:
        console.rule(each)
        codes[each], results[each] = _run_benchmark(console, folder / f"{each}.py", quick, plot)
    # one that needs what is not installed stops nobody who asked for all of them
    missed = [each for each, code in codes.items() if code and (name or code != CANNOT_RUN)]
    found = {"benchmarks": results, "not run": [each for each, code in codes.items() if code == CANNOT_RUN]}
    if missed:
        raise MissedBound(f"benchmarks missed a bound or could not run: {', '.join(missed)}", found)
    return found


def _run_benchmark(console: Console, script: Path, quick: bool, plot: Path | None) -> tuple[int, Any]:
    """Run a benchmark in a process of its own, show its lines as they come; returns its exit code and its figures."""
    checkout = str(script.parents[2])
    paths = os.pathsep.join(filter(None, [checkout, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        job = [sys.executable, "-u", str(script), "--result", str(result), *(["--quick"] if quick else [])]
        job += ["--plot", str(plot.resolve())] if plot else []
        environment = {**os.environ, "PYTHONPATH": paths}
        with subprocess.Popen(
            job, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        ) as process:
            for line in process.stdout or ():
                console.print(line.rstrip("\n"), highlight=False, markup=False, soft_wrap=True)
        figures = json.loads(result.read_text(encoding="utf-8")) if result.is_file() else None
    return process.returncode, figures


# --- what the commands share ------------------------------------------------------------------------------------------
def _names(texts: Sequence[str] | None) -> list[str]:
    """Names that an option was given, one by one or with commas between them."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def _check_steps(time: float, step: float, every: int) -> None:
    """Before anything is built: the simulator says the same, but only after its solver is compiled."""
    for name, value in (("--time", time), ("--step", step)):
        if not (math.isfinite(value) and value > 0.0):
            raise SymviError(f"{name} {value:g}: must be a positive number of seconds")
    if not math.isfinite(time / step):
        raise SymviError(f"--time {time:g} --step {step:g}: more steps than a number can count")
    if round(time / step) % every:
        raise SymviError(f"--every {every}: the {round(time / step)} steps are no multiple of it")


def _check_prefix(prefix: str | None) -> None:
    """Before anything is derived: symbols and files begin with it."""
    from symvi.mechanism.names import checked_name, shown

    try:
        checked_name("name" if prefix is None else prefix)
    except ValueError as error:
        raise SymviError(f"--prefix {shown(prefix)} {error}") from None


def _check_outputs(**paths: Path | None) -> None:
    """Before anything is computed: an hour's work must not be lost for want of a folder or a package."""
    for option, path in paths.items():
        if path is not None and path.is_dir():
            raise SymviError(f"--{option} {path}: is a folder; give a file in it")
        if path is not None and not path.parent.is_dir():
            raise SymviError(f"--{option} {path}: there is no folder {path.parent}; make it first")
    plot = paths.get("plot")
    if plot is not None and plot.suffix.lower() != ".png":
        raise SymviError(f"--plot {plot}: a plot is a PNG file; let its name end in .png")
    if plot is not None and find_spec("matplotlib") is None:
        raise missing_extra("plot", "matplotlib")


def _run(
    console: Console,
    mechanism: Mechanism,
    time: float,
    step: float,
    build: Mapping[str, Any],
    chosen: Sequence[str] = (),
    given: Mapping[str, Any] = MappingProxyType({}),
    **how: Any,
) -> tuple[Simulator, Trajectory, tuple[float, float]]:
    begin = perf_counter()
    with building(console, f"building the solver of {mechanism.name}"):
        simulator = simulator_with(mechanism, build, given)
    if chosen:  # of one step, before an hour's work is lost for want of a name
        with _quiet():
            simulator.simulate(step, step, **{**how, "every": 1, "accuracy": None}).curves.check(chosen)
    built = perf_counter()
    with _progress(console) as progress:
        try:
            with _quiet():
                trajectory = simulator.simulate(time, step, progress=progress, **how)
        except MemoryError as error:
            remedy = "simulate in parts, with --out and --continue, or record less, with --record or --every"
            raise SymviError(f"{round(time / step)} steps do not fit in memory: {remedy}") from error
    return simulator, trajectory, (built - begin, perf_counter() - built)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings that the summary has."""
    with warnings.catch_warnings():
        for kind in (SpinWarning, EnergyWarning, StiffnessWarning, RateWarning):
            warnings.simplefilter("ignore", kind)
        yield


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import Progress

    # Into a file a bar would only write an empty line.
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("simulating", total=1.0)
        yield lambda done, total: bar.update(task, completed=done / total)


def _summary(
    console: Console, simulator: Simulator, trajectory: Trajectory, seconds: tuple[float, float]
) -> Mapping[str, Any]:
    from symvi.simulate.fast_spin import fastest
    from symvi.simulate.knot_rates import MisreadRate

    notes, whole = simulator.plan.notes, trajectory.whole
    steps = round((trajectory.time[-1] - trajectory.time[0]) / trajectory.step)
    rows = {
        "mechanism": simulator.mechanism.name,
        "bodies": len(simulator.plan.bodies),
        "freedoms": notes.get("mobility"),
        "rows kept": simulator.plan.rows,
        "rows dropped as redundant": notes.get("over_constraint", 0),
        "solver": f"{simulator.backend}, {simulator.layout}",
        "built in [s]": round(seconds[0], 3),
        "steps": steps,
        **({"recorded": ", ".join(trajectory.recorded)} if trajectory.watched else {}),
        "step [s]": trajectory.step,
        **({"composition": trajectory.composition} if trajectory.composition else {}),
        **({"accuracy": str(trajectory.accuracy)} if trajectory.accuracy else {}),
        "microseconds per step": round(1e6 * seconds[1] / steps, 2),
        "iterations per step": round(float(trajectory.iterations[1:].mean()), 2),
        "largest closure [m, rad]": float(whole.closure.max()),
        "largest turn in a step [rad]": fastest(whole).turn,
        **_contact_rows(trajectory if trajectory.has("contacts") else whole),
        "energy at start, end [J]": [float(whole.energy[0]), float(whole.energy[-1])],
        **_split_rows(trajectory),
        **_energy_rows(whole),
        "failed steps": int((trajectory.status < 0).sum()),
        "steps with warnings": int((trajectory.status[1:] > 0).sum()),
    }
    print_table(console, f"{simulator.mechanism.name}, {trajectory.time[-1]:g} s", rows)
    told, spin = _warnings(trajectory), trajectory.fast_spin()
    for sentence, count in told.items():
        console.print(f"{count} of the recorded steps: {sentence}", highlight=False, markup=False, soft_wrap=True)
    if spin:
        console.print(f"warning: {spin}", highlight=False, markup=False, soft_wrap=True)
    if trajectory.accuracy and not trajectory.accuracy.is_met:
        console.print(
            f"WARNING: {trajectory.accuracy}: shorter steps bring it no nearer", highlight=False, markup=False
        )
    for alarm in trajectory.alarms:
        console.print(f"WARNING: {alarm.sentence}", highlight=False, markup=False, soft_wrap=True)
    found = {key.split(" [")[0].replace(" ", "_").replace(",", ""): value for key, value in rows.items()}
    return {
        **found,
        "warnings": told,
        "fast_spin": str(spin) if spin else None,
        "rise": trajectory.rise and asdict(trajectory.rise),
        "fall": trajectory.fall and asdict(trajectory.fall),
        "too_stiff": [asdict(one) for one in trajectory.alarms if one in trajectory.too_stiff],
        "misread_rate": next((asdict(one) for one in trajectory.alarms if isinstance(one, MisreadRate)), None),
    }


def _contact_rows(trajectory: Trajectory) -> dict[str, Any]:
    """How far contacts kept bodies apart, and steps whose solver needed another start; nothing without contacts."""
    if not trajectory.contact_names:
        return {}
    return {
        "contact points": len(trajectory.contact_names),
        "smallest gap [m]": float(trajectory.contact_values[:, :, 0].min()),
        "steps with another start": int((trajectory.retries > 0).sum()),
        "fast contacts": [name for name, contact in trajectory.contacts.items() if contact.fast.any()],
    }


def _split_rows(trajectory: Trajectory) -> dict[str, Any]:
    """How many of the recorded steps were split, and into how many parts at most; nothing where none was."""
    split = trajectory.substeps[1:] > 1
    if not split.any():
        return {}
    return {"steps that were split": int(split.sum()), "most parts of one": int(trajectory.substeps[1:].max())}


def _energy_rows(trajectory: Trajectory) -> dict[str, float]:
    """What was given from outside, and what became of it."""
    given = {f"work of {name} [J]": float(values[-1]) for name, values in trajectory.work.items()}
    return given | {f"dissipated by {way} [J]": float(values[-1]) for way, values in trajectory.dissipation.items()}


def _warnings(trajectory: Trajectory) -> dict[str, int]:
    """The sentence of every status above 0 -> how many of the recorded steps ended so."""
    from symvi.simulate import SolverStatus

    statuses = [int(status) for status in trajectory.status[1:] if status > 0]
    return {SolverStatus(status).sentence: statuses.count(status) for status in sorted(set(statuses))}


def print_table(console: Console, title: str, rows: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), show_header=False, title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in rows.items():
        table.add_row(Text(str(key)), Text(_shown(value)))  # rich would take units in brackets for its markup
    console.print(table)


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def told_inputs(texts: list[str], imported: Imported) -> dict[str, object]:
    """Inputs by name: of keyframes first, so that NAME=VALUE may change one of them."""
    from symvi.mechanism.names import did_you_mean, shown

    found: dict[str, object] = {}
    keys = [text for text in texts if "=" not in text]
    for key in keys:
        if key not in imported.inputs:
            near = did_you_mean(key, imported.inputs)
            raise SymviError(f"--input {shown(key)}: write NAME=VALUE, or the name of a keyframe; {near}")
        found |= imported.inputs[key]
    if len(keys) > 1:
        raise SymviError(f"--input {shown(keys[0])}, --input {shown(keys[1])}: give the inputs of one keyframe")
    return found | _settings([text for text in texts if "=" in text], "--input", "motor.force=2")


def _settings(texts: list[str], option: str, example: str) -> dict[str, object]:
    """NAME=VALUE, VALUE a number or several with commas between."""
    from symvi.mechanism.units import decimal

    settings: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        try:
            numbers = [decimal(part) for part in value.split(",")]
        except ValueError:
            sign = ""
        if not sign:
            raise SymviError(f"{option} {text!r}: write NAME=VALUE, as in {example}")
        name = name.strip()
        if name in settings:
            raise SymviError(f"{option} {text!r}: it has a value already; give it one only")
        settings[name] = numbers if len(numbers) > 1 else numbers[0]
    return settings


def _outputs(
    trajectory: Trajectory,
    out: Path | None,
    csv: Path | None,
    page: Path | None,
    plot: Path | None,
    looks: Any,
    curves: list[str],
):
    from symvi.page import write_page
    from symvi.plots import write_plot

    for what, path, write in (
        ("trajectory", out, trajectory.save),
        ("table", csv, lambda where: trajectory.to_csv(where, curves or None)),
        ("page", page, lambda where: write_page(trajectory, where, looks=looks, curves=curves)),
        ("plot", plot, lambda where: write_plot(trajectory, where, curves or None)),
    ):
        if path is not None:
            yield what, path, write


def _write_whole(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)
