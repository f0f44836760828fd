"""What C leaves without an order: i++ + ++i, i = i++, J[i++] = x[i]. C promises no value of such an expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pycparser import c_ast

from symvi.verify.reading.c_reader.declarations import children, place_of, text_of
from symvi.verify.reading.c_reader.problems import SourceError, refused

STEPS = ("++", "--", "p++", "p--")
EXPRESSIONS = (
    c_ast.Assignment, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.TernaryOp, c_ast.FuncCall, c_ast.ArrayRef, c_ast.Cast,
    c_ast.ExprList, c_ast.StructRef,
)  # fmt: skip
Names = frozenset[str]


@dataclass(frozen=True)
class Effects:
    """The variables and elements, as they are written, whose values an expression takes, and those that it changes.

    late: of those that it changes, the ones whose change may come after the expression has its value: k of k++, none
    of (k++, 3), in which a comma comes between.
    """

    taken: Names = frozenset()
    changed: Names = frozenset()
    late: Names = frozenset()

    def then(self, after: Effects) -> Effects:
        """Both, of which the second begins when the first is done."""
        return Effects(self.taken | after.taken, self.changed | after.changed, after.late)

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.taken | other.taken, self.changed | other.changed, self.late | other.late)


def unordered(body: c_ast.Node) -> Iterator[SourceError]:
    """An error for every expression of a function's body that changes and takes the same thing in no order."""
    for child in children(body):
        if not isinstance(child, EXPRESSIONS):
            yield from unordered(child)
        elif _changes(child) > isinstance(child, c_ast.Assignment):  # with only its own there is nothing beside it
            found: list[SourceError] = []
            _effects(child, found)
            yield from found


def _changes(expression: c_ast.Node) -> int:
    """How many operations in an expression change something."""
    count, stack = 0, [expression]
    while stack:
        node = stack.pop()
        count += isinstance(node, c_ast.Assignment) or isinstance(node, c_ast.UnaryOp) and node.op in STEPS
        stack += children(node)
    return count


def _effects(node: c_ast.Node, found: list[SourceError]) -> Effects:
    match node:
        case c_ast.ID():
            return Effects(frozenset([node.name]))
        case c_ast.UnaryOp(op="sizeof"):
            return Effects()
        case c_ast.UnaryOp() if node.op in STEPS:
            return _effects(node.expr, found) | _changing(node.expr)
        case c_ast.Assignment():
            return _of_assignment(node, found)
        case c_ast.ArrayRef():
            own = Effects(frozenset([text_of(node)]))
            return own | _together(node, [node.name, node.subscript], found)
        case c_ast.FuncCall():
            return _together(node, node.args.exprs if node.args else [], found).then(Effects())
        case c_ast.BinaryOp() if node.op not in ("&&", "||"):
            return _together(node, [node.left, node.right], found)
        case c_ast.TernaryOp():
            either = _effects(node.iftrue, found) | _effects(node.iffalse, found)
            return _effects(node.cond, found).then(either)
    before = Effects()  # a comma, && and || have an order; everything else has one part
    for child in children(node):
        before = before.then(_effects(child, found))
    return before


def _changing(node: c_ast.Node) -> Effects:
    return Effects(frozenset(), frozenset([text_of(node)]), frozenset([text_of(node)]))


def _of_assignment(node: c_ast.Assignment, found: list[SourceError]) -> Effects:
    """The change comes after both sides have been evaluated; changes within a side have no order to it."""
    target = text_of(node.lvalue)
    place, value = _effects(node.lvalue, found), _effects(node.rvalue, found)
    twice = (place.late | value.late) & {target}
    read = place.taken - {target} if node.op == "=" else place.taken
    _note(node, twice | value.changed & read | place.changed & (value.taken | value.changed), found)
    return place | value | _changing(node.lvalue)


def _together(node: c_ast.Node, nodes: Iterable[c_ast.Node], found: list[SourceError]) -> Effects:
    """Operands, in any order."""
    before = Effects()
    for each in nodes:
        effects = _effects(each, found)
        _note(node, before.changed & (effects.taken | effects.changed) | effects.changed & before.taken, found)
        before |= effects
    return before


def _note(node: c_ast.Node, names: Names, found: list[SourceError]) -> None:
    if names:
        text = (
            f"{text_of(node)}: {min(names)} is changed and used in one expression, in no order that C knows; write two"
        )
        found.append(refused(place_of(node), text))
