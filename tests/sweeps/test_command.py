"""`symvi sweep` does from the shell what `symvi.sweep` does."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from symvi import cli, sweep
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.mechanism.changing import with_numbers
from tests.support.quick import compiled_quickly  # noqa: F401

PENDULUM = str(demo_file("pendulum"))
RUN = ("--time", "0.5", "--step", "0.01", "--measure", "end=last(pin)", "--measure", "most=max(abs(pin.rate))")


def run(*options: str) -> int:
    return cli.main(["sweep", PENDULUM, *RUN, *options])


def test_the_table_is_that_of_the_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.csv"
    over = ("--over", "rod.length=50 cm:1 m:3", "--over", "rod.mass=1,500 g", "--set", "pin.coordinate=30 deg")
    assert run(*over, "--out", str(out), "--set", "gravity=0,0,-1.62", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["variants"] == 6 and told["failed"] == 0 and told["out"] == str(out)
    changes = {"pin.coordinate": "30 deg", "gravity": (0, 0, -1.62)}
    mechanism = with_numbers(Mechanism.from_file(PENDULUM), changes)
    table = sweep(
        mechanism, {"rod.length": [0.5, 0.75, 1.0], "rod.mass": [1.0, 0.5]},
        measure={"end": "last(pin)", "most": "max(abs(pin.rate))"}, time=0.5, step=0.01,
    )  # fmt: skip
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["end [rad]"]) for row in rows] == table["end"].tolist()
    assert [float(row["most [rad/s]"]) for row in rows] == table["most"].tolist()


def test_what_is_drawn_and_what_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path / "a.csv"))
    assert run("--over", "rod.mass=-1:1", "--random", "8", "--seed", "3", *out, "--workers", "1") == 0
    said = capsys.readouterr().out
    assert "of the variants: body 'rod': mass -" in " ".join(said.split())
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--over", "rod.mas=1"), "did you mean 'rod.mass'"),
        (("--over", "rod.mass=1:2"), "FROM:TO:COUNT"),
        (("--over", "rod.mass=1 m"), "unit m"),
        (("--over", "rod.mass"), "write NAME=VALUES"),
        (("--over", "gravity=1"), "name one of them, as gravity[0]"),
        (("--over", "rod.mass=1,2", "--random", "3"), "write rod.mass=FROM:TO"),
        (("--over", "rod.mass=1:2", "--random", "3", "--latin-hypercube", "3"), "give one of them"),
        (("--over", "rod.mass=1", "--workers", "2", "--dask", "here"), "give one of them"),
        (("--over", "rod.mass=1", "--measure", "end=last(pin)"), "it has a value already"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], options, words: str) -> None:
    assert run(*options, "--out", str(tmp_path / "a.csv")) == 1
    assert words in capsys.readouterr().err and not list(tmp_path.iterdir())
