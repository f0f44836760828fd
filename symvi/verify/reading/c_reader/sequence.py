"""What C leaves without an order: i++ + ++i, i = i++, J[i++] = x[i]. C promises no value of such an expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from pycparser import c_ast

from symvi.verify.reading.c_reader.declarations import children, place_of, text_of
from symvi.verify.reading.c_reader.problems import SourceError, refused

STEPS = ("++", "--", "p++", "p--")
EXPRESSIONS = (
    c_ast.Assignment, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.TernaryOp, c_ast.FuncCall, c_ast.ArrayRef, c_ast.Cast,
    c_ast.ExprList, c_ast.StructRef,
)  # fmt: skip
IN_ORDER = ("&&", "||")  # and the comma, and ?: after its condition


@dataclass(frozen=True)
class Effects:
    """The variables and elements, as they are written, whose values an expression takes, and those that it changes.

    late: of those that it changes, the ones whose change may come after the expression has its value: k of k++, none
    of (k++, 3), in which a comma comes between.
    """

    taken: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()

    def __or__(self, other: Effects) -> Effects:
        return Effects(self.taken | other.taken, self.changed | other.changed, self.late | other.late)

    def after(self, before: Effects) -> Effects:
        """The same behind an expression that is done with before this one begins."""
        return Effects(self.taken | before.taken, self.changed | before.changed, self.late)


def unordered(body: c_ast.Node) -> Iterator[SourceError]:
    """An error for every expression of a function's body that changes and takes the same thing in no order."""
    found: list[SourceError] = []
    for each in _expressions(body):
        if _changes(each) > isinstance(each, c_ast.Assignment):  # with only its own there is nothing beside it
            _effects(each, found)
    yield from found


def _expressions(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The outermost expressions below a statement."""
    for child in children(node):
        if isinstance(child, EXPRESSIONS):
            yield child
        else:
            yield from _expressions(child)


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
            inner = _effects(node.expr, found)
            return inner | _changing(text_of(node.expr))
        case c_ast.Assignment():
            return _of_assignment(node, found)
        case c_ast.BinaryOp() if node.op not in IN_ORDER:
            return _together(node, [node.left, node.right], found)
        case c_ast.ArrayRef():
            element = Effects(frozenset([text_of(node)]))
            return element | _together(node, [node.name, node.subscript], found)
        case c_ast.FuncCall() if node.args is not None:
            return Effects().after(_together(node, node.args.exprs, found))
        case c_ast.FuncCall():
            return Effects()
        case c_ast.BinaryOp():
            return _effects(node.right, found).after(_effects(node.left, found))
        case c_ast.TernaryOp():
            either = _effects(node.iftrue, found) | _effects(node.iffalse, found)
            return either.after(_effects(node.cond, found))
        case c_ast.ExprList():
            return reduce(lambda before, each: _effects(each, found).after(before), node.exprs, Effects())
    parts = [_effects(child, found) for child in children(node)]
    return _union(parts)


def _changing(name: str) -> Effects:
    return Effects(changed=frozenset([name]), late=frozenset([name]))


def _of_assignment(node: c_ast.Assignment, found: list[SourceError]) -> Effects:
    """The change comes after both sides have been evaluated; changes within a side have no order to it."""
    target = text_of(node.lvalue)
    place, value = _effects(node.lvalue, found), _effects(node.rvalue, found)
    twice = (place.late | value.late) & {target}
    read = place.taken - {target} if node.op == "=" else place.taken
    mixed = value.changed & read | place.changed & (value.taken | value.changed)
    _note(node, twice | mixed, found)
    return place | value | _changing(target)


def _together(node: c_ast.Node, nodes: Iterable[c_ast.Node], found: list[SourceError]) -> Effects:
    """Operands, in any order."""
    before = Effects()
    for each in nodes:
        effects = _effects(each, found)
        mixed = before.changed & (effects.taken | effects.changed) | effects.changed & before.taken
        _note(node, mixed, found)
        before |= effects
    return before


def _note(node: c_ast.Node, names: frozenset[str], found: list[SourceError]) -> None:
    if names:
        name = min(names)
        text = f"{text_of(node)}: {name} is changed and used in one expression, in no order that C knows; write two"
        found.append(refused(place_of(node), text))


def _union(parts: Iterable[Effects]) -> Effects:
    total = Effects()
    for part in parts:
        total |= part
    return total
