"""Which layout a mechanism gets: by the machine code that its kernels come to, known before a line is printed."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from symvi.demos import demo_file
from symvi.emit.c import generate
from symvi.emit.layouts import NEAREST_CACHE, choose_layout, inline_size
from symvi.errors import SymviError
from symvi.mechanism import Body, Joint, JointDamper, Mechanism, PointSpring, Potential, Wrench
from symvi.native.flags import profile_flags
from symvi.program.program import Program
from symvi.simulate.solver_build import composed

INERTIA = (0.08, 0.09, 0.02, 0.001, 0.002, 0.003)


def hanging(count: int, kind: str = "revolute", forces: tuple = (), coordinates: str = "maximal") -> Program:
    """A chain of links that hang on one another, with nothing to bake."""
    names = ["world", *(f"link{k}" for k in range(count))]
    joints = [
        Joint(
            name=f"joint{k}", type=kind, parent=names[k], child=names[k + 1], child_anchor=(0.02, 0.03, 0.5),
            parent_anchor=(0.01, 0.02, -0.5), axis=(1.0, 0.2, 0.3),
        )
        for k in range(count)
    ]  # fmt: skip
    bodies = [Body(name=name, mass=1.0, inertia=INERTIA) for name in names[1:]]
    return composed(Mechanism(name="hanging", bodies=bodies, joints=joints, forces=forces), coordinates=coordinates)


def flying(count: int) -> Program:
    """Bodies that nothing holds."""
    bodies = [Body(name=f"body{k}", mass=1.0, inertia=INERTIA) for k in range(count)]
    return composed(Mechanism(name="flying", bodies=bodies), coordinates="maximal")


def demo(name: str, coordinates: str = "maximal") -> Program:
    """In maximal coordinates loops take many operations."""
    return composed(Mechanism.from_file(demo_file(name)), coordinates=coordinates)


SEVEN_FORCES = (
    JointDamper(name="upper_friction", joint="joint0", damping=0.2),
    JointDamper(name="lower_friction", joint="joint1", damping=0.1),
    PointSpring(name="rope", parent="link0", child="link1", stiffness=1.0, length=0.5),
    PointSpring(name="stay", child="link1", parent_anchor=(1.0, 2.0, 3.0), stiffness=1.0, length=0.5),
    Wrench(name="push", body="link0"),
    Wrench(name="pull", body="link1"),
    Potential(name="well", child="link1", expression="x_b[0]**2 + R_b[0, 1]*x_b[2]"),
)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_one_link_is_written_out_whole(coordinates: str) -> None:
    assert choose_layout(hanging(1, coordinates=coordinates)) == "inline"


def test_the_choice_is_by_size_and_not_by_the_number_of_bodies() -> None:
    """Two bodies each: free ones fit the nearest cache, those on ball joints or hinges do not."""
    assert choose_layout(flying(2)) == "inline"
    assert choose_layout(hanging(2, "spherical")) == "unrolled"
    assert choose_layout(hanging(2)) == "unrolled"
    assert choose_layout(hanging(2, "spherical", SEVEN_FORCES)) == "unrolled"
    assert choose_layout(demo("four_bar", "tree")) == "unrolled"


def test_a_long_chain_is_a_table() -> None:
    assert choose_layout(hanging(12)) == "unrolled"
    assert choose_layout(hanging(13)) == "looped"


BESIDE_STEPS = (
    *("_place", "_coordinates", "sine_ahead", "take_motion", "motion_is_finite"),
    *("_trail", "_rollout"),
    *("_update_parameters", "constants_are_kept", "are_sensible", "is_inertia"),
    *("judge_body", "weigh_body", "weight_of"),
)


PROGRAMS = {
    "flying": lambda: flying(2),
    "hinge": lambda: hanging(1),
    "balls": lambda: hanging(2, "spherical"),
    "four_bar": lambda: demo("four_bar"),
    "hinge_tree": lambda: hanging(1, coordinates="tree"),
    "pendulum_tree": lambda: demo("pendulum", "tree"),
    "slider_crank_tree": lambda: demo("slider_crank", "tree"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_size_is_what_a_compiler_makes_of_it(name: str, tmp_path: Path) -> None:
    """Within 15 %: compilers differ by as much. Placing, recording and updates of parameters are not counted."""
    program = PROGRAMS[name]()
    if shutil.which("gcc") is None or shutil.which("size") is None:
        pytest.skip("needs the package gcc")
    for file, text in generate(program, layout="inline").files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    # instructions of the widest vectors are longer: those of this processor would make the size its own
    flags = [flag for flag in profile_flags("gcc", "reproducible") if flag not in ("-shared", "-march=native")]
    flags += ["-march=x86-64-v3"] if platform.machine() == "x86_64" else []
    subprocess.run(["gcc", *flags, "-c", f"{program.name}.c"], cwd=tmp_path, check=True)
    sizes = subprocess.run(["size", f"{program.name}.o"], cwd=tmp_path, check=True, capture_output=True, text=True)
    names = subprocess.run(["nm", "-S", f"{program.name}.o"], cwd=tmp_path, check=True, capture_output=True, text=True)
    beside = sum(
        int(size, 16)
        for _, size, _, name in (line.split() for line in names.stdout.splitlines() if len(line.split()) == 4)
        if name.endswith(BESIDE_STEPS)
    )
    code = int(sizes.stdout.splitlines()[1].split()[0]) - beside
    assert inline_size(program) == pytest.approx(code, rel=0.15)


def test_what_is_chosen_inline_fits_the_nearest_cache() -> None:
    assert inline_size(flying(2)) <= NEAREST_CACHE < inline_size(hanging(2, "spherical"))


def test_a_mechanism_too_large_to_be_written_out_is_refused_by_name() -> None:
    with pytest.raises(SymviError, match="'inline' is for up to 160 KB.*'strandbeest'.*use 'unrolled' or 'looped'"):
        generate(demo("strandbeest"), layout="inline")
