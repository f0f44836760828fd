"""Functions that are C: which parameter is which variable, and which output is the matrix."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

from symvi.errors import missing_extra
from symvi.exact.dual import Dual
from symvi.mechanism.names import did_you_mean
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import NeedsFloats, OutsideDomain, VerificationError
from symvi.verify.reading.arithmetic import Arithmetic
from symvi.verify.reading.function import Function, Outputs, unread
from symvi.verify.reading.matching import bare, matched
from symvi.verify.reading.worlds import FloatWorld, Irrational, MachineWorld, RealWorld, World

ENTRY = re.compile(r"(?P<name>\w+)(?P<index>(\[\d+\])+|\[\d+, ?\d+\])")
LONGEST = 60  # characters of an entry's name that are quoted; longer numbers are beyond every variable's end
ORDERS = ("wxyz", "sxyz", "xyz", "xy")  # of a struct's members, as entries of a variable


class CGiven:
    """A C function as a user names it; `as_function` reads it for the variables of a question."""

    def __init__(self, source, output: str | None, names: Mapping[str, str]):
        self.source, self.output, self.names = source, output, _texts(names)

    def as_function(self, variables: Mapping[str, Variable], name: str) -> Function:
        """Raises VerificationError for parameters that are no variables, and outputs that are not one."""
        source = self.source
        said = f"{source.name} (C, {source.file}:{source.line})"
        output = self._output(said, variables)
        members = _members(source.parameters, variables, self.names)
        members |= _entries(source.parameters, variables, self.names, said)
        _told_apart(members, said)
        whole = [p.name for p in source.parameters if p.name != output and p.name not in members]
        roots = {*members, *(name.rpartition(".")[0] for name in members)}
        named = {name: of for name, of in self.names.items() if name not in roots}
        places = {**matched(whole, variables, named, said), **{name: of for name, (of, _) in members.items()}}
        self._check(said, output, {name: places[name] for name in places if name not in members}, members, variables)
        function = Function(
            source.name, tuple(dict.fromkeys(places.values())), unread, "C", f"{source.file}:{source.line}"
        )
        for note in source.notes:
            function.note(str(note))
        inputs = {parameter: members.get(parameter, (of, None)) for parameter, of in places.items()}
        shape = () if output == "return" else next(p.shape for p in source.parameters if p.name == output)
        function.evaluate = lambda values, world: self._run(inputs, output, shape, values, world, said)
        if source.in_floats:
            function.floats_only = True
            function.note(f"{'; '.join(source.in_floats)}: {source.name} is compared in floats")
            function.evaluate = lambda values, world: _on_floats(
                lambda given, machine: self._run(inputs, output, shape, given, machine, said), values, world, said
            )
        return function

    def _output(self, said: str, variables: Mapping[str, Variable]) -> str:
        """The parameter that is the matrix, or "return"."""
        source = self.source
        written = [p.name for p in source.parameters if p.direction in ("out", "both") and p.name not in self.names]
        written += ["return"] * bool(source.returns)
        if self.output is not None:
            if self.output not in written:
                raise VerificationError(f"{said}: no output '{self.output}'; {did_you_mean(self.output, written)}")
            return self.output
        if not written:
            raise VerificationError(f"{said} neither returns nor writes anything")
        if len(written) > 1:
            raise VerificationError(f"{said} has several outputs: {', '.join(written)}; say which with output=...")
        return written[0]

    def _check(self, said: str, output: str, places: Mapping[str, str], members: Mapping, variables: Mapping) -> None:
        for parameter in self.source.parameters:
            if parameter.direction in ("out", "unused") or parameter.name == output or parameter.name in members:
                continue
            if parameter.name not in places:
                hint = did_you_mean(parameter.name, variables)
                raise VerificationError(
                    f"{said}: parameter '{parameter.name}' is no variable; {hint}{'' if hint.endswith('?') else '.'} "
                    f"Say names={{'{parameter.name}': {_entry_meant(parameter, variables)}}}"
                )
            variable = variables[places[parameter.name]]
            if parameter.size is not None and parameter.size != variable.size:
                raise VerificationError(
                    f"{said}: parameter '{parameter.name}' has {parameter.size} numbers, "
                    f"the variable {places[parameter.name]} has {variable.size}"
                )

    def _run(self, inputs, output: str, shape, values, world: World, said: str) -> Outputs:
        given = {
            parameter: list(values[name]) if k is None else values[name][k] for parameter, (name, k) in inputs.items()
        }
        try:
            entries = self.source(given, Arithmetic(world))[output]
        except ZeroDivisionError as error:
            raise ZeroDivisionError(f"{said}: division by zero at {getattr(error, 'place', '?')}") from None
        if None in shape or math.prod(shape) != len(entries) or len(entries) == 1:
            shape = (len(entries),)
        return Outputs(tuple(shape), entries)


def _on_floats(run: Callable, values: Mapping, world: World, said: str) -> Outputs:
    """Machine numbers in, machine numbers out, whatever the world. Raises NeedsFloats, Irrational, OutsideDomain."""
    if any(isinstance(x, Dual) for numbers in values.values() for x in numbers):
        raise NeedsFloats(f"{said} takes machine numbers only")
    if not isinstance(world, FloatWorld | RealWorld):
        raise Irrational("a function of machine numbers has no exact values")
    try:
        found = run({name: [float(x) for x in numbers] for name, numbers in values.items()}, MachineWorld())
    except (ZeroDivisionError, OverflowError) as error:
        raise OutsideDomain(f"{said}: {error}") from None
    if not all(math.isfinite(x) for x in found.entries):
        raise OutsideDomain(f"{said} returns what is not finite")
    return Outputs(found.shape, [world.constant(Fraction(float(x))) for x in found.entries])


def _texts(names: object) -> dict[str, str]:
    """Raises VerificationError for what are no names of parameters with names of variables."""
    if not isinstance(names, Mapping):
        what = f"names is a {type(names).__name__}"
        raise VerificationError(f"{what}; make it a dictionary, parameter: variable: names={{'x0': 'x[0]'}}")
    for parameter, of in names.items():
        if not isinstance(parameter, str) or not isinstance(of, str):
            raise VerificationError(
                f"names={{{parameter!r}: {of!r}}}: write both as texts, the name of a parameter and that of a variable "
                "or of one of its entries: names={'x0': 'x[0]'}"
            )
    return dict(names)


def _told_apart(members: Mapping[str, tuple[str, int]], said: str) -> None:
    """Raises VerificationError for two parameters that are the same number."""
    for variable, k in set(members.values()):
        same = sorted(parameter for parameter, entry in members.items() if entry == (variable, k))
        if len(same) > 1:
            raise VerificationError(
                f"{said}: the parameters {', '.join(same)} are one number, number {k + 1} of {variable}"
            )


def _members(parameters: Iterable, variables: Mapping[str, Variable], names: Mapping[str, str]) -> dict:
    """Members of structs that are the entries of a variable: "q.w" -> ("q", 0), in whatever order they stand there."""
    structs: dict[str, dict[str, str]] = {}
    for parameter in parameters:
        root, _, member = parameter.name.rpartition(".")
        if root and parameter.name not in names:
            structs.setdefault(root, {})[member.lower() if parameter.shape == () else ""] = parameter.name
    found = {}
    for root, of in structs.items():
        alike = [
            name for name in variables if names.get(root, name) == name and bare(name) == bare(names.get(root, root))
        ]
        letters = next((order for order in ORDERS if sorted(order) == sorted(of)), "")
        if len(alike) == 1 and letters and variables[alike[0]].size == len(letters):
            found |= {of[letter]: (alike[0], k) for k, letter in enumerate(letters)}
    return found


def _entries(parameters: Iterable, variables: Mapping[str, Variable], names: Mapping[str, str], said: str) -> dict:
    """Numbers that are one of a variable's: names={"x0": "x[0]"}, of a matrix "A[1][0]".

    Raises VerificationError for an entry that is not there, and a parameter that is no single number.
    """
    found = {}
    for parameter in parameters:
        match = ENTRY.fullmatch(names.get(parameter.name, ""))
        if match is None or match["name"] not in variables:
            continue
        text = match[0] if len(match[0]) <= LONGEST else f"{match[0][:LONGEST]}..."
        variable, wanted = variables[match["name"]], f"{said}: names={{'{parameter.name}': '{text}'}}"
        if parameter.shape != ():
            raise VerificationError(f"{wanted}: the parameter '{parameter.name}' is an array, the entry is one number")
        index = [int(k) if len(k) < LONGEST else math.inf for k in re.findall(r"\d+", match["index"])]
        shape = variable.shape if len(index) == len(variable.shape) else (variable.size,)
        if len(index) != len(shape) or any(k >= size for k, size in zip(index, shape, strict=True)):
            last = "".join(f"[{size - 1}]" for size in variable.shape)
            what = f"{wanted}: {match['name']} is a {variable.said}"
            raise VerificationError(what + (f", its last entry is {match['name']}{last}" if last else ""))
        found[parameter.name] = match["name"], index[0] if len(index) == 1 else index[0] * variable.shape[1] + index[1]
    return found


def _entry_meant(parameter, variables: Mapping[str, Variable]) -> str:
    """What x0 may stand for: the entry of a vector x."""
    match = re.fullmatch(r"(.*?)_?(\d{1,9})", parameter.name)
    if match is None:
        return "..."
    same = [name for name in variables if parameter.shape == () and bare(name) == bare(match[1])]
    if len(same) == 1 and variables[same[0]].shape and int(match[2]) < variables[same[0]].size:
        return f"'{same[0]}[{int(match[2])}]'"
    return "..."


def c(
    source: str | Path,
    name: str,
    output: str | None = None,
    names: Mapping[str, str] | None = None,
    include: Iterable[str | Path] = (),
    define: Mapping[str, str] | None = None,
    cleared: Iterable[str] | None = None,
) -> CGiven:
    """A C function to verify, or to verify against: parsed and evaluated, never compiled.

    source: the text, or the path of a file. name: of the function. output: the parameter that is the matrix, row by
    row, or "return"; needed where there are several. names: parameter -> variable, where names differ by more than
    case and underscores, or one of its numbers, "x[0]". include, define: as of a compiler. cleared: outputs that the
    caller sets to zero first.
    Raises VerificationError with every line outside the subset, MissingExtraError without the preprocessor.
    """
    if find_spec("pcpp") is None:
        raise missing_extra("verify", "pcpp")
    from symvi.verify.reading.c_source import read_c

    found = read_c(source, name, include, define, cleared or ())
    if cleared is None:  # an output that is added to, and no variable: the caller clears it
        added = [p.name for p in found.parameters if p.direction == "both" and p.name == output]
        found = read_c(source, name, include, define, added) if added else found
    return CGiven(found, output, names or {})
