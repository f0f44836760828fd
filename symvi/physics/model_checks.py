"""What can be wrong with the model of a force from outside, and with a formula that a record hands over.

symvi's own records are proved and tested; of one from outside everything that kernels rely on is looked at first, so
that a slip is a sentence about the record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from numbers import Real
from typing import Any

from symvi.errors import SymviError
from symvi.mechanism import Force
from symvi.physics.formula import Formula
from symvi.physics.model import (
    AtFirstKnot,
    Attitude,
    Data,
    FixedTo,
    ForceModel,
    Group,
    LawModel,
    Parameter,
    Position,
    ShareModel,
)
from symvi.registry import POINTS, Law, law_of

__all__ = ["formula_problems", "law_problems", "model_problems"]

SIZES = {Position: 3, FixedTo: 3, Attitude: 4}  # numbers that a source gives


def formula_problems(formula: object) -> Iterator[str]:
    """What is wrong with a formula: it is none, or it cannot be derived."""
    if not isinstance(formula, Formula):
        yield f"a formula is {formula!r}, but must be declared by symvi.physics.constraint.function_of_bodies"
        return
    try:
        _ = formula.code
    except SymviError as error:
        yield f"formula '{formula.name}' cannot be derived: {error}"


def model_problems(model: object, bodies: Collection[str]) -> Iterator[str]:
    """What is wrong with what a force's record made of a force; bodies: the names of those that there are."""
    if not isinstance(model, ForceModel | LawModel | ShareModel):
        yield f"model returned {model!r}, but must return a ForceModel, LawModel or ShareModel (symvi.physics.model)"
        return
    shared = isinstance(model, ShareModel)
    for problem in (
        *_body_problems(model.bodies, bodies),
        *_parameter_problems(model.parameters),
        *_row_problems(model.rows, model.row_units, "row_units"),
        *(() if shared else _row_problems(model.rows, model.row_names, "row_names")),
    ):
        yield f"model: {problem}"
        return  # the others rely on these
    groups = (problem for group in model.groups for problem in _group_problems(model, group))
    given = {row for group in model.groups for row in group.into}
    lacking = [] if shared and not model.groups else [row for row in range(model.rows) if row not in given]
    for problem in (
        *groups,
        *(f"no group gives row {row} of its {model.rows} rows" for row in lacking),
        *_named_problems(model),
    ):
        yield f"model: {problem}"


def _body_problems(labels: object, bodies: Collection[str]) -> Iterator[str]:
    if not isinstance(labels, Mapping):
        yield f"bodies is {labels!r}, but must be a table of labels and bodies"
        return
    for label, body in labels.items():
        if body is not None and body not in bodies:
            yield f"body {label} is {body!r}, which is no body of the mechanism"


def _parameter_problems(parameters: object) -> Iterator[str]:
    if not isinstance(parameters, Mapping):
        yield f"parameters is {parameters!r}, but must be a table of names and Parameters (symvi.physics.model)"
        return
    for name, parameter in parameters.items():
        if not isinstance(parameter, Parameter):
            yield f"parameter '{name}' is {parameter!r}, but must be a Parameter (symvi.physics.model)"
        elif not (isinstance(parameter.values, tuple) and all(isinstance(value, Real) for value in parameter.values)):
            yield f"parameter '{name}' has the values {parameter.values!r}, but must have numbers"


def _row_problems(rows: int, names: tuple[str, ...], field: str) -> Iterator[str]:
    if not isinstance(rows, int) or len(names) != rows:
        yield f"{rows} rows, but {len(names)} {field}"


def _group_problems(model: ForceModel | LawModel | ShareModel, group: Group) -> Iterator[str]:
    if problems := list(formula_problems(group.formula)):
        yield problems[0]
        return
    name, there = group.formula.name, group.formula.outputs[0].size
    if outside := [row for row in group.rows if not 0 <= row < there]:
        yield f"a group has row {outside[0]} of formula '{name}', whose rows are 0 to {there - 1}"
    if len(group.rows) != len(group.into):
        yield f"a group of formula '{name}' has {len(group.rows)} rows, but {len(group.into)} places in into"
    if outside := [row for row in group.into if not 0 <= row < model.rows]:
        yield f"a group gives row {outside[0]}, but its rows are {_range(model.rows)}"
    if group.factor is not None:
        yield from _number_problems(model, f"factor names '{group.factor}'", group.factor, 1)
    for argument in group.formula.inputs:
        if argument.name not in group.inputs:
            yield f"a group of formula '{name}' has no input '{argument.name}'"
        else:
            yield from _source_problems(model, argument.name, argument.size, group.inputs[argument.name])


def _source_problems(model: Any, name: str, size: int, source: object) -> Iterator[str]:
    while isinstance(source, AtFirstKnot):
        source = source.source
    if not isinstance(source, Position | FixedTo | Attitude | Data):
        yield f"input '{name}' is {source!r}, but must be a Position, FixedTo, Attitude or Data (symvi.physics.model)"
        return
    gives = source.size if isinstance(source, Data) else SIZES[type(source)]
    if gives != size:
        yield f"input '{name}' takes {size} numbers, but a {type(source).__name__} gives {gives}"
    if not isinstance(source, Data) and source.body not in model.bodies:
        yield f"input '{name}' is of body '{source.body}', but its bodies are {', '.join(model.bodies)}"
    if isinstance(source, FixedTo | Attitude):
        yield from _number_problems(model, f"input '{name}' takes '{source.parameter}'", source.parameter, gives)
    elif isinstance(source, Data) and source.store == "parameters":
        yield from _number_problems(model, f"input '{name}' takes '{source.name}'", source.name, gives)


def _named_problems(model: ForceModel | LawModel | ShareModel) -> Iterator[str]:
    """Parameters that a model's own fields name."""
    if isinstance(model, ShareModel):
        for field in ("stiffness", "rest", "damping"):
            if (name := getattr(model, field)) is not None:
                yield from _number_problems(model, f"{field} names '{name}'", name, model.rows)
    elif isinstance(model, ForceModel) and model.energy is not None:
        if model.rows != 1:
            yield f"energy is of one row, but it has {model.rows} rows"
        yield from _number_problems(model, f"energy names '{model.energy}'", model.energy, 1)
    elif isinstance(model, ForceModel) and model.force is None:
        yield "neither energy nor force: name a parameter times which row 0 is the energy, or the input of all rows"


def law_problems(model: ForceModel | LawModel | ShareModel, force: Force, axes: int) -> Iterator[str]:
    """Where a model does something else within the step than the record's law says. axes: free ones of its joint."""
    law = law_of(force)
    if law is not None and not isinstance(law, Law):
        yield f"law returned {law!r}, but must return a symvi.registry.Law, or None of what acts at the knots"
    elif isinstance(model, ForceModel):
        if law is not None:
            yield "law is given, but its model is a ForceModel, which acts at the knots; return None"
    elif law is None:
        yield f"law returned None, but its model is a {type(model).__name__}; say in it what acts within the step"
    elif law.is_between_points != isinstance(model, LawModel):
        yield f"law: is_between_points is {law.is_between_points}, but its model is a {type(model).__name__}"
    elif lacking := [name for name in (POINTS if law.is_between_points else ("joint",)) if not hasattr(force, name)]:
        yield f"law: its description must have the field '{lacking[0]}', where it acts"
    elif isinstance(model, ShareModel):
        yield from _share_problems(model, law, axes)
    else:
        yield from _point_law_problems(model, law)


def _share_problems(model: ShareModel, law: Law, axes: int) -> Iterator[str]:
    names = {
        "stiffness": law.is_elastic,
        "damping": law.is_damped,
        "target": law.is_aimed,
        "rest": law.is_elastic and not law.is_aimed and not law.is_sinusoidal,
    }
    if not (law.is_elastic or law.is_damped):
        yield "law: neither is_elastic nor is_damped, so that nothing would act"
    if (law.is_aimed or law.is_sinusoidal) and not law.is_elastic:
        yield "law: what is aimed or sinusoidal must be elastic"
    if law.is_aimed and (law.is_sinusoidal or not law.is_damped):
        yield "law: what is aimed must be damped, and cannot be sinusoidal"
    if law.is_sinusoidal != model.sinusoidal:
        yield f"law: is_sinusoidal is {law.is_sinusoidal}, but sinusoidal of its model is {model.sinusoidal}"
    if len(model.along) != axes or tuple(model.along) != tuple(range(axes)):
        yield f"model: along is {model.along}, but must be all {axes} coordinates of its joint"
    for name, has in names.items():
        if getattr(model, name) != (name if has else None):
            yield f"model: {name} is {getattr(model, name)!r}, but must be {name if has else None!r} for its law"
    for name in ("rest_cos", "rest_sin") if law.is_sinusoidal else ():
        yield from _number_problems(model, f"its law names '{name}'", name, 1)


def _point_law_problems(model: LawModel, law: Law) -> Iterator[str]:
    if model.joint is not None:
        yield "model: joint is given, but laws along a joint are ShareModels"
    for name, has in (("stiffness", law.is_elastic), ("damping", law.is_damped), ("length", law.has_length)):
        if has:
            yield from _number_problems(model, f"its law names '{name}'", name, 1)
        elif name in model.parameters:
            yield f"model: it has the parameter '{name}', which its law has not"
    for name, has in (("elastic", law.is_elastic), ("damped", law.is_damped)):
        if bool(getattr(model.laws, name)) != has:
            yield f"model: {name} of its laws is {getattr(model.laws, name)}, but is_{name} of its law is {has}"


def _number_problems(model: Any, what: str, name: str, size: int) -> Iterator[str]:
    if name not in model.parameters:
        known = f"its parameters are {', '.join(model.parameters)}" if model.parameters else "it has no parameters"
        yield f"{what}, but {known}"
    elif len(model.parameters[name].values) != size:
        yield f"{what}, which has {len(model.parameters[name].values)} numbers instead of {size}"


def _range(rows: int) -> str:
    return f"0 to {rows - 1}" if rows else "none"
