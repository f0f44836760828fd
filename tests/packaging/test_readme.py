"""What README shows works as it stands there: its files, its commands, its Python and its C."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from symvi import cli
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator
from tests.importers.urdf_texts import inertial, joint, link, robot

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
REST = """
[mechanism]
name = "rest"
[bodies.crate]
mass = 1.0
shape = { kind = "box", size = [0.1, 0.1, 0.1] }
position = [0.0, 0.0, 1.0]
[bodies.leg]
mass = 1.0
shape = { kind = "rod", length = 1.0 }
[joints.knee]
type = "revolute"
child = "leg"
parent_anchor = [2.0, 0.0, 2.0]
"""

SPHERE = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
BOX = '<collision><origin xyz="0 0 -0.5"/><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
ROBOT = robot(
    link("base", inertial() + SPHERE),
    link("foot", inertial(xyz=(0, 0, -0.5)) + BOX),
    joint("knee", "revolute", "base", "foot"),
)


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCKS if found == kind]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file that README begins with, and a robot."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.toml").write_text(blocks("toml")[0])
    (tmp_path / "robot.urdf").write_text(ROBOT)
    return tmp_path


@pytest.mark.thorough
def test_the_commands_run_as_they_stand_there(folder: Path) -> None:
    """But for the demo, the tests and the benchmarks, which have tests of their own."""
    words = [shlex.split(line)[3:] for line in COMMANDS if line.startswith("python3 -m symvi ")]
    known = {"simulate", "info", "generate", "import", "derive", "export"}
    tried = [arguments for arguments in words if arguments[0] in known]
    assert {arguments[0] for arguments in tried} == known
    assert all(cli.main(arguments) == 0 for arguments in tried)
    written = {path.name for path in folder.iterdir()}
    assert {"pendulum.html", "pendulum.npz", "pendulum.csv", "later.npz", "moon.png", "generated"} <= written


def test_what_it_views_opens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = pytest.importorskip("symvi.view.viewer", reason="needs the extra view")

    def interrupted(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(viewer.Viewer, "run", interrupted)
    words = [shlex.split(line)[3:] for line in COMMANDS if line.startswith("python3 -m symvi ")]
    viewed = [arguments for arguments in words if arguments[0] == "view"]
    made = [arguments for arguments in words if arguments[0] == "simulate" and "robot.npz" in arguments]
    assert len(viewed) == 2 and len(made) == 1
    assert all(cli.main(arguments) == 0 for arguments in made)
    assert all(cli.main([*arguments, "--no-open"]) == 0 for arguments in viewed)


@pytest.mark.thorough
def test_the_python_runs_from_top_to_bottom(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for text in blocks("python"):
        exec(compile(text, "README.md", "exec"), names)
    assert (folder / "arm.npz").is_file() and (folder / "mechanism.schema.json").is_file()
    assert names["pair"].body_names == ("left_upper", "left_lower", "right_upper", "right_lower")
    assert names["driven"].closure.max() < 1e-5
    assert [found.says for found in names["report"].diagnoses] == ["twice the true value"]


def test_the_c_program_ends_where_python_does(folder: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs the package gcc")
    assert cli.main(["generate", "pendulum.toml", "-o", "generated/pendulum"]) == 0
    (folder / "main.c").write_text(blocks("c")[0])
    compile_it, run_it = (line for line in COMMANDS if line.startswith(("cc ", "./pendulum")))
    subprocess.run(shlex.split(compile_it), check=True)
    printed = subprocess.run([run_it], check=True, capture_output=True, text=True).stdout
    simulator = Simulator(Mechanism.from_file("pendulum.toml"))
    motion = simulator.simulate(10.0, 0.01)
    assert float(printed.split()[0]) == motion.resume[simulator.plan.at("state", "body", 0, "x")][0]


def test_every_description_can_be_read() -> None:
    first, *others = blocks("toml")
    assert Mechanism.from_toml(first).name == "pendulum"
    for text in others:
        assert Mechanism.from_toml(REST + text).bodies


def test_every_link_and_program_is_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    programs = re.findall(r"\b(?:examples|tests)/\w+\.py", "\n".join(COMMANDS))
    assert links and programs
    assert [path for path in (*links, *programs) if not (REPOSITORY / path).exists()] == []
