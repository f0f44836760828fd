"""The same C in other words: one expression of real numbers rewritten by a law of algebra.

Rewrites work on the tree, not on the text. They leave indices and the heads of loops alone, where numbers are whole
and the laws of algebra are others (2*(i/2) is not i).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from pycparser import c_ast, c_generator, c_parser

from symvi.verify.reading.c_reader.declarations import children, parts

Place = tuple[c_ast.Node, str]


def rewritten(text: str, name: str, units: Sequence[str], random: Random) -> tuple[str, str]:
    """One rewrite in the functions of a text: what was done, and the text. units: expressions that are one in `name`.

    The text must have been preprocessed: pycparser reads it as it is.
    """
    tree = c_parser.CParser().parse(text)
    while True:
        law = random.choice(list(LAWS))
        function = random.choice([node for node in tree.ext if isinstance(node, c_ast.FuncDef)])
        places = list(_real_places(function.body))
        if not places or (law == "unit" and (function.decl.name != name or not units)):
            continue
        for parent, key in random.sample(places, len(places)):
            new = LAWS[law](_child(parent, key), [_expression(unit) for unit in units], random)
            if new is not None:
                _put(parent, key, new)
                return law, c_generator.CGenerator().visit(tree)


# --- where real numbers are ------------------------------------------------------------------------------------------
def _real_places(node: c_ast.Node) -> Iterator[Place]:
    """Where expressions of real numbers stand: (parent, name of the child)."""
    for key, child in parts(node):
        if isinstance(node, c_ast.For) and key != "stmt":
            continue
        if isinstance(node, c_ast.ArrayRef) and key == "subscript":
            continue
        if isinstance(child, (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.ID, c_ast.ArrayRef, c_ast.Constant, c_ast.FuncCall)):
            if _is_real_operand(node, key, child):
                yield node, key
        yield from _real_places(child)


def _is_real_operand(node: c_ast.Node, key: str, child: c_ast.Node) -> bool:
    """Whether a child is a value that is added, multiplied or stored, and made of real numbers."""
    if isinstance(child, c_ast.UnaryOp) and child.op not in ("-", "+"):
        return False
    if isinstance(child, c_ast.FuncCall) and child.name.name not in ("sqrt", "sin", "cos", "exp", "log", "dot"):
        return False
    if isinstance(node, c_ast.BinaryOp):
        return node.op in ("+", "-", "*", "/") and not _is_whole(node)
    if isinstance(node, c_ast.Assignment):
        return key == "rvalue" and not _is_whole(child)
    if isinstance(node, c_ast.Decl):
        return key == "init" and _declared(node) in ("double", "real") and not _is_whole(child)
    return isinstance(node, (c_ast.Return, c_ast.UnaryOp)) and getattr(node, "op", "-") == "-" and not _is_whole(child)


def _declared(node: c_ast.Decl) -> str:
    inner = node.type
    names = getattr(getattr(inner, "type", None), "names", [""])
    return names[-1] if isinstance(inner, c_ast.TypeDecl) else ""


COUNTERS = {"i", "j", "k", "N"}


def _is_whole(node: c_ast.Node) -> bool:
    """Whether an expression has no real number in it: only counters and whole literals."""
    if isinstance(node, c_ast.Constant):
        return "int" in node.type
    if isinstance(node, c_ast.ID):
        return node.name in COUNTERS
    return isinstance(node, (c_ast.BinaryOp, c_ast.UnaryOp)) and all(map(_is_whole, children(node)))


def _child(parent: c_ast.Node, key: str) -> c_ast.Node:
    return dict(parts(parent))[key]


def _put(parent: c_ast.Node, key: str, new: c_ast.Node) -> None:
    setattr(parent, key, new)


def _expression(text: str) -> c_ast.Node:
    tree = c_parser.CParser().parse(f"double f(void) {{ return {text}; }}")
    return tree.ext[0].body.block_items[0].expr


# --- laws ------------------------------------------------------------------------------------------------------------
def _binary(op: str, left: c_ast.Node, right: c_ast.Node) -> c_ast.BinaryOp:
    return c_ast.BinaryOp(op, left, right)


def _number(text: str) -> c_ast.Constant:
    return c_ast.Constant("double", text)


def _commuted(node: c_ast.Node, units, random: Random) -> c_ast.Node | None:
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "*"):
        return _binary(node.op, node.right, node.left)
    return None


def _difference_as_sum(node: c_ast.Node, units, random: Random) -> c_ast.Node | None:
    """a - b as a + (-b)."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "-":
        return _binary("+", node.left, c_ast.UnaryOp("-", node.right))
    return None


def _distributed(node: c_ast.Node, units, random: Random) -> c_ast.Node | None:
    """a (b + c) as a b + a c, on either side, and (b + c)/a as b/a + c/a."""
    if not isinstance(node, c_ast.BinaryOp) or node.op not in ("*", "/"):
        return None
    for sum_, other, is_left in ((node.left, node.right, True), (node.right, node.left, False)):
        is_sum = isinstance(sum_, c_ast.BinaryOp) and sum_.op in ("+", "-") and not _is_whole(sum_)
        if is_sum and (node.op == "*" or is_left) and not _is_whole(sum_.left) and not _is_whole(sum_.right):
            first, second = _binary(node.op, sum_.left, other), _binary(node.op, sum_.right, other)
            return _binary(sum_.op, first, second)
    return None


def _regrouped(node: c_ast.Node, units, random: Random) -> c_ast.Node | None:
    """(a + b) + c as a + (b + c), and the same of products."""
    if not isinstance(node, c_ast.BinaryOp) or node.op not in ("+", "*"):
        return None
    left = node.left
    if isinstance(left, c_ast.BinaryOp) and left.op == node.op and not _is_whole(left) and not _is_whole(left.right):
        return _binary(node.op, left.left, _binary(node.op, left.right, node.right))
    return None


def _by_reciprocal(node: c_ast.Node, units, random: Random) -> c_ast.Node | None:
    """a/b as a (1.0/b)."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "/":
        return _binary("*", node.left, _binary("/", _number("1.0"), node.right))
    return None


def _twice_half(node: c_ast.Node, units, random: Random) -> c_ast.Node:
    return _binary("*", _number("0.5"), _binary("+", node, node))


def _twice_negated(node: c_ast.Node, units, random: Random) -> c_ast.Node:
    return c_ast.UnaryOp("-", _binary("*", _number("-1.0"), node))


def _with_zero(node: c_ast.Node, units, random: Random) -> c_ast.Node:
    return _binary("+", node, _binary("-", _number("0.1"), _number("1e-1")))


def _times_unit(node: c_ast.Node, units, random: Random) -> c_ast.Node:
    """Something times q·q, or divided by it."""
    return _binary(random.choice("*/"), node, random.choice(units))


LAWS: dict[str, Callable] = {
    "commute": _commuted,
    "difference as sum": _difference_as_sum,
    "distribute": _distributed,
    "regroup": _regrouped,
    "reciprocal": _by_reciprocal,
    "twice half": _twice_half,
    "twice negated": _twice_negated,
    "zero": _with_zero,
    "unit": _times_unit,
}
