"""The expressions of xacro files, which are Python: what they may hold, and what they can reach while they run.

xacro evaluates ${...} and $(eval ...) with Python's eval. Here an expression is read as a syntax tree first, in which
every node, at any depth, must be one of a list: numbers, texts and containers, arithmetic, comparisons, conditions,
comprehensions, small functions, calls, subscripts and dots. Then every dot and every call is replaced by one that looks
at the value: a dot gives entries of xacro's dictionaries and public methods of texts, numbers and containers, and
nothing of any other object; called are the functions that xacro gives to its files, those methods, and functions of the
file itself. So no expression gets hold of a module, the relatives of a class, a frame or a piece of code.

It imports nothing of symvi: it runs in the process of xacro_process.py.
"""

import ast
import string
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

MARK = "<expression>"  # the file that the code of expressions is from, as errors name it
DOT, CALL = "\0dot", "\0call"  # names in the symbols of a file that no file can write: XML has no such character
ALLOWED = (
    ast.Expression, ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.Starred, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Lambda,
    ast.arguments, ast.arg, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr,
    ast.FormattedValue, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Load, ast.Store,
)  # fmt: skip
KINDS = (str, bool, int, float, complex, list, tuple, dict, set, frozenset)
METHODS = {kind: {name for name in dir(kind) if name[0] != "_"} - {"format_map"} for kind in KINDS}
OF_CLASSES = {str: METHODS[str] - {"format"}, dict: {"fromkeys"}}  # those that are useful without a value
READING = ("get", "items", "keys", "values")  # of tables of symbols, which are xacro's to change
SUBSTITUTED = ("list", "dict", "map", "str", "float", "int", "True", "False")  # what $(eval ...) has of Python's


class Refused(Exception):
    """An expression holds or does what none may."""


def checked(text: str) -> ast.Expression:
    """The syntax tree of an expression in which every node may be there. Raises Refused, SyntaxError."""
    tree = ast.parse(text.strip(), MARK, "eval")
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED) or getattr(node, "is_async", 0):
            raise Refused(f"an expression may hold no {type(node).__name__}")
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            raise Refused("an expression may set nothing")
        for name in (getattr(node, field, None) for field in ("id", "attr", "arg")):
            if isinstance(name, str) and name.startswith("__"):
                raise Refused(f"an expression may not use the name {name}")
    return tree


class Guarded(ast.NodeTransformer):
    """A checked tree whose dots and calls look at their values."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return self.asked(DOT, node, [node.value, ast.Constant(node.attr)])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.func = self.asked(CALL, node, [node.func])
        return node

    def asked(self, name: str, place: ast.AST, values: list) -> ast.Call:
        asked = ast.Call(ast.Name(name, ast.Load()), values, [])
        return ast.fix_missing_locations(ast.copy_location(asked, place))


@lru_cache(10_000)
def compiled(text: str) -> types.CodeType:
    """The code of an expression that may be evaluated; those of a macro are, with every use of it."""
    return compile(Guarded().visit(checked(text)), MARK, "eval")


class Format(string.Formatter):
    """The method `format` of a text: fields are what it is given and entries of that, never attributes."""

    def __init__(self, text: str):
        self.text = text

    def __call__(self, *values: object, **named: object) -> str:
        return self.vformat(self.text, values, named)

    def get_field(self, field_name: str, args: tuple, kwargs: dict) -> tuple:
        if "." in field_name:
            raise Refused(f"{{{field_name}}}: a field of a format has no dots")
        return super().get_field(field_name, args, kwargs)


def class_of(value: object) -> type:
    """A class itself; of anything else its class."""
    return value if isinstance(value, type) else type(value)


class Expressions:
    """Evaluates the expressions of a file.

    xacro: the library. Of the functions that it gives to files two are others here: `type` is of values that are no
        types themselves, and `vars` gives the symbols around.
    find: package -> its folder.
    """

    def __init__(self, xacro: types.ModuleType, substitution_args: types.ModuleType, find: object):
        self.table, self.dotted = xacro.Table, xacro.YamlDictWrapper
        self.within: list = []  # the symbols around the expressions under way, the innermost last
        symbols = xacro._global_symbols
        symbols["python"].update(type=self.type_of, vars=self.symbols)
        given = {name: symbols[name] for name in (*SUBSTITUTED, *dict.keys(symbols["math"]))}
        given |= {"true": True, "false": False, "find": find}
        given |= {name: getattr(substitution_args, f"_eval_{name}") for name in ("env", "optenv")}
        spaces = (symbols, *(symbols[name] for name in ("python", "math", "xacro")), given)
        known = [value for space in spaces for value in dict.values(space) if callable(value)]
        self.functions = {id(function): function for function in known}
        guards = {DOT: self.dot, CALL: self.call}
        symbols.update(guards)
        self.given, self.convert = {**given, **guards}, substitution_args.convert_value

    def evaluate(self, text: str, symbols: dict, among: Mapping[str, object] | None = None) -> object:
        """The value of ${...}; in the place of xacro.safe_eval."""
        code = compiled(text)
        dict.update(symbols, __builtins__={})
        self.within.append(symbols)
        try:
            return eval(code, symbols, among)
        finally:
            self.within.pop()

    def substituted(self, text: str, context: dict) -> str:
        """The value of $(eval ...), whose names are arguments of the file; in the place of substitution_args._eval."""
        given, convert, arguments = self.given, self.convert, context.setdefault("arg", {})

        class Names(dict):
            def __missing__(self, name: str) -> object:
                return convert(arguments[name], "auto")

        return str(self.evaluate(text, Names(given)))

    def dot(self, value: Any, name: str) -> object:
        """What `value.name` is."""
        kind = class_of(value)
        if issubclass(kind, self.table) and name not in READING:
            if name not in value:
                raise NameError(f"name {name!r} is not defined")
            return value[name]
        known = next((one for one in KINDS if issubclass(kind, one)), None)
        if value is not kind and known is str and name == "format":
            return Format(value)
        if known and name in (METHODS[known] if value is not kind else OF_CLASSES.get(known, ())):
            return getattr(value, name)
        if isinstance(value, self.dotted):
            return value[name]
        raise Refused(f"nothing is known of an attribute {name} of {kind.__name__}")

    def call(self, function: object) -> object:
        """What is called, if it may be."""
        owner = getattr(function, "__self__", None) if isinstance(function, types.BuiltinMethodType) else None
        if isinstance(function, types.MethodDescriptorType):
            owner = function.__objclass__
        is_method = owner in KINDS if isinstance(owner, type) else isinstance(owner, KINDS)
        is_own = isinstance(function, types.FunctionType) and not function.__builtins__  # a lambda of the file
        if is_method or is_own or isinstance(function, Format) or id(function) in self.functions:
            return function
        raise Refused(f"an expression may not call a {type(function).__name__}")

    def type_of(self, value: object) -> type:
        """The type of a value that is no type itself."""
        if isinstance(value, type):
            raise Refused("an expression may not use types of types")
        return type(value)

    def symbols(self) -> dict:
        """The symbols that the expression stands among."""
        around = self.within[-1]
        return around if isinstance(around, self.table) else self.table(around)
