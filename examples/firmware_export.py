"""From a description to firmware that needs no Python: described, tuned, exported, built elsewhere, every bit the same.

A hanging arm of two links lifts its load: servos turn shoulder and elbow to their targets. The elbow's damping is tuned
on this machine, by simulating, so that it gets there soonest without overshooting by more than 2 %. The tuned arm is
exported in float with a fixed number of iterations, and a budget of memory. Then, in a folder outside the repository
and with no Python in reach: the shipped CMake builds the self-test, which compares every bit of 1000 steps, and a
program of the user's own links the library and drives the arm to other targets. It ends where the simulator ends, to
the last digit.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Body, Joint, Mechanism, Rod, Servo, Simulator, SolverOptions, Trajectory, export

STEP, TIME, ITERATIONS = 0.005, 5.0, 3
TARGETS = {"shoulder": 0.8, "elbow": -1.2}  # rad
OTHER_TARGETS = {"shoulder": -0.4, "elbow": 0.9}
SERVOS = {"shoulder": "lift", "elbow": "bend"}
DAMPINGS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)  # N m s
MOST_TEXT, MOST_RAM = 48_000, 8_000  # bytes
STACK = "stack of the deepest entry point"
# what building needs; the compiler finds its assembler and linker under these names
PROGRAMS = ("cmake", "ctest", "make", "cc", "as", "ld", "ar", "ranlib", "nm", "strip", "sh", "rm", "mkdir", "uname")
CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project(firmware C)
set(LIFTER_SELF_TEST ON)
enable_testing()
add_subdirectory("${EXPORTED}" lifter)
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE lifter::lifter)
"""
MAIN = """\
#include <stdio.h>
#include "lifter.h"

static lifter_parameters p;
static lifter_options o;
static lifter_state z;
static lifter_input u;
static lifter_work w;
static lifter_info info;

int main(void)
{
    if (lifter_init(&p, &o, &z, &u, &w) < 0) {
        return 1;
    }
    u.SHOULDER = SHOULDER_TARGET;
    u.ELBOW = ELBOW_TARGET;
    /* inputs of a step are those of its second knot: at the start, too, servos aim there */
    z.SHOULDER = u.SHOULDER;
    z.ELBOW = u.ELBOW;
    for (int n = 0; n < STEPS; n++) {
        if (lifter_step(&p, &o, &z, &u, &w, &info) < 0) {
            return 2;
        }
    }
    for (int k = 0; k < 3; k++) {
        printf("%.9g ", (double)z.body[LIFTER_BODY_LOWER].x[k]);
    }
    return 0;
}
"""


def arm(damping: float) -> Mechanism:
    """The arm, its elbow's servo with this damping [N m s]."""
    rod = Rod(length=0.5, radius=0.02)
    place = {"child_anchor": (0.0, 0.0, 0.25), "axis": (0.0, 1.0, 0.0), "type": "revolute"}
    return Mechanism(
        name="lifter",
        bodies=[Body(name="upper", mass=0.8, shape=rod), Body(name="lower", mass=0.5, shape=rod)],
        joints=[
            Joint(name="shoulder", child="upper", **place),
            Joint(name="elbow", parent="upper", child="lower", parent_anchor=(0.0, 0.0, -0.25), **place),
        ],
        forces=[
            Servo(name="lift", joint="shoulder", stiffness=80.0, damping=8.0, signal=str(TARGETS["shoulder"])),
            Servo(name="bend", joint="elbow", stiffness=20.0, damping=damping, signal=str(TARGETS["elbow"])),
        ],
    )  # fmt: skip


def run(mechanism: Mechanism, targets: dict[str, float], **how) -> Trajectory:
    """Where the arm goes, from rest, hanging."""
    inputs = {f"{SERVOS[joint]}.target": target for joint, target in targets.items()}
    return Simulator(mechanism, **how).simulate(
        TIME, STEP, inputs=inputs, options=SolverOptions(fixed_iterations=ITERATIONS)
    )


def response(motion: Trajectory) -> tuple[float, float]:
    """(overshoot, time after which it stays within 2 %) of the elbow, by the way from its start to its end [1, s]."""
    angle = motion.coordinates("elbow")
    way = (angle - angle[0]) / (angle[-1] - angle[0])
    off = np.flatnonzero(abs(way - 1) > 0.02)
    return float(way.max() - 1), float(motion.time[off[-1] + 1]) if len(off) else 0.0


def without_python(folder: Path) -> dict[str, str] | None:
    """An environment whose PATH has what building needs and no Python; None where something lacks."""
    (folder / "bin").mkdir()
    for program in PROGRAMS:
        path = shutil.which(program)
        if path is not None:
            (folder / "bin" / program).symlink_to(path)
    needed = ("cmake", "ctest", "make", "cc")
    if any(shutil.which(program, path=str(folder / "bin")) is None for program in needed):
        return None
    return {"PATH": str(folder / "bin"), "HOME": str(folder), "LC_ALL": "C"}


def place_of(manifest: Mapping[str, Any], name: str) -> str:
    """Where an input lies in its struct, as C writes it; the state keeps that of the last step in the same place."""
    return next(field["c"] for field in manifest["inputs"] if field["name"] == name)


def write_user(folder: Path, manifest: Mapping[str, Any]) -> None:
    """A project of the user's own: it adds the exported folder, and drives the arm."""
    words = {
        "SHOULDER_TARGET": f"{OTHER_TARGETS['shoulder']}f",
        "ELBOW_TARGET": f"{OTHER_TARGETS['elbow']}f",
        "SHOULDER": place_of(manifest, "lift.target"),
        "ELBOW": place_of(manifest, "bend.target"),
        "STEPS": str(round(TIME / STEP)),
    }
    text = MAIN
    for word, value in words.items():
        text = text.replace(word, value)
    (folder / "main.c").write_text(text)
    (folder / "CMakeLists.txt").write_text(CMAKE)


def build(report: Report, folder: Path, exported: Path, manifest: Mapping[str, Any]) -> None:
    """Build self-test and firmware, and run both."""
    environment = without_python(folder)
    if environment is None:
        report.note("built", "no: install cmake, make and gcc")
        return
    write_user(folder, manifest)
    pythons = [name for name in ("python", "python3") if shutil.which(name, path=environment["PATH"])]
    report.equal("Python where it is built", pythons, [])
    for command in (
        ["cmake", "-S", ".", "-B", "build", f"-DEXPORTED={exported}", "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", "build"],
    ):
        made = called(command, folder, environment)
        if made.returncode:
            print(made.stdout + made.stderr)
        report.equal(" ".join(command[:2]), made.returncode, 0)
    tested = called(["ctest", "--test-dir", "build"], folder, environment)
    report.equal("self-test by ctest", "100% tests passed" in tested.stdout, True)
    printed = called(["build/lifter/lifter_self_test"], folder, environment).stdout
    report.equal("hash of 1000 steps", printed.split()[-1], manifest["golden"]["float"]["value"])
    ended = called(["build/firmware"], folder, environment).stdout.split()
    here = run(arm(best_damping(manifest)), OTHER_TARGETS, real="float").position[-1, 1]
    report.equal("own program: where the load is", ended, [f"{number:.9g}" for number in here])


def called(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # the program itself is looked for on this machine's own path
    program = str(folder / "bin" / command[0]) if "/" not in command[0] else str(folder / command[0])
    return subprocess.run(
        [program, *command[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def budget() -> int | None:
    """Of RAM, where the compiler is that can tell how much stack is needed."""
    return MOST_RAM if shutil.which("arm-none-eabi-gcc") else None


def constant(effort: dict) -> float:
    """Instructions of a step with the fixed number of iterations."""
    return effort["a"] + ITERATIONS * effort["b"]


def best_damping(manifest: Mapping[str, Any]) -> float:
    """The elbow's damping, as it was exported."""
    return next(field["value"] for field in manifest["parameters"] if field["name"] == "bend.damping")


def main() -> int:
    report = Report(__doc__)
    motions = {damping: run(arm(damping), TARGETS) for damping in DAMPINGS}
    found = {damping: response(motion) for damping, motion in motions.items()}
    report.table(("damping", "overshoot", "settled [s]"), [(damping, *found[damping]) for damping in DAMPINGS])
    best = min((damping for damping in DAMPINGS if found[damping][0] <= 0.02), key=lambda damping: found[damping][1])
    report.at_most("overshoot with the damping that was chosen", found[best][0], 0.02)
    report.between("settled after", found[best][1], 0.05, 1.0, "s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        exported = folder / "lifter"
        manifest = export(
            arm(best), exported, real="float", step=STEP, fixed_iterations=ITERATIONS, max_ram=budget()
        ).manifest
        board = manifest["boards"]["cortex-m4f"]
        for what, bound, unit in (("text", MOST_TEXT, "B"), (STACK, MOST_RAM, "B")):
            if "value" in board[what]:
                report.at_most(f"{what} on a Cortex-M4F", board[what]["value"], bound, unit)
            else:
                report.note(f"{what} on a Cortex-M4F", "not measured")
        structs = sum(figure["value"] for figure in manifest["memory"].values())
        report.at_most("structs", structs, MOST_RAM, "B")
        effort = board["instructions per step"]
        report.note("instructions of a step", constant(effort["value"]) if "value" in effort else "not measured")
        build(report, folder, exported, manifest)
    if report.plot:
        draw(report, motions, best)
    return report.end()


def draw(report: Report, motions: dict[float, Trajectory], best: float) -> None:
    figure, axes = report.figure(1, 1, width=6.0)
    for damping, color in ((DAMPINGS[0], OTHER), (best, OURS), (DAMPINGS[-1], THIRD)):
        motion = motions[damping]
        axes.plot(motion.time, motion.coordinates("elbow"), color=color, label=f"damping {damping:g} N m s")
    axes.axhline(TARGETS["elbow"], color=EXACT, linewidth=0.8)
    axes.set(title="elbow [rad]", xlabel="time [s]", xlim=(0, 2))
    axes.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
