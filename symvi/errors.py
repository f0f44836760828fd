"""The errors of symvi: a short tree, so that a caller can catch one kind or all of them.

    SymviError                  everything that symvi refuses or cannot do
        MechanismError          a description, a file, or a value for one
        AssemblyError           joints that cannot be closed
        SolverError             a step that was not solved
        ArgumentError           an argument of a function or class (a ValueError too)
        FileError               a file that cannot be read or written (an OSError too)
            MissingFileError    one that is not there, or whose folder is not (a FileNotFoundError too)
        CompilerError           no C compiler, or one that failed
        MissingExtraError       a package that is not installed

Modules that only some need (exports, meshes, `symvi.verify`) have kinds of their own, which are SymviErrors as well.
Anything else that comes out of symvi is a fault of symvi, or of code that it was given to call.

Every message names the element, says what was found, and what would do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from symvi.extras import install_command

__all__ = [
    "ArgumentError",
    "AssemblyError",
    "CompilerError",
    "EnergyWarning",
    "FileError",
    "MechanismError",
    "MissingExtraError",
    "MissingFileError",
    "RateWarning",
    "SolverError",
    "SpinWarning",
    "StiffnessWarning",
    "SymviError",
    "SymviWarning",
    "missing_extra",
    "told_as_files",
]

# A file of a million lines may be wrong in each of them; nobody reads more than this.
SHOWN_PROBLEMS = 50


class SymviError(Exception):
    """The base of every error that symvi raises on purpose."""


class MechanismError(SymviError):
    """A description cannot be used.

    problems: every problem found, one sentence each (a single text is taken as one problem).
    paths: for each problem, the keys that lead to its place in the description,
        for example ("bodies", "arm", "mass"); empty where no place is known.
    """

    def __init__(self, problems: str | Iterable[str], paths: Iterable[Sequence[str | int]] = ()):
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        given = tuple(tuple(path) for path in paths)
        self.paths: tuple[tuple[str | int, ...], ...] = given + ((),) * (len(self.problems) - len(given))
        super().__init__(self.problems, self.paths)

    def __str__(self) -> str:
        shown = self.problems[:SHOWN_PROBLEMS]
        hidden = len(self.problems) - len(shown)
        return "\n".join(shown) + (f"\n... and {hidden} more problems" if hidden else "")


class ArgumentError(SymviError, ValueError):
    """A function or class was given an argument that it does not take: an unknown mode, a number out of bounds."""


class FileError(SymviError, OSError):
    """A file cannot be read or written. Made of errno, text and path, as OSErrors are."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is to be read, or the folder of one that is to be written, does not exist."""


class AssemblyError(SymviError):
    """The joints cannot be closed: contradictory or nearly redundant loops, or a start that violates them."""


class CompilerError(SymviError):
    """No C compiler was found, or it failed; the message then holds its words and the folder that was kept."""


class SolverError(SymviError):
    """A step was not solved; the state was left as it was.

    status: the SolverStatus that says why. worst: the body or constraint that tells most. iterations: of that step.
    """

    def __init__(self, message: str, status: object = None, worst: str = "", iterations: int = 0):
        self.status, self.worst, self.iterations = status, worst, iterations
        super().__init__(message, status, worst, iterations)

    def __str__(self) -> str:
        return str(self.args[0])


class MissingExtraError(SymviError):
    """An optional part of symvi needs a package that is not installed."""


class SymviWarning(UserWarning):
    """The base of every warning about a motion that is less true than it looks."""


class SpinWarning(SymviWarning):
    """A body turns so fast that its turn in a step and its momentum differ by more than a part in a hundred."""


class RateWarning(SymviWarning):
    """Rates at knots are far from those of the steps around them, because dampers are too strong for the step."""


class EnergyWarning(SymviWarning):
    """Energy rose that nothing has paid for, or fell that nothing has taken."""


class AccuracyWarning(SymviWarning):
    """A motion is further off than was asked for, and shorter steps bring it no nearer."""


class StiffnessWarning(SymviWarning):
    """A force at the knots is too stiff for the step."""


@contextmanager
def told_as_files(path: object) -> Iterator[None]:
    """While it lasts, what the operating system refuses is a FileError about this path."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
        raise kind(error.errno, error.strerror or str(error), str(error.filename or path)) from None


def missing_extra(extra: str, package: str) -> MissingExtraError:
    """The error that says which extra brings a package: raise missing_extra("plot", "matplotlib")."""
    return MissingExtraError(f"this needs the package {package}; install it with: {install_command(extra)}")
