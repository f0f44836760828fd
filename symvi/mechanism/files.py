"""Reading the files of mechanisms: TOML or JSON of one form, with all their problems at once, each with its line.

[mechanism]              name, gravity, description
[bodies.NAME]            mass, inertia, shape, ...        one table per element, under its name
[joints.NAME]  [couplings.NAME]  [drivers.NAME]  [forces.NAME] with its kind  [contacts.NAME]  [limits.NAME]
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.description import Complaint
from symvi.mechanism.elements_from_tables import TABLES
from symvi.mechanism.lines import key_lines, line_of, repeated_keys
from symvi.mechanism.names import did_you_mean, shown

__all__ = ["checked_path", "file_form", "file_values", "parsed", "printable", "read_text", "refuse_pipe", "with_lines"]

LARGEST_FILE = 20_000_000  # bytes
FORMS = ("toml", "json")

# Python's TOML parser needs memory with the square of the dots in a key, so these are counted before it sees them.
_MANY_DOTS = re.compile(
    r"""(?<![\w-])(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')){20}"""
)


def file_form(path: str | PathLike[str]) -> str:
    """ "toml" or "json", by the ending of a file's name. Raises MechanismError for any other."""
    form = checked_path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise MechanismError(f"{printable(path)}: the ending must be .toml or .json; symvi.load reads other formats")
    return form


def checked_path(path: object) -> Path:
    """The path that a user gave. Raises MechanismError for what is none."""
    try:
        return Path(os.fsdecode(path))  # type: ignore[arg-type]
    except TypeError:
        raise MechanismError(f"{shown(path)} is no path of a file; give its name") from None


def refuse_pipe(path: str | PathLike[str]) -> None:
    """Raise MechanismError if what has this name is a pipe, a socket or a device, which may give bytes without end, or
    none ever. Raises OSError or ValueError where there is nothing of the name.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise MechanismError(f"{printable(path)}: is no file, but a pipe or a device")


def read_text(path: str | PathLike[str]) -> str:
    """The text of a file. Raises MechanismError if it is missing, unreadable, larger than 20 MB, or no UTF-8 text."""
    place = printable(path)
    try:
        refuse_pipe(path)
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise MechanismError(f"{place}: there is no such file{_nearest_file(path)}") from None
    except OSError as error:
        raise MechanismError(f"{place}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a name that no file can have, as one with a zero byte
        raise MechanismError(f"{place}: cannot be read: {error}") from None
    if len(content) > LARGEST_FILE:
        raise MechanismError(f"{place}: is larger than {LARGEST_FILE // 1_000_000} MB; is it a mechanism file?")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MechanismError(
            f"{place}:{line}: is no UTF-8 text: byte {content[error.start]:#04x} at offset {error.start}"
        ) from None


def parsed(text: str, form: str, source: str) -> dict[str, Any]:
    """The tables of a text in the given form. Raises MechanismError with the line of its first syntax error."""
    if not isinstance(text, str):
        raise MechanismError(f"{source}: {shown(text)} is no text")
    text = text.removeprefix("\ufeff")  # the mark of byte order that some editors put first
    dots = _MANY_DOTS.search(text) if form == "toml" else None
    if dots:
        line = text.count("\n", 0, dots.start()) + 1
        raise MechanismError(f"{source}:{line}: a key of more than 20 parts: {shown(dots.group())}")
    repeated: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):  # Python's parser would keep the last one silently
            repeated.append(pairs[0][0])
        return result

    try:
        raw = tomllib.loads(text) if form == "toml" else json.loads(text, object_pairs_hook=table)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)", str(error))
        line = place[1] if place and place[1] else text.rstrip().count("\n") + 1
        raise MechanismError(f"{source}:{line}: is not valid TOML: {str(error).split(' (at ')[0]}") from None
    except json.JSONDecodeError as error:
        raise MechanismError(f"{source}:{error.lineno}: is not valid JSON: {error.msg}") from None
    except RecursionError:
        raise MechanismError(f"{source}: is nested too deeply") from None
    except ValueError:  # all that is left is that Python refuses to read integers of thousands of digits
        digits = re.search(r"\d{4000}", text)
        line = text.count("\n", 0, digits.start() if digits else 0) + 1
        raise MechanismError(f"{source}:{line}: holds a number of thousands of digits") from None
    if repeated:
        twice = [
            Complaint(path, f"the key {shown(path[-1])} stands twice in one table") for path in repeated_keys(text)
        ]
        raise with_lines(twice, text, form, source)
    if not isinstance(raw, dict):
        raise MechanismError(f"{source}:1: must hold tables, but holds {shown(raw)}")
    return raw


def file_values(tables: Mapping[str, Any]) -> tuple[dict[str, Any], list[Complaint]]:
    """The fields of a mechanism from the tables of its file, and a complaint for each table that does not belong."""
    complaints = [
        Complaint((name,), f"unknown table {shown(name)}; {did_you_mean(name, ['mechanism', *TABLES])}")
        for name in tables
        if name != "mechanism" and name not in TABLES
    ]
    own = tables.get("mechanism", {})
    if not isinstance(own, Mapping):
        complaints.append(Complaint(("mechanism",), f"mechanism {shown(own)} must be a table with the name"))
        own = {}
    values: dict[str, Any] = {}
    for key, value in own.items():
        if key in TABLES:
            complaints.append(Complaint(("mechanism", key), f"{key} is a table of its own: [{key}.NAME]"))
        else:
            values[key] = value
    for table in TABLES:
        given = tables.get(table, {})
        if isinstance(given, Mapping):
            values[table] = given
        else:
            complaints.append(Complaint((table,), f"{table} {shown(given)} must hold one table per name"))
    return values, complaints


def with_lines(complaints: Iterable[Complaint], text: str, form: str, source: str) -> MechanismError:
    """The error with all complaints in the order of the file, each with its line."""
    lines = key_lines(text, form)
    placed = sorted(((line_of(item.path, lines), item) for item in complaints), key=lambda pair: pair[0])
    return MechanismError([f"{source}:{line}: {item.text}" for line, item in placed], [item.path for _, item in placed])


def printable(path: str | PathLike[str]) -> str:
    """A path as errors show it: on one line, without characters that a terminal would act on."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(fspath(path))[:300])


def _nearest_file(path: str | PathLike[str]) -> str:
    try:
        siblings = [item.name for item in Path(path).parent.iterdir() if item.suffix in (".toml", ".json")]
    except OSError:
        return ""
    remedy = did_you_mean(Path(path).name, siblings)
    return f"; {remedy}" if remedy.startswith("did") else ""
