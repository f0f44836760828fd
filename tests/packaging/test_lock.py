"""requirements.lock: everything pinned by hash, nothing about where it was found."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from symvi.environment import ZIGLANG, _own_requirements, needed_by, packages_of_lock

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
PACKAGES = packages_of_lock(TEXT)
PEERS_TEXT = (REPOSITORY / "requirements-peers.lock").read_text(encoding="utf-8")
PEERS = packages_of_lock(PEERS_TEXT)
NOT_LOCKED = {"bench", "torch"}  # too large for every set-up
# large too, and needed by few tests
OF_PEERS = {"peers", "mjcf", "sweep", "dask", "ray", "learn", "casadi", "mpc", "jax"}


@pytest.mark.parametrize("text", [TEXT, PEERS_TEXT], ids=["requirements.lock", "requirements-peers.lock"])
def test_no_address_of_a_registry(text: str) -> None:
    assert "://" not in text and "index" not in text


@pytest.mark.parametrize("packages", [PACKAGES, PEERS], ids=["requirements.lock", "requirements-peers.lock"])
def test_every_package_has_hashes(packages: dict[str, str]) -> None:
    assert len(packages) > 20
    for name, entry in packages.items():
        pins = re.findall(rf"^{name}==\S+", entry, flags=re.MULTILINE)
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)
        assert pins and len(hashes) >= len(pins), name


def test_all_that_the_project_asks_for_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {extra: names for extra, names in project["optional-dependencies"].items() if extra not in NOT_LOCKED}
    own = [names for extra, names in extras.items() if extra not in OF_PEERS]
    asked = {re.match(r"[\w-]+", text).group() for group in (project["dependencies"], *own) for text in group}
    assert asked <= PACKAGES.keys()
    asked = {re.match(r"[\w-]+", text).group() for extra in OF_PEERS for text in extras[extra]}
    assert asked <= PEERS.keys()


def test_both_locks_agree() -> None:
    """What one holds of the other's packages is the same."""
    shared = PACKAGES.keys() & PEERS.keys()
    assert {name: PACKAGES[name].split()[0] for name in shared} == {name: PEERS[name].split()[0] for name in shared}


def test_what_symvi_needs_without_extras_is_all_there_and_nothing_else() -> None:
    """The installed packages themselves say what they need; one of another system is in the lock only."""
    needed, more = set(), {name.lower() for name in _own_requirements()}
    while more:
        needed |= more
        asked = {Requirement(text) for name in more for text in metadata.requires(name) or ()}
        more = {r.name.lower() for r in asked if r.marker is None or r.marker.evaluate({"extra": ""})} - needed
    found = needed_by(_own_requirements(), PACKAGES)
    assert needed <= found.keys() and found.keys() - needed <= {"colorama"}
    assert not found.keys() & {"matplotlib", "scipy", "pytest", "viser", "pcpp"}


def test_parts_of_the_lock_make_up_the_whole() -> None:
    """ziglang can be left out, and nothing else is lost with it."""
    header = TEXT[: TEXT.index("\n" + next(iter(PACKAGES))) + 1]
    assert header + "".join(PACKAGES.values()) == TEXT
    assert PACKAGES[ZIGLANG].startswith("ziglang==") and PACKAGES[ZIGLANG].count("==") == 1
