"""What cannot be exported is refused with a remedy, and nothing is written; foreign files are never overwritten."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import symvi
from symvi import Body, Mechanism, Sphere, SymviError, cli
from symvi.demos import demo_file
from symvi.exporters import c, export, folder
from symvi.exporters.budget import _remedy
from symvi.exporters.folder import check_replaceable, staged
from symvi.exporters.measure import compiled_sizes, tools
from symvi.simulate.simulator import generate_text
from tests.export.exports import arm, done, loose, need
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)


def ball() -> Mechanism:
    """The quickest to export."""
    return Mechanism(name="ball", bodies=[Body(name="ball", mass=1.0, shape=Sphere(radius=0.1))])


def spun(torque: float, fast: float = 0.0) -> Mechanism:
    """A ball that turns, and is turned faster and faster by a torque [N m], until no step can follow."""
    return ball().changed(
        bodies=[Body(name="ball", mass=1.0, shape=Sphere(radius=0.1), angular_velocity=(fast, 0.0, 0.0))],
        forces=[symvi.Wrench(name="angular_momentum", body="ball", signal=["0", "0", "0", str(torque), "0", "0"])],
    )


def contents(place: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


# --- what is asked ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "asked, says",
    [
        ({"target": "C"}, "did you mean 'c'?"),
        ({"target": "fmu"}, "known: c"),
        ({"prefix": "2arm"}, "with a letter first"),
        ({"prefix": "my-arm"}, "letters a-z"),
        ({"prefix": ""}, "letters a-z"),
        ({"prefix": "while"}, "is a reserved word of C"),
        ({"prefix": "template"}, "is a reserved word of C, C++"),
        ({"prefix": "math"}, "<math.h> is a header of the C library; choose another prefix"),
        ({"prefix": "x"}, "X_OK is a name of POSIX; choose a longer prefix"),
        ({"prefix": "z"}, "Z_OK is a name of zlib"),
        ({"prefix": "E"}, "E_OK is a name of OSEK and AUTOSAR; choose a longer prefix"),
        ({"prefix": "esp"}, "ESP_OK is a name of ESP-IDF; choose a longer prefix"),
        ({"prefix": "poll"}, "<poll.h> is a header of POSIX; choose another prefix"),
        ({"prefix": "Task"}, "<task.h> is a header of FreeRTOS"),
        ({"prefix": "gpio"}, "<gpio.h> is a header of projects for STM32"),
        ({"prefix": "arm_body"}, "an export with the prefix 'arm' has names that begin with 'arm_body_' too"),
        ({"prefix": "ARM_Common"}, "an export with the prefix 'ARM' has names"),
        ({"prefix": 3}, "must be a text"),
        ({"real": "half"}, "real 'half': use 'double' or 'float'"),
        ({"layout": "flat"}, "layout 'flat': use 'auto', 'inline', 'unrolled' or 'looped'"),
        ({"step": 0.0}, "step 0.0: must be a positive number of seconds"),
        ({"step": float("nan")}, "must be a positive number of seconds"),
        ({"step": 1e-50, "real": "float"}, "step 1e-50: is too small for a number in float; choose another"),
        ({"step": 1e39, "real": "float"}, "step 1e+39: is too large for a number in float"),
        ({"fixed_iterations": -1}, "must be 0 or a number of iterations"),
        ({"fixed_iterations": 1001}, "fixed_iterations 1001: must be 0 or a number of iterations, at most 1000"),
        ({"fixed_iterations": 10**11}, "at most 1000"),
        ({"prefix": "Con"}, "no file can be called Con.h on Windows; choose another prefix"),
        ({"prefix": "lpt1"}, "no file can be called lpt1.h on Windows"),
        ({"prefix": "golden"}, "<golden.h> is a header of the export's own self-test"),
        ({"prefix": "Arduino"}, "<arduino.h> is a header of Arduino's core"),
        ({"max_ram": 0}, "max_ram 0: must be a positive number of bytes"),
    ],
    ids=str,
)
def test_a_wrong_request_is_refused_before_anything_is_derived(asked: dict, says: str, tmp_path: Path) -> None:
    with pytest.raises(SymviError) as caught:
        export(ball(), tmp_path / "out", **asked)
    assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_none_are_refused() -> None:
    """The root of the file system, and a name that a script forgot to fill in."""
    with pytest.raises(SymviError, match="/: is the root of the file system; give a folder in it"):
        export(ball(), "/")
    with pytest.raises(SymviError, match="the folder to write has an empty name; give one"):
        export(ball(), "")


@pytest.mark.parametrize("many", ["1001", "99999999999"])
@pytest.mark.parametrize("verb", ["export", "generate", "simulate"])
def test_commands_take_no_endless_number_of_iterations(
    verb: str, many: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [verb, str(demo_file("pendulum")), "--fixed-iterations", many]
    assert cli.main(command + (["-o", "/"] if verb == "export" else [])) == 2
    assert "less than or equal to 1000" in capsys.readouterr().err


def test_an_empty_output_is_told_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(demo_file("pendulum")), "-o", ""]) == 1
    assert "the folder to write has an empty name" in capsys.readouterr().err


def test_the_command_answers_likewise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ball.json").write_text(ball().to_json())
    command = ["export", str(tmp_path / "ball.json"), "-o", str(tmp_path / "out"), "--target", "c99", "--json"]
    assert cli.main(command) == 1
    answer = capsys.readouterr()
    assert "target 'c99'" in json.loads(answer.out)["error"]
    assert answer.err.startswith("symvi: target")
    assert not (tmp_path / "out").exists()


def test_the_command_prints_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ball.json").write_text(ball().to_json())
    command = ["export", str(tmp_path / "ball.json"), "-o", str(tmp_path / "out"), "--no-measure", "--step", "0.002"]
    assert cli.main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["folder"] == str(tmp_path / "out")
    assert set(answer["files"]) == set(contents(tmp_path / "out"))
    assert answer["memory"]["options"]["value"] > 0
    assert cli.main(command) == 0
    assert answer["golden"]["double"]["value"] in capsys.readouterr().out


@pytest.mark.parametrize(
    "fast, torque, says",
    [(300.0, 0.0, "turns at 300 rad/s"), (0.0, 1e5, "step 1 of 0.01 s fails in double: a body turns .*smaller --step")],
)
def test_a_motion_that_cannot_begin_is_refused(fast: float, torque: float, says: str, tmp_path: Path) -> None:
    with pytest.raises(SymviError, match=says):
        export(spun(torque, fast), tmp_path / "out", measure=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_a_motion_that_fails_later_makes_a_shorter_self_test(tmp_path: Path) -> None:
    exported = export(spun(0.1), tmp_path / "out", substeps=1, measure=False)
    golden = exported.manifest["golden"]["double"]
    assert 0 < golden["steps"] == exported.manifest["steps"] < 1000
    assert "a body turns by a quarter of a turn or more in one step" in golden["ended early"]
    assert golden["ended early"] in (exported.folder / "README.md").read_text()
    need("cc", "ar", "make")
    done("make", f"BUILD={tmp_path}/build", "test", folder=exported.folder)


def test_steps_with_warnings_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One iteration is not enough for the arm."""
    (tmp_path / "arm.json").write_text(arm().to_json())
    command = ["export", str(tmp_path / "arm.json"), "-o", str(tmp_path / "out"), "--no-measure"]
    assert cli.main([*command, "--fixed-iterations", "1"]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    count = manifest["golden"]["double"]["warnings"]["UNSETTLED"]
    assert 0 < count <= 1000
    assert f"{count} of 1000 steps: the fixed number of iterations was done" in capsys.readouterr().out
    assert f"{count} of its steps end with `ARM_UNSETTLED`" in (tmp_path / "out" / "README.md").read_text()


# --- tools that are missing -------------------------------------------------------------------------------------------
def test_without_tools_figures_are_not_measured_and_the_tools_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools.shutil, "which", lambda program: None)
    manifest = export(ball(), tmp_path / "out").manifest
    figures = manifest["boards"]["cortex-m7"]
    assert figures and all("gcc-arm-none-eabi" in figure["not measured"] for figure in figures.values())
    assert "gcc-arm-none-eabi" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(SymviError, match="max-text cannot be checked: .*gcc-arm-none-eabi"):
        export(ball(), tmp_path / "other", max_text=10_000)
    with pytest.raises(SymviError, match="max-ram cannot be checked: .*gcc-arm-none-eabi"):
        export(ball(), tmp_path / "other", max_ram=10_000, measure=False)
    assert not (tmp_path / "other").exists()


@pytest.mark.thorough
def test_without_a_compiler_the_hash_comes_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits in double; in float there is none, which the manifest, the self-test and README say."""
    expected = export(ball(), tmp_path / "with", measure=False).manifest["golden"]
    for module in (c, symvi.simulate.simulator):
        monkeypatch.setattr(module, "has_compiler", lambda: False)
    with pytest.warns(UserWarning, match="no C compiler"):
        found = export(ball(), tmp_path / "without", measure=False).manifest["golden"]
    assert found["double"]["value"] == expected["double"]["value"]
    assert found["double"]["how"] == "symvi's simulator, in Python"
    assert "install gcc or clang" in found["float"]["not measured"]
    with pytest.warns(UserWarning, match="no C compiler"):
        single = export(ball(), tmp_path / "single", real="float", measure=False)
    assert "golden.csv" not in single.files
    assert "install gcc or clang" in (tmp_path / "single" / "README.md").read_text()
    need("cc", "ar", "make")
    assert "nothing to compare with" in done("make", f"BUILD={tmp_path}/b", "test", folder=single.folder)


# --- budgets ----------------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_a_budget_of_memory_is_kept_or_what_fits_is_named(tmp_path: Path) -> None:
    """Structs, and the stack of the entry point that needs most, with the board's figures or without them."""
    need("arm-none-eabi-gcc")
    needs = {}
    for real, board in (("double", "cortex-m7"), ("float", "cortex-m4f")):
        text = generate_text(loose(), real=real).files
        stack = compiled_sizes(text, board)["stack of the deepest entry point"]
        manifest = export(loose(), tmp_path / real, real=real, measure=False).manifest
        needs[real] = sum(figure["value"] for figure in manifest["memory"].values()) + stack["value"]
        assert stack["of"] == "rollout" and stack["value"] > stack["entry points"]["step"]
    assert needs["float"] < 0.6 * needs["double"]
    most = needs["double"]
    export(loose(), tmp_path / "fits", max_ram=most, measure=False)
    with pytest.raises(SymviError) as caught:
        export(loose(), tmp_path / "out", max_ram=most - 1, measure=False)
    said = str(caught.value)
    assert f"{most} B of RAM (" in said and f"{most - 1} allowed" in said
    assert "of stack, which loose_rollout needs), " in said
    assert "these fit: --real float" in said
    for other in caught.value.found["alternatives"]:
        assert other["fits"] == (other["ram"] < most)
    with pytest.raises(SymviError, match="nothing fits, the nearest is --real float.*fewer bodies"):
        export(ball(), tmp_path / "out", max_ram=100, measure=False)
    assert not (tmp_path / "out").exists()


def test_nothing_worse_than_what_was_asked_for_is_named() -> None:
    budgets = {"text": 1000, "ram": 100}
    other = {"real": "double", "layout": "inline", "text": 3000, "ram": 90, "fits": False}
    assert "nearest is --real double --layout inline (3000 B of text, 90 B of RAM)" in _remedy([other], budgets, 3.5)
    assert _remedy([other], budgets, 3.0).startswith("no other --real or --layout comes nearer to that; ")


@pytest.mark.thorough
def test_a_budget_of_text_is_that_of_a_board(tmp_path: Path) -> None:
    need("arm-none-eabi-gcc")
    how = {"real": "float", "layout": "inline"}
    manifest = export(ball(), tmp_path / "inline", **how).manifest
    size = manifest["boards"]["cortex-m4f"]["text"]["value"]
    with pytest.raises(SymviError) as caught:
        export(ball(), tmp_path / "out", **how, max_text=size - 1, measure=False)
    assert f"{size} B of text, {size - 1} allowed" in str(caught.value)
    for other in caught.value.found["alternatives"]:
        assert other["fits"] == (other["text"] <= size - 1)
    export(ball(), tmp_path / "out", **how, max_text=size, measure=False)


# --- the folder -------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished export, to be copied."""
    place = tmp_path_factory.mktemp("master") / "ball"
    export(ball(), place, measure=False)
    return place


@pytest.fixture
def earlier(master: Path, tmp_path: Path) -> Path:
    place = tmp_path / "ball"
    for name, data in contents(master).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    return place


def test_an_earlier_export_that_nobody_changed_is_replaced(earlier: Path) -> None:
    export(ball(), earlier, real="float", measure=False)
    assert json.loads((earlier / "manifest.json").read_text())["real"] == "float"
    assert [path.name for path in earlier.parent.iterdir()] == ["ball"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export(ball(), tmp_path / "out", measure=False)
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def changed(place: Path) -> None:
    (place / "src" / "ball.c").write_text((place / "src" / "ball.c").read_text() + "/* tuned by hand */\n")


def added(place: Path) -> None:
    (place / "src" / "mine.c").write_text("int mine;\n")


def added_folder(place: Path) -> None:
    (place / "build").mkdir()


def manifest_changed(place: Path) -> None:
    text = (place / "manifest.json").read_text()
    (place / "manifest.json").write_text(text.replace('"format": 1', '"format": 1, "mine": true'))


def manifest_of_somebody(place: Path) -> None:
    (place / "manifest.json").write_text('{"files": 3}')


def deleted(place: Path) -> None:
    (place / "LICENSE").unlink()


def linked(place: Path) -> None:
    os.replace(place / "LICENSE", place.parents[1] / "terms")
    (place / "LICENSE").symlink_to(place.parents[1] / "terms")


def manifest_indented(place: Path) -> None:
    manifest = json.loads((place / "manifest.json").read_text())
    (place / "manifest.json").write_text(json.dumps(manifest, indent=4))


@pytest.mark.parametrize(
    "edit, names",
    [(changed, "src/ball.c"), (added, "src/mine.c"), (added_folder, "build/"), (deleted, "LICENSE"),
     (linked, "LICENSE"), (manifest_changed, "manifest.json"), (manifest_indented, "manifest.json"),
     (manifest_of_somebody, "CMakeLists.txt")],
)  # fmt: skip
def test_a_folder_in_which_somebody_has_worked_is_left_alone(edit, names: str, earlier: Path) -> None:
    edit(earlier)
    before = contents(earlier)
    with pytest.raises(SymviError) as caught:
        export(ball(), earlier, measure=False)
    assert names in str(caught.value) and "nothing was written" in str(caught.value)
    assert contents(earlier) == before
    assert [path.name for path in earlier.parent.iterdir()] == ["ball"]


@pytest.mark.thorough
def test_what_its_own_makefile_has_built_is_no_obstacle(earlier: Path) -> None:
    """Built in the folder as its README says; exported again, it can be built again."""
    need("cc", "ar", "make")
    done("make", "test", folder=earlier)
    assert {path.name for path in (earlier / "build").iterdir()} == {"ball.o", "libball_solver.a", "self_test"}
    export(ball(), earlier, step=0.005, measure=False)
    assert not (earlier / "build").exists()
    assert "every bit as expected" in done("make", "test", folder=earlier)


@pytest.mark.parametrize("what", ["file", "folder", "link", "link for build", "product elsewhere"])
def test_anything_else_in_its_build_folder_is_left_alone(what: str, earlier: Path, tmp_path: Path) -> None:
    build = earlier / "build"
    (tmp_path / "notes").write_text("years of work")
    if what == "link for build":
        (tmp_path / "far").mkdir()
        (tmp_path / "far" / "ball.o").write_text("")
        build.symlink_to(tmp_path / "far")
    else:
        build.mkdir()
        (build / "ball.o").write_text("")
    if what == "file":
        (build / "notes").write_text("years of work")
    if what == "folder":
        (build / "self_test").mkdir()
    if what == "link":
        (build / "self_test").symlink_to(tmp_path / "notes")
    if what == "product elsewhere":
        (earlier / "src" / "ball.o").write_text("")
    before = contents(tmp_path)
    with pytest.raises(SymviError, match="holds what no export has written"):
        export(ball(), earlier, measure=False)
    assert contents(tmp_path) == before


def test_foreign_files_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SymviError, match="holds what no export has written: thesis.tex"):
        export(ball(), tmp_path)
    assert contents(tmp_path) == {"thesis.tex": b"years of work"}


@pytest.mark.parametrize("what", ["file", "no parent", "here", "dead link"])
def test_places_where_no_folder_can_be_are_refused(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "dead").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path / "empty")
    place, says = {
        "file": (tmp_path / "file", "is a file; give a folder"),
        "no parent": (tmp_path / "a" / "b", "make it first"),
        "here": (Path("."), "is the folder you are in"),
        "dead link": (tmp_path / "dead", "is a link to nowhere"),
    }[what]
    with pytest.raises(SymviError, match=says):
        export(ball(), place)


def test_what_is_written_while_an_export_runs_is_seen(earlier: Path) -> None:
    """Between the first look at the folder and the exchange, somebody saves a file there."""
    with pytest.raises(SymviError, match="mine.c"), staged(earlier) as stage:
        (stage / "new").write_text("")
        added(earlier)
    assert (earlier / "src" / "mine.c").is_file() and not (earlier / "new").exists()
    assert [path.name for path in earlier.parent.iterdir()] == ["ball"]


def test_and_so_is_what_is_written_after_the_last_look(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange = folder._exchange

    def late(one: Path, other: Path) -> None:
        if not (earlier / "src" / "mine.c").exists() and (earlier / "src").exists():
            added(earlier)
        exchange(one, other)

    monkeypatch.setattr(folder, "_exchange", late)
    with pytest.raises(SymviError, match="mine.c"), staged(earlier) as stage:
        (stage / "new").write_text("")
    assert (earlier / "src" / "mine.c").is_file() and not (earlier / "new").exists()


def test_folders_change_places_where_the_system_has_no_operation_for_it(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_exchanged_at_once", lambda one, other: False)
    with staged(earlier) as stage:
        (stage / "new").write_text("")
    assert contents(earlier) == {"new": b""}
    assert [path.name for path in earlier.parent.iterdir()] == ["ball"]


KILLED = """
import os, signal, sys
from pathlib import Path
from symvi.exporters import folder
when = sys.argv[2]
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
if when == "before":
    folder._put = die
if when == "after":
    folder.shutil.rmtree = die
with folder.staged(Path(sys.argv[1])) as stage:
    (stage / "new").write_text("whole")
    if when == "amid":
        die()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("when", ["amid", "before", "after"])
def test_whenever_it_is_killed_the_folder_is_whole(when: str, earlier: Path) -> None:
    """Old or new, never half; and the next export sweeps up what the killed one has left."""
    before = contents(earlier)
    environment = {**os.environ, "PYTHONPATH": str(Path(symvi.__file__).parents[1])}
    ran = subprocess.run([sys.executable, "-c", KILLED, str(earlier), when], env=environment, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert contents(earlier) == ({"new": b"whole"} if when == "after" else before)
    assert len(list(earlier.parent.iterdir())) == 2
    if when == "after":
        (earlier / "new").unlink()
    with staged(earlier) as stage:
        (stage / "newer").write_text("")
    assert [path.name for path in earlier.parent.iterdir()] == ["ball"]


def test_an_export_beside_another_is_not_swept_up(tmp_path: Path) -> None:
    with staged(tmp_path / "out") as first:
        with staged(tmp_path / "out") as second:
            assert first.is_dir() and second.is_dir() and first != second
            (second / "a").write_text("")
        (first / "a").write_text("")
        assert contents(tmp_path / "out") == {"a": b""}
        (tmp_path / "out" / "a").unlink()
    assert contents(tmp_path / "out") == {"a": b""}


def test_an_error_amid_writing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), staged(tmp_path / "out") as stage:
        (stage / "half").write_text("")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    check_replaceable(tmp_path / "out")
