"""Figures of emulated boards against witnesses of their own: code whose instructions, stack and size are known."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi.exporters.measure import BOARDS, compiled_sizes, instructions
from symvi.exporters.measure import emulator as emulating
from symvi.exporters.measure.board_build import compile_object, link, write
from symvi.exporters.measure.emulator import emulate
from symvi.exporters.measure.figures import Measured, figures, measured
from symvi.exporters.measure.instructions import count_calls, fit
from symvi.exporters.measure.stack import deepest
from symvi.exporters.measure.subject import Subject
from symvi.exporters.measure.tools import NotMeasured
from symvi.mechanism import Actuator
from tests.export.boards import needs_boards, subject_of
from tests.support.contact_scenes import box, on_ground
from tests.support.crooked_chains import crooked_chain

M4F, M7 = BOARDS["cortex-m4f"], BOARDS["cortex-m7"]
STACK = "stack of the deepest entry point"
# a loop of two instructions a turn, and the return; called from C, that is from the middle of other code
LOOP = """\
#include <stdio.h>
__attribute__((naked, noinline)) void turns(unsigned n)
{
    __asm__ volatile ("1: subs r0, r0, #1\\n bne 1b\\n bx lr");
}
__attribute__((noinline)) void twice(unsigned n)
{
    turns(n);
    turns(n);
    __asm__ volatile ("");
}
int main(void)
{
    for (unsigned n = 1; n < 4; n++) {
        turns(1000 * n);
    }
    twice(7);
    printf("done\\n");
    return 0;
}
"""
FRAMES = """\
#define OWN __attribute__((noinline))
OWN int leaf(int n) { volatile char place[400]; place[n] = 1; return place[n]; }
OWN int small(int n) { volatile char place[100]; place[n] = 1; return place[n] + 1; }
OWN int middle(int n) { volatile char place[120]; place[n] = 2; return place[n] + leaf(n) + small(n); }
OWN int again(int n) { return (n > 0) ? again(n - 1) + leaf(n) + again(n - 2) : 1; }
OWN int open(int n) { volatile char place[n]; place[0] = 1; return place[0] + leaf(n); }
"""


def built(folder: Path, text: str, name: str = "known", board=M4F):
    write({f"{name}.c": text}, folder)
    compile_object(board, name, folder)
    return link(board, (name,), folder)


@needs_boards
@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)
def test_every_instruction_is_counted(board, tmp_path: Path) -> None:
    output, calls = count_calls(board, built(tmp_path, LOOP, board=board), ["turns"])
    assert output == "done\n"
    assert calls["turns"] == [2 * 1000 * n + 1 for n in (1, 2, 3)] + [2 * 7 + 1] * 2


@needs_boards
def test_a_cache_folder_may_have_a_comma_in_its_name(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / "one, two"))
    monkeypatch.setattr(instructions, "_plugin", instructions._plugin.__wrapped__)  # not what it knows already
    _, calls = count_calls(M4F, built(tmp_path, LOOP), ["turns"])
    assert calls["turns"][0] == 2 * 1000 + 1


@needs_boards
def test_calls_inside_a_call_count_there(tmp_path: Path) -> None:
    _, calls = count_calls(M4F, built(tmp_path, LOOP), ["twice", "turns"])
    assert len(calls["turns"]) == 3 and len(calls["twice"]) == 1
    assert 2 * (2 * 7 + 1) < calls["twice"][0] < 2 * (2 * 7 + 1) + 12


@needs_boards
def test_the_deepest_path_of_calls_is_summed(tmp_path: Path) -> None:
    """120 + 400 bytes of arrays, and the few words that calls save; the other way is shorter."""
    write({"known.c": FRAMES}, tmp_path)
    compile_object(M4F, "known", tmp_path)
    assert 520 <= deepest(tmp_path / "known.ci", "middle") <= 520 + 48
    assert 400 <= deepest(tmp_path / "known.ci", "leaf") <= 400 + 16
    with pytest.raises(NotMeasured, match="again calls itself"):
        deepest(tmp_path / "known.ci", "again")
    with pytest.raises(NotMeasured, match="open's frame has no bound"):
        deepest(tmp_path / "known.ci", "open")


def test_what_an_iteration_costs_is_told_from_the_rest() -> None:
    found = fit([1, 2, 2, 3], [110, 160, 160, 210])
    assert (found.once, found.each, found.above) == pytest.approx((60, 50, 0))
    assert fit([1, 2, 3], [110, 172, 210]).above == pytest.approx(8)  # 12 above the line of the other two
    with pytest.raises(NotMeasured, match="as many iterations"):
        fit([2, 2], [110, 111])
    for counts in ([100, 1000, 5000], [300, 200, 100]):
        with pytest.raises(NotMeasured, match="on no line: with 1 to 3 iterations"):
            fit([1, 2, 3], counts)


def test_steps_with_retries_tell_nothing_of_an_iteration() -> None:
    """Their attempts that failed are in no count of iterations; the worst step is told with them."""
    output = "step 0 1 80 0\nstep 0 2 80 0\nstep 0 2 80 3\nstep 0 3 80 0\nstep -2 50 80 6\n"
    calls = {"some_step": [110, 160, 5000, 210, 90000]}
    found = Measured(Subject({}, "some", 0.01), None, "", output, calls)
    line = found.fit()
    assert (line.once, line.each, line.above) == pytest.approx((60, 50, 0))
    assert found.worst() == 90000
    assert found.quickest() == 110
    with pytest.raises(NotMeasured, match="every step took retries"):
        Measured(Subject({}, "some", 0.01), None, "", "step 0 1 80 2\n", {"some_step": [110]}).fit()


def test_the_worst_step_is_one_that_a_firmware_takes() -> None:
    """The second run, which has one more of the fixed iterations, tells what an iteration costs and nothing else."""
    output = "init 8\nstep 0 3 80 0\nstep 0 3 80 0\nstep -2 3 80 0\ninit 8\nstep 0 4 80 0\nstep 0 4 80 0\n"
    found = Measured(Subject({}, "some", 0.01), None, "", output, {"some_step": [102, 110, 90, 150, 160]})
    assert (found.usual(), found.worst(), found.quickest()) == (3, 110, 102)
    failed = Measured(Subject({}, "some", 0.01), None, "", "init 8\nstep -2 3 80 0\n", {"some_step": [90]})
    with pytest.raises(NotMeasured, match="no step was solved"):
        failed.quickest()


@pytest.mark.thorough
@needs_boards
@pytest.mark.parametrize("real, board", [("float", M4F), ("double", M7)], ids=["float", "double"])
@pytest.mark.parametrize(
    "mechanism",
    [crooked_chain(3, "revolute"), on_ground(box(position=(0, 0, 0.4), orientation=(0.7, 0.1, 0.7, -0.1)))],
    ids=["chain", "contacts"],
)
def test_an_export_is_measured(mechanism, real: str, board) -> None:
    subject = subject_of(mechanism, real)
    with measured(subject, board) as found:
        assert found.sizes()["state"] == reals_of(subject, "state") * {"float": 4, "double": 8}[real]
        painted, summed = max(stack for _, _, stack in found.steps()), found.summed("step")
        assert painted <= summed <= 1.1 * painted  # a sum is a bound, and a close one
        assert 0 < found.init_stack() <= found.summed("init")  # init solves no contacts: its path is shorter
        assert all(status >= 0 for status, _, _ in found.steps())
        line = found.fit()
        assert 0 < line.each and 0 <= line.above
        assert found.program.text(subject.prefix) == text_by_symbols(found.program.path, subject)


def reals_of(subject, store: str) -> int:
    """Counted by a host compiler's sizeof, which knows nothing of boards."""
    from symvi.native import compile_library, load_library

    library = compile_library(dict(subject.files), subject.prefix)
    header = subject.header.partition("/* declarations begin */")[2].partition("/* declarations end */")[0]
    ffi = load_library(library, header.replace(f"{subject.prefix.upper()}_API ", "")).ffi
    return ffi.sizeof(f"{subject.prefix}_{store}") // ffi.sizeof(f"{subject.prefix}_real")


def text_by_symbols(program: Path, subject):
    """The sizes of all symbols that the generated C defines; padding and constants without a name are no symbols."""
    listing = subprocess.run(["arm-none-eabi-nm", "-S", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    words = set(re.findall(r"\w+", subject.files[f"{subject.prefix}.c"]))
    symbols = [row for row in rows if len(row) == 4 and row[2] in "tTrR"]
    size = sum(int(size, 16) for _, size, _, name in symbols if name.partition(".")[0] in words)
    return pytest.approx(size, rel=0.01, abs=64)


@pytest.mark.thorough
@needs_boards
@pytest.mark.parametrize("real, board", [("float", M4F), ("double", M7)], ids=["float", "double"])
def test_a_fixed_number_of_iterations_takes_constant_time(real: str, board) -> None:
    """To the instruction, in every one of 200 steps of a chain that falls: nothing depends on its numbers."""
    subject = subject_of(crooked_chain(3, "revolute"), real, fixed_iterations=3)
    with measured(subject, board) as found:
        usual, more = np.split(np.array(found.instructions("step")), 2)
        assert {step[1] for step in found.steps()[:200]} == {3}
        assert len(set(usual)) == len(set(more)) == 1
        line = found.fit()
        assert line.each == pytest.approx(more[0] - usual[0])
        assert line.once + 3 * line.each == pytest.approx(usual[0])
        assert found.worst() == found.quickest() == usual[0]


@needs_boards
def test_inputs_drive_the_motion_that_is_measured() -> None:
    """A torque that flings the body round in one step, from the fourth step on."""
    arm = crooked_chain(1, "revolute").changed(forces=[Actuator(name="motor", joint="joint1")])
    subject = subject_of(arm, "float", steps=10).driven([[0.0]] * 3 + [[1e9]])
    with measured(subject, M4F) as found:
        assert [status >= 0 for status, _, _ in found.steps()] == [True, True, True, False] * 2


@pytest.mark.thorough
@needs_boards
def test_figures_are_the_same_in_every_run() -> None:
    subject = subject_of(crooked_chain(2, "spherical"), "float")
    first, second = (figures(subject, M4F) for _ in range(2))
    assert first == second
    assert all("value" in figure for figure in first.values()), first
    assert "/" not in json.dumps(first).replace("\\\\", "")  # no paths
    sizes = compiled_sizes(subject.files, "cortex-m4f")
    assert sizes == {name: first[name] for name in sizes} and set(sizes) == {"text", STACK}


@needs_boards
def test_the_stack_of_every_entry_point_is_told() -> None:
    """All functions of the header; a rollout needs what its steps need, and more; the deepest one is named."""
    subject = subject_of(crooked_chain(2, "spherical"), "float", steps=5)
    found = figures(subject, M4F)
    stacks = found[STACK]["entry points"]
    assert set(stacks) == {
        *"check init reset parameters_default update_parameters state_default input_default".split(),
        *"options_default start step".split(),
        *"rollout observe energy momentum reactions place coordinates project".split(),
    }
    assert stacks["step"] == found["stack usage"]["value"] and stacks["init"] == found["stack of init"]["value"]
    assert stacks["rollout"] > stacks["step"]
    assert found[STACK]["value"] == stacks[found[STACK]["of"]] == max(stacks.values())


@needs_boards
def test_a_mechanism_may_be_called_firmware() -> None:
    """Which is what measures it."""
    assert (
        compiled_sizes(subject_of(crooked_chain(1, "revolute"), "float", prefix="firmware").files, "cortex-m4f")[
            "text"
        ]["value"]
        > 1000
    )


@needs_boards
def test_a_program_that_fails_or_never_ends_is_not_measured(tmp_path: Path, monkeypatch) -> None:
    failing = built(tmp_path, "int main(void) { return 7; }")
    with pytest.raises(NotMeasured, match="on Cortex-M4F ended with 7"):
        emulate(M4F, failing.path)
    monkeypatch.setattr(emulating, "PATIENCE", 0.5)
    endless = built(tmp_path, "int main(void) { for (volatile int n = 0;; n++) { } }")
    with pytest.raises(NotMeasured, match="did not end within 0.5 s"):
        emulate(M4F, endless.path)


@needs_boards
def test_code_that_does_not_compile_is_not_measured() -> None:
    subject = subject_of(crooked_chain(1, "revolute"), "float")
    broken = {name: text.replace("struct", "strict") for name, text in subject.files.items()}
    assert "arm-none-eabi-gcc failed" in compiled_sizes(broken, "cortex-m4f")["text"]["not measured"]


def tools(folder: Path, **scripts: str) -> None:
    for name, text in scripts.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.mark.parametrize(
    "scripts, lacking",
    [
        ({}, "arm-none-eabi-gcc is missing: install the package gcc-arm-none-eabi"),
        (
            {"arm_none_eabi_gcc": "echo picolibc.specs"},
            "picolibc is missing: install the package picolibc-arm-none-eabi",
        ),
    ],
    ids=["compiler", "library"],
)
def test_a_missing_tool_is_named(tmp_path: Path, monkeypatch, scripts, lacking: str) -> None:
    tools(tmp_path, **scripts)
    subject = subject_of(crooked_chain(1, "revolute"), "float")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = figures(subject, M4F)
    assert {figure["not measured"] for figure in found.values()} == {lacking}
    assert compiled_sizes(subject.files, "cortex-m4f") == dict.fromkeys(("text", STACK), {"not measured": lacking})


@needs_boards
def test_without_an_emulator_sizes_are_measured_all_the_same(tmp_path: Path, monkeypatch) -> None:
    subject = subject_of(crooked_chain(1, "revolute"), "float")
    for program in ("arm-none-eabi-gcc", "gcc", "cc"):
        (tmp_path / program).symlink_to(shutil.which(program))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = figures(subject, M4F)
    assert found["text"]["value"] > 1000 and found[STACK]["value"] > 100
    assert found["instructions per step"] == {
        "not measured": "qemu-system-arm is missing: install the package qemu-system-arm"
    }
