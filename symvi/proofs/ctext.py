"""Reading printed C: the text that is compiled, as expression trees, with where in the text everything stands.

The subset is what emit/c.py prints in kernels: `const real t = expression;`, `record->field[i] = expression;`,
expressions of + - * /, unary minus, brackets, calls, names, numbers and entries of records, with C's precedence.
Anything else is refused with its place. Numbers are read exactly as they are written, but for those with all the digits
of a double that are a simple fraction rounded (1/3). Trees are tuples:
    ("number", Fraction)  ("name", text)  ("entry", record, field, index)  ("neg", a)  ("+" "-" "*" "/", a, b)  ("call",
    name, args)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

TOKEN = re.compile(
    r"(?P<space>(?:\s+|/\*.*?\*/)+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fu]?)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<mark>->|\+\+|<=|>=|==|&&|[-+*/(){}\[\],;=&<:])|(?P<other>.)",
    re.S,
)
FULL_LENGTH = 16  # characters of a number that is printed with all the digits of a double
SIMPLE = 10_000  # largest denominator of a fraction that such a number may stand for


class UnreadableText(ValueError):
    """C text outside the subset that kernels are printed in."""


class Token(NamedTuple):
    """A word, number or mark, and where it stands in the text."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Statement:
    """`target = expression`: a new name (a text) or an entry of a record, and the part of the text that it is."""

    target: str | tuple
    expression: tuple
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Function:
    """A kernel as printed: its records in order (whether they are const), and its statements. Compared by identity."""

    name: str
    records: tuple[tuple[str, bool], ...]
    statements: tuple[Statement, ...]
    text: str = ""


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a text or a part of it; comments and space are left out. Raises UnreadableText."""
    found = []
    for match in TOKEN.finditer(text, start, len(text) if end is None else end):
        kind, at = match.lastgroup or "other", match.start()
        if kind == "other":
            raise UnreadableText(
                f"line {text.count(chr(10), 0, at) + 1}: {text[at : at + 20]!r} is no token of a kernel"
            )
        if kind != "space":
            found.append(Token(kind, match.group(), at))
    return found


class Reader:
    """Takes tokens one by one; every method reads one construct and leaves the next token in front."""

    def __init__(self, text: str, found: list[Token]):
        self.text, self.tokens, self.position = text, found, 0
        self.texts = [token.text for token in found]

    # --- tokens ----------------------------------------------------------------------------------------------------
    @property
    def front(self) -> str:
        return self.texts[self.position] if self.position < len(self.texts) else ""

    @property
    def place(self) -> int:
        return self.tokens[self.position].start if self.position < len(self.tokens) else len(self.text)

    def ahead(self, count: int) -> str:
        return self.tokens[self.position + count].text if self.position + count < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token, which must be one of `wanted` if any are given."""
        found = self.front
        if not found or (wanted and found not in wanted):
            line = self.text.count("\n", 0, self.place) + 1
            raise UnreadableText(
                f"line {line}: {found or 'the end'!r} stands where {' or '.join(wanted) or 'more text'} should"
            )
        self.position += 1
        return found

    def word(self) -> str:
        if self.position < len(self.tokens) and self.tokens[self.position].kind != "word":
            self.take("a name")
        return self.take()

    def whole(self) -> int:
        """A whole number, with or without a u."""
        if not re.fullmatch(r"\d+u?", self.front):
            self.take("a whole number")
        return int(self.take().rstrip("u"))

    # --- expressions -----------------------------------------------------------------------------------------------
    def expression(self) -> tuple:
        value = self.product()
        while self.front in ("+", "-"):
            value = (self.take(), value, self.product())
        return value

    def product(self) -> tuple:
        value = self.factor()
        while self.front in ("*", "/"):
            value = (self.take(), value, self.factor())
        return value

    def factor(self) -> tuple:
        if self.front == "-":
            self.take()
            return ("neg", self.factor())
        if self.front == "(":
            self.take()
            value = self.expression()
            self.take(")")
            return value
        if self.position < len(self.tokens) and self.tokens[self.position].kind == "number":
            return ("number", exact_number(self.take().rstrip("f")))
        name = self.word()
        if self.front == "(":
            return ("call", name, self.arguments())
        return self.entry(name) if self.front == "->" else ("name", name)

    def arguments(self) -> tuple[tuple, ...]:
        self.take("(")
        found = [self.expression()]
        while self.take(",", ")") == ",":
            found.append(self.expression())
        return tuple(found)

    def entry(self, record: str) -> tuple:
        self.take("->")
        field, index = self.word(), 0
        if self.front == "[":
            self.take()
            index = self.whole()
            self.take("]")
        return ("entry", record, field, index)

    # --- statements ------------------------------------------------------------------------------------------------
    def statement(self) -> Statement:
        start = self.place
        if self.front == "const":
            self.take()
            self.take("real")
            target: str | tuple = self.word()
        else:
            target = self.entry(self.word())
        self.take("=")
        expression = self.expression()
        self.take(";")
        return Statement(target, expression, start, self.tokens[self.position - 1].end)

    def statements(self) -> tuple[Statement, ...]:
        """Statements up to a closing brace, which is taken."""
        found = []
        while self.front != "}":
            found.append(self.statement())
        self.take("}")
        return tuple(found)

    def record(self, *between: str) -> tuple[str, bool]:
        """`[const] type *[const] name`: (name, const)."""
        const = self.front == "const"
        if const:
            self.take()
        self.word()
        self.take("*")
        if self.front in between:
            self.take()
        return self.word(), const


def exact_number(text: str) -> Fraction:
    """What a printed number stands for: its decimal value, or the simple fraction that it is the nearest double to."""
    value = Fraction(text)
    simple = value.limit_denominator(SIMPLE)
    return simple if len(text.split("e")[0]) > FULL_LENGTH and float(simple) == float(text) else value


def read_statement(text: str, start: int, end: int) -> Statement:
    """The one statement that a part of a text is. Raises UnreadableText."""
    reader = Reader(text, tokens(text, start, end))
    found = reader.statement()
    if reader.front:
        reader.take("the end")
    return found


def read_function(text: str) -> Function:
    """The function that a text is: `static void name(records) { statements }`. Raises UnreadableText."""
    reader = Reader(text, tokens(text))
    reader.take("static")
    reader.take("void")
    name = reader.word()
    reader.take("(")
    records = [reader.record()]
    while reader.take(",", ")") == ",":
        records.append(reader.record())
    reader.take("{")
    statements = reader.statements()
    if reader.front:
        reader.take("the end")
    return Function(name, tuple(records), statements, text)
