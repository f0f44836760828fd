"""README and the pages of the manual, as sybil reads them: blocks of code, run from the top of a page to its end.

```sh                   lines, one command each; one that ends in a comment of NOT_RUN is looked at and not run
```python               run in one namespace for the page
```toml file=NAME       any block with file= is written as that file; all TOML is read as a mechanism
```text                 formulas and what programs print
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from sybil import Document, Example, Region
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from symvi import cli
from symvi.mechanism import Mechanism
from symvi.registry import CONTACTS, FORCES, JOINTS

REPOSITORY = Path(__file__).parents[2]
MANUAL = REPOSITORY / "symvi" / "manual"
PAGES = {"README": REPOSITORY / "README.md"} | {path.stem: path for path in sorted(MANUAL.glob("*.md"))}
LANGUAGES = {"sh", "python", "toml", "c", "text"}
NOT_RUN = {
    "minutes",
    "hours",
    "needs the network",
    "needs the extra bench",
    "needs a joint.c of yours",
    "needs your program",
}
FENCED = RawFencedCodeBlockLexer(re.compile(r"(?P<language>\S*)(?: file=(?P<file>\S+))?[^\n]*\n"))
MODULE = "python3 -m symvi "


def blocks(document: Document) -> Iterator[Region]:
    """sybil's parser for fenced blocks of every language."""
    for found in FENCED(document):
        yield Region(found.start, found.end, found.lexemes["source"], RUN[found.lexemes["language"]], found.lexemes)


def read(page: str) -> Document:
    return Document.parse(str(PAGES[page]), blocks)


def text_of(page: str) -> str:
    return PAGES[page].read_text(encoding="utf-8")


def sources(page: str, language: str) -> list[str]:
    return [example.parsed for example in read(page) if example.region.lexemes["language"] == language]


def commands(page: str) -> list[tuple[str, str]]:
    """Every line of a page's shell blocks -> (command, why it is not run, or nothing)."""
    lines = (line for block in sources(page, "sh") for line in block.splitlines())
    return [(command, note) for command, _, note in (line.partition("  # ") for line in lines)]


# --- running a block --------------------------------------------------------------------------------------------------
def run_python(example: Example) -> None:
    if not written(example):
        PythonEvaluator()(example)


def run_toml(example: Example) -> None:
    written(example)
    assert Mechanism.from_toml(example.parsed).bodies


def run_c(example: Example) -> None:
    assert written(example), "say with file= what it is"


def run_shell(example: Example) -> None:
    for line in example.parsed.splitlines():
        command, _, note = line.partition("  # ")
        if not note:
            printed = example.namespace.setdefault("printed", {})
            printed[command] = run(shlex.split(command))


def written(example: Example) -> bool:
    name = example.region.lexemes["file"]
    if name:
        Path(name).write_text(example.parsed, encoding="utf-8")
    return bool(name)


RUN = {"sh": run_shell, "python": run_python, "toml": run_toml, "c": run_c, "text": None}


def run(words: list[str]) -> str:
    """Run one command in the folder of the page; what it prints, if it is another process."""
    if words[:3] == MODULE.split() and "--register" in words:
        words = [sys.executable, *words[1:]]  # a process that knows no record yet
    elif words[:3] == MODULE.split():
        quiet = ["--no-open"] if words[3] == "view" else []
        assert cli.main([*words[3:], *quiet]) == 0, words
        return ""
    if words[0] == ".venv/bin/python":
        found = [str(REPOSITORY / word) if word.startswith("examples/") else word for word in words[1:]]
        words = [sys.executable, *found]
    elif "/" not in words[0] and shutil.which(words[0]) is None:
        pytest.skip(f"needs the package {'gcc' if words[0] == 'cc' else words[0]}")
    paths = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


# --- looking at a command without running it --------------------------------------------------------------------------
def check(words: list[str]) -> None:
    """That a command exists, with these options, this benchmark, this module, these files."""
    if words[:3] == MODULE.split():
        name, arguments = words[3], words[4:]
        if name == "test":
            assert all((REPOSITORY / word).exists() for word in arguments if not word.startswith("-")), words
            return
        known = typer.main.get_command(cli.app).commands[name]
        with known.make_context(name, [], resilient_parsing=True) as context:
            values, rest, _ = known.make_parser(context).parse_args(list(arguments))
        assert not rest, words
        if name == "bench" and values.get("name"):
            assert benchmark(values["name"]).is_file(), words
    elif words[0] == ".venv/bin/python":
        found = words[2] if words[1] == "-m" else words[1]
        exists = importlib.util.find_spec(found) if words[1] == "-m" else (REPOSITORY / found).is_file()
        assert exists, words


def benchmark(name: str) -> Path:
    return REPOSITORY / "tests" / "benchmarks" / f"{name}.py"


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Where a page is read: with the pendulum of the start, and with a robot."""
    from tests.importers.urdf_texts import inertial, joint, link, robot

    sphere = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    box = '<collision><origin xyz="0 0 -0.5"/><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
    base, foot = link("base", inertial() + sphere), link("foot", inertial(xyz=(0, 0, -0.5)) + box)
    (folder / "robot.urdf").write_text(robot(base, foot, joint("knee", "revolute", "base", "foot")), encoding="utf-8")
    (folder / "pendulum.toml").write_text(sources("start", "toml")[0], encoding="utf-8")
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        for registry in (JOINTS, FORCES, CONTACTS):
            for name in [name for name in registry if registry.serial(name)]:
                registry.forget(name)
