"""Lean exports: the steps of full ones, to the bit and the status, in less memory; what they leave out they refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from symvi import SymviError, export
from symvi.demos import demo_file
from symvi.exporters.measure import BOARDS, Subject
from symvi.exporters.measure.figures import measured
from symvi.mechanism import Actuator, Body, Box, Joint, JointDamper, JointSpring, Mechanism, Servo
from symvi.numbers.control import SolverStatus
from symvi.program.sharing import RUNS
from symvi.simulate.solver_build import composed
from tests.export.exports import arm, crate, done, need
from tests.support.crooked_chains import crooked_chain
from tests.support.lean import stepped, text

FLASH, RAM, EACH = 15_000, 3_300, 4_200  # bytes, bytes with the stack, instructions an iteration: 5 links on balls
STATUS, BITS = -2, -1  # words of a line that a stepper prints


def driven() -> Mechanism:
    """An arm with a driver, a servo and a motor; its end stop is left out."""
    return arm().changed(name="driven", limits=[])


def flying() -> Mechanism:
    """A free body with two sprung and damped arms on one side of it, and one that slides: siblings in a tree."""
    box = Box(size=(0.2, 0.3, 0.1))
    names = ("torso", "left", "right", "tail")
    joints = [
        Joint(name=f"to_{name}", type=kind, parent="torso", child=name, parent_anchor=at, child_anchor=(0, 0, 0.15),
              axis=(0.6, 0, 0.8))
        for name, kind, at in (("left", "revolute", (0.1, 0.2, 0)), ("right", "spherical", (0.1, -0.2, 0)),
                               ("tail", "prismatic", (-0.2, 0, 0)))
    ]  # fmt: skip
    forces = [
        JointSpring(name="spring", joint="to_tail", stiffness=40.0),
        JointDamper(name="damper", joint="to_left", damping=0.1),
        Servo(name="hold", joint="to_left", stiffness=3.0, damping=0.1),
        Actuator(name="motor", joint="to_left"),
    ]
    bodies = [
        Body(name=name, mass=1.0, shape=box, position=(0.0, 0.0, 1.0), angular_velocity=(0.3, 0.5, 1.0))
        for name in names[:1]
    ]
    bodies += [Body(name=name, mass=0.3, shape=box) for name in names[1:]]
    return Mechanism(name="flying", bodies=bodies, joints=joints, forces=forces)


def springing() -> Mechanism:
    """Two links on hinges without a loop; a spring whose force is a sine, the cosine and sine of whose rest belong to
    one angle."""
    spring = JointSpring(name="spring", joint="joint1", stiffness=2.0, rest=0.4, law="sinusoidal")
    return crooked_chain(2, "revolute").changed(name="springing", forces=[spring])


def balls(count: int = 5) -> Mechanism:
    """The chain whose memory is asked for."""
    return crooked_chain(count, "spherical")


def demo(name: str) -> Callable[[], Mechanism]:
    return lambda: Mechanism.from_file(demo_file(name))


CASES = {
    "balls": (balls, 0),
    "universal": (lambda: crooked_chain(3, "universal"), 0),
    "cylindrical": (lambda: crooked_chain(3, "cylindrical"), 0),
    "driven": (driven, 4),
    "flying": (flying, 3),
    "springing": (springing, 0),
    "four_bar": (demo("four_bar"), 0),
    "governor": (demo("governor"), 1),
    "slider_crank": (demo("slider_crank"), 1),
}
EXACT = ("balls", "driven", "four_bar")  # those that are looked at in double, too


def both(folder: Path, mechanism: Mechanism, inputs: int, real: str, coordinates: str, layout: str = "auto", **how):
    """What the steppers of a lean and of a full text print."""
    return [
        stepped(folder / name, text(mechanism, real, coordinates, lean, layout), lean=lean, inputs=inputs, **how)
        for name, lean in (("lean", True), ("full", False))
    ]


@pytest.mark.parametrize("coordinates", ["tree", "maximal"])
@pytest.mark.parametrize("name", CASES)
def test_starts_and_steps_are_those_of_the_full_text(tmp_path: Path, name: str, coordinates: str) -> None:
    """Bits of states and momenta, increments, statuses; lean work memory is filled with what is no number before every
    call, so that no call reads what it has not written."""
    need("cc")
    make, inputs = CASES[name]
    for real in ("float", "double") if name in EXACT else ("float",):
        lean, full = both(tmp_path / real, make(), inputs, real, coordinates)
        assert lean == full
        assert len({line.split()[BITS] for line in lean}) > 20
        assert {int(line.split()[STATUS]) for line in lean[5:]} <= {SolverStatus.OK, SolverStatus.UNSETTLED}


@pytest.mark.parametrize(("layout", "count"), [("inline", 4), ("unrolled", 4), ("looped", 14)])
def test_layouts_take_the_same_steps(tmp_path: Path, layout: str, count: int) -> None:
    need("cc")
    lean, full = both(tmp_path, balls(count), 0, "float", "tree", layout, steps=50)
    assert lean == full


@pytest.mark.parametrize("coordinates", ["tree", "maximal"])
def test_what_does_not_converge_is_no_ok(tmp_path: Path, coordinates: str) -> None:
    """One iteration of long steps leaves more than the tolerance; wild inputs fail, and the state stays."""
    need("cc")
    lean, full = both(tmp_path / "long", driven(), 4, "double", coordinates, step=0.05, iterations=1)
    statuses = {int(line.split()[STATUS]) for line in lean[5:]}
    assert lean == full and SolverStatus.UNSETTLED in statuses and SolverStatus.OK not in statuses
    failures = set(statuses)
    for swing in (3.0, 1e4, 1e300):
        lean, full = both(tmp_path / f"{swing:g}", driven(), 4, "double", coordinates, swing=swing)
        assert lean == full
        for before, line in zip(lean[4:], lean[5:], strict=False):
            status = int(line.split()[STATUS])
            failures.add(status)
            assert status >= 0 or line.split()[BITS] == before.split()[BITS]
    assert {SolverStatus.DOMAIN, SolverStatus.NOT_FINITE} <= failures


def test_a_chain_of_balls_fits_a_small_controller() -> None:
    """The floors of memory, on the emulated board, with the stack that was painted; and its statuses there."""
    need("arm-none-eabi-gcc", "qemu-system-arm")
    sources = text(balls(), "float", "tree", True)
    subject = Subject(sources.files, sources.name, 0.01, 20)
    with measured(subject, BOARDS["cortex-m4f"]) as found:
        structs, stack = found.sizes(), max(step[2] for step in found.steps())
        ram = sum(structs[name] for name in ("state", "input", "work", "options", "info")) + stack
        assert found.program.text(sources.name) <= FLASH
        assert ram <= RAM
        assert found.fit().each <= EACH
        assert all(step[0] >= 0 for step in found.steps())


def test_an_export_repeats_the_motion_of_the_simulator(tmp_path: Path) -> None:
    """The self-test of the folder compares every bit with the simulator's, which knows of no lean text."""
    need("cc", "make")
    exported = export(balls(), tmp_path / "chain", real="float", fixed_iterations=2, lean=True, measure=False)
    manifest = json.loads((tmp_path / "chain" / "manifest.json").read_text())
    assert manifest["lean"] is True
    assert set(manifest["options"]) == {"tolerance", "extrapolate", "fixed_iterations"}
    assert not manifest["reactions"] and not manifest["coordinates"]
    printed = done("make", "-C", exported.folder, f"BUILD={tmp_path / 'build'}", "test")
    assert "every bit as expected" in printed
    readme = (tmp_path / "chain" / "README.md").read_text()
    assert "This export is lean" in readme
    header = (tmp_path / "chain" / "include" / f"{manifest['prefix']}.h").read_text()
    named = set(re.findall(rf"`{manifest['prefix']}_(\w+)\(?", readme)) - {*manifest["memory"], "described"}
    assert all(f"{manifest['prefix']}_{name}(" in header for name in named), named


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "give it, as --fixed-iterations 2"),
        ({"fixed_iterations": 2, "slopes": True}, "derivatives of a step are left out"),
        ({"fixed_iterations": 2, "order": 4}, "are of order 2"),
        ({"fixed_iterations": 2, "lean": "yes"}, "must be True or False"),
    ],
)
def test_what_a_lean_export_is_not_is_refused(tmp_path: Path, asked: dict, message: str) -> None:
    with pytest.raises(SymviError, match=message):
        export(balls(), tmp_path / "folder", **{"lean": True, "measure": False, **asked})
    assert not (tmp_path / "folder").exists()


def test_contacts_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SymviError, match=r"lean: 'crate' has contacts, limits or dry friction \('ground"):
        export(crate(), tmp_path / "folder", fixed_iterations=2, lean=True, measure=False)


def test_runs_are_the_order_of_the_text() -> None:
    """The phases of a step, as the text calls them, are a run that memory is shared by."""
    sources = text(driven(), "float", "tree", True, "unrolled")
    code = sources.files[f"{sources.name}.c"]
    bodies = dict(re.findall(r"^(?:static )?\w+ (\w+)\([^;{]*\)\n\{\n(.*?)^\}", code, re.M | re.S))

    def called(name: str) -> list[str]:
        """The phases that a function calls, those of functions that it calls in their places."""
        found = []
        for word in re.findall(r"\b(\w+)\(", bodies[name]):
            if word.startswith("run_"):
                found.append(word.removeprefix("run_"))
            elif word in bodies and word != name:
                found += called(word)
        return found

    phases = {name.removeprefix("run_") for name in bodies if name.startswith("run_")}
    once = called("driven_step")
    iteration = once[once.index("linearize") : once.index("finish")]
    iteration = iteration[: iteration.index("evaluate") + 1]
    twice = [*once[: once.index("linearize")], *iteration, *once[once.index("linearize") :]]
    assert twice == [phase for phase in RUNS[-1] if phase in phases]
    whole = [phase for phase in RUNS[0] if phase in phases]
    reset = called("driven_reset")
    assert reset == whole or reset == whole[whole.index("start_momenta") - 2 :]


def test_numbers_share_work_memory() -> None:
    """Of the chain, four numbers in ten need no place of their own beside those that a step needs at once."""
    lean, full = (composed(balls(), coordinates="tree", lean=saving) for saving in (True, False))
    sizes = [
        sum(program.records.size(kind, "work") * len(nodes) for kind, nodes in program.nodes.items())
        for program in (lean, full)
    ]
    assert sizes[0] < 0.55 * sizes[1]
    assert len(lean.nodes["sums"]) == 2
