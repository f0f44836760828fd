"""What is asked: a function of which variables is differentiated by which, how often, in which tangents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symvi.mechanism.names import did_you_mean
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError

AXES = "xyz"


@dataclass(frozen=True)
class Question:
    """wrt: names of variables, their columns side by side. order: 1 or 2. weights: the lambda of G^T lambda."""

    variables: Mapping[str, Variable]
    wrt: tuple[str, ...]
    order: int = 1
    weights: str | None = None

    @property
    def directions(self) -> tuple[tuple[str, int], ...]:
        """(variable, direction) of every column of a first derivative."""
        return tuple((name, k) for name in self.wrt for k in range(self.variables[name].directions))

    def shape(self, rows: int) -> tuple[int, ...]:
        """Of the derivative of a function with so many outputs."""
        count = len(self.directions)
        if self.order == 1:
            return (count,) if self.weights else (rows, count)
        return (count, count) if self.weights or rows == 1 else (rows, count * count)

    def blocks(self) -> dict[str, range]:
        """The columns of a first derivative that belong to each variable."""
        found, start = {}, 0
        for name in self.wrt:
            width = self.variables[name].directions
            found[name] = range(start, start + width)
            start += width
        return found

    def column_names(self) -> list[str]:
        return [direction_name(self.variables[name], name, k) for name, k in self.directions]

    def with_variable(self, name: str, variable: Variable) -> Question:
        return replace(self, variables={**self.variables, name: variable})


def direction_name(variable: Variable, name: str, k: int) -> str:
    """What a column is: x[0], or q about y for a tangent."""
    if variable.is_turned:
        return f"{name} about {AXES[k]}"
    return name if not variable.shape else f"{name}[{k}]"


def question(wrt, variables: Mapping[str, Variable], order: int, weights: str | None, rows: int | None) -> Question:
    """The question, checked. Raises VerificationError.

    rows: the number of outputs, where known: the size of weights that are not among the variables.
    """
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    if order not in (1, 2):
        raise VerificationError(f"order {order!r}: first (1) and second (2) derivatives can be verified")
    if not names:
        raise VerificationError("wrt names no variable")
    for name, variable in variables.items():
        if not isinstance(variable, Variable):
            raise VerificationError(
                f"variable '{name}' is {variable!r}; write verify.vector(3), verify.quaternion() ..."
            )
        if variable.kind == "angular velocity" and variables.get(variable.step or "", _NONE).kind not in (
            "step",
            "scalar",
        ):
            raise VerificationError(
                f"variable '{name}' is an angular velocity over the step '{variable.step}', which is no variable: "
                f"add '{variable.step}': verify.step()"
            )
    for name in names:
        if name not in variables:
            raise VerificationError(f"wrt: no variable '{name}'; {did_you_mean(name, variables)}")
    if len(set(names)) < len(names):
        raise VerificationError(f"wrt: {', '.join(names)} names a variable twice")
    if weights is not None:
        variables = _with_weights(weights, variables, names, rows)
    return Question(dict(variables), names, order, weights)


def _with_weights(weights: str, variables: Mapping[str, Variable], names: tuple[str, ...], rows: int | None) -> Mapping:
    """The variables with one weight per output. Raises VerificationError for weights that are not that."""
    if not isinstance(weights, str) or not weights:
        raise VerificationError(
            f"weights {weights!r}: give the name of the argument that holds them, weights='lam' say, one per output"
        )
    if weights in names:
        raise VerificationError(f"weights '{weights}': this is differentiated by as well; weights are held fixed")
    if rows is None:
        return variables
    if weights not in variables:
        return {**variables, weights: Variable("vector", (rows,))}
    if (given := variables[weights]).size != rows:
        count = f"{rows} output{'s' * (rows > 1)}"
        size = f"{given.size} number{'s' * (given.size > 1)}"
        raise VerificationError(
            f"weights: the variable '{weights}' has {size} ({given.said}) for {count} of the function; "
            f"make it verify.vector({rows}), or leave it out of the variables"
        )
    return variables


_NONE = Variable("")
