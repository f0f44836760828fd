"""The commands from end to end, on the demos: what they write, what they say, and what they refuse before any work."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

from symvi import cli
from symvi.demos import demo_file
from symvi.extras import install_command
from symvi.native import find_compiler
from symvi.simulate import Trajectory

PENDULUM, FOUR_BAR, SLIDER_CRANK = (str(demo_file(name)) for name in ("pendulum", "four_bar", "slider_crank"))
BAD = """\
[mechanism]
name = "bad"

[bodies.arm]
mass = -1.0
inertia = [1.0, 1.0, 5.0]

[joints.hip]
type = "revolut"
child = "arm"

[joints.knee]
type = "revolute"
parent = "thigh"
child = "arm"
"""

DEGENERATE = """\
[mechanism]
name = "wire"

[bodies.bead]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0, 1, 4]

[joints.rail]
type = "custom"
child = "bead"
expressions = ["(x_b[2] - 4)**2"]
"""

TOP = """\
[mechanism]
name = "top"
gravity = [0, 0, 0]

[bodies.top]
mass = 1.0
inertia = [1.0, 1.0, 2.0]
angular_velocity = [0, 0, 50]
"""


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command line in a folder of its own; give its exit code, output and error text."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # without a compiler, of the Python back end
            code = cli.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def test_simulate_writes_all_that_it_is_asked_for(run, tmp_path):
    code, output, _ = run("simulate", FOUR_BAR, "--time", 1, "--step", 0.01, "--out", "a.npz", "--csv", "a.csv",
                          "--page", "a.html", "--plot", "a.png", "--json")  # fmt: skip
    assert code == 0
    result = json.loads(output)
    files = {"trajectory": "a.npz", "table": "a.csv", "page": "a.html", "plot": "a.png"}
    assert {what: result[what] for what in files} == {what: str(tmp_path / name) for what, name in files.items()}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files.values())  # no drafts are left
    assert result["steps"] == 100 and result["rows_dropped_as_redundant"] == 3 and result["failed_steps"] == 0
    assert result["largest_closure"] < 1e-13
    start, end = result["energy_at_start_end"]
    assert end == pytest.approx(start, abs=0.1)
    trajectory = Trajectory.load("a.npz")
    assert trajectory.names == ("crank", "coupler", "rocker") and len(trajectory) == 101
    table = np.genfromtxt("a.csv", delimiter=",", names=True, deletechars="")
    assert np.array_equal(table["coupler.position.x"], trajectory.position[:, 1, 0])
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("record", [("--record", "reactions"), ("--record", "contacts,inputs", "--record", "rates")])
def test_simulate_records_what_it_is_told(run, tmp_path, record):
    """Files have that; the summary tells the rest by the knots at which everything was recorded."""
    code, output, _ = run("simulate", FOUR_BAR, "--time", 1, "--step", 0.01, *record, "--out", "a.npz", "--csv",
                              "a.csv", "--page", "a.html", "--plot", "a.png", "--json")  # fmt: skip
    assert code == 0
    names = {name for text in record[1::2] for name in text.split(",")}
    result, motion = json.loads(output), Trajectory.load("a.npz")
    assert set(result["recorded"].split(", ")) == set(motion.recorded) == {"coordinates", *names}
    assert len(motion) == 101 and len(motion.whole) == 5
    assert result["energy_at_start_end"] == [motion.whole.energy[0], motion.whole.energy[-1]]
    assert result["largest_closure"] == motion.whole.closure.max() and result["misread_rate"] is None
    head = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert "crank.position.x" in head and ("crank.velocity.x" in head) == ("rates" in names) and "closure" not in head
    page = (tmp_path / "a.html").read_text()
    assert 'id="energy"' not in page and 'id="closure"' not in page and 'id="facts"' in page
    code, _, error = run("simulate", FOUR_BAR, "--time", 0.5, "--step", 0.01, "--continue", "a.npz")
    assert (code, error) == (0, "")
    code, _, error = run("simulate", FOUR_BAR, "--time", 0.5, "--step", 0.01, *record, "--csv", "b.csv", "--curves",
                         "energy")  # fmt: skip
    assert code == 1 and "not recorded: energy (of 'energy'); simulate with record=['coordinates', " in error


def test_the_demo_closes_its_loops_stands_on_the_ground_and_writes_its_page(run, tmp_path):
    code, output, _ = run("demo", "--time", 0.1, "--json")
    result = json.loads(output)
    assert (code, result["page"], result["freedoms"]) == (0, str(tmp_path / "strandbeest.html"), 7)
    assert result["bodies"] == 38 and result["largest_closure"] < 1e-10
    assert result["contact_points"] == 6 and result["smallest_gap"] > 0.0
    assert (tmp_path / "strandbeest.html").read_text().count("left_foot") > 0


def test_people_read_a_table_and_where_the_files_are(run, tmp_path):
    code, output, error = run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01, "--out", "a.npz")
    assert (code, error) == (0, "")
    assert "largest closure" in output and f"trajectory: {tmp_path / 'a.npz'}" in output


def test_a_pendulum_swings_slower_on_the_moon(run):
    times = []
    for gravity in ("0,0,-9.81", "0,0,-1.62"):
        run("simulate", PENDULUM, "--time", 2, "--step", 0.001, "--set", f"gravity={gravity}", "--out", "a.npz")
        trajectory = Trajectory.load("a.npz")
        angle = 2 * np.arctan2(trajectory.orientation[:, 0, 2], trajectory.orientation[:, 0, 0])
        after = int(np.flatnonzero(angle < 0.0)[0])
        times.append(np.interp(0.0, -angle[after - 1 : after + 1], trajectory.time[after - 1 : after + 1]))
    # the same path in another time: the ratio is exact but for terms of second order in the step
    assert times[1] / times[0] == pytest.approx(np.sqrt(9.81 / 1.62), rel=1e-5)


def test_a_heavier_rod_has_more_energy(run):
    energies = []
    for mass in (1, 2):
        _, output, _ = run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01, "--set", f"rod.mass={mass}", "--json")
        energies.append(json.loads(output)["energy_at_start_end"][0])
    assert energies[1] == pytest.approx(2 * energies[0], rel=1e-12)


def test_a_continued_simulation_has_the_bits_of_one_run(run):
    steps = ("--step", 0.01, "--out")
    assert run("simulate", FOUR_BAR, "--time", 0.5, *steps, "a.npz")[0] == 0
    assert run("simulate", FOUR_BAR, "--time", 0.7, *steps, "b.npz", "--continue", "a.npz")[0] == 0
    assert run("simulate", FOUR_BAR, "--time", 1.2, *steps, "c.npz")[0] == 0
    second, whole = Trajectory.load("b.npz"), Trajectory.load("c.npz")
    for name in ("position", "orientation", "velocity", "angular_velocity", "closure"):
        assert getattr(second, name).tobytes() == getattr(whole, name)[50:].tobytes(), name
    assert second.resume.tobytes() == whole.resume.tobytes()
    assert second.time == pytest.approx(whole.time[50:], abs=1e-12)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_motion_goes_on_in_the_coordinates_that_it_was_made_in(run, coordinates):
    """With auto; else what is asked counts, and is refused where it is another."""
    steps = ("--step", 0.01, "--coordinates", coordinates, "--out")
    assert run("simulate", FOUR_BAR, "--time", 0.3, *steps, "a.npz")[0] == 0
    assert run("simulate", FOUR_BAR, "--time", 0.5, *steps, "whole.npz")[0] == 0
    again = ("simulate", FOUR_BAR, "--time", 0.2, "--step", 0.01, "--continue", "a.npz", "--out", "b.npz")
    assert run(*again, "--coordinates", "auto")[0] == 0
    found = Trajectory.load("b.npz")
    assert (found.formulation, found.state_hash()) == (coordinates, Trajectory.load("whole.npz").state_hash())
    other = {"maximal": "tree", "tree": "maximal"}[coordinates]
    code, _, error = run(*again, "--coordinates", other)
    assert code == 1 and f"the trajectory was made with coordinates='{coordinates}'" in error


def test_a_trajectory_of_another_mechanism_is_not_continued(run):
    run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01, "--out", "a.npz")
    code, _, error = run("simulate", FOUR_BAR, "--time", 0.1, "--step", 0.01, "--continue", "a.npz")
    assert code == 1 and "of the mechanism 'pendulum', not of this 'four_bar'" in error


def test_info_names_the_rows_that_a_loop_has_too_many(run):
    code, output, _ = run("info", FOUR_BAR, "--json")
    facts = json.loads(output)
    assert (code, facts["rows"], facts["rank"], facts["freedoms"]) == (0, 20, 17, 1)
    assert facts["redundant rows"] == {"rocker_pin": ["along third axis", "about first axis", "about second axis"]}
    code, output, _ = run("info", FOUR_BAR, "--kernels")
    assert code == 0 and "redundant rows" in output and "rocker_pin" in output and "operations per kernel" in output


def test_a_pendulum_in_joint_coordinates_is_saved_as_it_is_in_maximal_ones(run, tmp_path):
    saved = {}
    for coordinates in ("maximal", "tree"):
        out = tmp_path / f"{coordinates}.npz"
        options = ("--time", 0.5, "--step", 0.01, "--coordinates", coordinates, "--out", out)
        assert run("simulate", demo_file("pendulum"), *options)[0] == 0
        saved[coordinates] = Trajectory.load(out)
    assert saved["tree"].formulation == "tree"
    assert np.abs(saved["tree"].position - saved["maximal"].position).max() < 1e-12


def test_info_counts_operations_in_both_coordinates(run, tmp_path):
    """And says what auto chooses."""
    facts = json.loads(run("info", demo_file("pendulum"), "--coordinates", "auto", "--json")[1])
    other = json.loads(run("info", demo_file("pendulum"), "--coordinates", "maximal", "--json")[1])
    assert (facts["coordinates"], other["coordinates"]) == ("tree", "maximal")
    assert facts["operations per iteration, maximal"] == other["operations per iteration"]
    assert facts["operations per iteration"] == other["operations per iteration, tree"]
    assert facts["operations per iteration"] < other["operations per iteration"]
    closed = json.loads(run("info", FOUR_BAR, "--coordinates", "auto", "--json")[1])
    assert 8 * closed["operations per iteration"] < closed["operations per iteration, maximal"]
    stopped = tmp_path / "stopped.toml"
    text = demo_file("four_bar").read_text(encoding="utf-8")
    stopped.write_text(f"{text}\n[limits.stop]\njoint = 'rocker_pin'\nupper = 1.8\n", encoding="utf-8")
    why = "'stop' acts on joint 'rocker_pin', which closes a loop"
    facts = json.loads(run("info", stopped, "--coordinates", "auto", "--json")[1])
    assert (facts["coordinates"], facts["operations per iteration, tree"]) == ("maximal", f"none: {why}")
    code, _, error = run("info", stopped, "--coordinates", "tree")
    assert code == 1 and f"{why}; say 'auto' or 'maximal'" in error


@pytest.mark.thorough
@pytest.mark.parametrize("layout", ["inline", "unrolled", "looped"])
def test_generate_writes_two_files_that_gcc_compiles(run, tmp_path, layout):
    if shutil.which("gcc") is None:
        pytest.skip("needs the package gcc")
    code, output, _ = run("generate", FOUR_BAR, "-o", "deep/folder", "--layout", layout, "--prefix", "fb", "--json")
    assert (code, json.loads(output)["layout"]) == (0, layout)
    files = sorted((tmp_path / "deep" / "folder").iterdir())
    assert [str(path.relative_to(tmp_path)) for path in files] == sorted(json.loads(output)["files"])
    header, source = sorted(files, key=lambda path: path.suffix, reverse=True)
    assert (source.suffix, header.suffix) == (".c", ".h")
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-c", str(source), "-o", str(tmp_path / "a.o")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize(
    "command", [("generate", "-o", "out"), ("simulate", "--time", 1, "--step", 0.1, "--out", "out")]
)
def test_a_bad_file_lists_all_its_errors_with_their_lines_and_nothing_is_written(run, tmp_path, command):
    (tmp_path / "bad.toml").write_text(BAD)
    code, output, error = run(command[0], "bad.toml", *command[1:])
    assert (code, output) == (1, "")
    lines = error.removeprefix("symvi: ").splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"bad.toml:{number}" for number in (5, 6, 9, 14)]
    assert "did you mean 'revolute'?" in lines[2] and "'thigh'" in lines[3]
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


@pytest.mark.parametrize(
    "options, words",
    [
        (("--step", 0), "--step 0: must be a positive number of seconds"),
        (("--step", "nan"), "--step nan: must be a positive number of seconds"),
        (("--step", "1e-320", "--time", "1e300"), "more steps than a number can count"),
        (("--time=-1",), "--time -1: must be a positive number of seconds"),
        (("--time", "inf"), "--time inf: must be a positive number of seconds"),
        (("--step", 0.3), "time 1 s is not a whole number of steps of 0.3 s"),
        (("--every", 7), "--every 7: the 100 steps are no multiple of it"),
        (("--record", "coordinates,rate"), "record: no such name 'rate'; did you mean 'rates'?"),
        (("--set", "rod.mas=2"), "no parameter 'rod.mas'; did you mean 'rod.mass'?"),
        (("--set", "rod.mass"), "--set 'rod.mass': write NAME=VALUE, as in arm.mass=2"),
        (("--set", "rod.mass=heavy"), "--set 'rod.mass=heavy': write NAME=VALUE, as in arm.mass=2"),
        (("--set", "rod.mass=nan"), "parameter rod.mass: nan must be 1 finite number(s)"),
        (
            ("--set", "rod.mass=2", "--set", "rod.mass=3"),
            "--set 'rod.mass=3': it has a value already; give it one only",
        ),
        (("--input", "m.force=2", "--input", " m.force=2"), "--input ' m.force=2': it has a value already"),
        (("--backend", "python", "--real", "float"), "--backend python computes in double"),
        (("--out", "missing/a.npz"), "--out missing/a.npz: there is no folder missing"),
        (("--page", "."), "--page .: is a folder"),
        (("--plot", "a.pdf"), "--plot a.pdf: a plot is a PNG file; let its name end in .png"),
        (("--continue", "missing.npz"), "missing.npz: No such file or directory"),
    ],
)
def test_what_cannot_work_is_one_line(run, tmp_path, options, words):
    code, output, error = run("simulate", PENDULUM, "--time", 1, "--step", 0.01, *options)
    assert (code, output) == (1, "")
    assert error.startswith("symvi: ") and error.count("\n") == 1 and words in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("prefix", ["../evil", "a b", "", "int", "2nd", "a" * 64])
def test_a_prefix_that_no_symbol_may_have_is_refused_and_nothing_is_written(run, tmp_path, prefix):
    code, output, error = run("generate", PENDULUM, "-o", "out", "--prefix", prefix)
    assert (code, output) == (1, "") and error.startswith(f"symvi: --prefix '{prefix[:40]}")
    assert list(tmp_path.iterdir()) == []


def test_units_in_brackets_are_shown(run):
    """Rich would take [s] for its markup."""
    _, output, _ = run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01)
    for unit in ("built in [s]", "step [s]", "largest closure [m, rad]", "energy at start, end [J]"):
        assert unit in output
    for command in ("demo", "simulate"):
        code, output, _ = run(command, "--help")
        assert code == 0 and "Time step in seconds" in " ".join(output.replace("│", " ").split())


def test_steps_that_end_with_a_warning_are_counted_and_explained(run, tmp_path):
    """A row that vanishes with its gradient holds the bead only in part, and nobody would know from its closure."""
    (tmp_path / "bead.toml").write_text(DEGENERATE)
    arguments = ("simulate", "bead.toml", "--time", 0.1, "--step", 0.01)
    code, output, _ = run(*arguments, "--json")
    result = json.loads(output)
    assert code == 0 and result["failed_steps"] == 0
    assert 0 < result["steps_with_warnings"] == sum(result["warnings"].values()) <= 10
    assert all(sentence.startswith("the step was solved") for sentence in result["warnings"])
    _, output, _ = run(*arguments)
    assert "steps with warnings" in output and "of the recorded steps: the step was solved" in output
    _, output, _ = run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01, "--json")
    assert (json.loads(output)["steps_with_warnings"], json.loads(output)["warnings"]) == (0, {})


def test_a_body_that_turns_fast_is_told_of(run, tmp_path):
    """At h |w| = 0.5 a step turns it by asin(0.5), 4.7 % further; started by its rate of turn, its momentum is less."""
    (tmp_path / "top.toml").write_text(TOP)
    arguments = ("simulate", "top.toml", "--time", 0.1, "--step", 0.01)
    _, output, errors = run(*arguments)
    told = "warning: body 'top' turns at 50 rad/s at t = 0 s, h |w| = 0.5: its turn in a step of 0.01 s is 4.7 % more"
    assert told in output and "SpinWarning" not in errors
    _, output, _ = run(*arguments, "--json")
    assert json.loads(output)["largest_turn_in_a_step"] == pytest.approx(0.5)
    assert "4.7 % more" in json.loads(output)["fast_spin"]
    code, output, _ = run(*arguments, "--rates", "turn", "--json")
    assert code == 0 and json.loads(output)["largest_turn_in_a_step"] == pytest.approx(np.sin(0.5))
    assert run(*arguments, "--rates", "knot")[0] == 2
    _, output, _ = run("simulate", PENDULUM, "--time", 0.1, "--step", 0.01, "--json")
    assert json.loads(output)["fast_spin"] is None


def test_the_solver_of_a_rule_is_named(run):
    pendulum = demo_file("double_pendulum")
    asked = "--coordinates", "tree", "--rule", "midpoint", "--solver"
    facts = {s: json.loads(run("info", pendulum, *asked, s, "--json")[1]) for s in ("newton", "riqn", "broyden")}
    assert facts["riqn"]["order"] == "2, by quadrature (midpoint), solved by riqn"
    operations = {name: each["operations per iteration"] for name, each in facts.items()}
    assert operations["riqn"] < operations["broyden"] and operations["riqn"] < operations["newton"]
    code, output, _ = run("simulate", pendulum, "--time", "0.1", "--step", "0.01", *asked, "broyden")
    assert code == 0 and "iterations" in output
    code, _, error = run("simulate", pendulum, "--time", "0.1", "--step", "0.01", "--solver", "riqn")
    assert code != 0 and "say rule='midpoint'" in error


def test_info_tells_freedoms_that_are_driven(run):
    """A driven crank has one freedom by its joints, and its driver takes it: as many rows as velocities."""
    _, output, _ = run("info", SLIDER_CRANK, "--json")
    facts = json.loads(output)
    assert (facts["freedoms"], facts["freedoms driven"]) == (1, 1)
    assert facts["unknown velocities"] == facts["rank"] + facts["freedoms"] - facts["freedoms driven"]


def test_info_lists_what_a_run_can_be_given(run):
    """The names that --set and the inputs of a simulation take, with the values that the description has."""
    _, output, _ = run("info", SLIDER_CRANK, "--json")
    facts = json.loads(output)
    assert facts["inputs"] == ["motor.target"]
    assert facts["parameters"]["gravity"] == [0.0, 0.0, -9.81] and facts["parameters"]["spring.stiffness"] == 200.0
    assert facts["parameters"]["crank_pin.parent_anchor"] == [0.0, 0.02, 0.1]
    _, output, _ = run("info", SLIDER_CRANK)
    assert "spring.stiffness" in output and "motor.target" in output


def test_a_missing_file_is_one_line(run):
    for command in (("info",), ("generate", "-o", "out"), ("simulate", "--time", 1, "--step", 0.1)):
        code, output, error = run(command[0], "missing.toml", *command[1:])
        assert (code, output) == (1, "") and error.startswith("symvi: missing.toml") and error.count("\n") == 1


def test_a_plot_without_matplotlib_is_refused_before_the_work(run, monkeypatch):
    monkeypatch.setattr("symvi.cli.commands.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "symvi.simulate.simulator", None)  # nothing may be built
    code, output, error = run("simulate", PENDULUM, "--time", 1, "--step", 0.01, "--plot", "a.png", "--json")
    assert (code, json.loads(output)["kind"]) == (1, "MissingExtraError") and install_command("plot") in error


def test_the_reference_in_python_agrees_with_the_compiled_c(run):
    if find_compiler() is None:
        pytest.skip("needs the package gcc")
    ends = []
    for backend in ("c", "python"):
        run("simulate", SLIDER_CRANK, "--time", 0.1, "--step", 0.01, "--backend", backend, "--out", f"{backend}.npz")
        ends.append(Trajectory.load(f"{backend}.npz").position[-1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-13
