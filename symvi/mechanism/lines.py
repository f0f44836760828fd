"""The line of a key in a TOML or JSON file, found by a short scan of text that is known to be valid.

The parsers of Python's library and pydantic say what is wrong, but not where. This scan walks the same nesting and
notes the line on which each key, or item of a list, begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from typing import NamedTuple

__all__ = ["Path", "key_lines", "line_of", "repeated_keys"]

Path = tuple[str | int, ...]


class Token(NamedTuple):
    """A piece of a file: its kind (text, mark, word, newline, end), its text, the line it begins on."""

    kind: str
    text: str
    line: int


_TOKEN = re.compile(
    r"""
    (?P<skip>[ \t\r\ufeff]+ | \#[^\n]*)
  | (?P<newline>\n)
  | (?P<text>\"\"\"(?:\\.|[^\\])*?\"\"\"(?!\") | '''.*?'''(?!') | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
  | (?P<mark>[\[\]{}=,.:])
  | (?P<word>[^\s\[\]{}=,.:\#"']+)
    """,
    re.VERBOSE | re.DOTALL,
)
_END = Token("end", "", 0)


def key_lines(text: str, form: str) -> dict[Path, int]:
    """The line of every key and list item, counted from 1; form is "toml" or "json".

    Of a key that is written twice, the second line. A text that is not valid gives what was found before its error.
    """
    scan = _Scan(text)
    try:
        if form == "json":
            scan.value((), end=("}", "]"))
        else:
            scan.toml()
    except RecursionError:
        pass
    return scan.lines


def repeated_keys(text: str) -> list[Path]:
    """The keys of a JSON text that stand twice in one table."""
    scan = _Scan(text)
    scan.value((), end=("}", "]"))
    return scan.repeated


def line_of(path: Path, lines: dict[Path, int]) -> int:
    """The line of a place: its own, or that of the nearest place around it; 1 if there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _tokens(text: str) -> Iterator[Token]:
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # no valid file comes here; what has been found so far stands
            return
        kind, piece = match.lastgroup or "", match.group()
        if kind != "skip":
            yield Token(kind, piece, line)
        line += piece.count("\n")
        position = match.end()


class _Scan:
    """A walk over the tokens of one file."""

    def __init__(self, text: str):
        self.tokens = _tokens(text)
        self.lines: dict[Path, int] = {}
        self.repeated: list[Path] = []
        self.token = next(self.tokens, _END)

    def next(self) -> Token:
        token, self.token = self.token, next(self.tokens, _END)
        return token

    def skip_newlines(self) -> None:
        while self.token.kind == "newline":
            self.next()

    def toml(self) -> None:
        """Headers in brackets, and below each of them its keys."""
        header: Path = ()
        while self.token.kind != "end":
            if self.token.kind == "newline":
                self.next()
            elif self.token.text == "[":
                header = self.key((), end=("]",))
                while self.token.kind not in ("newline", "end"):
                    self.next()
            else:
                self.value(self.key(header, end=("=",)), end=())

    def key(self, prefix: Path, end: Collection[str]) -> Path:
        """A key with its dots, up to and with the mark behind it."""
        path, line = prefix, self.token.line
        while self.token.kind not in ("newline", "end"):
            token = self.next()
            if token.kind == "mark" and token.text in end:
                break
            if token.kind != "mark":
                self.lines.setdefault(path, line)
                path = (*path, _plain(token))
        if path in self.lines:
            self.repeated.append(path)
        self.lines[path] = line
        return path

    def value(self, path: Path, end: Collection[str]) -> None:
        """A list, a table, or anything else up to the end of its line or to one of the end marks."""
        if self.token.kind == "mark" and self.token.text in ("[", "{"):
            self.nested(path, is_list=self.next().text == "[")
            return
        while self.token.kind not in ("newline", "end") and not (self.token.kind == "mark" and self.token.text in end):
            self.next()

    def nested(self, path: Path, is_list: bool) -> None:
        close, count = ("]" if is_list else "}"), 0
        self.skip_newlines()
        while self.token.kind != "end" and self.token.text != close:
            if is_list:
                inner = (*path, count)
                self.lines[inner] = self.token.line
            else:
                inner = self.key(path, end=("=", ":"))
            self.skip_newlines()
            self.value(inner, end=(",", close))
            self.skip_newlines()
            if self.token.text == ",":
                self.next()
            self.skip_newlines()
            count += 1
        self.next()


def _plain(token: Token) -> str:
    """A key without its quotes and escapes."""
    if token.kind != "text":
        return token.text
    try:
        return str(tomllib.loads(f"key = {token.text}")["key"])
    except ValueError:
        return token.text[1:-1]
