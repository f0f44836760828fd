"""What a command of this package is asked to run over, and how it says that it cannot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from symvi.analysis.choices import Choices
from symvi.analysis.loops import analyse
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.names import did_you_mean
from symvi.proofs.zoo import zoo
from symvi.registry import register_file

CANNOT_RUN = 2  # exit code, as of a wrong option


def chosen(names: Sequence[str], register: Sequence[Path] = ()) -> list[tuple[Mechanism, Choices]]:
    """The mechanisms that names of the zoo or of files mean, with the rows that they keep; all of the zoo for none.

    register: files that register joint types or forces which these mechanisms have. Raises MechanismError,
    AssemblyError, ArgumentError, OSError, before anything is run.
    """
    for file in register:
        with redirect_stdout(sys.stderr):  # what the user's own code prints is no result
            register_file(file)
    known = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
    return [known[name] if name in known else described(name, known) for name in dict.fromkeys(names or known)]


def described(path: str, known: Iterable[str] = ()) -> tuple[Mechanism, Choices]:
    """The mechanism of a file, with the rows that its loops keep."""
    if Path(path).suffix not in (".toml", ".json") and not Path(path).exists():
        raise MechanismError(f"'{path}' is neither a file nor a mechanism of the zoo; {did_you_mean(path, known)}")
    mechanism = Mechanism.from_file(path)
    return mechanism, analyse(mechanism)


def refused(error: Exception) -> int:
    """Say on standard error why a command cannot run; returns its exit code."""
    text = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    print(f"symvi: {text}", file=sys.stderr)
    return CANNOT_RUN


def register_option(parser: argparse.ArgumentParser) -> None:
    """Give a command the option --register."""
    what = "run a Python file that registers joint types or forces of your own; may be repeated"
    parser.add_argument("--register", type=Path, action="append", default=[], metavar="FILE.py", help=what)


def at_least_one(text: str) -> int:
    """A whole number above zero, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
