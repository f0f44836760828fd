"""What the tests of the package itself share: a copy of the checkout to play with, and a bare process environment."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
# How this machine reaches a registry, if it needs to be told.
NETWORK_SETTINGS = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a fresh clone would hold, in a folder with spaces in its path."""
    made_here = shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*_cache", ".hypothesis")
    return shutil.copytree(REPOSITORY, tmp_path / "a clone, freshly made", ignore=made_here)


@pytest.fixture
def bare_machine(tmp_path: Path) -> dict[str, str]:
    """Environment variables of a machine with a Python and nothing else: no HOME, no uv, no compiler on the path."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}")
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(NETWORK_SETTINGS)}
    return {**kept, "PATH": str(bin_folder), "SYMVI_CACHE": str(tmp_path / "cache")}


@pytest.fixture
def add_program(bare_machine: dict[str, str]) -> Callable[[str], None]:
    """Put a program of this machine, or of this Python's environment, on the bare machine's path."""

    def add(name: str) -> None:
        found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        if found is None:
            pytest.skip(f"{name} is not installed")
        (Path(bare_machine["PATH"]) / name).symlink_to(found)

    return add
