"""A process that finds everything in the cache imports nothing that derives, composes, prints, parses or compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from symvi.demos import demo_file
from symvi.simulate import text_version

STEP = f"""
import sys
from symvi import Mechanism, Simulator
Simulator(Mechanism.from_file({str(demo_file("double_pendulum"))!r}), backend="c").simulate(0.01, step=0.01)
print(*sys.modules)
"""
# rooms and packages that building takes, and no step
OF_BUILDING = (
    "symvi.physics", "symvi.graph", "symvi.scalar", "symvi.analysis", "symvi.program.compose", "symvi.emit.c",
    "symvi.simulate.accuracy", "symvi.simulate.curves", "jinja2", "sympy", "cffi", "pycparser", "filelock",
)  # fmt: skip


def modules_of_a_step(cache: Path) -> set[str]:
    environment = {**os.environ, "SYMVI_CACHE": str(cache)}
    command = [sys.executable, "-c", STEP]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_what_is_cached_is_loaded_without_what_builds(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    assert {"symvi.physics", "symvi.program.compose", "jinja2"} <= modules_of_a_step(cache)  # builds
    assert not modules_of_a_step(cache).intersection(OF_BUILDING)


def test_a_byte_of_a_source_is_another_version(tmp_path: Path, monkeypatch) -> None:
    """In a room, in a folder of one, in a template, in a single file; a file that is no source counts for nothing."""
    package = tmp_path / "symvi"
    shutil.copytree(Path(text_version.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(text_version.templates_folder(), tmp_path / "templates")
    monkeypatch.setattr(text_version, "__file__", str(package / "simulate" / "text_version.py"))
    monkeypatch.setattr(text_version, "templates_folder", lambda: tmp_path / "templates")
    version = text_version.text_version.__wrapped__
    found = {version()}
    (package / "physics" / "notes.txt").write_text("no source", encoding="utf-8")
    assert version() in found
    changed = ("symvi/physics/joints/rows.py", "symvi/emit/c.py", "templates/c/step.c.jinja", "symvi/registry.py")
    for name in (*changed, "symvi/simulate/plan.py"):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        assert version() not in found, name
        found.add(version())
    (package / "kernels" / "body_kernels.py").rename(package / "kernels" / "kernels_of_bodies.py")
    assert version() not in found
