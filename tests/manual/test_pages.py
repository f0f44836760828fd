"""README and the manual: every block runs, every command and link exists, every figure names what prints it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from symvi import cli
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator, Trajectory
from tests.manual.pages import (
    LANGUAGES,
    MANUAL,
    NOT_RUN,
    PAGES,
    REPOSITORY,
    benchmark,
    check,
    commands,
    in_folder,
    read,
    sources,
    text_of,
)
from tests.support.quick import compiled_quickly  # noqa: F401  (a fixture)
from tests.support.subset import only


# --- blocks run -------------------------------------------------------------------------------------------------------
def start_goes_on(folder: Path, names: dict) -> None:
    written = {path.name for path in folder.iterdir()}
    assert {"pendulum.html", "pendulum.npz", "pendulum.csv", "later.npz", "moon.png", "generated", "arm.npz"} <= written
    assert Trajectory.load(folder / "later.npz").time[0] == pytest.approx(10.0)
    assert names["motion"].time[0] == pytest.approx(2.0)


def describing_describes(folder: Path, names: dict) -> None:
    assert names["pair"].body_names == ("left_disc", "right_disc")
    assert names["driven"].closure.max() < 1e-5
    assert names["on_the_track"].closure.max() < 1e-12
    assert names["same"] == names["crank"]
    slide = Trajectory.load(folder / "slide.npz")
    assert slide.position[-1, 0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert (folder / "mechanism.schema.json").is_file()


def the_c_program_ends_where_python_does(folder: Path, names: dict) -> None:
    simulator = Simulator(Mechanism.from_file("pendulum.toml"))
    motion = simulator.simulate(10.0, 0.01)
    ended = motion.resume[simulator.plan.at("state", "body", 0, "x")][0]
    assert float(names["printed"]["./pendulum"].split()[0]) == ended


def derivatives_are_judged(folder: Path, names: dict) -> None:
    assert [found.says for found in names["report"].diagnoses] == ["twice the true value"]
    assert "RIGHT" in (folder / "report.html").read_text()


def the_front_page_judges(folder: Path, names: dict) -> None:
    assert [found.says for found in names["report"].diagnoses] == ["half the true value"]
    assert names["motion"].closure.max() < 1e-12


EXTRAS = {  # page -> what its blocks need, and the extra that brings it
    "learn": ("gymnasium", "learn"),
    "operations": ("jax", "jax"),
    "transcription": ("casadi", "casadi"),
}
WITNESSES: dict[str, Callable[[Path, dict], None]] = {
    "README": the_front_page_judges,
    "describing": describing_describes,
    "export": the_c_program_ends_where_python_does,
    "start": start_goes_on,
    "verify": derivatives_are_judged,
}


@pytest.mark.parametrize("page", only({"describing", "loops"}, PAGES))
def test_a_page_runs_from_top_to_bottom(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in EXTRAS:
        pytest.importorskip(EXTRAS[page][0], reason=f"needs the extra {EXTRAS[page][1]}")
    document = read(page)
    if any(command.startswith("python3 -m symvi view") for command, _ in commands(page)):
        viewer = pytest.importorskip("symvi.view.viewer", reason="needs the extra view")
        monkeypatch.setattr(viewer.Viewer, "run", interrupted)
    monkeypatch.syspath_prepend(tmp_path)  # as of a program there
    with in_folder(tmp_path):
        for example in document:
            example.evaluate()
        WITNESSES.get(page, lambda folder, names: None)(tmp_path, document.namespace)


def interrupted(self: object) -> None:
    raise KeyboardInterrupt


# --- and are what they look like --------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    found = [example.region.lexemes["language"] for example in read(page)]
    assert set(found) <= LANGUAGES
    assert 2 * len(found) == len(re.findall(r"^ *```", text_of(page), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists(page: str) -> None:
    for command, _ in commands(page):
        check(shlex.split(command))


@pytest.mark.parametrize("page", PAGES)
def test_every_mechanism_can_be_read(page: str) -> None:
    for text in sources(page, "toml"):
        assert Mechanism.from_toml(text).bodies


def test_few_commands_are_not_run() -> None:
    """Those that take long, or need what a test cannot have; each says so to the reader."""
    lines = [found for page in PAGES for found in commands(page)]
    notes = [note for _, note in lines if note]
    assert set(notes) == NOT_RUN
    assert len(notes) <= 14 and 2 * len(notes) < len(lines)


def test_the_front_page_shows_the_first_file_of_the_manual() -> None:
    assert sources("README", "toml") == sources("start", "toml")


# --- links ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    """In a clone all of them; where symvi is installed those of the manual, which point into the package only."""
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text_of(page)) if "://" not in link]
    found = [(PAGES[page].parent / link).resolve() for link in links]
    assert [path for path in found if not path.exists()] == []
    if page != "README":
        assert [path for path in found if not path.is_relative_to(MANUAL.parent)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_is_there(page: str) -> None:
    named = re.findall(r"\b(?:examples|tests)/[\w/]+(?:\.py|\.ipynb)?", text_of(page))
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


def test_the_index_and_the_front_page_lead_to_every_page() -> None:
    for page, prefix in (("index", ""), ("README", "symvi/manual/")):
        links = set(re.findall(rf"\]\({prefix}(\w+)\.md\)", text_of(page)))
        assert links - {"index"} == PAGES.keys() - {"README", "index"}


def test_lines_are_short_enough_to_be_read_as_they_are() -> None:
    """But for tables and commands, which no reader can break."""
    for page in PAGES:
        lines = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE).splitlines()
        assert [line for line in lines if len(line) > 120 and not line.startswith(("|", "!["))] == []


def test_the_front_page_is_two_screens() -> None:
    assert len(text_of("README").splitlines()) <= 130
    assert (MANUAL / "walker.png").stat().st_size < 100_000


# --- figures ----------------------------------------------------------------------------------------------------------
PRINTS = re.compile(
    r"`(?:python3 -m )?symvi (?:bench \w+|demo)[^`]*`|`examples/\w+\.py`"
    r"|`(?:python3 -m symvi test|(?:\.venv/bin/)?python -m) [\w./]+[^`]*`"
)
# A number with an exponent, or with a unit of what is measured.
FIGURE = re.compile(
    r"\d+(?:\.\d+)?e-?\d+|\d[\d.]* (?:%|[munk]?m\b|[mun]?s\b|k?B\b|KB\b|MB\b|cycles|instructions)"
    r"|\b(?!mani)[a-z]+fold\b|\d+ of \d+"
)
# Page -> numbers that nobody measured: choices, definitions, closed forms.
CHOSEN = {
    "accuracy": {"4 m", "5 %", "1.07 %", "0.01 s"},  # h² k < 4 m; asin(h w)/(h w) - 1
    "contact": {"1e-8", "3e-3"},
    "coordinates": {"1e-8", "1e-10"},  # bounds of starts, and the tolerance
    "describing": {"10 mm", "1e6", "1e4"},  # of an example, and of a demo
    "notebook": {"1.5 MB"},  # tests/page/test_notebook.py
    "slopes": {"1e-3", "1e-8"},  # smoothing
    "transcription": {"1e-2", "1e-3", "1e-4"},  # smoothing
    "verify": {"1e-6", "1e-7", "3e6", "3e7"},  # bound of effects, sizes of points, budgets
    "start": {"210 MB", "510 MB", "0.01 s", "1e100", "1e-100"},  # tests/packaging/test_fresh_clone.py
}


def paragraphs(page: str) -> list[str]:
    """Of a page without its blocks; items of a list are paragraphs, and so is a table with the words above it."""
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    return [" ".join(found.split()) for found in re.split(r"\n\n(?!\|)|\n(?=- )", text) if found.strip()]


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_stands_beside_what_prints_it(page: str) -> None:
    bare = [text for text in paragraphs(page) if not PRINTS.search(text)]
    assert {figure for text in bare for figure in FIGURE.findall(text)} - CHOSEN.get(page, set()) == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_table_of_figures_names_a_command_in_every_row(page: str) -> None:
    tables = re.findall(r"^\|.*printed by \|\n\|[-|]+\|\n((?:\|.*\n)+)", text_of(page), re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    assert [row for row in rows if not PRINTS.search(row.split("|")[-2])] == []
    assert rows or page not in ("README", "performance")


def test_the_front_page_says_no_other_figures_than_the_manual() -> None:
    """Number by number, so that a figure which is measured anew is changed in both."""
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| `", text_of("README"), re.MULTILINE)
    figures = [figure for row in rows for figure in re.findall(r"\d[\d.]*(?: \d{3})*(?:e-?\d+)?", row)]
    manual = "".join(map(text_of, ("performance", "verify", "orders")))
    assert len(figures) > 15
    assert [figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", manual)] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_benchmark_that_is_named_exists(page: str) -> None:
    named = re.findall(r"symvi bench (\w+)", text_of(page))
    assert [name for name in named if name != "NAME" and not benchmark(name).is_file()] == []


# --- from the command line --------------------------------------------------------------------------------------------
def test_a_page_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["manual", "loops"]) == 0
    assert capsys.readouterr().out == text_of("loops")


def test_the_pages_are_listed_with_their_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["manual"]) == 0
    folder, *names = capsys.readouterr().out.splitlines()
    assert Path(folder) == MANUAL and set(names) == PAGES.keys() - {"README"}


def test_a_page_that_is_none_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["manual", "lops"]) == 1
    assert "the manual has no page 'lops'; did you mean 'loops'?" in capsys.readouterr().err
