"""The commands verify and derive: is a derivative that was written by hand right, and what is the right one?"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from symvi.cli.console import Register, command
from symvi.cli.console import register as run_files
from symvi.errors import SymviError

if TYPE_CHECKING:
    from symvi.verify.saying.report import Report

Tangent = Annotated[
    Literal["rotation vector", "half", "raw"],
    typer.Option(help="Of derivatives by quaternions: rotation vector, half of it (the papers), raw components."),
]
Turn = Annotated[
    Literal["rotation vector", "half"],
    typer.Option(help="Of derivatives by quaternions: rotation vector, or half of it."),
]
Side = Annotated[Literal["body", "world"], typer.Option(help="The axes in which a quaternion is turned.")]
Parent = Annotated[Literal["body", "world"], typer.Option(help="What a joint's parent is.")]
Axes = Annotated[Literal["world", "joint"], typer.Option(help="Of a joint's three translational rows.")]
Scale = Annotated[str | None, typer.Option(help="Of a joint's rotational rows: 2 here, 1 in the papers.")]


C_SUFFIXES = (".c", ".h")
# Languages that are judged by their numbers.
FOREIGN = {
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"), "C++"),
    ".m": "MATLAB", ".jl": "Julia", ".rs": "Rust", ".f90": "Fortran", ".cu": "CUDA", ".java": "Java",
}  # fmt: skip
# Remedies that messages name for Python -> the same for the shell.
OPTIONS = (
    (re.compile(r"cleared=\['([^']*)'\]"), r"--cleared \1"),
    (re.compile(r"cleared: "), "--cleared: "),
    (re.compile(r"names=\{'([^']*)': '([^']*)'\}"), r"--name '\1=\2'"),
    (re.compile(r"names=\{'([^']*)': \.\.\.\}"), r"--name \1=VARIABLE"),
    (re.compile(r"\boutput=\.\.\."), "--output"),
)


class WrongDerivative(SymviError):
    """A claimed derivative is wrong. found: the reports."""

    def __init__(self, message: str, found: Mapping[str, Any]):
        self.found = found
        super().__init__(message)


class UnansweredClaim(WrongDerivative):
    """A claim could not be judged, or a report not be written."""

    exit_code = 2


@command
def verify(
    console: Console,
    file: Annotated[
        Path | None, typer.Argument(help="A Python file with claims; it is run.", metavar="FILE.py")
    ] = None,
    c: Annotated[Path | None, typer.Option("--c", help="A C file; it is read, never compiled.")] = None,
    function: Annotated[str | None, typer.Option(help="The C function that computes the derivative.")] = None,
    against: Annotated[str | None, typer.Option(help="One of symvi's own functions, revolute say.")] = None,
    wrt: Annotated[list[str] | None, typer.Option(help="A variable; more than once for several.")] = None,
    output: Annotated[str | None, typer.Option(help="The C parameter that is the matrix.")] = None,
    cleared: Annotated[
        list[str] | None, typer.Option(help="A C parameter that the caller sets to zero before the call.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="PARAMETER=VARIABLE, where their names differ; x0=x[0] for one of its numbers."),
    ] = None,
    include: Annotated[list[Path] | None, typer.Option(help="A folder of headers.")] = None,
    define: Annotated[list[str] | None, typer.Option(help="NAME=TEXT, as of a compiler.")] = None,
    tangent: Tangent = "rotation vector",
    side: Side = "body",
    axis: Annotated[str | None, typer.Option(help="Of a joint: x, y or z; left out, the triad is an argument.")] = None,
    parent: Parent = "body",
    offset: Annotated[bool, typer.Option("--offset", help="With a joint frame q_off on the parent.")] = False,
    axes: Axes = "world",
    scale: Scale = None,
    ask: Annotated[
        Path | None, typer.Option(help="Write points, .csv or .npz, for a program to complete with its numbers.")
    ] = None,
    numbers: Annotated[Path | None, typer.Option(help="That file with values and Jacobians: is J right?")] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(help="Of --ask and --numbers: NAME=KIND, q=quaternion:half, p=vector:3, A=matrix:2:3."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="NAME=LOW:HIGH, what every number of a variable lies between; either may be left out."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random points.")] = 0,
    effort: Annotated[
        float | None, typer.Option(help="Operations on numbers that one claim may cost; 3e7 if left out.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 for RIGHT WHERE TESTED too.")] = False,
    register: Register = None,
    html: Annotated[Path | None, typer.Option(help="Write the reports as a page.")] = None,
) -> Mapping[str, Any]:
    """Verify derivatives that were written by hand: a verdict for every entry, and what is wrong with it.

    Give a Python file with claims, or --c, --function and --against; for code in another language, --ask for points,
    then --numbers with what it computed there, both with --variable and --wrt. Exit code 1: something is wrong, or,
    with --strict, right only where it was tested; 2: something could not be judged.
    """
    from symvi.verify.claims import claims_of_file

    if sum(given is not None for given in (file, c, ask, numbers)) != 1:
        raise _misuse("give a Python file, or --c with --function and --against, or --ask, or --numbers")
    for given in (file, c):
        if given is not None and given.suffix.lower() in FOREIGN:
            raise _misuse(_foreign(given))
    if file is not None and file.suffix.lower() in C_SUFFIXES:
        raise _misuse(
            f"{file} is C, and FILE.py is run as Python: write symvi verify --c {file} --function NAME --against NAME, "
            "the C function and what it is the derivative of (symvi derive lists the names)"
        )
    run_files(register)
    if ask is not None:
        return _asked(console, ask, wrt or [], variable or [], where or [], seed)
    if numbers is not None:
        if where:
            raise _misuse("--where goes with --ask: the points of --numbers are those that were asked")
        claims: list = [_Numbers(numbers, wrt or [], variable or [])]
    elif file is not None:
        with redirect_stdout(sys.stderr):  # what the user's own code prints is no verdict
            claims = claims_of_file(file)
    else:
        assert c is not None
        own = {"tangent": tangent, "side": side, "axis": _axis(axis), "parent": parent, "offset": offset}
        reading = {"output": output, "cleared": cleared, "names": name, "include": include, "define": define}
        claims = [_c_claim(c, function, against, wrt, reading, {**own, "axes": axes, "scale": scale})]
    bounds = _bounds(where or [], claims)
    reports, refused = _judged(console, claims, (seed, bounds, effort), _in_python if c is None else _in_shell)
    unwritten = [] if html is None or not reports else _written(console, html, reports)
    return _verdict(reports, refused, unwritten, strict)


@dataclass(frozen=True)
class _Numbers:
    """A completed table of points, as a claim."""

    path: Path
    wrt: list[str]
    variables: list[str]
    name: str = "J"

    @property
    def names(self) -> set[str]:
        return set(_stated(self.variables))

    def report(self, seed: int, where: Mapping[str, tuple], effort: float, progress: Callable) -> Report:
        from symvi.verify.foreign import numbers

        return numbers(self.path, self.wrt, _stated(self.variables))


def _foreign(path: Path) -> str:
    """What is said of code that is neither Python nor C."""
    return (
        f"{path} is {FOREIGN[path.suffix.lower()]}, which is not read; it is judged by its numbers: "
        "symvi verify --ask points.csv writes points, your program adds its values and Jacobians, "
        "and symvi verify --numbers points.csv compares them"
    )


def _asked(console: Console, path: Path, wrt: list[str], texts: list[str], where: list[str], seed: int):
    """Write points for another program. Raises SymviError."""
    from symvi.verify.asking.foreign_points import ask

    bounds = _bounds(where, [_Numbers(path, wrt, texts)])
    count = ask(path, wrt, _stated(texts), bounds, seed)
    said = "add the values f and, where along is -1, J row by row to every row; then symvi verify --numbers"
    console.print(f"{count} points: {path.resolve()}\n{said}", highlight=False, soft_wrap=True)
    return {"points": count, "file": str(path)}


def _stated(texts: list[str]) -> dict[str, Any]:
    from symvi.verify.asking.foreign_points import stated

    return stated(texts)


def _written(console: Console, path: Path, reports: Mapping[str, Report]) -> list[str]:
    """Write the reports to a file; what kept it from being written, if anything did."""
    from symvi.verify.saying.pages import html_of_all

    try:
        path.write_text(html_of_all(reports), encoding="utf-8", newline="\n")
    except OSError as error:
        return [f"{path}: {error.strerror}"]
    console.print(f"html: {path.resolve()}", highlight=False, soft_wrap=True)
    return []


def _judged(
    console: Console, claims: list, asked: tuple, worded: Callable[[str], str]
) -> tuple[dict[str, Report], dict[str, str]]:
    """Reports, and why there is none, in words for the place where the question was asked."""
    from symvi.verify.asking.effort import EFFORT

    *question, effort = asked
    reports: dict[str, Report] = {}
    refused: dict[str, str] = {}
    for number, claim in enumerate(claims):
        name = claim.name if claim.name not in reports else f"{claim.name} ({number})"

        def tell(done: str, name: str = name) -> None:
            print(f"{name}: {done}", file=sys.stderr, flush=True)

        try:
            with redirect_stdout(sys.stderr):
                reports[name] = claim.report(*question, EFFORT if effort is None else effort, tell)
            said = str(reports[name])
        except SymviError as error:
            refused[name] = said = worded(str(error))
        console.print(f"{name}:\n{said}\n", highlight=False, markup=False, soft_wrap=True)
    return reports, refused


def _verdict(reports: Mapping[str, Report], refused: Mapping[str, str], unwritten: list[str], strict: bool):
    """The result. Raises WrongDerivative or UnansweredClaim."""
    found = {"claims": {name: report.json() for name, report in reports.items()}, "not judged": dict(refused)}
    wrong = [name for name, report in reports.items() if not report.right]
    said = [f"{len(wrong)} of {len(reports)} wrong: {', '.join(wrong)}"] * bool(wrong)
    said += [f"could not be judged: {', '.join(refused)}"] * bool(refused)
    if refused or unwritten:
        raise UnansweredClaim("; ".join([*said, *unwritten]), found)
    if wrong:
        raise WrongDerivative(said[0], found)
    partly = [name for name, report in reports.items() if not report.everywhere]
    if strict and partly:
        raise WrongDerivative(f"right only where tested: {', '.join(partly)}", found)
    return found


def _in_python(said: str) -> str:
    return said


def _in_shell(said: str) -> str:
    """Remedies for Python as the options of this command."""
    for pattern, option in OPTIONS:
        said = pattern.sub(option, said)
    return said


def _c_claim(path, function, against, wrt, reading: dict, own: dict):
    from symvi.derive import own as own_function
    from symvi.verify.claims import Claim
    from symvi.verify.errors import VerificationError
    from symvi.verify.reading.c_function import c

    if function is None or against is None:
        raise _misuse("--c needs --function, the C function, and --against, what it is the derivative of")
    judged = own_function(against, **own)
    options: dict[str, Any] = {key: _pairs(reading[key] or [], f"--{key.rstrip('s')}") for key in ("names", "define")}
    options |= {"include": reading["include"] or (), "cleared": reading["cleared"] or None}
    try:
        claimed = c(path, function, reading["output"], **options)
    except VerificationError as error:
        raise VerificationError(_in_shell(str(error))) from error
    return Claim(function, judged, claimed, tuple(wrt or judged.definition.wrt))


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    split = [text.partition("=") for text in texts]
    for name, sign, value in split:
        if not (name and sign and value):
            raise _misuse(f"{option} {name}{sign}{value}: write NAME=VALUE")
    return {name: value for name, _, value in split}


def _bounds(texts: list[str], claims: list) -> dict[str, tuple]:
    """What variables lie between. Raises SymviError for a name that no claim has."""
    from symvi.mechanism.names import did_you_mean

    found: dict[str, tuple] = {}
    for name, text in _pairs(texts, "--where").items():
        ends = text.split(":")
        try:
            low, high = (Fraction(end) if end.strip() else None for end in ends)
        except (ValueError, ZeroDivisionError):
            raise _misuse(
                f"--where {name}={text}: write NAME=LOW:HIGH, say {name}=0:1, or {name}=0: for no end"
            ) from None
        known = sorted(set().union(*(claim.names for claim in claims)))
        if name not in known:
            raise _misuse(f"--where {name}: no variable '{name}'; {did_you_mean(name, known)}")
        found[name] = low, high
    return found


def _axis(text: str | None) -> tuple[int, int, int] | None:
    known = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), None: None}
    if text not in known:
        raise _misuse(f"--axis {text}: it is x, y or z")
    return known[text]


def _misuse(message: str) -> SymviError:
    error: Any = SymviError(message)
    error.exit_code = 2
    return error


@command
def derive(
    console: Console,
    name: Annotated[str | None, typer.Argument(help="revolute, say; left out, all names are listed.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="As LaTeX.")] = False,
    tangent: Turn = "rotation vector",
    side: Side = "body",
    axes: Axes = "world",
    scale: Scale = None,
    register: Register = None,
) -> Mapping[str, Any]:
    """Print one of symvi's own functions and its derivative, in the papers' notation."""
    from symvi.derive import own_names

    run_files(register)
    if name is None:
        known = own_names()
        console.print("\n".join(known), highlight=False, markup=False)
        return {"names": known}
    from symvi.derive.derivation import derivation

    found = derivation(name, tangent=tangent, side=side, axes=axes, scale=scale)
    shown: Callable[[], str] = found.latex if latex else found.text
    console.print(shown(), highlight=False, markup=False, soft_wrap=True)
    return found.plain()
