"""requirements.lock: everything pinned by hash, nothing about where it was found."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from symvi.environment import ZIGLANG, packages_of_lock

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
PACKAGES = packages_of_lock(TEXT)
NOT_LOCKED = "bench"  # other codes to compare with: too large for every set-up


def test_no_address_of_a_registry() -> None:
    assert "://" not in TEXT and "index" not in TEXT


def test_every_package_has_hashes() -> None:
    assert len(PACKAGES) > 20
    for name, entry in PACKAGES.items():
        pins = re.findall(rf"^{name}==\S+", entry, flags=re.MULTILINE)
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)
        assert pins and len(hashes) >= len(pins), name


def test_all_that_the_project_asks_for_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [names for extra, names in project["optional-dependencies"].items() if extra != NOT_LOCKED]
    asked = {re.match(r"[\w-]+", text).group() for group in (project["dependencies"], *extras) for text in group}
    assert asked <= PACKAGES.keys()


def test_parts_of_the_lock_make_up_the_whole() -> None:
    """ziglang can be left out, and nothing else is lost with it."""
    header = TEXT[: TEXT.index("\n" + next(iter(PACKAGES))) + 1]
    assert header + "".join(PACKAGES.values()) == TEXT
    assert PACKAGES[ZIGLANG].startswith("ziglang==") and PACKAGES[ZIGLANG].count("==") == 1
