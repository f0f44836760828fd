"""Types: what users read and call holds for a type checker, and so do the rooms that are named here.

pyright needs node, which its tests take from the machine.
"""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import symvi
import symvi.verify
from tests.manual.pages import PAGES, sources

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "symvi"

# Rooms without an error; a room may come to them, none may go.
CLEAN = set(
    "__main__ analysis cache cli contacts control demos derive emit environment errors exact exporters extras forces"
    " graph house importers joints kernels learn mechanism naive native numbers page physics plots program proofs"
    " registry scalar simulate sweeps verify view".split()
)
# Examples that compute with packages whose types nobody tells: mujoco's compiled modules, mpmath's numbers.
UNTYPED = {"_mujoco_robot.py", "cube_drop.py", "strandbeest_geometry.py"}
SETTINGS = {
    "pythonVersion": "3.11",
    "typeCheckingMode": "basic",
    "reportMissingImports": "none",  # other programs that examples measure symvi against
}


def pyright(folder: Path, *, include: Iterable[str | Path] = (".",), **settings: object) -> list[dict]:
    """The errors of files under a folder."""
    text = {**SETTINGS, **settings, "include": [str(path) for path in include]}
    (folder / "pyrightconfig.json").write_text(json.dumps(text), encoding="utf-8")
    found = json.loads(run("-p", folder, "--outputjson"))
    assert found["summary"]["filesAnalyzed"], "nothing was looked at"
    return [item for item in found["generalDiagnostics"] if item["severity"] == "error"]


def run(*words: str | Path) -> str:
    pytest.importorskip("pyright")
    if shutil.which("node") is None:
        pytest.skip("needs node")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def told(errors: Iterable[dict]) -> list[str]:
    return [f"{Path(item['file']).name}:{item['range']['start']['line'] + 1} {item['message']}" for item in errors]


def beside(folder: Path) -> Path:
    """A user's folder, where symvi is found as an installed package is."""
    (folder / "symvi").symlink_to(PACKAGE, target_is_directory=True)
    return folder


# --- code of users ----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def of_users(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """The errors of the blocks of all pages, and of the two texts below; one run, since each reads all of symvi."""
    folder = beside(tmp_path_factory.mktemp("user"))
    pages = folder / "pages"
    pages.mkdir()
    for page in PAGES:
        (pages / f"{page}.py").write_text("\n".join(sources(page, "python")), encoding="utf-8")
    (folder / "taken.py").write_text(TAKEN, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    return pyright(folder, include=["pages", "taken.py", "wrong.py"])


def test_the_code_of_readme_and_manual_is_right_for_a_type_checker(of_users: list[dict]) -> None:
    assert told(item for item in of_users if Path(item["file"]).parent.name == "pages") == []


@pytest.mark.thorough
@pytest.mark.slow
def test_the_examples_are_right_for_a_type_checker(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    wrong = pyright(beside(tmp_path), include=["examples"], extraPaths=["examples"])
    assert told(item for item in wrong if Path(item["file"]).name not in UNTYPED) == []


WRONG = """\
import symvi
import symvi.verify as verify

symvi.Body(name=1, mass="heavy")
symvi.Joint(name="pin", type="revolute", child="arm", axis="z", parent_anchor=3)
symvi.Simulator("pendulum.toml")
symvi.Mechanism.from_file("pendulum.toml").bodies[0].weight
verify.derivative(1, wrt="x", variable={})
symvi.State(0.0, [[0, 0, 0]], None, [[0, 0, 0]], [[0, 0, 0]], 3)
"""
TAKEN = """\
import numpy as np
import symvi
import symvi.verify as verify

body = symvi.Body(name="arm", mass=1, inertia=[1, 1, 1], position=np.zeros(3), shape={"kind": "box", "size": [1, 1, 1]})
turned: tuple[float, float, float, float] | None = body.orientation
six: tuple[float, float, float, float, float, float] = body.inertia
p = symvi.placements()
joint = symvi.Joint(name="track", type="custom", child="arm", expressions=p.x_b[0], coordinate=1, velocity=[1, 2])
texts: tuple[str, ...] = joint.expressions
state = symvi.State(0.0, [[0, 0, 0]], [[1, 0, 0, 0]], np.zeros((1, 3)), [[0, 0, 0]], ["arm"])
heights: np.ndarray = state.position[:, 2]
symvi.Simulator(symvi.load("robot.urdf")).simulate(1.0).energy.max()
report: verify.Report = verify.derivative(lambda x: x, lambda x: 1, wrt="x", variables={"x": verify.scalar()})
"""


def test_what_is_taken_and_kept_is_told_and_what_is_wrong_refused(of_users: list[dict]) -> None:
    """Lists for vectors, three numbers for an inertia, tables for shapes, SymPy for texts; tuples are what is kept."""
    assert told(item for item in of_users if item["file"].endswith("taken.py")) == []
    lines = {item["range"]["start"]["line"] for item in of_users if item["file"].endswith("wrong.py")}
    assert [line for k, line in enumerate(WRONG.splitlines()) if line.startswith("symvi.") and k not in lines] == []


# --- the public interface ---------------------------------------------------------------------------------------------
def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def public() -> Iterator[tuple[str, Callable]]:
    """The functions of symvi and symvi.verify, and the methods of their classes."""
    for module in (symvi, symvi.verify):
        for name in set(module.__all__) - {"__version__"}:
            value = getattr(module, name)
            if not inspect.isclass(value):
                yield name, value
                continue
            own = (base for base in value.__mro__ if base.__module__.startswith("symvi"))
            for method, kept in [item for base in own for item in tuple(vars(base).items())]:
                wrapped = (getattr(kept, part, None) for part in ("fget", "func", "__func__"))
                function = next(filter(None, wrapped), kept)
                written = inspect.isfunction(function) and function.__module__.startswith("symvi")
                if written and function.__name__ != "<lambda>" and (method == "__init__" or not method.startswith("_")):
                    yield f"{name}.{method}", function


def test_all_that_is_public_is_annotated() -> None:
    """Every parameter, and what is returned (but for __init__, which returns nothing)."""
    bare, seen = [], 0
    for name, function in public():
        seen += 1
        signature = inspect.signature(function)
        parts = [item.annotation for item in signature.parameters.values() if item.name not in ("self", "cls")]
        returned = [] if name.endswith("__init__") else [signature.return_annotation]
        if inspect.Signature.empty in [*parts, *returned]:
            bare.append(name)
    assert sorted(bare) == [] and seen > 100


# --- rooms of symvi ---------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.slow
def test_rooms_that_are_clean_stay_so(tmp_path: Path) -> None:
    """A room is added to CLEAN once it has no error, so that it never has one again."""
    wrong = pyright(beside(tmp_path), include=["symvi"])
    count = Counter(room(item["file"]) for item in wrong)
    assert told(item for item in wrong if room(item["file"]) in CLEAN) == []
    rooms = {room(str(path)) for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem != "__init__"}
    assert {name for name in rooms if not count[name]} - {"symvi"} <= CLEAN, "a room became clean: add it"


def room(file: str) -> str:
    parts = Path(file).with_suffix("").parts
    return parts[len(parts) - parts[::-1].index("symvi")]


def test_ruff_is_content() -> None:
    pytest.importorskip("ruff")
    for words in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        command = [sys.executable, "-m", "ruff", *words, str(REPOSITORY)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
