"""A board plans the next 0.6 s a thousand times a second, and so keeps a falling pole's cart on its rail.

Model predictive control: the quadratic program of LQR's costs over 15 steps of 0.04 s, with A and B of the simulator's
own step, bounds of the force, and the ends of the rail, which a regulator does not know of. OSQP generates the program
in C (Stellato et al. 2020), in float, and it runs on an emulated Cortex-M7 with examples/predictive_board.c. The same
program compiled for this machine answers along and has to give the same numbers. Instructions are counted; cycles are
assumed, one an instruction. The plant runs here, its pole a tenth heavier than the model's.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from _report import EXACT, OTHER, OURS, Report
from controller_on_board import Running
from swing_up import NAMES, cart_pole

from symvi import Simulator, State, coordinates_of, state_from
from symvi.control import Regulator, lqr
from symvi.errors import missing_extra
from symvi.exporters.bits import ON_HOST
from symvi.exporters.measure import BOARDS
from symvi.exporters.measure.board_build import Program, compile_object, link
from symvi.exporters.measure.emulator import launch
from symvi.exporters.measure.instructions import counted, counting
from symvi.exporters.measure.tools import NotMeasured
from symvi.native import find_compiler
from symvi.native.command import run_compiler
from symvi.native.compiler import NO_COMPILER

BOARD, SOURCE = BOARDS["cortex-m7"], Path(__file__).with_name("predictive_board.c")
STEP, AHEAD, STEPS = 1e-3, 0.04, 15  # s, s, of the plan
LIMIT, RAIL, MARGIN, TILT, HEAVIER = 6.0, 0.21, 0.01, 0.2, 1.1  # N, m, m, rad, of the pole's mass
FORCE = "motor.force"
Q, R = {"track": 1.0, "hinge": 10.0, "track.rate": 0.1, "hinge.rate": 0.1}, {FORCE: 0.01}
ITERATIONS = 25  # of OSQP a millisecond; it begins where it ended


def condensed(a: np.ndarray, b: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Half squares of forces (N, N) and what is linear in forces and x (N, 4); places of the cart by both."""
    n, m = len(a), STEPS
    by_x = np.array([np.linalg.matrix_power(a, k + 1) for k in range(m)])
    by_u = np.zeros((m, n, m))
    for k in range(m):
        for j in range(k + 1):
            by_u[k, :, j] = (np.linalg.matrix_power(a, k - j) @ b)[:, 0]
    weights = [np.diag([Q["track"], Q["hinge"], Q["track.rate"], Q["hinge.rate"]])] * (m - 1) + [last]
    squares = np.sum([by_u[k].T @ weights[k] @ by_u[k] for k in range(m)], axis=0) + R[FORCE] * np.eye(m)
    linear = np.sum([by_u[k].T @ weights[k] @ by_x[k] for k in range(m)], axis=0)
    return 2 * squares, 2 * linear, by_u[:, 0], by_x[:, 0]


def build(folder: Path, simulator: Simulator) -> tuple[Program, Regulator]:
    """Generate the quadratic program; build it for the board and, as here/controller, for this machine."""
    try:
        import osqp  # pyright: ignore[reportMissingImports]
        from scipy import sparse
    except ImportError as error:
        raise missing_extra("mpc", "OSQP") from error
    found = simulator.linearize(step=AHEAD)
    regulator = lqr(found, Q, R)
    squares, linear, forces, places = condensed(found.A, found.B, regulator.P)
    rows = sparse.csc_matrix(np.vstack([np.eye(STEPS), forces]))
    bound = np.repeat([LIMIT, RAIL - MARGIN], STEPS)
    solver = osqp.OSQP()
    solver.setup(
        sparse.csc_matrix(np.triu(squares)), np.zeros(STEPS), rows, -bound, bound, verbose=False,
        max_iter=ITERATIONS, check_termination=0, adaptive_rho=False, rho=0.1,
    )  # fmt: skip
    solver.codegen(
        str(folder), parameters="vectors", use_float=True, printing_enable=False, profiling_enable=False,
        interrupt_enable=False, prefix="predictive_", force_rewrite=True,
    )  # fmt: skip

    def table(name: str, numbers: np.ndarray) -> str:
        lines = ",\n".join("    { " + ", ".join(f"{x:.9g}f" if "." in f"{x:.9g}" or "e" in f"{x:.9g}" else f"{x:.1f}f"
                                                for x in row) + " }" for row in numbers)  # fmt: skip
        return f"static const OSQPFloat {name}[STEPS][4] = {{\n{lines}\n}};\n"

    head = f"#define STEPS {STEPS}\n#define LIMIT ((OSQPFloat){LIMIT})\n#define RAIL ((OSQPFloat){RAIL - MARGIN})\n"
    (folder / "problem.h").write_text(head + table("LINEAR", linear) + table("PLACES", places), encoding="utf-8")
    (folder / "control.c").write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    for source in (folder / "src").glob("*.c"):
        source.rename(folder / source.name)
    own = sorted(path.stem for path in folder.glob("*.c") if path.stem not in ("emosqp", "predictive_emosqp"))
    seen = ("-I.", "-Iinc/public", "-Iinc/private")
    for name in own:
        compile_object(BOARD, name, folder, (*seen, "-O2", "-fno-inline"))
    compiler = find_compiler()
    if compiler is None:
        raise NotMeasured(NO_COMPILER)
    (folder / "here").mkdir()
    sources = [f"{name}.c" for name in own]
    run_compiler(compiler.command, (*ON_HOST[compiler.kind], *seen, "-o", "here/controller", *sources, "-lm"), folder)
    return link(BOARD, tuple(own), folder), regulator


def main() -> int:
    report, mechanism = Report(__doc__), cart_pole()
    duration = 1.0 if report.quick else 4.0
    plant = Simulator(mechanism, coordinates="tree", parameters={"pole.mass": HEAVIER * 0.2})
    start = state_from(mechanism, {"hinge": TILT})

    def read(state: object) -> np.ndarray:
        assert isinstance(state, State)
        pairs = [coordinates_of(mechanism, name, state) for name in NAMES]
        return np.array([pair[one][0] for one in (0, 1) for pair in pairs])

    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        folder = Path(name)
        program, regulator = build(folder, Simulator(mechanism))
        pairs: list[tuple[int, int]] = []
        command = launch(BOARD, program.path, counting(program, ["control"]))
        with Running(command, folder) as board, Running(["./controller"], folder / "here") as host:

            def act(time: float, state: object) -> dict[str, float]:
                numbers = np.rint(1e6 * read(state)).astype(int)
                pairs.append((board.ask(numbers), host.ask(numbers)))
                return {FORCE: pairs[-1][0] / 1000}

            motion = plant.simulate(duration, STEP, start=start, controller=act)
        instructions = np.array(counted(program, ["control"])["control"])
        size = sum(program.text(path.stem) for path in folder.glob("*.o"))

    def clipped(time: float, state: object) -> dict[str, float]:
        return {FORCE: float(np.clip(regulator(read(state))[FORCE], -LIMIT, LIMIT))}

    other = plant.simulate(duration, STEP, start=start, controller=clipped)
    forces, most = np.array(pairs), float(instructions.max())
    report.note("instructions of a millisecond's work, most", most)
    report.at_most("about so long on a Cortex-M7 at 480 MHz", 1e3 * BOARD.seconds(most, "float"), 1.0, "ms")
    report.note("flash of the controller", float(size), "B")
    report.equal("forces that differ from those computed here", int((forces[:, 0] != forces[:, 1]).sum()), 0)
    report.at_most("largest force", float(np.abs(forces[:, 0]).max()) / 1000, LIMIT, "N")
    way, free = (float(np.abs(each.curves["track"]).max()) for each in (motion, other))
    report.at_most("farthest cart", way, RAIL, "m")
    report.between("the same with LQR, its force cut off", free, RAIL + 0.01, 10.0, "m")
    if not report.quick:
        report.at_most("pole from upright at the end", float(np.abs(motion.curves["hinge"][-1]).max()), 1e-2, "rad")
    if report.plot:
        figure, (places, pushes) = report.figure(1, 2)
        places.plot(other.time, np.ravel(other.curves["track"]), color=OTHER, label="LQR, cut off")
        places.plot(motion.time, np.ravel(motion.curves["track"]), color=OURS, label="predictive")
        places.axhline(RAIL, color=EXACT, linestyle="--", linewidth=0.8, label="end of the rail")
        places.set(title="cart [m]", xlabel="time [s]")
        places.legend()
        pushes.plot(motion.time[: len(forces)], forces[:, 0] / 1000, color=OURS)
        pushes.set(title="force from the board [N]", xlabel="time [s]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
