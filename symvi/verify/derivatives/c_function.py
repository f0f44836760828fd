"""Functions that are C: which parameter is which variable, and which output is the matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path

from symvi.mechanism.names import did_you_mean
from symvi.verify.derivatives.arithmetic import Arithmetic
from symvi.verify.derivatives.errors import VerificationError
from symvi.verify.derivatives.function import Function, Outputs
from symvi.verify.derivatives.matching import matched
from symvi.verify.derivatives.variables import Variable
from symvi.verify.derivatives.worlds import World


class CGiven:
    """A C function as a user names it; `as_function` reads it for the variables of a question."""

    def __init__(self, source, output: str | None, names: Mapping[str, str]):
        self.source, self.output, self.names = source, output, dict(names)

    def as_function(self, variables: Mapping[str, Variable], name: str) -> Function:
        """Raises VerificationError for parameters that are no variables, and outputs that are not one."""
        source = self.source
        said = f"{source.name} (C, {source.file}:{source.line})"
        output = self._output(said, variables)
        places = matched([p.name for p in source.parameters if p.name != output], variables, self.names, said)
        self._check(said, output, places, variables)
        function = Function(source.name, tuple(places.values()), None, "C", f"{source.file}:{source.line}")
        for note in source.notes:
            function.note(str(note))
        inputs = {parameter: place for parameter, place in places.items()}
        shape = () if output == "return" else next(p.shape for p in source.parameters if p.name == output)
        function.evaluate = lambda values, world: self._run(inputs, output, shape, values, world, said)
        return function

    def _output(self, said: str, variables: Mapping[str, Variable]) -> str:
        """The parameter that is the matrix, or "return"."""
        source = self.source
        written = [p.name for p in source.parameters if p.direction != "in" and p.name not in self.names]
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

    def _check(self, said: str, output: str, places: Mapping[str, str], variables: Mapping[str, Variable]) -> None:
        for parameter in self.source.parameters:
            if parameter.direction == "out" or parameter.name == output:
                continue
            if parameter.name not in places:
                raise VerificationError(
                    f"{said}: parameter '{parameter.name}' is no variable; {did_you_mean(parameter.name, variables)} "
                    f"Say names={{'{parameter.name}': ...}}"
                )
            variable = variables[places[parameter.name]]
            if parameter.size is not None and parameter.size != variable.size:
                raise VerificationError(
                    f"{said}: parameter '{parameter.name}' has {parameter.size} numbers, "
                    f"the variable {places[parameter.name]} has {variable.size}"
                )

    def _run(self, inputs, output: str, shape, values, world: World, said: str) -> Outputs:
        given = {parameter: list(values[name]) for parameter, name in inputs.items()}
        try:
            entries = self.source(given, Arithmetic(world))[output]
        except ZeroDivisionError as error:
            raise ZeroDivisionError(f"{said}: division by zero at {getattr(error, 'place', '?')}") from None
        if None in shape or prod(shape) != len(entries) or len(entries) == 1:
            shape = (len(entries),)
        return Outputs(tuple(shape), entries)


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
    case and underscores. include, define: as of a compiler. cleared: outputs that the caller sets to zero first.
    Raises VerificationError with every line outside the subset.
    """
    from symvi.verify.derivatives.c_source import read_c

    found = read_c(source, name, include, define, cleared or ())
    if cleared is None:  # an output that is added to, and no variable: the caller clears it
        added = [p.name for p in found.parameters if p.direction == "both" and p.name == output]
        found = read_c(source, name, include, define, added) if added else found
    return CGiven(found, output, names or {})
