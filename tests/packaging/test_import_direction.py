"""The architecture, as a list: who may import whom inside symvi, and who may import SymPy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from symvi.house import ROWS, graph, house, module_of, room_of

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "symvi"

FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """The line and dotted name of every import of a file, wherever it stands; relative ones are resolved."""
    package = path.relative_to(REPOSITORY).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            # `from symvi import graph` names a room, `from symvi.graph import Graph` does not
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def inside(path: Path) -> str:
    return room_of(module_of(path))


def test_every_room_is_in_a_row_and_imports_run_one_way() -> None:
    assert house().backwards() == []


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports inside functions count, those that only type checkers read do not."""
    assert house().circles == ()


def test_a_circle_and_an_arrow_back_are_found(tmp_path: Path) -> None:
    """Of a package whose lower room imports the upper one inside a function."""
    for name, text in {
        "small/__init__.py": "",
        "small/low.py": "def f():\n    from small.high import g\n",
        "small/high.py": "from small import low\n",
        "small/typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from small import high\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found, rows = house(tmp_path / "small"), (("low", "typed"), ("high",), ("__init__",))
    assert found.circles == (("small.high", "small.low"),)
    assert found.backwards(rows) == [("low", "high")]
    assert '  "low" -> "high" [label=1, color=red]' in graph(found, rows)


def test_imports_by_name_and_of_public_names_count(tmp_path: Path) -> None:
    """A package that looks its public names up when they are used, and a file that uses one: a circle of three."""
    lazily = "from importlib import import_module\nHOME = {'g': 'small.high'}\n"
    for name, text in {
        "__init__.py": lazily,
        "high.py": "from small.low import f\n",
        "low.py": "def f():\n    from small import g\n",
        "version.py": "from small import __version__\n",
        "words.py": "TEXT = 'small.high'\n",
    }.items():
        (tmp_path / "small").mkdir(exist_ok=True)
        (tmp_path / "small" / name).write_text(text)
    found = house(tmp_path / "small")
    assert found.circles == (("small", "small.high", "small.low"),)
    assert set(found.arrows) == {("__init__", "high"), ("high", "low"), ("low", "__init__")}


# The rooms of verify: each imports from those before it only; its files at the top, the public face, from all.
VERIFY = ("errors", "asking", "reading", "judging", "naming", "saying")


def test_the_rooms_of_verify_run_one_way() -> None:
    found = set()
    for path in (PACKAGE / "verify").rglob("*.py"):
        room = path.relative_to(PACKAGE / "verify").parts[0].removesuffix(".py")
        for line, name in imports_of(path):
            if name.startswith("symvi.verify."):
                other = name.split(".")[2]
                if room in VERIFY and (other not in VERIFY or VERIFY.index(other) > VERIFY.index(room)):
                    found.add(f"{path}:{line}: {name}")
    assert not found
    assert {path.name for path in (PACKAGE / "verify").iterdir() if path.is_dir()} - {"__pycache__"} <= {*VERIFY}


def test_contributing_shows_the_rows() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "\n".join("  " + ", ".join(row) for row in ROWS) in text
    assert ", ".join(f"`{room}`" for room in VERIFY[1:]) in text


def test_no_room_has_more_than_a_quarter_of_the_lines() -> None:
    lines = house().lines
    assert not {room: count for room, count in lines.items() if 4 * count > sum(lines.values())}


@pytest.mark.thorough
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_sympy_lives_in_physics(path: Path) -> None:
    lines = [line for line, name in imports_of(path) if name.split(".")[0] == "sympy"]
    assert inside(path) == "physics" or not lines, f"{path}:{lines}: SymPy belongs in symvi/physics"


def test_every_package_imported_is_declared() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    declared = {re.match(r"[\w-]+", text).group() for group in (project["dependencies"], *extras) for text in group}
    providers = metadata.packages_distributions()  # _cffi_backend -> cffi
    for path in FILES:
        for line, name in imports_of(path):
            top = name.split(".")[0]
            is_declared = top in sys.stdlib_module_names | {"symvi"} or declared & {
                provider.lower().replace("_", "-") for provider in providers.get(top, [top])
            }
            assert is_declared, f"{path}:{line}: {top} is not among the packages of pyproject.toml"


def test_set_up_needs_the_standard_library_only() -> None:
    for path in (PACKAGE / "__init__.py", PACKAGE / "__main__.py", PACKAGE / "environment.py", PACKAGE / "extras.py"):
        for line, name in imports_of(path):
            assert name.split(".")[0] in sys.stdlib_module_names | {"symvi"}, f"{path}:{line}: {name}"


@pytest.mark.parametrize(
    "statement", ["import symvi", "from symvi import SymviError", "import symvi.cli", "import symvi.verify"]
)
def test_a_quick_start_leaves_slow_packages_out(statement: str) -> None:
    code = f"import sys; {statement}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert not {"sympy", "numpy", "pydantic", "matplotlib"} & set(loaded.stdout.split())


def test_a_name_says_which_file_is_meant() -> None:
    """Two rooms may hold the two sides of one thing, as its formulas and its kernels; three are a riddle."""
    names = Counter(path.name for path in PACKAGE.rglob("*.py"))
    shared = {name for name, count in names.items() if count > 2}
    assert shared <= {"__init__.py", "__main__.py"}
