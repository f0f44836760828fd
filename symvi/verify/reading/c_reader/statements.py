"""Statements of C as lines of Python.

A loop that runs until a real number is small is judged as it stands, turn by turn, like one in Python: the condition of
every turn is one of the ways through the code.
"""

from __future__ import annotations

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_condition, as_integer, converted
from symvi.verify.reading.c_reader.declarations import is_const, place_of, text_of
from symvi.verify.reading.c_reader.initializers import completed, initial
from symvi.verify.reading.c_reader.problems import Place, SourceError, refused
from symvi.verify.reading.c_reader.scope import Roots, Scope, Variable

REFUSED = {
    c_ast.Goto: "goto: write the loop or the branch that is meant",
    c_ast.Label: "a label: write the loop or the branch that is meant",
}


def statement(scope: Scope, node: c_ast.Node) -> None:
    """Add a statement's lines. Raises SourceError for what is outside the subset."""
    if (reason := REFUSED.get(type(node))) is not None:
        raise refused(place_of(node), reason)
    if (read := READERS.get(type(node))) is not None:
        read(scope, node)
    elif not isinstance(node, NOTHING):
        scope.emit(_expression(scope, node))


def block(scope: Scope, nodes: list[c_ast.Node]) -> None:
    """Statements one after the other. What is wrong in one of them is noted, and the next one is read all the same."""
    for node in nodes:
        try:
            statement(scope, node)
        except SourceError as error:
            scope.program.wrong(error)
            if isinstance(node, c_ast.Decl) and node.name:
                scope.names[-1][node.name] = None


def _expression(scope: Scope, node: c_ast.Node) -> str:
    """An expression as a statement in one line, counted; an assignment tells what it computed, and where."""
    place, value = place_of(node), scope.value(node)
    told = isinstance(node, c_ast.Assignment) and (types.is_real(value.type) or types.is_whole(value.type))
    code = f"m.told({value.code}, {f'{place}: {text_of(node)}'!r})" if told else value.code
    return f"m.step({scope.keep(place)}), {code}"


def _compound(scope: Scope, node: c_ast.Compound) -> None:
    with scope.block():
        block(scope, node.block_items or [])


def _body(scope: Scope, head: str, node: c_ast.Node | None) -> None:
    """The one statement under an if or a loop, which is a block of its own."""
    with scope.inside(head), scope.block():
        block(scope, [] if node is None else [node])


# --- declarations ----------------------------------------------------------------------------------------------------
def _declaration(scope: Scope, node: c_ast.Decl) -> None:
    place = place_of(node)
    if isinstance(node.type, c_ast.FuncDecl) or not node.name:
        return
    is_constant, name = is_const(node.type), node.name
    if "static" in node.storage and not is_constant:
        if node.init is not None:
            raise refused(place, f"{name} is static and keeps its value between calls; declare it const or pass it")
        scope.note(place, "static", f"{name} is static: every call has to write it before it reads it")
    if "extern" in node.storage:
        raise refused(place, f"{name} is extern: its value is not in the text; pass it as a parameter")
    of = completed(scope.types.read(node.type), node.init, place)
    known, roots, content = _initial(scope, of, node)
    variable = Variable(name, of, is_constant, scope.new_name("v"), roots, known if is_constant else None)
    scope.declare(variable)
    scope.emit(f"m.step({scope.keep(place)})")
    scope.emit(f"{variable.code} = m.new({name!r}, {scope.keep(of)}, {content})")
    if node.init is not None and (types.is_real(of) or types.is_whole(of)):
        scope.emit(f"m.told({variable.code}.read({scope.keep(place)}), {f'{place}: {text_of(node)}'!r})")


def _initial(scope: Scope, of: types.Type, node: c_ast.Decl) -> tuple[int | None, Roots, str]:
    """The value of a whole number where it is known, the roots of a pointer, and Python for the content."""
    if node.init is None:
        return None, frozenset(), "{}"
    if isinstance(node.init, c_ast.InitList) or not (types.is_whole(of) or types.is_pointer(of)):
        return None, frozenset(), initial(scope, of, node.init)
    value = converted(scope, scope.value(node.init), of, place_of(node.init))
    known = value.constant if types.is_whole(of) and isinstance(value.constant, int) else None
    return known, value.roots, f"{{0: {value.code}}}"


def _declarations(scope: Scope, node: c_ast.DeclList) -> None:
    for each in node.decls:
        statement(scope, each)


# --- branches --------------------------------------------------------------------------------------------------------
def _condition(scope: Scope, node: c_ast.Node, place: Place) -> str:
    return f"m.step({scope.keep(place)}) or {as_condition(scope, scope.value(node), place_of(node))}"


def _if(scope: Scope, node: c_ast.If) -> None:
    word = "if"
    while True:
        _body(scope, f"{word} {_condition(scope, node.cond, place_of(node))}:", node.iftrue)
        if not isinstance(node.iffalse, c_ast.If):
            break
        word, node = "elif", node.iffalse
    if node.iffalse is not None:
        _body(scope, "else:", node.iffalse)


def _switch(scope: Scope, node: c_ast.Switch) -> None:
    """A loop of one turn over its parts, of which those before the chosen one are left out."""
    place, first = place_of(node), scope.new_name("s")
    chosen = as_integer(scope.value(node.cond), place, "what a switch looks at").code
    scope.emit(f"m.step({scope.keep(place)})")
    begin, labels, goes_on = len(scope.lines), {}, scope.new_name("c")
    with scope.inside("for _ in (0,):"), scope.block():
        scope.turns.append((f"{goes_on} = True", "break"))
        for k, each in enumerate(getattr(node.stmt, "block_items", None) or []):
            if not isinstance(each, (c_ast.Case, c_ast.Default)):
                raise refused(place_of(each), "a statement of a switch that stands in no case")
            labels[scope.constant(each.expr) if isinstance(each, c_ast.Case) else None] = k
            with scope.inside(f"if {first} <= {k}:"):
                block(scope, each.stmts or [])
        scope.turns.pop()
    other = labels.pop(None, len(labels) + 1)
    if scope.turns and any(line.endswith(f"{goes_on} = True") for line in scope.lines[begin:]):
        with scope.inside(f"if {goes_on}:"):
            _continue(scope, node)
    scope.lines.insert(begin, "    " * scope.indent + f"{first} = {labels}.get({chosen}, {other})")
    scope.lines.insert(begin, "    " * scope.indent + f"{goes_on} = False")


# --- loops -----------------------------------------------------------------------------------------------------------
def _for(scope: Scope, node: c_ast.For) -> None:
    with scope.block():
        if node.init:
            statement(scope, node.init)
        test = _bound(scope, node.cond, place_of(node))
        following = _expression(scope, node.next) if node.next else "pass"
        _turns(scope, f"while {test}:", following, node.stmt)


def _while(scope: Scope, node: c_ast.While) -> None:
    _turns(scope, f"while {_bound(scope, node.cond, place_of(node))}:", "pass", node.stmt)


def _do_while(scope: Scope, node: c_ast.DoWhile) -> None:
    _turns(scope, "while True:", f"if not ({_bound(scope, node.cond, place_of(node))}): break", node.stmt)


def _turns(scope: Scope, head: str, following: str, body: c_ast.Node) -> None:
    """A loop; following: what comes after every turn, also one that is left by continue."""
    with scope.inside(head):
        scope.turns.append((following, "continue"))
        with scope.block():
            block(scope, [body])
        scope.turns.pop()
        scope.emit(following)


def _bound(scope: Scope, node: c_ast.Node | None, place: Place) -> str:
    """The condition of a loop, which must look at some numbers."""
    if node is None or scope.value(node).constant not in (None, 0):
        raise refused(place, "a loop without a bound; write for (int i = 0; i < 10; i++)")
    return _condition(scope, node, place)


def _continue(scope: Scope, node: c_ast.Node) -> None:
    if not scope.turns:
        raise refused(place_of(node), "continue outside of a loop")
    for line in scope.turns[-1]:
        scope.emit(line)


def _return(scope: Scope, node: c_ast.Return) -> None:
    place = place_of(node)
    if node.expr is None:
        scope.emit("return None")
        return
    value = scope.value(node.expr)
    if scope.returned is None:
        raise refused(place, "a value is returned by a function of type void")
    scope.emit(f"m.step({scope.keep(place)})")
    scope.emit(f"return {converted(scope, value, scope.returned, place).code}")


READERS = {
    c_ast.Compound: _compound,
    c_ast.Decl: _declaration,
    c_ast.DeclList: _declarations,
    c_ast.If: _if,
    c_ast.Switch: _switch,
    c_ast.For: _for,
    c_ast.While: _while,
    c_ast.DoWhile: _do_while,
    c_ast.Return: _return,
    c_ast.Break: lambda scope, node: scope.emit("break"),
    c_ast.Continue: _continue,
}
NOTHING = (c_ast.EmptyStatement, c_ast.Pragma, c_ast.Typedef, c_ast.StaticAssert)
