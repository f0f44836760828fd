"""What a command of this package is asked to run over, and how it says that it cannot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from symvi.analysis.choices import Choices
from symvi.analysis.loops import analyse
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.names import did_you_mean
from symvi.program.tree_refusals import refusal
from symvi.proofs.zoo import zoo
from symvi.registry import register_file

BOTH = "both"
COORDINATES = (BOTH, "maximal", "tree")
CANNOT_RUN = 2  # exit code, as of a wrong option


class Case(NamedTuple):
    """A mechanism with the rows that it keeps, and what it is solved for: "maximal" or "tree" coordinates."""

    mechanism: Mechanism
    choices: Choices
    coordinates: str = "maximal"

    @property
    def name(self) -> str:
        """The mechanism's name, in joint coordinates with that."""
        return f"{self.mechanism.name} ({self.coordinates})" if self.coordinates == "tree" else self.mechanism.name


def chosen(names: Sequence[str], register: Sequence[Path] = (), coordinates: str = BOTH) -> list[Case]:
    """The mechanisms that names of the zoo or of files mean, with the rows that they keep; all of the zoo for none.

    register: files that register joint types or forces which these mechanisms have. coordinates: what they are solved
    for, one of COORDINATES; of both, joint coordinates only where they can be. Raises MechanismError, AssemblyError,
    ArgumentError, OSError, before anything is run.
    """
    for file in register:
        with redirect_stdout(sys.stderr):  # what the user's own code prints is no result
            register_file(file)
    known = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
    found = [known[name] if name in known else described(name, known) for name in dict.fromkeys(names or known)]
    asked = ("maximal", "tree") if coordinates == BOTH else (coordinates,)
    if coordinates == "tree":
        for mechanism, choices in found if names else ():
            if why := refusal(mechanism, choices):
                raise MechanismError(f"'{mechanism.name}' has no joint coordinates: {why}; ask for maximal ones")
    return [Case(*one, kind) for one in found for kind in asked if kind == "maximal" or refusal(*one) is None]


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


def options_of_choice(parser: argparse.ArgumentParser) -> None:
    """Give a command the options --register and --coordinates."""
    what = "run a Python file that registers joint types or forces of your own; may be repeated"
    parser.add_argument("--register", type=Path, action="append", default=[], metavar="FILE.py", help=what)
    what = "what mechanisms are solved for (default: both, where joint coordinates can be)"
    parser.add_argument("--coordinates", choices=COORDINATES, default=BOTH, help=what)


def at_least_one(text: str) -> int:
    """A whole number above zero, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
