"""Every variant of a sweep moves as a simulator of its own does, to the last bit; what fails is a row with an error."""

from __future__ import annotations

import csv
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import ArgumentError, FileError, MechanismError, Simulator, sweep
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.mechanism.changing import with_numbers
from symvi.sweeps import Motion, grid, latin_hypercube, listed, random
from tests.simulate.test_worlds import cart_pole, crank
from tests.support.contact_scenes import box as boxed
from tests.support.contact_scenes import on_ground

TIME, STEP = 0.5, 0.01
SWING = {"swing": "max(abs(hinge))"}


def alone(mechanism: Mechanism, force: float | None = None) -> tuple[np.ndarray, ...]:
    """Coordinates, rates, energies and places of bodies at all knots, of a world of its own."""
    world = Simulator(mechanism, backend="c").reset(step=STEP, inputs={} if force is None else {"motor.force": force})
    found = [(world.coordinates, world.rates, world.energy, world.state.position)]
    for _ in range(round(TIME / STEP)):
        world.step()
        found.append((world.coordinates, world.rates, world.energy, world.state.position))
    return tuple(np.array(values) for values in zip(*found, strict=True))


def test_variants_move_as_simulators_of_their_own(cart: Simulator) -> None:
    """Masses, lengths, starts, inputs, entries of vectors: together, beside a simulator of each description."""
    over = {"pole.mass": [0.1, "300 g"], "pole.length": [0.8, 1.2], "hinge.coordinate": [0.2, "40 deg"]}
    over |= {"motor.force": [0.0, 2.0], "gravity[2]": [-9.81, -1.62], "hinge.velocity": [0.5]}
    measure = {
        "swing": "max(abs(hinge))", "end": "last(slide.rate)", "rms": "rms(hinge)", "low": "min(pole.position[2])",
        "spent": ((lambda motion: motion["energy"][-1] - motion["energy"][0]), "J"),
    }  # fmt: skip
    record = ("coordinates", "energy")
    table = sweep(cart, over, measure=measure, time=TIME, step=STEP, record=record)
    assert len(table) == 32 and (table["error"] == "").all() and (table["steps"] == 50).all()
    for k in (0, 5, 13, 22, 31):
        row = table.loc[k]
        numbers = {"pole.mass": row["pole.mass"], "pole.shape.length": row["pole.length"], "hinge.velocity": 0.5}
        numbers |= {"gravity": (0, 0, row["gravity[2]"]), "hinge.coordinate": row["hinge.coordinate"]}
        coordinates, rates, energy, position = alone(with_numbers(cart.mechanism, numbers), row["motor.force"])
        assert row["swing"] == np.abs(coordinates[:, 1]).max() and row["end"] == rates[-1, 0]
        assert row["rms"] == np.sqrt((coordinates[:, 1] ** 2).mean()) and row["low"] == position[:, 1, 2].min()
        assert row["spent"] == energy[-1] - energy[0]
    assert table["swing"].nunique() == 32
    units = table.attrs["units"]
    assert {name: units[name] for name in ("pole.mass", "pole.length", "hinge.coordinate", "hinge.velocity")} == {
        "pole.mass": "kg", "pole.length": "m", "hinge.coordinate": "rad", "hinge.velocity": "rad/s",
    }  # fmt: skip
    assert (units["motor.force"], units["gravity[2]"], units["end"], units["spent"]) == ("N", "m/s^2", "m/s", "J")


def test_centres_of_mass_are_those_of_each_variant(cart: Simulator) -> None:
    """A place of a body is that of its frame, which lengths move away from its centre of mass."""
    over = listed({"pole.shape.position": [(0, 0, 0.5), (0, 0, 0.7)], "pole.length": [1.0, 1.4]})
    table = sweep(cart, over, measure={"x": "last(pole.position[0])"}, time=TIME, step=STEP)
    for k, (middle, length) in enumerate(((0.5, 1.0), (0.7, 1.4))):
        changed = with_numbers(cart.mechanism, {"pole.shape.position": (0, 0, middle), "pole.shape.length": length})
        assert table["x"][k] == alone(changed)[3][-1, 1, 0]
    assert list(table.columns[:3]) == [f"pole.shape.position[{k}]" for k in range(3)]


def test_loops_close_again_and_signals_drive(tmp_path: Path) -> None:
    four_bar = Mechanism.from_file(demo_file("four_bar"))
    joint = four_bar.joints[0].name
    over = {"coupler.length": [0.6, 0.62], "rocker_pin.child_anchor[2]": [0.6, 0.62, 3.0]}
    table = sweep(four_bar, over, measure={"angle": f"last({joint})"}, time=0.1, step=STEP)
    assert [bool(error) for error in table["error"]] == [False, False, True] * 2
    assert "rocker_pin" in table["error"][2] and np.isnan(table["angle"][2])
    changed = Simulator(four_bar).with_parameters(
        {"coupler.shape.length": 0.62, "rocker_pin.child_anchor": (0, 0, 0.62)}
    )
    world = changed.reset(step=STEP)
    for _ in range(10):
        world.step()
    assert table["angle"][4] == world.coordinates[world.entries[joint]][0]
    table = sweep(crank(), {"spring.stiffness": [1.0, 2.0]}, measure={"a": "last(first)"}, time=0.3, step=STEP)
    assert np.allclose(table["a"], np.sin(0.9), atol=1e-9)


def test_a_pattern_of_its_own_is_found_built_once_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pole whose pin is beside its axis has a number where the text has a zero; four of these share one build."""
    built = []
    single = Simulator.__init__
    monkeypatch.setattr(Simulator, "__init__", lambda self, *a, **k: (built.append(1), single(self, *a, **k))[1])
    mechanism = cart_pole(coordinate=0.3)
    over = {"hinge.child_anchor[0]": [0.0, 0.1, 0.2], "pole.length": [0.8, 1.0]}
    table = sweep(mechanism, over, measure=SWING, time=TIME, step=STEP)
    assert table["own_build"].tolist() == [False, False, True, True, True, True]
    assert len(built) <= 3  # here, where the worker unpickles it, and once more
    monkeypatch.setattr(Simulator, "__init__", single)
    for k, place in ((2, 0.1), (4, 0.2)):
        changed = with_numbers(mechanism, {"hinge.child_anchor": (place, 0, 0), "pole.shape.length": 0.8})
        assert table["swing"][k] == np.abs(alone(changed)[0][:, 1]).max()


def test_a_description_that_cannot_start_may_be_swept(cart: Simulator) -> None:
    """Only the variants that cannot start either are rows with errors."""
    box = on_ground(boxed(position=(0, 0, 0.1)), friction=0.5)
    with pytest.raises(symvi.AssemblyError):
        Simulator(box).reset()
    heights = [0.1, 0.5]
    table = sweep(box, {"box.position[2]": heights}, measure={"low": "min(box.position[2])"}, time=0.1, step=STEP)
    assert "box" in table["error"][0] and table["error"][1] == ""
    fallen = 0.5 - 9.81 * 0.1**2 / 2
    assert table["low"][1] == pytest.approx(fallen, abs=9.81 * STEP * 0.1)


def test_what_fails_is_a_row_with_its_error(cart: Simulator) -> None:
    """A description that is refused, a step that cannot be solved, a measure that fails or is no number."""

    def measured(motion: Motion) -> float:
        if motion["slide"][-1] > 0.3:
            raise ValueError("too far")
        return float("nan") if motion["slide"][-1] < -0.2 else 1.0

    over = {"pole.mass": [-1.0, 0.1], "motor.force": [-20.0, 0.0, 20.0, 1e9]}
    table = sweep(cart, over, measure={"fine": measured, **SWING}, time=TIME, step=STEP)
    errors = table["error"].tolist()
    assert errors[:4] == ["body 'pole': mass -1.0 must be positive"] * 4
    assert errors[4] == "measure 'fine' is not finite" and errors[5] == ""
    assert errors[6] == "measure 'fine': ValueError: too far"
    assert errors[7].startswith("after 0 steps, t = 0 s: ") and table["steps"].tolist() == [0] * 4 + [50] * 3 + [0]
    assert np.isfinite(table[["fine", "swing"]]).all(axis=1).tolist() == [False] * 5 + [True] + [False] * 2
    assert table["swing"][5] == np.abs(alone(cart.mechanism)[0][:, 1]).max()


def test_designs() -> None:
    def plain(name: str, value: object) -> tuple[float, ...]:
        return tuple(np.atleast_1d(np.asarray(value, float)).tolist())

    rows = grid({"a": [1, 2], "b": [(3, 4), (5, 6), (7, 8)]}).rows(plain)
    assert rows["a"].tolist() == [[1], [1], [1], [2], [2], [2]] and rows["b"][:4].tolist() == [
        [3, 4], [5, 6], [7, 8], [3, 4],
    ]  # fmt: skip
    assert listed({"a": [1, 2], "b": np.array([3, 4])}).rows(plain)["b"].tolist() == [[3], [4]]
    scipy_stats = pytest.importorskip("scipy.stats")
    over = {"a": (2.0, 4.0), "b": ((0, 10), (1, 20)), "c": scipy_stats.norm(5.0, 0.1)}
    for make in (random, latin_hypercube):
        rows = make(400, over, seed=3).rows(plain)
        assert (2 <= rows["a"]).all() and (rows["a"] <= 4).all() and rows["b"].shape == (400, 2)
        assert (rows["b"] >= [0, 10]).all() and (rows["b"] <= [1, 20]).all()
        assert abs(rows["c"].mean() - 5.0) < 0.02 and abs(rows["c"].std() - 0.1) < 0.02
        assert (make(400, over, seed=3).rows(plain)["c"] == rows["c"]).all()
        assert (make(400, over, seed=4).rows(plain)["c"] != rows["c"]).any()
    with pytest.raises(ArgumentError, match="each as many"):
        listed({"a": [1, 2], "b": [1]})
    strata = np.floor((rows["a"][:, 0] - 2.0) / 2.0 * 400).astype(int)  # one in each, as a Latin hypercube has it
    assert sorted(strata.tolist()) == list(range(400))


@pytest.mark.parametrize(
    ("over", "how", "error", "words"),
    [
        ({"pole.mas": [1]}, {}, MechanismError, "'pole.mas'; did you mean 'pole.mass'"),
        ({"pole.mass": []}, {}, ArgumentError, "at least one value"),
        ({"pole.mass": "12"}, {}, ArgumentError, "give a list"),
        ({"pole.mass": ["3 m"]}, {}, MechanismError, "unit m"),
        ({"pole.mass": [np.nan]}, {}, MechanismError, "finite"),
        ({"gravity": [1.0]}, {}, MechanismError, "3 finite"),
        ({"gravity[3]": [1.0]}, {}, MechanismError, "has 3 numbers"),
        ({"pole.length": [1], "pole.shape.length": [1]}, {}, ArgumentError, "same number"),
        ({"gravity": [(0, 0, 1)], "gravity[2]": [1]}, {}, ArgumentError, "same number"),
        ({}, {}, ArgumentError, "no names"),
        (3, {}, ArgumentError, "latin_hypercube"),
        (random(10, {"pole.mass": (2, 1)}), {}, ArgumentError, "above the most"),
        (random(10**12, {"pole.mass": (1, 2)}), {}, ArgumentError, "of memory, and there are"),
        ({"pole.mass": [1]}, {"measure": {}}, ArgumentError, "nothing is measured"),
        ({"pole.mass": [1]}, {"measure": {"a": "max(hing)"}}, ArgumentError, "did you mean 'hinge'"),
        ({"pole.mass": [1]}, {"measure": {"a": "biggest(hinge)"}}, ArgumentError, "'biggest'"),
        ({"pole.mass": [1]}, {"measure": {"a": "max(pole.position)"}}, ArgumentError, "has 3 numbers"),
        ({"pole.mass": [1]}, {"measure": {"a": "hinge"}}, ArgumentError, "last(energy)"),
        ({"pole.mass": [1]}, {"measure": {"error": "max(hinge)"}}, ArgumentError, "two columns"),
        ({"pole.mass": [1]}, {"inputs": {"motor.forc": 1}}, MechanismError, "motor.force"),
        ({"motor.force": [1]}, {"inputs": {"motor.force": 1}}, ArgumentError, "leave it out"),
        ({"pole.mass": [1]}, {"every": 3}, ArgumentError, "must divide"),
        ({"pole.mass": [1]}, {"executor": "cluster"}, ArgumentError, "Client of Dask"),
        ({"pole.mass": [1]}, {"executor": 0}, ArgumentError, "executor: processes 0: must be a whole number"),
        ({"pole.mass": [1]}, {"out": "table.xls"}, FileError, ".csv or .parquet"),
        ({"pole.mass": [1]}, {"out": "nowhere/table.csv"}, FileError, "no such folder"),
    ],
)
def test_what_is_wrong_with_all_variants_is_an_error(cart: Simulator, over, how, error, words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        sweep(cart, over, **{"measure": SWING, "time": TIME, "step": STEP, **how})


def test_a_solver_in_python_is_refused() -> None:
    with pytest.raises(ArgumentError, match="runs in C"):
        sweep(Simulator(cart_pole(), backend="python"), {"pole.mass": [1]}, measure=SWING, time=TIME)


# --- its file ---------------------------------------------------------------------------------------------------------
MASSES = np.linspace(0.05, 0.2, 12).tolist()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of three variants."""
    monkeypatch.setattr(sys.modules["symvi.sweeps.sweep"], "PACK", 3)


def swept(cart: Simulator, out: Path, **how):
    return sweep(cart, {"pole.mass": MASSES}, **{"measure": SWING, "time": TIME, "step": STEP, "out": out, **how})


def test_an_interrupted_sweep_goes_on_from_its_file(cart: Simulator, tmp_path: Path, small: None) -> None:
    """Also where the last row was cut off; nothing that was finished is done again, and the table is the same."""
    whole = swept(cart, tmp_path / "whole.csv")
    out, seen = tmp_path / "part.csv", []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(cart, out, progress=stop)
    journal = tmp_path / "part.csv.part"
    assert seen == [3, 6] and not out.exists() and len(journal.read_bytes().splitlines()) == 7
    journal.write_bytes(journal.read_bytes()[:-9])
    seen.clear()
    with pytest.raises(FileError, match=r"part.csv.part: it is of another sweep \(time and step differs\)"):
        swept(cart, out, time=0.4)
    found = swept(cart, out, progress=lambda done, total: seen.append(done))
    assert seen == [5, 8, 11, 12] and found.equals(whole)
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part.csv", "whole.csv"]
    with pytest.raises(FileError, match="there already, and finished"):
        swept(cart, out)


def test_two_sweeps_on_one_file_are_refused(cart: Simulator, tmp_path: Path, small: None) -> None:
    out, errors = tmp_path / "table.csv", []

    def other(done: int, total: int) -> None:
        if done == 3:
            thread = threading.Thread(target=try_too)
            thread.start()
            thread.join()

    def try_too() -> None:
        try:
            swept(cart, out)
        except FileError as error:
            errors.append(str(error))

    swept(cart, out, progress=other)
    assert len(errors) == 1 and "another sweep is writing it" in errors[0]


def test_files_have_names_and_units(cart: Simulator, tmp_path: Path) -> None:
    table = swept(cart, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["variant", "pole.mass [kg]", "swing [rad]", "steps", "own_build", "error"]
    assert [float(row[2]) for row in rows] == table["swing"].tolist()
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    swept(cart, tmp_path / "table.parquet")
    assert pandas.read_parquet(tmp_path / "table.parquet").equals(table)
    schema = parquet.read_schema(tmp_path / "table.parquet")
    assert schema.field("swing").metadata[b"unit"] == b"rad"


def test_without_pandas_a_table_is_records(cart: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = swept(cart, tmp_path / "a.csv")
    monkeypatch.setitem(sys.modules, "pandas", None)
    records = swept(cart, tmp_path / "b.csv")
    assert isinstance(records, np.ndarray) and records["swing"].tolist() == table["swing"].tolist()
    assert records.dtype.metadata["units"]["pole.mass"] == "kg"
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    with pytest.raises(symvi.MissingExtraError, match="pyarrow"):
        swept(cart, tmp_path / "c.parquet")
