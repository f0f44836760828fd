"""S-expressions that are wrong, hostile or both: a named error with its line, in bounded time, and nothing ignored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symvi.errors import MechanismError, SymviError
from symvi.importers import load
from symvi.importers.report import Findings
from symvi.importers.sexpr import parse_expression
from tests.importers.trep_texts import FOUR_BAR, mended
from tests.support.work import calls_of


def refused(text: str | bytes, folder: Path, **options: object) -> str:
    path = folder / "system.trep"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(MechanismError) as caught:
        load(path, **options)
    return str(caught.value)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "system.trep:1: holds no expression"),
        (b"; nothing\n", "holds no expression"),
        (b"\xff\xfe\x00" + os.urandom(3000), "system.trep:1: is no UTF-8 text"),
        (b"(system\n\x00\x00)", "system.trep:2: '\\x00\\x00' is no text"),
        (b"<robot/>", "an expression begins with ("),
        (b"(system)\n(system)", "system.trep:2: '(': nothing may follow the one expression"),
        (b'(system\n (rx "q))', "system.trep:2: '\"q))' is never closed in this line"),
        (b"(system))", "system.trep:1: this ) closes nothing"),
        (b"(" * 100_000, "is nested deeper than 5000 brackets"),
        (b"(system" + b" x" * 1_000_001, "more than 1000000 words"),
        (b"(system " + b"(tx 1 " * 3000 + b")" * 3001, "no frame has a configuration variable"),
        (b"(system" + b' (x "y")' * 20_000 + b")", "(x ...) is nothing that may stand in a system"),
    ],
)
def test_rubbish_is_named(content: bytes, words: str, tmp_path: Path) -> None:
    assert words in refused(content, tmp_path)


def test_files_of_a_hundred_megabytes_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "system.trep"
    with open(path, "wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(MechanismError, match="larger than 20 MB"):
        load(path)


def lines_of(text: str) -> list[int]:
    """The lines of a listing that end with a bracket of a list which began in a line before, but the last."""
    return [k for k, line in enumerate(text.splitlines()[:-1], 1) if line.count(")") > line.count("(")]


@pytest.mark.parametrize("line", lines_of(mended()))
def test_a_bracket_that_is_missing_is_found_by_the_indentation(line: int, tmp_path: Path) -> None:
    """Wherever one was forgotten; and it is added on request only."""
    lines = mended().splitlines()
    lines[line - 1] = lines[line - 1][:-1]
    text = "\n".join(lines)
    told = refused(text, tmp_path)
    assert told.startswith(f"{tmp_path}/system.trep:1: ") and f"is missing in line {line}; repair adds it" in told
    path = tmp_path / "mended.trep"
    path.write_text(mended())
    repaired = load(tmp_path / "system.trep", repair=True)
    assert repaired.mechanism.changed(name="mended") == load(path).mechanism
    assert [notice.source.line for notice in repaired.report.of("repaired")] == [line]


@pytest.mark.parametrize("word", ["abc", "nan", "inf", "-inf", "1e999", "1,5", "0x10", "1_0", '""', "--1", "1/2", "()"])
def test_numbers_that_are_none(word: str, tmp_path: Path) -> None:
    """Anywhere a number may stand: none is read as zero."""
    for text, place in (
        ('(system (rx "q"\n(tz -1\n(mass {}))))', 3),
        ('(system (gravity 0 0\n{}) (rx "q" (tz -1 (mass 1))))', 2),
        ('(system (rx "q" (tz -1 (mass 1 1 1\n{}))))', 2),
        ('(system (tz\n{}) (rx "q" (tz -1 (mass 1))))', 2),
    ):
        told = refused(text.format(word), tmp_path)
        assert f"system.trep:{place}: " in told and ("number" in told or "in quotes" in told)


PENDULUM = '(rx "q" (name "arm") (tz -1 (name "bob") (mass 1)))'
WRONG = {
    "a slip in the head": (f"(sytem {PENDULUM})", "system.trep:1: (sytem ...) is nothing that may stand in a file of"),
    "a slip in a component": (f"(system\n(gravty 0 0 1) {PENDULUM})", "system.trep:2: (gravty ...)"),
    "its remedy": (f"(system (gravty 0 0 1) {PENDULUM})", "did you mean 'gravity'?"),
    "a slip in an option": ('(system (rx "q" (tz -1 (mas 1))))', "(mas ...) is nothing that may stand in a frame; did"),
    "a word of nobody": (f"(system {PENDULUM} (wrench 1))", "take it out, and add what it does to symvi's own"),
    "an option of nobody": ('(system (rx "q" (tz -1 (mass 1) (color 1 0 0))))', "(color ...) is nothing that may"),
    "a transformation of nobody": ('(system (rx "q" tw 1 (mass 1)))', "'tw': a frame begins with pairs of tx, ty"),
    "a frame without parameter": ("(system (rx))", "'rx' is nothing that may stand in a frame"),
    "a name without quotes": ("(system (rx q (tz -1 (mass 1))))", "rx 'q' must be a finite number, or a conf"),
    "a kind of variable of nobody": ('(system (rx (k "q") (tz -1 (mass 1))))', 'a configuration variable is "name" or'),
    "gravity twice": (
        f"(system (gravity 0 0 1)\n(gravity 0 0 1) {PENDULUM})",
        ":2: gravity is given in line 1 already",
    ),
    "two numbers of gravity": (f"(system (gravity 0 0) {PENDULUM})", "(gravity ...) needs 3 numbers, not 2"),
    "two numbers of mass": ('(system (rx "q" (tz -1 (mass 1 2))))', "(mass ...) needs 1 or 4 numbers, not 2"),
    "two masses": ('(system (rx "q" (tz -1 (mass 1) (mass 1))))', "has two masses"),
    "two names": ('(system (rx "q" (name "a") (name "b") (tz -1 (mass 1))))', "has two names"),
    "a negative mass": ('(system (rx "q" (tz -1 (mass -1))))', "must not be negative"),
    "inertia without mass": ('(system (rx "q" (tz -1 (mass 0 1 1 1))))', "has inertia, but no mass"),
    "an impossible inertia": ('(system (rx "q" (tz -1 (mass 1 1 1 5))))', "no body has this inertia"),
    "a frame's name twice": (f'(system {PENDULUM}\n(tx 1 (name "bob")))', ":2: frame 'bob': its name is taken"),
    "a variable twice": (f'(system {PENDULUM}\n(rx "q" (tz -1 (mass 1))))', ":2: variable 'q': its name is taken in"),
    "a constraint of nothing": (f"(system {PENDULUM} (point-constraint))", "needs the names of two frames"),
    "a constraint without direction": (
        f'(system {PENDULUM} (point-constraint "arm" "bob" (name "c")))',
        "(point-constraint ...) needs 3 numbers, not 0",
    ),
    "a direction of length zero": (
        f'(system {PENDULUM} (tx 1 (name "p")) (point-constraint "p" "bob" 0 0 0))',
        "its direction has length zero",
    ),
    "a frame that is not there": (
        f'(system {PENDULUM}\n(point-constraint "bob" "ram" 1 0 0))',
        ":2: point constraint: 'ram' is no frame; did you mean 'arm'?",
    ),
    "a mass on its own axis": ('(system (rx "q" (mass 1)))', "no inertia about (1, 0, 0), and no joint holds that"),
    "no mass where a constraint holds": (
        '(system (rx "a" (tz -1 (name "p")) (tz -1 rx "b" (tz -1 (mass 1)))) (tz -1 (name "w"))'
        ' (point-constraint "p" "w" 0 0 1))',
        "link 'a_body': has no mass, but moves between joints ('a', 'b', 'p_w')",
    ),
    "no mass where chains part": (
        '(system (tx "x" (rx "a" (tz -1 (mass 1))) (rx "b" (tz -1 (mass 1)))))',
        "link 'x_body': has no mass, but moves between joints ('x', 'a', 'b')",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_named_with_its_line(kind: str, tmp_path: Path) -> None:
    text, words = WRONG[kind]
    assert words in refused(text, tmp_path)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    told = refused('(system (gravity 0 0)\n(rx "q"\n(tz x\n(mas 1))))', tmp_path)
    assert [line.split(": ")[0][-2:] for line in told.splitlines()] == [":1", ":3", ":4"]


def test_names_that_are_no_names_are_given_others(tmp_path: Path) -> None:
    path = tmp_path / "system.trep"
    path.write_text('(system (rx "int" (name "../../x") (tz -1 (mass 1))) (ry "a b" (tz -1 (name "; rm") (mass 1))))')
    found = load(path)
    assert found.mechanism.body_names == ("link____x", "a_b_body")
    assert {"../../x", "; rm"} == set(found.links) and len(found.report.of("renamed")) == 4


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_file_ends_in_a_mechanism_or_a_named_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Texts with parts cut out, doubled and exchanged."""
    text = data.draw(st.sampled_from([FOUR_BAR, mended()]))
    for _ in range(data.draw(st.integers(1, 4))):
        i, j = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        j = min(j, i + 30)
        text = data.draw(
            st.sampled_from(
                [text[:i] + text[j:], text[:j] + text[i:], text[:i] + data.draw(st.text(max_size=5)) + text[j:]]
            )
        )
    path = tmp_path_factory.getbasetemp() / "random.trep"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        load(path, repair=data.draw(st.booleans()))
    except SymviError as error:
        assert str(path) in str(error)


def test_deep_nesting_costs_no_more_than_its_length() -> None:
    def parse(depth: int) -> None:
        text = "(system " + "(tx 1\n" * depth + ")" * (depth - 10)
        with pytest.raises(MechanismError, match="never closed"):
            parse_expression(text.encode(), Findings("deep.trep"))

    assert calls_of(lambda: parse(4000)) < 4.2 * calls_of(lambda: parse(1000))


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "(system (",
            "(...) is never closed; by the indentation 2 ) for line 1 are missing in line 1; repair adds them",
        ),
        ('(system (rx "q"', "(rx ...) is never closed; by the indentation 2 ) for line 1 are missing in line 1;"),
        ("(", "(...) is never closed; by the indentation a ) for line 1 is missing in line 1; repair adds it"),
    ],
)
def test_brackets_that_are_missing_in_one_line_are_counted(text: str, words: str, tmp_path: Path) -> None:
    assert words in refused(text, tmp_path)


@pytest.mark.parametrize("word", ["\u0661", "1_0", "1e150", "nan"])
def test_masses_that_are_no_numbers_here(word: str, tmp_path: Path) -> None:
    told = refused(f'(system (rx "a" (tz -1 (mass {word} 1.0 1.0 1.0))))', tmp_path)
    assert "must be a number" in told or "too large" in told
