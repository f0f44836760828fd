"""A fixed number of Newton iterations: exactly so many, the same bits in Python and C, the same time for every step."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symvi import cli
from symvi.demos import demo_file
from symvi.mechanism import Actuator
from symvi.numbers.control import SolverStatus
from symvi.simulate import Simulator, SolverOptions
from symvi.simulate.solver_build import text_of
from tests.contact.test_back_ends import scenes
from tests.support.contact_scenes import box, on_ground
from tests.support.crooked_chains import crooked_chain
from tests.support.linkages import four_bar
from tests.support.subset import first_of

STEP = 0.01
MECHANISMS = {
    "chain": lambda: crooked_chain(3, "spherical"),
    "loop": four_bar,
    "tossed": lambda: scenes()["tossed"],
    "stops": lambda: scenes()["stops"],
}
AT_REST = {  # a box needs some iterations for the first load on its corners
    "chain": (lambda: crooked_chain(2, "spherical", speed=0.0).changed(gravity=(0.0, 0.0, 0.0)), 1),
    "tossed": (lambda: on_ground(box(position=(0, 0, 0.5)), friction=0.5), 12),
}
MAIN = """
#include "{name}.h"
static {name}_parameters p; static {name}_options o; static {name}_state z; static {name}_input u; static {name}_work w;
static {name}_info info;
int main(void)
{{
    int status = {name}_init(&p, &o, &z, &u, &w);
    for (int n = 0; (n < {steps}) && (status >= 0); n++) {{
        status = {name}_step(&p, &o, &z, &u, &w, &info);
    }}
    return (status < 0) ? 1 : 0;
}}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_back_ends_count_alike(name: str, coordinates: str) -> None:
    """Python and C take the same steps, bit by bit, and say the same; every step has the iterations that were asked."""
    motions = []
    for backend in ("c", "python"):
        simulator = Simulator(MECHANISMS[name](), backend=backend, coordinates=coordinates)
        options = SolverOptions(fixed_iterations=3)
        motions.append(simulator.simulate(0.3, STEP, options=options, on_error="status"))
    first, second = motions
    assert np.array_equal(first.position, second.position) and np.array_equal(first.orientation, second.orientation)
    assert np.array_equal(first.status, second.status) and np.array_equal(first.iterations, second.iterations)
    assert len(first.time) == 31 and set(first.iterations[1:]) == {3.0}


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_enough_iterations_are_the_same_motion(name: str, coordinates: str) -> None:
    """With as many as the hardest step needs, all steps are solved; the motion is that of the line search."""
    simulator = Simulator(MECHANISMS[name](), backend="c", coordinates=coordinates)
    searched = simulator.simulate(0.5, STEP)
    enough = int(searched.iterations.max()) + 3
    fixed = simulator.simulate(0.5, STEP, options=SolverOptions(fixed_iterations=enough))
    assert not fixed.status.any()
    assert np.abs(fixed.position - searched.position).max() < (1e-6 if name in ("tossed", "stops") else 1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["chain", "tossed"])
def test_too_few_iterations_are_told(name: str) -> None:
    """The step is taken, and its status says that more was left; nothing is wrong with a mechanism at rest."""
    simulator = Simulator(MECHANISMS[name](), backend="c")
    motion = simulator.simulate(0.3, STEP, options=SolverOptions(fixed_iterations=1))
    assert SolverStatus.UNSETTLED in motion.status and motion.status.min() >= 0
    rest, count = AT_REST[name]
    options = SolverOptions(fixed_iterations=count)
    assert not Simulator(rest(), backend="c").simulate(0.1, STEP, options=options).status.any()


def test_a_step_that_leaves_the_domain_fails_and_leaves_the_state() -> None:
    """A torque of 2 kN m turns a link of 0.3 kg m² by more than a quarter of a turn in a step."""
    chain = crooked_chain(1, "revolute")
    thrown = chain.changed(forces=[Actuator(name="motor", joint="joint1")])
    simulator = Simulator(thrown, backend="c")
    options = SolverOptions(fixed_iterations=3)
    motion = simulator.simulate(0.1, STEP, options=options, on_error="status", inputs={"motor.force": 2e4})
    assert motion.status[-1] in (SolverStatus.DOMAIN, SolverStatus.NOT_FINITE) and len(motion.time) < 11
    assert np.isfinite(simulator.engine.state).all()


def test_a_number_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="fixed_iterations -1 must lie between 0 and 1000"):
        SolverOptions(fixed_iterations=-1)


def test_the_command_line_asks_for_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """`simulate` runs with it; `generate` makes it the default of the text."""
    file = str(demo_file("double_pendulum"))
    saved = tmp_path / "motion.npz"
    command = ["simulate", file, "--time", "0.1", "--step", "0.01", "--fixed-iterations", "4", "--out", str(saved)]
    assert cli.main([*command, "--json"]) == 0
    json.loads(capsys.readouterr().out)
    assert set(np.load(saved, allow_pickle=False)["iterations"][1:]) == {4.0}
    assert cli.main(["generate", file, "-o", str(tmp_path / "text"), "--fixed-iterations", "4"]) == 0
    text = next((tmp_path / "text").glob("*.c")).read_text(encoding="utf-8")
    assert "o->fixed_iterations = 4;" in text


def instructions(folder: Path, text, steps: int) -> list[int]:
    """Instructions of every step of a run, by callgrind."""
    name = text.prefix
    for file, contents in text.files.items():
        (folder / file).write_text(contents, encoding="utf-8")
    (folder / "main.c").write_text(MAIN.format(name=name, steps=steps))
    flags = ["-std=c99", "-g", "-O2", "-ffp-contract=off", "-fno-math-errno"]
    subprocess.run(["gcc", *flags, "main.c", f"{name}.c", "-lm", "-o", "run"], cwd=folder, check=True)
    counting = ["--tool=callgrind", f"--toggle-collect={name}_step", f"--dump-after={name}_step"]
    command = ["valgrind", *counting, "--callgrind-out-file=counts", "./run"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    dumps = sorted(folder.glob("counts.*"), key=lambda dump: int(dump.suffix[1:]))
    found = [int(re.search(r"^(?:totals|summary): (\d+)", dump.read_text(), re.M).group(1)) for dump in dumps]
    return [count for count in found if count > 0]


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", first_of(["chain", "loop"]))
def test_every_step_takes_the_same_number_of_instructions(name: str, coordinates: str, tmp_path: Path) -> None:
    """With a line search steps differ by whole iterations; with a fixed number of them not by one instruction."""
    for program in ("gcc", "valgrind"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the package {program}")
    counts = {
        count: instructions(tmp_path, text_of(MECHANISMS[name](), fixed_iterations=count, coordinates=coordinates), 40)
        for count in (0, 3)
    }
    assert len(counts[0]) == len(counts[3]) == 40
    assert len(set(counts[0])) > 1
    assert len(set(counts[3])) == 1
