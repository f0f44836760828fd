"""Planted errors: single edits of a printed kernel, of the kinds that people make when they derive by hand.

Every edit changes one place of the text and leaves it readable: a sign turned, a factor two, a term dropped, an entry
taken from the wrong index, two names exchanged (L for R in a product), another variable of the kernel in the place of
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from symvi.proofs.ctext import Function, Statement, Token, read_statement, tokens

KINDS = ("sign", "factor", "term", "index", "exchange", "variable")


@dataclass(frozen=True)
class Edit:
    """A planted error: its kind, and the new text of one part of one statement of a kernel."""

    function: Function
    kind: str
    statement: Statement
    begin: int
    end: int
    new: str

    @property
    def text(self) -> str:
        """The whole kernel with the error in it."""
        return self.function.text[: self.begin] + self.new + self.function.text[self.end :]

    @property
    def changed(self) -> Function:
        """The whole kernel as read; all statements but one are those that were there. Raises UnreadableText."""
        old, text = self.statement, self.text
        grown = len(text) - len(self.function.text)
        new = read_statement(text, old.start, old.end + grown)
        statements = tuple(new if statement is old else statement for statement in self.function.statements)
        return replace(self.function, statements=statements, text=text)

    @property
    def before(self) -> str:
        return self.function.text[self.statement.start : self.statement.end]

    @property
    def after(self) -> str:
        return self.text[self.statement.start : self.statement.end + len(self.new) - (self.end - self.begin)]


def edits_of(function: Function, seed: int = 0, statements: int | None = None) -> list[Edit]:
    """All edits of a kernel; where many replacements are possible (other variables), one is chosen by the seed.

    statements: only the edits of so many statements, chosen by the seed.
    """
    random = Random(f"{seed} {function.name}")
    declared: list[str] = []
    indices = _indices(function)
    found, count = [], len(function.statements)
    chosen = range(count) if statements is None else random.sample(range(count), min(statements, count))
    for number, statement in enumerate(function.statements):
        if number in chosen:
            start = function.text.index("=", statement.start) + 1
            parts = tokens(function.text, start, statement.end - 1)
            changes = _changes(function.text, parts, declared, indices, random)
            found += [Edit(function, kind, statement, begin, end, new) for kind, begin, end, new in changes]
        if isinstance(statement.target, str):
            declared.append(statement.target)
    return found


def _indices(function: Function) -> dict[tuple[str, str], list[int]]:
    """The indices with which every array is read or written somewhere in the kernel."""
    found: dict[tuple[str, str], set[int]] = {}

    def visit(tree) -> None:
        if tree[0] == "entry":
            found.setdefault((tree[1], tree[2]), set()).add(tree[3])
        for part in tree[1:]:
            if isinstance(part, tuple):
                for each in part if part and isinstance(part[0], tuple) else (part,):
                    visit(each)

    for statement in function.statements:
        visit(statement.expression)
        if not isinstance(statement.target, str):
            visit(statement.target)
    return {key: sorted(values) for key, values in found.items()}


def _changes(
    text: str, parts: list[Token], declared: list[str], indices, random: Random
) -> Iterator[tuple[str, int, int, str]]:
    """(kind, begin, end, new text) of every edit of one expression."""
    begin, end = parts[0].start, parts[-1].end
    if not (len(parts) > 1 and parts[1].text == "->"):  # a load is not scaled, its uses are
        yield "factor", begin, end, f"2.0*({text[begin:end]})"
    for k, part in enumerate(parts):
        if part.text in "+-":
            yield from _sign(parts, k)
        elif part.kind == "number" and parts[k - 1].text != "[":
            yield "factor", part.start, part.end, _doubled(part.text)
        elif _is_variable(parts, k, declared):
            others = [name for name in declared if name != part.text]
            if others:
                yield "variable", part.start, part.end, _near(part.text, others, random)
        elif part.text == "->":
            yield from _other_index(parts, k, indices, random)
    yield from _dropped_terms(parts)
    yield from _exchanged(text, parts, declared, random)


def _is_variable(parts: list[Token], k: int, declared: list[str]) -> bool:
    """Whether a token is a variable of the kernel, not a record or field of the same name."""
    return (
        parts[k].kind == "word"
        and parts[k].text in declared
        and "->" not in (parts[k - 1].text if k else "", parts[k + 1].text if k + 1 < len(parts) else "")
    )


def _sign(parts: list[Token], k: int) -> Iterator[tuple[str, int, int, str]]:
    """a + b for a - b and back; -a loses its sign."""
    part = parts[k]
    binary = k > 0 and (parts[k - 1].kind in ("word", "number") or parts[k - 1].text in (")", "]"))
    if binary:
        yield "sign", part.start, part.end, "-" if part.text == "+" else "+"
    else:
        yield "sign", part.start, part.end, " "


def _doubled(number: str) -> str:
    value = Fraction(number.rstrip("f"))
    doubled = repr(float(2 * value if value else 1))
    return doubled + ("f" if number.endswith("f") else "")


def _near(name: str, others: list[str], random: Random) -> str:
    """Another variable, most often one that differs only in its number or axis."""
    stem = name.rstrip("0123456789xyzw")
    alike = [other for other in others if other.rstrip("0123456789xyzw") == stem]
    return random.choice(alike if alike and random.random() < 0.7 else others)


def _other_index(parts: list[Token], k: int, indices, random: Random) -> Iterator[tuple[str, int, int, str]]:
    if k + 3 < len(parts) and parts[k + 2].text == "[":
        index = parts[k + 3]
        others = [i for i in indices[parts[k - 1].text, parts[k + 1].text] if i != int(index.text)]
        if others:
            yield "index", index.start, index.end, str(random.choice(others))


def _dropped_terms(parts: list[Token]) -> Iterator[tuple[str, int, int, str]]:
    """Each term of each sum, in brackets or not, left out."""
    stack: list[list[int]] = [[0]]  # where the terms of every open bracket begin, and their signs
    for k, part in enumerate([*parts, Token("mark", ")", parts[-1].end)]):
        if part.text in ("(", "["):
            stack.append([k + 1])
        elif part.text in (")", "]", ","):
            starts = stack.pop() if stack else [k]
            yield from _terms(parts, starts, k)
            if part.text == ",":
                stack.append([k + 1])
        elif part.text in "+-" and k > stack[-1][0] and parts[k - 1].text not in "(*/,":
            stack[-1].append(k)


def _terms(parts: list[Token], starts: list[int], end: int) -> Iterator[tuple[str, int, int, str]]:
    if len(starts) < 2:
        return
    for first, last in zip(starts, [*starts[1:], end], strict=True):
        begin = parts[first].start
        if first == starts[0] and parts[last].text == "+":
            last += 1  # the sign that a sum begins with is left out, a minus stays
        yield "term", begin, parts[last].start if last < len(parts) else parts[-1].end, ""


def _exchanged(
    text: str, parts: list[Token], declared: list[str], random: Random
) -> Iterator[tuple[str, int, int, str]]:
    """Two names of a statement in each other's place."""
    places = [k for k in range(len(parts)) if _is_variable(parts, k, declared)]
    names = list(dict.fromkeys(parts[k].text for k in places))
    if len(names) < 2:
        return
    for k, first in enumerate(names[:-1]):
        second = names[k + 1] if len(names) < 4 else random.choice(names[k + 1 :])
        swap = {first: second, second: first}
        begin, end, new = parts[0].start, parts[-1].end, []
        position = begin
        for place, part in enumerate(parts):
            new.append(text[position : part.start] + (swap.get(part.text, part.text) if place in places else part.text))
            position = part.end
        yield "exchange", begin, end, "".join(new)


def sample(edits: list[Edit], count: int, random: Random) -> list[Edit]:
    """Some of many edits, all kinds alike."""
    chosen: list[Edit] = []
    piles = [[edit for edit in edits if edit.kind == kind] for kind in KINDS]
    for pile in piles:
        random.shuffle(pile)
    random.shuffle(piles)
    while len(chosen) < count and any(piles):
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    return chosen
