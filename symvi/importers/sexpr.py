"""Reading S-expressions that nobody vouches for: with the line of every expression, and with bounds on everything.

(head item ...) with words, texts in "quotes" and lists as items; what follows a semicolon in a line is a comment.
Where a closing bracket is missing the indentation tells which, as people indent what is inside a list: one was
forgotten before a list that stands no further right than a list around it. Listing 1 of JM09 is printed like that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from symvi.errors import MechanismError
from symvi.importers.report import Findings, Source
from symvi.mechanism.names import shown

__all__ = ["Expression", "looks_like_expression", "parse_expression"]

DEEPEST = 5000
MOST_TOKENS = 1_000_000
MOST_MENDED = 20  # brackets; a file with more of them missing is something else
_TOKEN = re.compile(r"""(?P<space>[ \t\r\f]+|;[^\n]*)|(?P<line>\n)|(?P<bracket>[()])"""
                    r"""|"(?P<text>(?:[^"\\\n]|\\[^\n])*)"|(?P<word>[^\s()";]+)""")  # fmt: skip


@dataclass
class Expression:
    """A word, a text that stood in quotes, or a list of expressions; and where it begins."""

    source: Source
    text: str = ""
    is_list: bool = False
    is_quoted: bool = False
    items: list[Expression] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The first word of a list, in small letters; empty if it begins with something else."""
        first = self.items[0] if self.items else None
        return first.text.lower() if first and not (first.is_list or first.is_quoted) else ""

    def shown(self) -> str:
        """The expression as an error shows it."""
        if not self.is_list:
            return shown(self.text)
        return f"({shown(self.head)[1:-1]} ...)" if self.head else "(...)"


class Token(NamedTuple):
    """kind: "bracket", "text" or "word". column: from 0; is_first: of its line. after: line of the token before."""

    kind: str
    text: str
    line: int
    column: int
    is_first: bool
    after: int


def looks_like_expression(content: bytes) -> bool:
    """Whether a file can be one: its first character that is neither space nor comment opens a bracket."""
    start = re.sub(rb"^(?:\xef\xbb\xbf)?(?:\s+|;[^\n]*)*+", b"", content[:100_000], count=1)
    return start.startswith(b"(")


def parse_expression(content: bytes, findings: Findings, repair: bool = False) -> Expression:
    """The one expression of a file.

    repair: add closing brackets that are missing by the indentation, each with a notice.
    Raises MechanismError with the line, if it is no text, brackets or quotes do not match, or it is too deep or large.
    """
    file = findings.file
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MechanismError(f"{Source(file, line)}: is no UTF-8 text") from None
    root, unclosed, _ = _parsed(text, file, by_indentation=False)
    if unclosed is None:
        return root
    problem = f"{unclosed.source}: {unclosed.shown()} is never closed"
    try:
        mended, _, places = _parsed(text, file, by_indentation=True)
    except MechanismError:
        raise MechanismError(problem) from None
    counts = Counter((inner.line, place.line) for inner, place in places)
    told = "; ".join(_missing(count, *lines) for lines, count in list(counts.items())[:3])
    if len(places) > MOST_MENDED:
        raise MechanismError(f"{problem}; {len(places)} brackets are missing by the indentation, as {told}")
    if not repair:
        raise MechanismError(
            f"{problem}; by the indentation {told}; repair adds {'it' if len(places) == 1 else 'them'}"
        )
    for opened, place in places:
        why = f"added where the indentation has it, for line {opened.line}"
        findings.note("repaired", place, "", "missing )", why)
    return mended


def _missing(count: int, opened: int, place: int) -> str:
    """How many brackets are missing in one line, for the line of the lists that they would close."""
    what, verb = ("a )", "is") if count == 1 else (f"{count} )", "are")
    return f"{what} for line {opened} {verb} missing in line {place}"


def _parsed(text: str, file: str, by_indentation: bool) -> tuple[Expression, Expression | None, list]:
    """The expression, the innermost list in it that is never closed, and (where it begins, where its end is missing).

    by_indentation: close lists before what stands no further right; what is then unclosed ends with the file.
    """
    around: list[tuple[Expression, Token]] = []
    added: list[tuple[Source, Source]] = []
    root, last = None, 1
    for token in _tokens(text, file):
        source, last = Source(file, token.line), token.line
        if token.kind == "bracket" and token.text == ")":
            if not around:
                raise MechanismError(f"{source}: this ) closes nothing")
            around.pop()
            continue
        opens = token.kind == "bracket"
        while by_indentation and opens and token.is_first and _ends_before(token, around):
            added.append((around.pop()[0].source, Source(file, token.after)))
        if not around and (root or not opens):
            what = "nothing may follow the one expression" if root else "an expression begins with ("
            raise MechanismError(f"{source}: {shown(token.text)}: {what}")
        found = Expression(source, "" if opens else token.text, opens, token.kind == "text")
        root = root or found
        if around:
            around[-1][0].items.append(found)
        if opens:
            around.append((found, token))
        if len(around) > DEEPEST:
            raise MechanismError(f"{source}: is nested deeper than {DEEPEST} brackets")
    if root is None:
        raise MechanismError(f"{Source(file, 1)}: holds no expression")
    if by_indentation:
        added += [(opened.source, Source(file, last)) for opened, _ in reversed(around)]
    return root, around[-1][0] if around else None, added


def _ends_before(token: Token, around: list[tuple[Expression, Token]]) -> bool:
    """Whether a list that begins a line stands no further right than one which it would be inside of, but the first."""
    return any(outer.is_first and outer.column >= token.column for _, outer in around[max(1, len(around) - 50) :])


def _tokens(text: str, file: str) -> Iterator[Token]:
    """Everything but space and comments."""
    line, begin, place, count, after = 1, 0, 0, 0, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            what = "is never closed in this line" if text[place] == '"' else "has no meaning here"
            raise MechanismError(f"{Source(file, line)}: {shown(text[place : place + 30].splitlines()[0])} {what}")
        kind = str(match.lastgroup)
        if kind == "word" and not match[0].isprintable():
            raise MechanismError(f"{Source(file, line)}: {shown(match[0])} is no text")
        if kind == "line":
            line, begin = line + 1, match.end()
        elif kind != "space":
            count += 1
            if count > MOST_TOKENS:
                raise MechanismError(f"{Source(file, line)}: more than {MOST_TOKENS} words; is it a mechanism file?")
            own = re.sub(r"\\(.)", r"\1", match["text"]) if kind == "text" else match[0]
            yield Token(kind, own, line, place - begin, line != after, after or 1)
            after = line
        place = match.end()
