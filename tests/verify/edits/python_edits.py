"""Single errors in Python text: an operator, number, name, index, term, function or comparison that should be another.

Edits work on the tree of the text, inside the bodies of its functions; the heads of loops are left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

OTHER_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.Gt, ast.Gt: ast.Lt,
    ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
OTHER_FUNCTIONS = {"sin": "cos", "cos": "sin", "sqrt": "abs"}
SUMS, PRODUCTS = (ast.Add, ast.Sub), (ast.Mult, ast.Div)


def edited(text: str, random: Random) -> tuple[str, str]:
    """One error in a Python text: its kind, and the text with it."""
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    while True:
        kind, function = random.choice(list(KINDS)), random.choice(functions)
        nodes = [node for statement in function.body for node in _values(statement)]
        random.shuffle(nodes)
        for node in nodes:
            if KINDS[kind](node, nodes, random):
                return kind, ast.unparse(ast.fix_missing_locations(tree))


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and all below it, but what loops go over."""
    yield node
    for key, child in ast.iter_fields(node):
        if key in ("iter", "target") and isinstance(node, ast.For):
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.AST):
                yield from _values(each)


def _become(node: ast.AST, other: ast.AST) -> bool:
    """Let a node of the tree be another one."""
    copied = deepcopy(other)
    node.__class__ = type(copied)
    vars(node).clear()
    vars(node).update(vars(copied))
    return True


# Each edits a node in its place, and says whether it could. nodes: all of the function.
def _signs(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _become(node, node.operand)
    if (
        isinstance(node, ast.Return | ast.Assign)
        and isinstance(node.value, ast.expr)
        and not isinstance(node.value, ast.List)
    ):
        node.value = ast.UnaryOp(ast.USub(), node.value)
        return True
    return False


def _factors(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and not _is_index(node, nodes):
        number: Any = node.value
        node.value = random.choice((2 * number, number / 2, number + 1))
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, PRODUCTS):
        return _become(node, ast.BinOp(ast.Constant(2), ast.Mult(), deepcopy(node)))
    return False


def _is_index(node: ast.AST, nodes: list[ast.AST]) -> bool:
    inside = (each.slice for each in nodes if isinstance(each, ast.Subscript))
    return any(node is other for index in inside for other in ast.walk(index))


def _indices(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    same = [each for each in nodes if isinstance(each, ast.Subscript)]
    others = [o.slice for o in same if ast.dump(o.value) == ast.dump(node.value)]
    others = [index for index in others if ast.dump(index) != ast.dump(node.slice)]
    if others:
        node.slice = deepcopy(random.choice(others))
    return bool(others)


def _variables(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    called = {each.func.id for each in nodes if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}
    indexed = {each.value.id for each in nodes if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name)}
    names = {each.id for each in nodes if isinstance(each, ast.Name)} - called
    others = [name for name in sorted(names - {node.id}) if (name in indexed) == (node.id in indexed)]
    if node.id in called or not others:
        return False
    node.id = random.choice(others)
    return True


def _terms(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    """A term of a sum, or a factor of a product, left out."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, SUMS + PRODUCTS):
        return False
    return _become(node, random.choice((node.left, node.right)))


def _exchanged(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div):
        node.left, node.right = node.right, node.left
        return True
    if isinstance(node, ast.Call) and len(node.args) == 2:
        node.args.reverse()
        return True
    return False


def _operators(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER_OPERATORS:
        node.op = OTHER_OPERATORS[type(node.op)]()
        return True
    if isinstance(node, ast.Compare):
        node.ops = [OTHER_OPERATORS[type(op)]() for op in node.ops]
        return True
    return False


def _functions(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OTHER_FUNCTIONS:
        node.func.id = OTHER_FUNCTIONS[node.func.id]
        return True
    return False


def _branches(node: ast.AST, nodes: list[ast.AST], random: Random) -> bool:
    """The two sides of a condition exchanged."""
    if isinstance(node, ast.If | ast.IfExp) and node.orelse:
        sides = vars(node)
        sides["body"], sides["orelse"] = sides["orelse"], sides["body"]
        return True
    return False


KINDS: dict[str, Callable[[ast.AST, list[ast.AST], Random], bool]] = {
    "sign": _signs,
    "factor": _factors,
    "index": _indices,
    "variable": _variables,
    "term": _terms,
    "exchange": _exchanged,
    "operator": _operators,
    "function": _functions,
    "branch": _branches,
}
