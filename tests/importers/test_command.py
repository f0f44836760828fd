"""symvi import and the other commands on foreign files, and the report that they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symvi import cli
from symvi.importers import load
from symvi.mechanism import Mechanism
from tests.importers.four_bars import four_bar
from tests.importers.urdf_texts import inertial, joint, link, robot

BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    limit = '<limit lower="-1" upper="1" effort="5" velocity="3"/>'
    path.write_text(
        robot(
            link("base", inertial() + BALL),
            link("upper", inertial(1.0, xyz=(0, 0, -0.5))),
            link("tip", ""),
            joint("shoulder", "revolute", "base", "upper", limit),
            joint("mount", "fixed", "upper", "tip", xyz=(0, 0, -1)),
            name="arm",
        )
    )
    return path


def test_import_writes_symvis_own_description(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("toml", "json"):
        output = arm.with_suffix(f".{ending}")
        assert cli.main(["import", str(arm), "-o", str(output)]) == 0
        assert Mechanism.from_file(output) == load(arm).mechanism
    printed = capsys.readouterr().out
    assert "arm: 1 bodies, 1 joints" in printed
    assert "skipped      limit effort" in printed and "joint 'shoulder', line 6" in printed


def test_the_report_as_json(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", str(arm), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mechanism"] == "arm" and found["bodies"] == 1
    assert found["report"]["counts"] == {"taken": 1, "merged": 1, "skipped": 2}
    merged = next(notice for notice in found["report"]["notices"] if notice["kind"] == "merged")
    assert (merged["element"], merged["line"], merged["file"]) == ("link 'tip'", 7, str(arm))


def test_strict_makes_losses_an_error(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", str(arm), "--strict"]) == 0
    arm.write_text(arm.read_text().replace('lower="-1"', 'lower="1"'))
    assert cli.main(["import", str(arm), "--strict"]) == 1
    assert f"{arm}:6: approximated: joint 'shoulder': limit lower = upper" in capsys.readouterr().err
    path = arm.with_name("exact.urdf")
    path.write_text(four_bar("loop_joint"))
    assert cli.main(["import", str(path), "--strict"]) == 0


def test_every_command_takes_urdf(arm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(arm)
    assert cli.main(["info", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "arm"
    assert cli.main(["generate", file, "-o", str(tmp_path / "c"), "--base", "floating"]) == 0
    assert (tmp_path / "c" / "arm.c").is_file()
    options = ["--base", "floating", "--contacts", "--contact-points", "tip:0,0,0,0.02", "--start", "shoulder=0.2"]
    assert cli.main(["simulate", file, "--time", "0.1", "--step", "0.01", "--hold", "10,1", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["contact_points"] == 2


@pytest.mark.parametrize(
    "options, words",
    [
        (["--contact-points", "tip"], "write LINK:x,y,z"),
        (["--contact-points", "tip:a,b,c"], "write LINK:x,y,z"),
        (["--package", "name"], "write NAME=FOLDER"),
        (["--start", "shoulder"], "the file has no such start"),
        (["--start", "shoulder=x"], "--start 'shoulder=x': write JOINT=VALUE"),
        (["--start", "shoulder=1,"], "--start 'shoulder=1,': write JOINT=VALUE"),
        (["--contact-points", "tip:a,0,0"], "--contact-points 'tip:a,0,0': write LINK:x,y,z"),
        (["--contacts", "--contacts-of", "tip"], "leave it out, or leave --contacts-of out"),
        (["--start", "shoulder=0.1", "--start", "shoulder=0.2"], "--start 'shoulder=0.2': it has a value already"),
        (["--hold", "x"], "write STIFFNESS,DAMPING"),
        (["--gravity", "down"], "write x,y,z"),
        (["-o", "arm.urdf"], "let its name end in .toml or .json"),
        (["-o", "nowhere/arm.toml"], "there is no folder nowhere"),
    ],
)
def test_options_that_cannot_be_read(options: list, words: str, arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", str(arm), *options]) == 1
    assert words in capsys.readouterr().err


def test_the_mechanism_itself_says_who_reads_other_files(arm: Path) -> None:
    with pytest.raises(Exception, match="symvi.load reads"):
        Mechanism.from_file(arm)


def test_losses_are_counted(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = arm.read_text().replace("</robot>", "@</robot>")
    for tags, words in (("<warp/>", "1 loss, and strict"), ("<warp/><drive/>", "2 losses, and strict")):
        arm.write_text(text.replace("@", tags))
        assert cli.main(["import", str(arm), "--strict"]) == 1
        assert words in capsys.readouterr().err


def test_a_remedy_is_named_as_the_command_line_has_it(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The start breaks a loop: in Python project=True moves it onto the constraints."""
    arm.write_text(four_bar("loop_joint").replace('xyz="0.0 1.0 -0.09999999999999998"', 'xyz="0.0 1.0 -0.15"'))
    run = ["simulate", str(arm), "--time", "0.02", "--step", "0.01"]
    assert cli.main(run) == 1
    told = capsys.readouterr().err
    assert "start with --project" in told and "project=True" not in told
