"""xacro, ROS's macro language for URDF, expanded by its own library in a process of its own (extra `xacro`).

A .xacro file is a program: its expressions are Python, it includes and loads other files. What its expressions may hold
is a list (xacro_expressions.py). The process that expands it may read the folders of the import and Python's own
library, and nothing else; it may write nothing, start nothing, and has a bounded time and memory (xacro_process.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path

from symvi.errors import MechanismError, missing_extra
from symvi.importers.meshes import Folders
from symvi.importers.report import Findings, Source
from symvi.importers.xml import LARGEST_FILE, Element, read_bytes, unknown_word
from symvi.mechanism.files import printable
from symvi.mechanism.names import shown

__all__ = ["expanded"]

SECONDS, PROCESSOR = 30.0, 20  # s: on the clock, and of a processor
TOO_LONG = 24  # the signal that ends a process after its processor time, where there is such a thing
KEPT = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}  # Windows starts no Python without it
PROGRAM = Path(__file__).with_name("xacro_process.py")


def expanded(path: str | PathLike[str], arguments: Mapping[str, str], folders: Folders, findings: Findings) -> bytes:
    """The URDF document of a .xacro file.

    arguments: values of its xacro:arg, by name; those that nothing in the file asks for are refused where they look
        like a slip of one that it does ask for, else noted as ignored.
    folders: what may be read; $(find NAME) is one of its packages.
    Raises MissingExtraError without the library, MechanismError with xacro's words where it fails, or without a file
        of at most 20 MB.
    """
    if find_spec("xacro") is None:
        raise missing_extra("xacro", "xacro")
    place = printable(path)
    read_bytes(path)  # refuses what is no file, or too large
    job = {
        "file": fspath(Path(path).resolve()),
        "arguments": dict(arguments),
        "packages": {name: fspath(folder.resolve()) for name, folder in folders.packages.items()},
        "folders": [fspath(folder) for folder in folders.allowed],
        "most": LARGEST_FILE,
        "seconds": PROCESSOR,
        "path": [entry for entry in sys.path if entry],
    }
    command = [sys.executable, "-I", "-B", str(PROGRAM)]
    try:
        done = subprocess.run(
            command, input=json.dumps(job).encode(), capture_output=True, timeout=SECONDS, env=KEPT, check=False
        )
    except subprocess.TimeoutExpired:
        raise MechanismError(f"{place}: xacro did not end within {SECONDS:g} s") from None
    if done.returncode != 0:
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        words = "".join(c for c in " / ".join(said[-3:]) if c.isprintable())[:600]
        end = "it computes for too long" if done.returncode == -TOO_LONG else f"it ended with {done.returncode}"
        raise MechanismError(f"{place}: xacro cannot expand it: {words or end}")
    return _document(done.stdout, place, arguments, findings)


def _document(said: bytes, place: str, arguments: Mapping[str, str], findings: Findings) -> bytes:
    """The document of what the process says: first a line with the arguments that the file has asked for."""
    first, _, text = said.partition(b"\n")
    try:
        asked = tuple(str(name) for name in json.loads(first))
    except (ValueError, TypeError):
        raise MechanismError(f"{place}: xacro cannot expand it: it writes something of its own") from None
    whole = Element("xacro", arguments, Source(place))
    for name in arguments:
        if name not in asked:
            unknown_word(whole, f"argument {shown(name)}", name, asked, findings, "")
    findings.check()
    return text
