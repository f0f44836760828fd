"""C: a user's function, parsed and evaluated on any numbers. It is never compiled and never run as a program.

    source = read_c("joint.c", "jacobian")           or the text itself; include=[folders], define={"real": "double"}
    source.parameters                                name, direction, size, shape, kind of each
    source({"q": [...], "x": [...]}, arithmetic)     {"J": [...], "return": [...]}

The subset is what kernels are written in: + - * / and functions of math.h, local variables, arrays, structs, pointers
to them, loops with a bound in whole numbers, if and ?:, functions and constant tables of the same text. Whole numbers
divide as C divides them, and decimal literals are the decimal fractions that they show; both are noted with their line.
What is outside is refused with its line: all of it at once.

The arithmetic is an object with number(Fraction), root(x), less(a, b, site), equal(a, b, site) and, as far as they are
called for, sin, cos, exp, log, atan2, pi, power (arithmetic.py). A site says where a comparison is: "line 12: x < 0".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from symvi.verify.derivatives.c_reader import types
from symvi.verify.derivatives.c_reader.declarations import Unit
from symvi.verify.derivatives.c_reader.functions import Function, Program
from symvi.verify.derivatives.c_reader.memory import Pointer, Storage
from symvi.verify.derivatives.c_reader.preprocess import preprocessed, text_of_file
from symvi.verify.derivatives.c_reader.problems import TEXT, Note, Place, SourceError, deep, refused
from symvi.verify.derivatives.c_reader.types import Array, Integer, PointerTo, Structure, Type

PARSER_MESSAGE = re.compile(r"(?P<file>.*?):(?P<line>\d+):\d+: (?P<text>.*)", re.S)


@dataclass(frozen=True)
class Parameter:
    """A parameter, or a member of one that is a struct ("body.q").

    direction: "in", "out" or "both". shape: () of a number, the lengths of an array, None first where a pointer does
    not say it. kind: "real" or "integer".
    """

    name: str
    direction: str
    shape: tuple[int | None, ...]
    kind: str

    @property
    def size(self) -> int | None:
        """How many numbers it holds; None where a pointer does not say it."""
        product = 1
        for length in self.shape:
            if length is None:
                return None
            product *= length
        return product


class CFunction:
    """A function of a C text, which can be evaluated on any numbers.

    name, file, line; parameters; returns: the number of cells it returns (0: void); notes; branches: places of
    comparisons of real numbers, as texts "file:line".
    """

    def __init__(self, program: Program, function: Function, notes: Iterable[Note], cleared: Iterable[str] = ()):
        self._program, self._function = program, function
        self.name, self.file, self.line = function.name, function.place.file, function.place.line
        self.parameters = tuple(_parameters(function))
        self.returns = 0 if isinstance(function.returned, types.Void) else types.cells(function.returned)
        self.notes = tuple(sorted({*notes, *program.notes}))
        self.branches = tuple(str(place) for place in sorted(program.branches))
        self.cleared = frozenset(cleared)
        names = {parameter.name for parameter in self.parameters}
        for name in sorted(self.cleared - names):
            raise refused(function.place, f"cleared: {self.name} has no parameter {name}; it has {', '.join(names)}")

    def __call__(self, inputs: Mapping[str, object], arithmetic) -> dict[str, list]:
        """Run the function: parameters by name -> what it wrote, by name, and what it returned, as "return".

        inputs: a number or a sequence of numbers for every parameter that is read; one of direction "out" may be given
        as well, and then starts with these. Plain int and Fraction are turned into the arithmetic's numbers. Raises
        SourceError for what only shows at run time (an index out of bounds, a number that was never written), and
        whatever the arithmetic raises, its line added as `place`.
        """
        unknown = sorted(set(inputs) - {parameter.name for parameter in self.parameters})
        if unknown:
            names = ", ".join(parameter.name for parameter in self.parameters)
            raise refused(self._function.place, f"{self.name} has no parameter {', '.join(unknown)}; it has {names}")
        with deep(self._function.place):
            machine = self._program.machine(arithmetic)
            cells = _Arguments(self, inputs, arithmetic, machine.numbers[0])
            returned = self._program.run(self._function, machine, cells.storages)
        results = {parameter.name: cells.written(parameter) for parameter in self.parameters
                   if parameter.direction != "in"}  # fmt: skip
        if self.returns:
            results["return"] = list(returned) if isinstance(returned, list) else [returned]
        return results


def read_c(
    source: str | Path,
    name: str,
    include: Iterable[str | Path] = (),
    define: Mapping[str, str] | None = None,
    cleared: Iterable[str] = (),
) -> CFunction:
    """A function of a C text.

    source: the text, or the path of a file (a Path, or a text in one line that ends in .c or .h). name: of the
    function. include: folders from which #include may read; nothing else is read. define: macros, as a compiler's -D
    has them. cleared: outputs that the caller sets to zero before the call, so that a function need not write every
    entry. Raises SourceError, with all that is outside the subset, each with its line.
    """
    text, label = _text(source)
    with deep(Place(label, 1)):
        return _function(text, label, name, include, define, cleared)


def _function(text: str, label: str, name: str, include, define, cleared) -> CFunction:
    folders = [Path(folder) for folder in include]
    for folder in folders:
        if not folder.is_dir():
            raise refused(Place(label, 1), f"include: {folder} is no folder")
    expanded, notes = preprocessed(text, label, folders, define)
    program = Program(Unit.of(_parsed(expanded, label, notes)), _hint(notes))
    if name not in program.unit.functions:
        known = ", ".join(program.unit.functions) or "none"
        raise refused(Place(label, 1), f"there is no function {name} here; functions: {known}")
    return CFunction(program, _read(program, name, label), notes, cleared)


def _read(program: Program, name: str, label: str) -> Function:
    try:
        function = program.function(name, Place(label, 1))
    except SourceError as error:
        program.wrong(error)
    if program.problems:
        raise SourceError(sorted(set(program.problems)))
    return function


def _text(source: str | Path) -> tuple[str, str]:
    """The text of a source, and what messages call it."""
    is_path = isinstance(source, Path) or ("\n" not in source and source.strip().endswith((".c", ".h")))
    if not is_path:
        return source, TEXT
    path = Path(source)
    try:
        return text_of_file(path), path.name
    except OSError as error:
        raise refused(Place(path.name, 1), f"the file cannot be read ({error.strerror})") from None


def _parsed(text: str, label: str, notes: list[Note]):
    """pycparser's tree. Raises SourceError."""
    from pycparser import c_parser

    known = "".join(f"typedef {_stand_in(of)} {name};\n" for name, of in types.STANDARD.items())
    try:
        return c_parser.CParser().parse(f'{known}#line 1 "{label}"\n{text}', label)
    except c_parser.ParseError as error:
        raise _no_c(str(error), label, text.count("\n"), _hint(notes)) from None


def _no_c(message: str, label: str, lines: int, hint: str) -> SourceError:
    """The parser's message as an error of ours."""
    match = PARSER_MESSAGE.fullmatch(message)
    if match is None:
        return refused(Place(label, lines), "the text ends in the middle of something; is a bracket left open?")
    place, what = Place(match["file"], int(match["line"])), match["text"]
    if what.startswith("Comments"):
        return refused(place, "a comment that does not end")
    if not what.startswith("before: "):
        return refused(place, f"{what[:1].lower()}{what[1:]}")
    return refused(place, f"this is no C at {what.removeprefix('before: ')!r}; is a type unknown here?{hint}")


def _stand_in(of: Type) -> str:
    return {"_Bool": "_Bool", "char": "signed char"}.get(types.describe(of), types.describe(of))


def _hint(notes: Iterable[Note]) -> str:
    """What to say where a name is unknown: the includes that were left out, one of which may define it."""
    left_out = sorted({note.text.split()[1] for note in notes if note.kind == "skipped include"})
    if not left_out:
        return ""
    return f" (left out: {', '.join(left_out)}; give include=[folder], or define={{name: value}})"


# --- parameters ------------------------------------------------------------------------------------------------------
def _parameters(function: Function) -> Iterator[Parameter]:
    for variable, declared in zip(function.parameters, function.declared, strict=True):
        for name, of, is_reached in _leaves(variable.name, declared, function.place, False):
            root = re.sub(r"\[\d+\]", "", name)
            direction = _direction(function, root) if is_reached else "in"
            shape, kind = _shape(of, function.place, name)
            yield Parameter(name, direction, shape, "integer" if isinstance(kind, Integer) else "real")


def _leaves(name: str, of: Type, place: Place, is_reached: bool) -> Iterator[tuple[str, Type, bool]]:
    """(name, type, whether the function could write to it) of a parameter, or of all members of a struct."""
    if isinstance(of, PointerTo) and isinstance(of.target, Structure):
        of, is_reached = of.target, True
    if isinstance(of, Array) and isinstance(of.element, Structure):
        if of.length is None:
            raise refused(place, f"{name}: an array of structs without a length; state it")
        for k in range(of.length):
            yield from _leaves(f"{name}[{k}]", of.element, place, True)
    elif isinstance(of, Structure):
        for field, kind in of.fields:
            yield from _leaves(f"{name}.{field}", kind, place, is_reached)
    else:
        yield name, of, is_reached or isinstance(of, (Array, PointerTo))


def _direction(function: Function, root: str) -> str:
    """Whether what a parameter points to is read, written, or read and then written."""
    same = [name for name in function.touched if root == name or root.startswith(f"{name}.")]
    if not any(name in function.written for name in same):
        return "in"
    return "both" if any(function.touched[name] == "read" for name in same) else "out"


def _shape(of: Type, place: Place, name: str) -> tuple[tuple[int | None, ...], Type]:
    """The shape of a parameter's numbers, and their type."""
    if isinstance(of, PointerTo):
        of = Array(of.target, None)
    shape = []
    while isinstance(of, Array):
        shape.append(of.length)
        of = of.element
    if not isinstance(of, (types.Real, Integer)):
        raise refused(
            place, f"the parameter {name} leads to {types.describe(of)}; numbers, arrays and structs can be given"
        )
    return tuple(shape), of


class _Arguments:
    """The cells of all parameters for one run: filled from the inputs, read again afterwards."""

    def __init__(self, source: CFunction, inputs: Mapping[str, object], arithmetic, zero):
        self.source, self.inputs, self.arithmetic, self.zero = source, inputs, arithmetic, zero
        self.by_name = {parameter.name: parameter for parameter in source.parameters}
        self.found: dict[str, tuple[Storage, int]] = {}
        function = source._function
        self.storages = [
            self._storage(variable, declared)
            for variable, declared in zip(function.parameters, function.declared, strict=True)
        ]

    def _storage(self, variable, declared: Type) -> Storage:
        """The variable that a parameter is: a number, a struct, or a pointer to what the caller owns."""
        if not isinstance(variable.type, PointerTo):
            storage = Storage(variable.name, variable.type)
            self._fill(storage, variable.name, variable.type, 0)
            return storage
        of, name = declared, variable.name
        if isinstance(of, PointerTo) and isinstance(of.target, Structure):
            owned = Storage(name, of.target)
            self._fill(owned, name, of.target, 0)
        elif isinstance(of, Array) and of.length is not None:
            owned = Storage(name, of)
            self._fill(owned, name, of, 0)
        else:
            return Storage(name, variable.type, [self._open(name, of)])
        return Storage(name, variable.type, [Pointer(owned, 0, 0, len(owned.cells))])

    def _open(self, name: str, of: Type) -> Pointer:
        """A pointer to as many numbers as are given, or to cells that appear as they are written."""
        element = of.target if isinstance(of, PointerTo) else of.element
        content = self._content(name)
        grows = self.by_name[name].direction != "in"
        owned = Storage(name, element, content or [], grows=True)
        if content is None and not grows:
            raise refused(self.source._function.place, f"no numbers are given for the parameter {name}")
        self.found[name] = owned, 0
        return Pointer(owned, 0, 0, None if grows else len(owned.cells))

    def _fill(self, storage: Storage, name: str, of: Type, start: int) -> None:
        """Write the inputs of a parameter, or of every member of a struct, from this cell on."""
        if isinstance(of, Structure):
            for field, kind in of.fields:
                self._fill(storage, f"{name}.{field}", kind, start)
                start += types.cells(kind)
        elif isinstance(of, Array) and isinstance(of.element, Structure):
            for k in range(of.length):
                self._fill(storage, f"{name}[{k}]", of.element, start + k * types.cells(of.element))
        elif isinstance(of, PointerTo):
            storage.cells[start] = self._open(name, of)
        else:
            self.found[name] = storage, start
            content = self._content(name)
            if content is not None:
                storage.cells[start : start + len(content)] = content

    def _content(self, name: str) -> list | None:
        """The numbers given for a parameter, as the arithmetic has them. Raises SourceError for a wrong count."""
        parameter, place = self.by_name[name], self.source._function.place
        given = self.inputs.get(name)
        if given is None:
            if name in self.source.cleared:
                return [self.zero] * (parameter.size or 0)
            if parameter.direction == "in" and parameter.size is not None:
                raise refused(place, f"no numbers are given for the parameter {name}")
            return None
        numbers = list(given) if isinstance(given, Sequence) or hasattr(given, "__len__") else [given]
        if parameter.size is not None and len(numbers) != parameter.size:
            raise refused(place, f"the parameter {name} has {parameter.size} numbers, and {len(numbers)} are given")
        return [self._number(parameter, value) for value in numbers]

    def _number(self, parameter: Parameter, value):
        if parameter.kind == "integer":
            if not isinstance(value, int):
                raise refused(self.source._function.place, f"the parameter {parameter.name} is a whole number")
            return value
        return self.arithmetic.number(Fraction(value)) if isinstance(value, (int, Fraction)) else value

    def written(self, parameter: Parameter) -> list:
        """What a parameter holds after the run. Raises SourceError where an entry was never written."""
        storage, start = self.found[parameter.name]
        size = parameter.size if parameter.size is not None else len(storage.cells)
        content = storage.cells[start : start + size]
        if parameter.name in self.source.cleared:
            content = [self.zero if cell is None else cell for cell in content]
        missing = [storage.label(start + k) for k, cell in enumerate(content) if cell is None]
        if missing:
            shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
            raise refused(
                self.source._function.place, f"{shown}: never written; if the caller sets {parameter.name} to zero "
                f"before the call, say so: cleared=[{parameter.name!r}]"
            )  # fmt: skip
        return content
