"""What every command of the command line shares: options, errors, the last result as JSON.

A command is a function that says what it does on a console and returns its last result as a dictionary. `command` gives
every one of them the option --json (the result as one JSON object on standard output, all other text on standard error)
and turns errors into one message and exit code 1, or the `exit_code` that an error has. What a command needs is
imported inside it: `symvi --help` is quick. Commands that read descriptions, or know functions by name, have the option
--register for joint types and kinds of force of the user's own.
"""

import functools
import inspect
import json
import logging
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from symvi import __version__
from symvi.errors import SymviError
from symvi.registry import register_file

Result = Mapping[str, Any]
Register = Annotated[
    list[Path] | None,
    typer.Option(
        help="Run a Python file that registers joint types or forces of your own; may be repeated.", metavar="FILE.py"
    ),
]
# Keywords that errors name as remedies -> the same on the command line.
OPTIONS = {"project=True": "--project"}

app = typer.Typer(
    name="symvi",
    help="Rigid-body dynamics: from a description of a mechanism to its own solver in C.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@contextmanager
def building(console: Console, first: str) -> Iterator[None]:
    """A line that says what a build is at, until it is done. first: what it says before it is told."""
    stages = logging.getLogger("symvi.build")
    with console.status(first) as status:
        handler, level = logging.Handler(), stages.level
        handler.emit = lambda record: status.update(record.getMessage())
        stages.addHandler(handler)
        stages.setLevel(logging.INFO)
        try:
            yield
        finally:
            stages.removeHandler(handler)
            stages.setLevel(level)


def command(function: Callable[..., Result]) -> Callable[..., None]:
    """Make a command of `function(console, ...)`, whose other parameters are typer's arguments and options.

    The function prints on `console` and returns its last result: texts, numbers, arrays, paths, lists, dictionaries.
    Errors of the user (SymviError, OSError) end the command with their message; all others are faults of symvi and keep
    their traceback.
    """

    @functools.wraps(function)
    def run(*, as_json: bool, **options: Any) -> None:
        try:
            result = function(Console(stderr=as_json), **options)
        except (SymviError, OSError) as error:
            message = _message(error)
            print(f"symvi: {message}", file=sys.stderr)
            found = getattr(error, "found", {})  # what a command had found when it failed
            print_json({**found, "error": message, "kind": type(error).__name__}, as_json)
            raise typer.Exit(getattr(error, "exit_code", 1)) from error
        print_json(result, as_json)

    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    described: Any = run
    described.__signature__ = inspect.Signature([*own, _JSON_OPTION])
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, _JSON_OPTION]}
    return app.command()(run)


_JSON_OPTION = inspect.Parameter(
    "as_json",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--json", help="Print the last result as one JSON object.")],
)


def register(files: Sequence[Path] | None) -> None:
    """Run the files of an option --register, before anything is read that names what they register."""
    for file in files or ():
        with redirect_stdout(sys.stderr):  # what the user's own code prints is no result
            register_file(file)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    text = str(error) or type(error).__name__
    if isinstance(error, SymviError):
        for keyword, option in OPTIONS.items():
            text = text.replace(keyword, option)
    return text


def print_json(result: Result, as_json: bool) -> None:
    """Print a result as one JSON object on standard output, if it was asked for."""
    if as_json:
        print(json.dumps(_plain(result), allow_nan=False))


def _plain(value: Any) -> Any:
    """The same value in JSON's own types; JSON has no NaN and no infinity, so they become null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # a NumPy array or number
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"symvi {__version__}")
        raise typer.Exit


@app.callback()
def _options_of_symvi(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that stand before the command; without this function typer would have no place for them."""
