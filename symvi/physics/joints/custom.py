"""A user's own constraint or potential in x_a, R_a, q_a, x_b, R_b, q_b, its gradients derived like any other.

The expression comes as a tree of the grammar in mechanism/grammar.py; here it becomes SymPy. Positions in it are those
of the body frames; the formula's own inputs are centres of mass and carried vectors, so every rule of constraint.py
applies.
"""

from __future__ import annotations

import hashlib

from symvi.mechanism.grammar import parse
from symvi.physics.constraint import attitude, carried, data, function_of_bodies, position
from symvi.physics.formula import Formula
from symvi.physics.gaps import along
from symvi.physics.model import Attitude, Data, FixedTo, Parameter, Position

COLUMNS = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", (0.0, 0.0, 1.0)))
OF_C_LIBRARY = ("exp", "log")


def expression_formula(texts: tuple[str, ...], parameters: tuple[str, ...], unit: str = "m") -> Formula:
    """The formula of one or more expressions; its name is a digest of their text, so equal ones are derived once."""

    def builder(**values):
        return _rows(texts, parameters, values)

    return _declared("expression", "; ".join(texts), builder, texts, parameters, unit)


def arm_formula(texts: tuple[str, ...], parameters: tuple[str, ...]) -> Formula:
    """The arm on the child of a contact point that is given by three expressions: l_b = c - x_b."""

    def builder(**values):
        point = _rows(texts, parameters, values)
        return [c - x for c, x in zip(point, values["x_b"], strict=True)]

    return _declared("arm", f"l_b = ({'; '.join(texts)}) - x_b", builder, texts, parameters, "m")


def arm_along_normal_formula(text: str, parameters: tuple[str, ...]) -> Formula:
    """The arm on the child of a contact point that lies under a sphere's centre: l_b = r_b - radius n.

    n is the direction in which the gap of the expression opens, as in gaps.direction.
    """
    sphere = (carried("r_b", "point or centre of the sphere on body b", "b"), data("radius", "its radius", "m"))

    def builder(let, **values):
        import sympy as sp

        (gap,) = _rows((text,), parameters, values)
        opening = let("opening", sp.Matrix([gap]).jacobian(sp.Matrix(values["x_b"])).T)
        return values["r_b"] - along(opening, let) * values["radius"][0]

    equation = f"l_b = r_b - radius n,  n along the gradient of {text}"
    return _declared("arm", equation, builder, (text,), parameters, "m", 3, sphere)


def _declared(name: str, equation: str, builder, texts, parameters, unit: str, rows: int = 0, more=()) -> Formula:
    """A formula of what expressions may name, and of `more`."""
    inputs = [
        entry
        for side in "ab"
        for entry in (
            position(side),
            carried(f"o_{side}", f"origin of the frame of body {side}", side),
            *(carried(f"R_{side}_{name}", f"column of R_{side}", side, "1") for name, _ in COLUMNS),
            attitude(f"q_{side}", f"orientation of body {side}", side),
        )
    ]
    inputs += [data(f"par_{name}", name, "1") for name in parameters]
    digest = hashlib.sha256(repr((texts, parameters)).encode()).hexdigest()[:24]
    builder.__name__ = f"{name}_{digest}"
    rows = rows or len(texts)
    return function_of_bodies(equation, "a user's own expression", [*inputs, *more], rows, unit)(builder)


def _rows(texts, parameters, values):
    names = {name: values[f"par_{name}"][0] for name in parameters}
    for side in "ab":
        names[f"x_{side}"] = values[f"x_{side}"] + values[f"o_{side}"]
        columns = [values[f"R_{side}_{name}"] for name, _ in COLUMNS]
        names[f"R_{side}"] = columns[0].row_join(columns[1]).row_join(columns[2])
        names[f"q_{side}"] = values[f"q_{side}"]
    return [to_sympy(parse(text, frozenset(parameters), placements=True), names) for text in texts]


def to_sympy(tree, names):
    """A tree of the grammar as a SymPy expression over `names`."""
    import sympy as sp

    kind, *rest = tree
    if kind == "number":
        return sp.Rational(rest[0])
    if kind == "name":
        return names[rest[0]]
    if kind == "item":
        return names[rest[0]][rest[1]] if len(rest[1]) > 1 else names[rest[0]][rest[1][0]]
    if kind == "pow":
        return to_sympy(rest[0], names) ** int(rest[1])
    if kind == "call":
        return getattr(sp, rest[0])(*(to_sympy(argument, names) for argument in rest[1:]))
    values = [to_sympy(argument, names) for argument in rest]
    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
    }[kind](*values)


def uses_c_library(texts: tuple[str, ...]) -> bool:
    """Whether the bits of an expression's values depend on the C library: roots, angles, sines and cosines do not."""
    return any(f"{name}(" in text.replace(" ", "") for text in texts for name in OF_C_LIBRARY)


def expression_inputs(
    parent, child, parameters: dict[str, float], labels=("a", "b")
) -> tuple[dict, dict[str, Parameter]]:
    """Where the inputs of an expression's formula come from, and the parameters behind them."""
    inputs, values = {}, {}
    for side, label, body in (("a", labels[0], parent), ("b", labels[1], child)):
        center = (0.0, 0.0, 0.0) if body is None else body.center_of_mass
        values[f"origin_{side}"] = Parameter(
            tuple(0.0 - c for c in center), f"origin of the frame of body {side}, from its centre of mass", "m"
        )
        values[f"whole_{side}"] = Parameter((1.0, 0.0, 0.0, 0.0), f"the axes of body {side} themselves")
        inputs[f"x_{side}"] = Position(label)
        inputs[f"o_{side}"] = FixedTo(label, f"origin_{side}")
        inputs[f"q_{side}"] = Attitude(label, f"whole_{side}")
        for name, unit in COLUMNS:
            values[f"column_{name}"] = Parameter(unit, f"unit vector {name}")
            inputs[f"R_{side}_{name}"] = FixedTo(label, f"column_{name}")
    for name, value in parameters.items():
        values[f"par_{name}"] = Parameter((float(value),), name)
        inputs[f"par_{name}"] = Data(f"par_{name}")
    return inputs, values


def custom_groups(geometry):
    """The formula, inputs and number of rows of a custom joint."""
    joint = geometry.joint
    parameters = dict(joint.parameters)
    inputs, values = expression_inputs(geometry.parent, geometry.child, parameters, geometry.labels)
    for name, parameter in values.items():
        geometry.set(name, parameter.values, parameter.meaning, parameter.unit)
    texts = tuple(joint.expressions)
    return expression_formula(texts, tuple(parameters)), inputs, len(texts)
