"""Statements of C as closures: each runs in a frame and says how it ended (None: go on with the next one).

A loop that runs until a real number is small is judged as it stands, turn by turn, like one in Python: the condition of
every turn is one of the ways through the code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_condition, as_integer, converted, whole_constant
from symvi.verify.reading.c_reader.declarations import is_const, place_of, text_of
from symvi.verify.reading.c_reader.initializers import bounded, completed, initial
from symvi.verify.reading.c_reader.memory import Frame, Storage
from symvi.verify.reading.c_reader.problems import Place, SourceError, refused
from symvi.verify.reading.c_reader.scope import Scope
from symvi.verify.reading.c_reader.types import Integer, PointerTo
from symvi.verify.reading.c_reader.values import Variable

BREAK, CONTINUE, RETURN = "break", "continue", "return"
Statement = Callable[[Frame], str | None]


def statement(scope: Scope, node: c_ast.Node) -> Statement:
    """A statement as a closure. Raises SourceError for what is outside the subset."""
    read = READERS.get(type(node))
    if read is not None:
        return read(scope, node)
    reason = REFUSED.get(type(node))
    if reason is not None:
        raise refused(place_of(node), reason)
    return _located(_told(scope.value(node).run, node), place_of(node))


def _told(run: Callable, node: c_ast.Node) -> Callable:
    """An assignment that tells the arithmetic what it computed, and where."""
    if not isinstance(node, c_ast.Assignment):
        return run
    text = lru_cache(lambda: f"{place_of(node)}: {text_of(node)}")

    def tell(frame):
        value = run(frame)
        if frame.machine.tell is not None:
            frame.machine.tell(value, text())

    return tell


def block(scope: Scope, nodes: list[c_ast.Node]) -> Statement:
    """Statements one after the other. What is wrong in one of them is noted, and the next one is read all the same."""
    found = []
    for node in nodes:
        try:
            found.append(statement(scope, node))
        except SourceError as error:
            scope.program.wrong(error)
            if isinstance(node, c_ast.Decl) and node.name:
                scope.names[-1][node.name] = None
    return _sequence(tuple(found))


def _sequence(found: tuple[Statement, ...]) -> Statement:
    def run(frame):
        for each in found:
            ended = each(frame)
            if ended is not None:
                return ended
        return None

    return run


def _located(run: Callable, place: Place) -> Statement:
    """An expression as a statement; an arithmetic error in it carries its line as `place`, and as a note."""

    def execute(frame):
        frame.machine.step(place)
        try:
            run(frame)
        except ArithmeticError as error:
            locate(error, place)
            raise

    return execute


def locate(error: ArithmeticError, place: Place) -> None:
    """Let an arithmetic error (a division by zero, a root that is none) say where in the text it came from."""
    if not hasattr(error, "place"):
        vars(error)["place"] = place
        error.add_note(f"at {place}")


def _compound(scope: Scope, node: c_ast.Compound) -> Statement:
    scope.names.append({})
    try:
        return block(scope, node.block_items or [])
    finally:
        scope.names.pop()


def _body(scope: Scope, node: c_ast.Node) -> Statement:
    """The one statement under an if or a loop, which is a block of its own."""
    return _compound(scope, node if isinstance(node, c_ast.Compound) else c_ast.Compound([node], node.coord))


# --- declarations ----------------------------------------------------------------------------------------------------
def _declaration(scope: Scope, node: c_ast.Decl) -> Statement:
    place = place_of(node)
    if isinstance(node.type, c_ast.FuncDecl) or not node.name:
        return _nothing
    is_constant = is_const(node.type)
    if "static" in node.storage and not is_constant:
        if node.init is not None:
            raise refused(
                place, f"{node.name} is static and keeps its value between calls; declare it const or pass it"
            )
        scope.note(place, "static", f"{node.name} is static: every call has to write it before it reads it")
    if "extern" in node.storage:
        raise refused(place, f"{node.name} is extern: its value is not in the text; pass it as a parameter")
    of = completed(scope, scope.types.read(node.type), node.init, place)
    bounded(of, place)
    slot, name = scope.new_slot(), node.name
    if node.init is None:
        scope.declare(Variable(name, of, is_constant, slot))
        return lambda frame: frame.slots.__setitem__(slot, Storage(name, of))
    known, roots, content = _initial(scope, of, node)
    is_known, text = is_constant and isinstance(of, Integer), lru_cache(lambda: f"{place}: {text_of(node)}")
    scope.declare(Variable(name, of, is_constant, slot, roots, known if is_known else None))

    def run(frame):
        found = list(content(frame))
        frame.slots[slot] = Storage(name, of, found)
        if frame.machine.tell is not None and len(found) == 1:
            frame.machine.tell(found[0], text())

    return _located(run, place)


def _initial(scope: Scope, of, node: c_ast.Decl):
    """The value of an integer where it is known, the roots of a pointer, and a closure for the cells."""
    if isinstance(node.init, c_ast.InitList) or not isinstance(of, (Integer, PointerTo)):
        return None, frozenset(), initial(scope, of, node.init)
    value = converted(scope.value(node.init), of, place_of(node.init))
    run = value.run
    return whole_constant(value), value.roots, lambda frame: [run(frame)]


def _declarations(scope: Scope, node: c_ast.DeclList) -> Statement:
    return _sequence(tuple(statement(scope, each) for each in node.decls))


def _nothing(frame: Frame) -> None:
    return None


# --- branches --------------------------------------------------------------------------------------------------------
def _if(scope: Scope, node: c_ast.If) -> Statement:
    place, truth = place_of(node), scope.condition(node.cond)
    yes = _body(scope, node.iftrue) if node.iftrue else _nothing
    no = _body(scope, node.iffalse) if node.iffalse else _nothing
    test = _tested(truth, place)
    return lambda frame: yes(frame) if test(frame) else no(frame)


def _tested(truth: Callable, place: Place) -> Callable:
    """A condition whose arithmetic errors carry their line."""

    def run(frame):
        frame.machine.step(place)
        try:
            return truth(frame)
        except ArithmeticError as error:
            locate(error, place)
            raise

    return run


def _switch(scope: Scope, node: c_ast.Switch) -> Statement:
    place = place_of(node)
    chosen = as_integer(scope.value(node.cond), place, "what a switch looks at").run
    labels: dict[int | None, int] = {}
    parts: list[Statement] = []
    scope.names.append({})
    for each in getattr(node.stmt, "block_items", None) or []:
        if not isinstance(each, (c_ast.Case, c_ast.Default)):
            raise refused(place_of(each), "a statement of a switch that stands in no case")
        label = scope.constant(each.expr) if isinstance(each, c_ast.Case) else None
        labels[label] = len(parts)
        parts.append(block(scope, each.stmts or []))
    scope.names.pop()

    def run(frame):
        frame.machine.step(place)
        first = labels.get(chosen(frame), labels.get(None, len(parts)))
        for each in parts[first:]:
            ended = each(frame)
            if ended is not None:
                return None if ended == BREAK else ended
        return None

    return run


# --- loops -----------------------------------------------------------------------------------------------------------
def _for(scope: Scope, node: c_ast.For) -> Statement:
    scope.names.append({})
    try:
        first = statement(scope, node.init) if node.init else _nothing
        test = _bound(scope, node.cond, place_of(node))
        then = _located(scope.value(node.next).run, place_of(node)) if node.next else _nothing
        body = _body(scope, node.stmt)
    finally:
        scope.names.pop()

    def run(frame):
        first(frame)
        while test(frame):
            ended = body(frame)
            if ended == RETURN:
                return ended
            if ended == BREAK:
                break
            then(frame)
        return None

    return run


def _while(scope: Scope, node: c_ast.While | c_ast.DoWhile) -> Statement:
    test, body = _bound(scope, node.cond, place_of(node)), _body(scope, node.stmt)
    is_first_free = isinstance(node, c_ast.DoWhile)

    def run(frame):
        is_free = is_first_free
        while is_free or test(frame):
            is_free = False
            ended = body(frame)
            if ended == RETURN:
                return ended
            if ended == BREAK:
                break
        return None

    return run


def _bound(scope: Scope, node: c_ast.Node | None, place: Place) -> Callable:
    """The condition of a loop, which must look at some numbers."""
    value = scope.value(node) if node is not None else None
    if node is None or value is None or (value.constant is not None and value.constant != 0):
        raise refused(place, "a loop without a bound; write for (int i = 0; i < 10; i++)")
    return _tested(as_condition(value, place_of(node)), place)


# --- ends ------------------------------------------------------------------------------------------------------------
def _return(scope: Scope, node: c_ast.Return) -> Statement:
    place, returned = place_of(node), scope.program.returned
    if node.expr is None:
        return lambda frame: RETURN
    value = scope.value(node.expr)
    if isinstance(returned, types.Void):
        raise refused(place, "a value is returned by a function of type void")
    run = converted(value, returned, place).run

    def give_back(frame):
        frame.returned = run(frame)

    execute = _located(give_back, place)
    return lambda frame: (execute(frame), RETURN)[1]


READERS = {
    c_ast.Compound: _compound,
    c_ast.Decl: _declaration,
    c_ast.DeclList: _declarations,
    c_ast.If: _if,
    c_ast.Switch: _switch,
    c_ast.For: _for,
    c_ast.While: _while,
    c_ast.DoWhile: _while,
    c_ast.Return: _return,
    c_ast.Break: lambda scope, node: lambda frame: BREAK,
    c_ast.Continue: lambda scope, node: lambda frame: CONTINUE,
    c_ast.EmptyStatement: lambda scope, node: _nothing,
    c_ast.Pragma: lambda scope, node: _nothing,
    c_ast.Typedef: lambda scope, node: _nothing,
    c_ast.StaticAssert: lambda scope, node: _nothing,
}
REFUSED = {
    c_ast.Goto: "goto: write the loop or the branch that is meant",
    c_ast.Label: "a label: write the loop or the branch that is meant",
}
