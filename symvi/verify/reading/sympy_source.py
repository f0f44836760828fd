"""Functions that are SymPy expressions: which symbols are which argument, and values of trees on any numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symvi.exact.dual import reciprocal
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError
from symvi.verify.reading.constants import meaning
from symvi.verify.reading.elementary import call, power
from symvi.verify.reading.function import Function, Outputs, unread
from symvi.verify.reading.worlds import World

CONDITIONS = ("compare", "and", "or", "not", "true", "false")  # no numbers
LETTERS = {4: ("wxyz", "sxyz"), 3: ("xyz",), 6: ()}


def sympy_function(expressions: object, variables: Mapping[str, Variable], name: str) -> Function:
    """The function that expressions are of the variables; symbols by their names. Raises VerificationError."""
    from symvi.physics.trees import UnreadableExpression, read_tree

    try:
        tree = read_tree(expressions)
    except UnreadableExpression as error:
        raise VerificationError(f"{name}: {error}") from error
    except ValueError as error:
        said = f"{name}: {error}"
        if "shape" in said:
            said = f"{name} is a list of lists of different lengths; make all of its rows equally long"
        raise VerificationError(said) from error
    for i in tree.outputs:
        if tree.nodes[i][0] in CONDITIONS:
            raise VerificationError(f"{name}: {tree.texts[i]} is a condition where a number should be")
    places = symbol_places(tree.names(), variables)
    function = Function(name, tuple(dict.fromkeys(place[0] for place in places.values())), unread, "SymPy")
    function.evaluate = lambda values, world: Outputs(tree.shape, evaluate(tree, places, values, world, function))
    function.tree = tree
    return function


# --- symbols ------------------------------------------------------------------------------------------------------
def symbol_places(names: Sequence[str], variables: Mapping[str, Variable]) -> dict[str, tuple[str, int]]:
    """Symbol -> (variable, entry), for all symbols of an expression. Raises VerificationError for others."""
    from symvi.physics.trees import symbol_names

    known: dict[str, tuple[str, int]] = {}
    for variable_name, variable in variables.items():
        if variable.symbols:
            given = symbol_names(variable.symbols)
            if len(given) != variable.size:
                raise VerificationError(
                    f"variable '{variable_name}': {len(given)} symbols for a {variable.said}, {variable.size} wanted"
                )
            known |= {symbol: (variable_name, i) for i, symbol in enumerate(given)}
    for variable_name, variable in variables.items():
        if not variable.symbols:
            known = {**_by_name(variable_name, variable, [n for n in names if n not in known]), **known}
    missing = sorted({name for name in names if name not in known})
    if missing:
        raise VerificationError(
            f"the symbol{'s' * (len(missing) > 1)} {', '.join(missing[:8])} belong{'s' * (len(missing) == 1)} to no "
            "variable: say what it is in `variables`, with symbols=(...) where the names do not say so; a quaternion "
            "must be said to be one"
        )
    return {name: known[name] for name in names}


def _by_name(name: str, variable: Variable, symbols: Sequence[str]) -> dict[str, tuple[str, int]]:
    """x -> x; q -> q0..q3, q_0.., q1..q4, qw qx qy qz, q[0, 0]..; whichever the expression's symbols fit."""
    if not variable.shape and name in symbols:
        return {name: (name, 0)}
    size, pattern = variable.size, re.compile(re.escape(name) + r"_?\{?([0-9]+|[a-z]{1,2})\}?$")
    matrix = re.compile(re.escape(name) + r"\[(\d+)(?:, (\d+))?\]$")
    found, ends = {}, {}
    for symbol in symbols:
        if place := matrix.match(symbol):
            row, column = int(place[1]), int(place[2] or 0)
            wide = variable.shape[1] if len(variable.shape) == 2 else 1
            found[symbol] = (name, row * wide + column)
        elif end := pattern.match(symbol):
            ends[symbol] = end[1]
    return {**_numbered(name, variable, ends), **_lettered(name, size, ends), **found}


def _numbered(name: str, variable: Variable, ends: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """x0, x1, x2 or x1, x2, x3; a matrix's m00, m01 or m11, m12."""
    given = {symbol: end for symbol, end in ends.items() if end.isdigit()}
    if len(variable.shape) == 2 and any(len(end) == 2 for end in given.values()):
        rows, columns = variable.shape
        for first in (0, 1):
            if all(first <= int(e[0]) < rows + first and first <= int(e[1]) < columns + first for e in given.values()):
                return {s: (name, (int(e[0]) - first) * columns + int(e[1]) - first) for s, e in given.items()}
        return {}
    size, numbers = variable.size, {int(end) for end in given.values()}
    fits = [first for first in (0, 1) if numbers <= set(range(first, size + first))]
    if not numbers or not fits:
        return {}
    if len(fits) == 2 and size > 1:
        raise VerificationError(
            f"variable '{name}': {', '.join(sorted(given))} may count from 0 or from 1; say which with symbols=(...)"
        )
    return {symbol: (name, int(end) - fits[0]) for symbol, end in given.items()}


def _lettered(name: str, size: int, ends: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    if size == 6:
        order = ("xx", "yy", "zz", "xy", "xz", "yz")
        return {symbol: (name, order.index(end)) for symbol, end in ends.items() if end in order}
    if size == 9:
        return {s: (name, 3 * "xyz".index(e[0]) + "xyz".index(e[1])) for s, e in ends.items() if _two_axes(e)}
    for letters in LETTERS.get(size, ()):
        given = {symbol: end for symbol, end in ends.items() if end.isalpha()}
        if given and all(end in letters for end in given.values()):
            return {symbol: (name, letters.index(end)) for symbol, end in given.items()}
    return {}


def _two_axes(end: str) -> bool:
    return len(end) == 2 and all(letter in "xyz" for letter in end)


# --- values -------------------------------------------------------------------------------------------------------
def evaluate(tree, places: Mapping, values: Mapping[str, Sequence], world: World, function: Function) -> list:
    """The outputs of a tree; nodes under a condition only where it holds."""
    known: dict[int, object] = {}
    tell = getattr(world, "at", None)  # a world that writes down what is computed asks where it is

    def value(i: int):
        if i not in known:
            found = OPERATIONS[tree.nodes[i][0]](tree.nodes[i], value, places, values, world, function)
            if tell is not None:
                tell(found, tree.texts[i])
            known[i] = found
        return known[i]

    try:
        return [value(i) for i in tree.outputs]
    except ZeroDivisionError:
        raise ZeroDivisionError(_divided(tree, known, world)) from None


def _divided(tree, known: Mapping, world: World) -> str:
    """The expression that was divided by: the first power below zero that has no value though its base has."""
    for i, node in enumerate(tree.nodes):
        if node[0] == "power" and node[2] < 0 and i not in known and node[1] in known:
            return f"division by zero: {tree.texts[node[1]]} is zero"
    return "division by zero"


def _sum(node, value, *_):
    found = value(node[1])
    for i in node[2:]:
        found = found + value(i)
    return found


def _product(node, value, places, values, world, function):
    found = None
    for i in node[1:]:
        factor = value(i)
        found = factor if found is None else found * factor
    return found


def _symbol(node, value, places, values, world, function):
    name, i = places[node[1]]
    return values[name][i]


def _decimal(node, value, places, values, world, function):
    constant = meaning(node[1])
    function.note(constant.said)
    return constant.value(world)


def _power(node, value, places, values, world, function):
    base = value(node[1])
    return reciprocal(base) if node[2] == -1 else power(world, base, node[2])


def _choose(node, value, places, values, world, function):
    for condition, i in node[1:]:
        if value(condition):
            return value(i)
    raise VerificationError("a Piecewise has no case for this point")


def _compare(node, value, places, values, world, function):
    order, relation = world.compare(value(node[2]), value(node[3])), node[1]
    outcome = {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "==": order == 0, "!=": order != 0}
    return world.decide(outcome[relation], f"condition {function.name}: {node_text(function, node)}")


def node_text(function: Function, node: tuple) -> str:
    tree = function.tree
    return str(tree.texts[tree.nodes.index(node)])


OPERATIONS = {
    "symbol": _symbol,
    "number": lambda node, value, places, values, world, function: world.constant(node[1]),
    "decimal": _decimal,
    "pi": lambda node, value, places, values, world, function: world.pi,
    "add": _sum,
    "multiply": _product,
    "power": _power,
    "call": lambda node, value, p, v, world, f: call(world, node[1], [value(i) for i in node[2:]]),
    "choose": _choose,
    "compare": _compare,
    "and": lambda node, value, *_: all(value(i) for i in node[1:]),
    "or": lambda node, value, *_: any(value(i) for i in node[1:]),
    "not": lambda node, value, *_: not value(node[1]),
    "true": lambda *_: True,
    "false": lambda *_: False,
}
