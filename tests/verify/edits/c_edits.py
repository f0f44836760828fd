"""Single errors in C text: one token, or one term, other than it should be, inside the body of any function.

The kinds are those that people make: a sign, a factor, another index, another variable, a term left out, two names
exchanged, another operator, another function, a comparison turned round. The text may no longer be C after an edit; the
reader's word is then asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

TOKEN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/|\#[^\n]*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<mark>\+\+|--|[-+*/]=|<=|>=|==|!=|&&|\|\||->|.)", re.S,
)  # fmt: skip
KEPT = {"const", "static", "double", "real", "void", "int", "return", "for", "if", "else", "typedef"}
OTHER_MARKS = {
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "<": ">", ">": "<", "<=": ">", ">=": "<",
    "==": "!=", "!=": "==", "++": "--", "--": "++", "&&": "||", "||": "&&",
}  # fmt: skip
OTHER_FUNCTIONS = {"sqrt": "fabs", "sin": "cos", "cos": "sin", "exp": "log", "log": "exp"}
ENDS = (")", "]", "}", ",", ";", ":", "?", "<", ">", "==")  # of an operand, whatever is before it
CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Token:
    """A word, number or mark, and where it stands; function: which body it is in, counted from 0."""

    kind: str
    text: str
    start: int
    function: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Edit:
    """Another text for a part of a text."""

    kind: str
    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def bodies(text: str) -> list[Token]:
    """The tokens in the bodies of all functions; space, comments and lines of the preprocessor are left out."""
    found, depth, function = [], 0, -1
    for match in TOKEN.finditer(text):
        if match.lastgroup == "space":
            continue
        mark = match.group()
        if mark == "{" and depth == 0:
            function += 1
        depth += (mark == "{") - (mark == "}")
        if depth > 0:
            found.append(Token(match.lastgroup or "", mark, match.start(), function))
    return found


def edited(text: str, random: Random) -> tuple[str, str]:
    """One error in a C text: its kind, and the text with it."""
    tokens = bodies(text)
    while True:
        kind = random.choice(list(KINDS))
        found = list(KINDS[kind](tokens, random))
        if found:
            edit = random.choice(found)
            return kind, edit.of(text)


# --- kinds -----------------------------------------------------------------------------------------------------------
def _signs(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """a + b for a - b and back; -a loses its sign; a value or right-hand side gets one."""
    for k, token in enumerate(tokens):
        if token.text in ("+", "-"):
            is_binary = tokens[k - 1].kind in ("word", "number") or tokens[k - 1].text in (")", "]")
            is_binary &= tokens[k - 1].text != "return"
            yield Edit("sign", token.start, token.end, OTHER_MARKS[token.text] if is_binary else " ")
        elif token.text in ("=", "return"):
            yield Edit("sign", token.end, token.end, " -")


def _factors(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """A number doubled, halved or one more; a product twice as large."""
    for k, token in enumerate(tokens):
        if token.kind == "number":
            value = float(token.text)
            is_whole = re.fullmatch(r"\d+", token.text)
            others = [value + 1, value - 1] if is_whole else [2 * value, value / 2, value + 1]
            other = random.choice([x for x in others if x != value])
            yield Edit("factor", token.start, token.end, str(int(other)) if is_whole else repr(other))
        elif token.text == "*" and tokens[k - 1].kind == "word":
            yield Edit("factor", token.end, token.end, random.choice(["2.0*", "0.5*"]))


def _indices(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """Another of the indices that the same array has in the same place somewhere in the function."""
    known: dict[tuple, dict[str, None]] = {}
    found = []
    for k, token in enumerate(tokens[:-1]):
        if tokens[k - 1].text == "[" and tokens[k + 1].text == "]":
            found.append((token, _array(tokens, k)))
            known.setdefault(_array(tokens, k), {})[token.text] = None
    for token, array in found:
        others = [other for other in known[array] if other != token.text]
        if others:
            yield Edit("index", token.start, token.end, random.choice(others))


def _array(tokens: Sequence[Token], k: int) -> tuple[int, str, int]:
    """The function and name of the array that an index belongs to, and which of its indices it is."""
    j, which = k - 2, 0
    while tokens[j].text == "]":
        while tokens[j].text != "[":
            j -= 1
        j, which = j - 1, which + 1
    return tokens[j].function, tokens[j].text, which


def _variables(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """Another variable of the same function that is used in the same way, and declared by then."""
    declared: dict[tuple[int, str], int] = {}
    for k, token in enumerate(tokens):
        if token.kind == "word" and _is_declared_here(tokens, k):
            declared.setdefault((token.function, token.text), token.start)
    uses = _uses(tokens)
    for k, token in enumerate(tokens[:-1]):
        if token.kind == "word" and token.text not in KEPT and not _is_declared_here(tokens, k):
            alike = uses[token.function, _use(tokens, k)]
            others = [
                other
                for other in alike
                if other != token.text and declared.get((token.function, other), 0) < token.start
            ]
            if others:
                yield Edit("variable", token.start, token.end, random.choice(others))


def _is_declared_here(tokens: Sequence[Token], k: int) -> bool:
    """Whether a name follows its type, or a comma in a list that begins with one."""
    while k > 1 and tokens[k - 1].text == ",":
        depth = 0
        while k > 1 and (depth or tokens[k - 1].text not in (";", "{", "(")) and tokens[k - 1].text not in KEPT:
            k -= 1
            depth += (tokens[k].text in CLOSING) - (tokens[k].text in CLOSING.values())
        break
    return tokens[k - 1].text in KEPT - {"return", "if", "else", "for"}


def _uses(tokens: Sequence[Token]) -> dict[tuple[int, str], dict[str, None]]:
    """(function, use) -> the names that are used so in it, in the order of the text."""
    found: dict[tuple[int, str], dict[str, None]] = {}
    for k, token in enumerate(tokens[:-1]):
        if token.kind == "word" and token.text not in KEPT:
            found.setdefault((token.function, _use(tokens, k)), {})[token.text] = None
    return found


def _use(tokens: Sequence[Token], k: int) -> str:
    """Whether a name is an array, a function, an index, or a number."""
    after = tokens[k + 1].text
    return {"[": "array", "(": "function"}.get(after, "index" if tokens[k - 1].text == "[" else "number")


def _terms(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """A term of a sum, or a factor of a product, left out."""
    for k, token in enumerate(tokens):
        if token.text not in ("+", "-", "*"):
            continue
        end = _end_of_operand(tokens, k, {"*": "+-*/", "+": "+-", "-": "+-"}[token.text])
        if end is not None and end > k:
            yield Edit("term", token.start, tokens[end].end, "")


def _end_of_operand(tokens: Sequence[Token], k: int, ends: str) -> int | None:
    """The last token of the operand after an operator; None for a sign that has nothing before it."""
    before = tokens[k - 1]
    if not (before.kind in ("word", "number") or before.text in (")", "]")) or before.text == "return":
        return None
    depth, last = 0, k
    for j in range(k + 1, len(tokens)):
        text = tokens[j].text
        if depth == 0 and j > k + 1 and (text in ends or text in ENDS):
            return last
        depth += text in CLOSING.values()
        depth -= text in CLOSING
        last = j
    return None


def _exchanged(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    """Two names beside each other exchanged: a - b as b - a, f(a, b) as f(b, a)."""
    for k in range(1, len(tokens) - 1):
        left, between, right = tokens[k - 1], tokens[k], tokens[k + 1]
        if between.text in ("-", "/", ",", "<", ">") and left.kind == right.kind == "word" and left.text != right.text:
            yield Edit("exchange", left.start, right.end, f"{right.text} {between.text} {left.text}")


def _operators(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    for token in tokens:
        if token.text in OTHER_MARKS:
            yield Edit("operator", token.start, token.end, OTHER_MARKS[token.text])


def _functions(tokens: Sequence[Token], random: Random) -> Iterator[Edit]:
    for token in tokens:
        if token.text in OTHER_FUNCTIONS:
            yield Edit("function", token.start, token.end, OTHER_FUNCTIONS[token.text])


KINDS: dict[str, Callable[[Sequence[Token], Random], Iterator[Edit]]] = {
    "sign": _signs,
    "factor": _factors,
    "index": _indices,
    "variable": _variables,
    "term": _terms,
    "exchange": _exchanged,
    "operator": _operators,
    "function": _functions,
}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
