"""A digest of everything in symvi that decides a generated text: what is kept of another version is not taken."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from symvi import __version__
from symvi.emit.template_files import templates_folder

# rooms of the package, and files of this one, that texts are made by
ROOMS = (
    "mechanism", "graph", "scalar", "physics", "joints", "forces", "contacts", "numbers", "analysis", "kernels",
    "program", "emit",
)  # fmt: skip
OWN = ("solver_build", "plan", "run_parameters", "start", "inputs", "frames", "turns", "slope_layout")
TEMPLATES = ("c", "batch", "lanes")


@cache
def text_version() -> str:
    """The digest of this package's own source and templates, in hexadecimal."""
    package, digest = Path(__file__).resolve().parent.parent, hashlib.sha256(__version__.encode())
    for name, place in _sources(package):
        with open(place, "rb", buffering=0) as file:
            content = file.read()
        digest.update(b"\0%s\0%d\0" % (name.encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()


def _sources(package: Path) -> Iterator[tuple[str, str]]:
    """(name, path) of every file, in an order that is the same everywhere. Plain strings: a step waits for this."""
    for room in ROOMS:
        yield from _below(os.path.join(package, room), room, ".py")
    for folder in TEMPLATES:
        yield from _below(os.path.join(templates_folder(), folder), f"templates/{folder}", ".jinja")
    for name in ("registry.py", *(f"simulate/{name}.py" for name in OWN)):
        yield name, os.path.join(package, name)


def _below(folder: str, name: str, ending: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith(ending):
            yield f"{name}/{entry.name}", entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _below(entry.path, f"{name}/{entry.name}", ending)
