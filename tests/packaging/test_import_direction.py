"""The architecture, as a list: who may import whom inside symvi, and who may import SymPy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "symvi"

# Each room may import from the rows above its own, and never from its own row.
ROWS = (
    {"extras"},
    {"errors"},
    {"cache"},
    {"mechanism", "scalar"},
    {"graph", "physics"},
    {"program"},
    {"emit"},
    {"native"},
    {"simulate"},
    {"verify", "importers", "exporters", "plots", "demos"},
    {"page"},
    {"view"},
    {"console"},
    {"importing"},
    {"commands", "reading", "verifying", "viewing", "environment"},
    {"exporting"},
    {"cli"},
    {"__main__"},
)
ROW_OF = {room: number for number, row in enumerate(ROWS) for room in row}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room_of(module: str) -> str:
    """The room of a dotted name inside symvi: symvi.graph.elimination -> graph."""
    return module.split(".")[1]


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
    return room_of(".".join(path.relative_to(REPOSITORY).with_suffix("").parts))


@pytest.mark.thorough
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_run_one_way(path: Path) -> None:
    here = inside(path)
    assert here in ROW_OF, f"symvi/{here} is in no row of the list above: say where it belongs"
    for line, name in imports_of(path):
        if not name.startswith("symvi.") or name == "symvi.__version__":
            continue
        there = room_of(name)
        assert there == here or ROW_OF[there] < ROW_OF[here], f"{path}:{line}: {here} must not import {there}"


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
