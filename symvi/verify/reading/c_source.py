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
from collections.abc import Iterable, Mapping
from pathlib import Path

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.declarations import Unit
from symvi.verify.reading.c_reader.parameters import Arguments, parameters_of
from symvi.verify.reading.c_reader.preprocess import OUTSIDE, preprocessed, text_of_file
from symvi.verify.reading.c_reader.problems import TEXT, Note, Place, SourceError, deep, refused
from symvi.verify.reading.c_reader.program import Function, Program
from symvi.verify.reading.c_reader.types import Type

LINKAGE = re.compile(r'\bextern\s*"C(\+\+)?"')
LINE_DIRECTIVE = re.compile(r'#line (\d+) "(.*)"')
PARSER_MESSAGE = re.compile(r"(?P<file>.*?):(?P<line>\d+):\d+: (?P<text>.*)", re.S)


class CFunction:
    """A function of a C text, which can be evaluated on any numbers.

    name, file, line; parameters; returns: the number of cells it returns (0: void); notes; branches: places of
    comparisons of real numbers, as texts "file:line". in_floats: what in it has values for machine numbers only, each
    with its place; a jump, as floor(x), has.
    """

    def __init__(self, program: Program, function: Function, notes: Iterable[Note], cleared: Iterable[str] = ()):
        self._program, self._function = program, function
        self.name, self.file, self.line = function.name, function.place.file, function.place.line
        self.parameters = tuple(parameters_of(function))
        self.returns = 0 if function.returned is None else types.cells(function.returned)
        self.notes = tuple(sorted({*notes, *program.notes, *_single_precision(program.unit)}))
        self.branches = tuple(str(place) for place in sorted(program.branches))
        self.in_floats = tuple(program.in_floats)
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
            given = Arguments(self._function, self.parameters, self.cleared, inputs)
            returned = self._program.run(self._function, arithmetic, given.pointers)
        outputs = (parameter for parameter in self.parameters if parameter.direction in ("out", "both"))
        results = {parameter.name: given.written(parameter) for parameter in outputs}
        if self.returns:
            is_struct = isinstance(returned, dict)
            results["return"] = [returned[at] for at in sorted(returned)] if is_struct else [returned]
        return results


def _single_precision(unit: Unit) -> Iterable[Note]:
    """One note of all numbers that a machine would round to 24 bits."""
    for place in sorted(unit.single)[:1]:
        yield Note(place, "single precision", "float is evaluated exactly here, not in single precision")


def read_c(
    source: str | Path,
    name: str,
    include: Iterable[str | Path] = (),
    define: Mapping[str, str] | None = None,
    cleared: Iterable[str] = (),
) -> CFunction:
    """A function of a C text.

    source: the text, or the path of a file (a Path, or a text in one line that ends in .c or .h). name: of the
    function. include: folders from which #include may read, beside the file's own for headers in quotes; nothing else
    is read. define: macros, as a compiler's -D has them. cleared: outputs that the caller sets to zero before the call,
    so that a function need not write every entry. Raises SourceError, with all that is outside the subset, each with
    its line.
    """
    text, label, path = _text(source)
    with deep(Place(label, 1)):
        return _function(text, label, path, name, include, define, cleared)


def _function(text: str, label: str, path: Path | None, name: str, include, define, cleared) -> CFunction:
    folders = [Path(folder) for folder in include]
    for folder in folders:
        if not folder.is_dir():
            raise refused(Place(label, 1), f"include: {folder} is no folder")
    expanded, notes = preprocessed(text, label, folders, define, path)
    program = Program(Unit.of(_parsed(expanded, label, notes)), _hint(notes))
    if name not in program.unit.functions:
        known = ", ".join(program.unit.functions) or "none"
        raise refused(Place(label, 1), f"there is no function {name} here; functions: {known}")
    try:
        found = [program.function(name, Place(label, 1))]
    except SourceError as error:
        program.wrong(error)
        found = []
    if program.problems or not found:
        raise SourceError(sorted(set(program.problems)))
    return CFunction(program, found[0], notes, cleared)


def _text(source: str | Path) -> tuple[str, str, Path | None]:
    """The text of a source, what messages call it, and the file that it is from."""
    is_path = isinstance(source, Path) or ("\n" not in source and source.strip().endswith((".c", ".h")))
    if not is_path:
        return str(source), TEXT, None
    path = Path(source)
    try:
        return text_of_file(path), path.name, path
    except OSError as error:
        raise refused(Place(path.name, 1), f"the file cannot be read ({error.strerror})") from None


def _parsed(text: str, label: str, notes: list[Note]):
    """pycparser's tree. Raises SourceError."""
    from pycparser import c_parser

    known = "".join(f"typedef {_stand_in(of)} {name};\n" for name, of in types.STANDARD.items())
    try:
        return c_parser.CParser().parse(f'{known}#line 1 "{label}"\n{text}', label)
    except c_parser.ParseError as error:
        raise _no_c(str(error), label, text, _hint(notes)) from None


def _no_c(message: str, label: str, text: str, hint: str) -> SourceError:
    """The parser's message as an error of ours."""
    if (linkage := LINKAGE.search(text)) is not None:
        place = _place_in(text, linkage.start(), label)
        return refused(place, f"{linkage[0]} is C++; put it between #ifdef __cplusplus and #endif")
    match = PARSER_MESSAGE.fullmatch(message)
    if match is None:
        lines = text.count("\n")
        return refused(Place(label, lines), "the text ends in the middle of something; is a bracket left open?")
    place, what = Place(match["file"], int(match["line"])), match["text"]
    if what.startswith("Comments"):
        return refused(place, "a comment that does not end")
    if not what.startswith("before: "):
        return refused(place, f"{what[:1].lower()}{what[1:]}")
    return refused(place, f"this is no C at {what.removeprefix('before: ')!r}; is a type unknown here?{hint}")


def _place_in(text: str, at: int, label: str) -> Place:
    """Where a part of a preprocessed text stands, by the last mark of a line before it."""
    line, file = 0, label
    for each in text[:at].split("\n"):
        mark = LINE_DIRECTIVE.match(each)
        line, file = (int(mark[1]) - 1, mark[2]) if mark else (line + 1, file)
    return Place(file, line)


def _stand_in(of: Type) -> str:
    return {"_Bool": "_Bool", "char": "signed char"}.get(types.describe(of), types.describe(of))


def _hint(notes: Iterable[Note]) -> str:
    """What to say where a name is unknown: the includes that were left out, one of which may define it."""
    skipped = [note.text for note in notes if note.kind == "skipped include"]
    outside = sorted({text.split()[1] for text in skipped if text.endswith(OUTSIDE)})
    left_out = sorted({text.split()[1] for text in skipped} - set(outside))
    said = [f"left out: {', '.join(left_out)}; give include=[folder], or define={{name: value}}"] if left_out else []
    said += [f"left out, outside of the given folders: {', '.join(outside)}"] if outside else []
    return f" ({'; '.join(said)})" if said else ""
