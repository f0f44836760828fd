"""`--set` changes lengths and anchors too: what is simulated is what a file with these numbers says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symvi import Simulator, Trajectory, cli
from symvi.cli.setting import given_numbers
from symvi.demos import demo_file
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.changing import with_numbers
from tests.importers.urdf_texts import inertial, joint, link, robot
from tests.support.quick import compiled_quickly  # noqa: F401

RUN = ("--time", "0.2", "--step", "0.01")


def simulated(folder: Path, path: Path, *options: str) -> Trajectory:
    out = folder / "out.npz"
    assert cli.main(["simulate", str(path), *RUN, "--out", str(out), *options]) == 0
    return Trajectory.load(out)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_an_own_file_takes_lengths_and_anchors(tmp_path: Path, coordinates: str) -> None:
    words = ("--set", "pin.child_anchor=0,0,10 cm", "--set", "rod.length=1.2", "--coordinates", coordinates)
    found = simulated(tmp_path, demo_file("pendulum"), *words, "--set", "rod.mass=2")
    changed = with_numbers(
        Mechanism.from_file(demo_file("pendulum")), {"pin.child_anchor": (0, 0, 0.1), "rod.shape.length": 1.2}
    )
    expected = Simulator(changed, coordinates=coordinates, parameters={"rod.mass": 2.0}).simulate(0.2, 0.01)
    assert found.mechanism == changed and found.settings == {"rod.mass": (2.0,)}
    assert found.state_hash() == expected.state_hash()
    going_on = simulated(tmp_path, demo_file("pendulum"), *words, "--set", "rod.mass=2", "--continue",
                         str(tmp_path / "out.npz"))  # fmt: skip
    assert (
        going_on.state_hash()
        == Simulator(changed, coordinates=coordinates, parameters={"rod.mass": 2.0}).simulate(0.4, 0.01).state_hash()
    )


def test_a_loop_closes_again(tmp_path: Path) -> None:
    found = simulated(tmp_path, demo_file("four_bar"), "--set", "rocker_pin.child_anchor=0,0,62 cm")
    assert found.mechanism.joint("rocker_pin").child_anchor == (0.0, 0.0, 0.62)
    assert found.closure.max() < 1e-12


def test_numbers_count_that_the_file_itself_cannot_have(tmp_path: Path) -> None:
    """A rocker that reaches the coupler nowhere; with another length it does."""
    path = tmp_path / "open.toml"
    text = demo_file("four_bar").read_text(encoding="utf-8")
    path.write_text(text.replace("child_anchor = [0.0, 0.0, 0.6]", "child_anchor = [0.0, 0.0, 6.0]"), encoding="utf-8")
    found = simulated(tmp_path, path, "--set", "rocker_pin.child_anchor=0,0,0.6")
    assert found.state_hash() == simulated(tmp_path, demo_file("four_bar")).state_hash()


def test_an_import_takes_them_too(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    limit = '<limit lower="-2" upper="2" effort="5" velocity="3"/>'
    upper = link("upper", inertial(1.0, xyz=(0.1, 0, -0.5)))
    path.write_text(robot(link("base", inertial()), upper, joint("pin", "revolute", "base", "upper", limit), name="a"))
    found = simulated(tmp_path, path, "--set", "pin.child_anchor=0,0,25 cm", "--start", "pin=0.5")
    assert found.mechanism.joint("pin").child_anchor == (0.0, 0.0, 0.25)
    assert found.state_hash() == Simulator(found.mechanism).simulate(0.2, 0.01).state_hash()


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> dict:
    capsys.readouterr()
    assert cli.main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


SET = ("--set", "rocker_pin.child_anchor=0,0,62 cm", "--set", "coupler.mass=0.9", "--set", "gravity=0,0,-1.62")


def test_what_is_written_and_printed_has_these_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """generate, info and export say of a file with --set what they say of the file that a simulation made of it."""
    whole = {"rocker_pin.child_anchor": (0, 0, 0.62), "coupler.mass": 0.9, "gravity": (0, 0, -1.62)}
    changed = Simulator(Mechanism.from_file(demo_file("four_bar"))).with_parameters(whole).mechanism
    path = tmp_path / "changed.toml"
    path.write_text(changed.to_toml(), encoding="utf-8")
    for kind, words in {"set": (demo_file("four_bar"), *SET), "file": (path,)}.items():
        assert cli.main(["generate", *map(str, words), "-o", str(tmp_path / kind)]) == 0
    files = {kind: sorted((tmp_path / kind).iterdir()) for kind in ("set", "file")}
    assert [a.read_bytes() for a in files["set"]] == [b.read_bytes() for b in files["file"]]
    facts = [answer(capsys, "info", *words) for words in ((demo_file("four_bar"), *SET), (path,))]
    assert facts[0] == facts[1] and facts[0]["parameters"]["coupler.mass"] == 0.9
    folders = tmp_path / "a", tmp_path / "b"
    first = answer(capsys, "export", demo_file("four_bar"), *SET, "--no-measure", "-o", folders[0])
    second = answer(capsys, "export", path, "--no-measure", "-o", folders[1])
    assert first["golden"] == second["golden"]


def test_the_viewer_shows_these_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = []

    def opened(mechanism: Mechanism, **_: object) -> None:
        seen.append(mechanism)
        raise MechanismError("seen")

    monkeypatch.setattr("symvi.view.open_viewer", opened)
    words = [
        "view",
        str(demo_file("pendulum")),
        "--no-open",
        "--set",
        "rod.shape.length=2",
        "--set",
        "pin.coordinate=0.5",
    ]
    assert cli.main(words) == 1
    assert seen[0].body("rod").shape.length == 2.0 and seen[0].joint("pin").coordinate == (0.5,)
    simulated(tmp_path, demo_file("pendulum"))
    assert cli.main([*words, "--trajectory", str(tmp_path / "out.npz")]) == 1 and len(seen) == 1


def test_a_joint_has_one_start(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", str(demo_file("pendulum")), *RUN, "--start", "pin=0.5", "--set", "pin.coordinate=1"]
    assert cli.main(words) == 1
    assert "--start 'pin=0.5', --set 'pin.coordinate=1': give joint 'pin' one start only" in capsys.readouterr().err


WRONG = [
    ("pin.child_ancor=0,0,1", "no parameter 'pin.child_ancor'; did you mean 'pin.child_anchor'?"),
    ("pin.child_anchor=0,1", "joint 'pin': child_anchor [0.0, 1.0] must be 3 numbers, but has 2"),
    ("pin.child_anchor=0,0,nan", "joint 'pin': child_anchor"),
    ("pin.child_anchor=0,0,3 kg", "'3 kg' has the unit kg, which does not measure this; write it like '10 m'"),
    ("pin.child_anchor=0,0,long", "write NAME=VALUE, as in arm.mass=2"),
    ("rod.shape.length=-1", "must be positive"),
    ("pin.pitch=1", "pitch belongs to joints of type 'screw'"),
    ("pin.type=screw", "write NAME=VALUE, as in arm.mass=2"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_makes_no_sense_is_named(capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    assert cli.main(["simulate", str(demo_file("pendulum")), *RUN, "--backend", "python", "--set", text]) == 1
    assert words in capsys.readouterr().err


def test_texts_are_numbers_or_quantities() -> None:
    found = given_numbers(["a.mass=2", "b.anchor=1, 25 mm,-3", " c.angle = 60 deg"])
    assert found == {"a.mass": 2.0, "b.anchor": [1.0, " 25 mm", -3.0], "c.angle": " 60 deg"}
