"""From the checkout to an sdist, to a wheel, to a fresh environment that knows nothing of the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from symvi import __version__

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

REPOSITORY = Path(__file__).parents[2]


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def wheel(clone: Path, tmp_path: Path) -> Path:
    """The wheel built from what the sdist holds, and from nothing else."""
    pytest.importorskip("hatchling")
    (clone / "generated").mkdir(exist_ok=True)
    (clone / "generated" / "leg.c").write_text("int leg;\n", encoding="utf-8")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, folder=clone)
    shutil.unpack_archive(tmp_path / f"symvi-{__version__}.tar.gz", tmp_path)
    source = tmp_path / f"symvi-{__version__}"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, folder=source)
    return next(tmp_path.glob("*.whl"))


@pytest.fixture
def python_with_wheel(wheel: Path, tmp_path: Path) -> Path:
    """An environment with the wheel; the other packages are those of this environment, so that no network is needed."""
    uv = pytest.importorskip("uv").find_uv_bin()
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, folder=tmp_path)
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, wheel, folder=tmp_path)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=tmp_path).strip()
    Path(packages, "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def files_under(folder: Path) -> set[str]:
    return {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_holds_the_package_and_its_templates_only(wheel: Path, clone: Path) -> None:
    templates = {f"symvi/{name}" for name in files_under(clone / "templates")}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert templates and held == files_under(clone / "symvi") | templates


def test_it_runs_outside_the_checkout(python_with_wheel: Path, tmp_path: Path) -> None:
    where = "import symvi.emit.templates as t; print(t.templates_folder())"
    folder = Path(run(python_with_wheel, "-c", where, folder=tmp_path).strip())
    assert folder.is_relative_to(tmp_path / "environment")
    assert run(python_with_wheel, "-m", "symvi", "--version", folder=tmp_path) == f"symvi {__version__}\n"
    assert run(python_with_wheel.parent / "symvi", "--version", folder=tmp_path) == f"symvi {__version__}\n"
    pages = Path(run(python_with_wheel, "-m", "symvi", "manual", folder=tmp_path).splitlines()[0])
    assert pages.is_relative_to(tmp_path / "environment") and (pages / "start.md").is_file()


def test_it_generates_and_simulates_outside_the_checkout(python_with_wheel: Path, tmp_path: Path) -> None:
    """A packaged demo file, from description to C and to a page, with nothing of the checkout in reach."""
    file = run(
        python_with_wheel, "-c", "from symvi.demos import demo_file; print(demo_file('four_bar'))", folder=tmp_path
    ).strip()
    assert Path(file).is_relative_to(tmp_path / "environment")
    run(python_with_wheel, "-m", "symvi", "generate", file, "-o", "out", folder=tmp_path)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"four_bar.h", "four_bar.c"}
    run(
        python_with_wheel,
        "-m",
        "symvi",
        "simulate",
        file,
        "--time",
        "0.1",
        "--step",
        "0.01",
        "--page",
        "page.html",
        folder=tmp_path,
    )
    assert (tmp_path / "page.html").stat().st_size > 10_000
