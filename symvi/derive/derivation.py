"""symvi's own functions and their derivatives as text, in the papers' notation: derived by rules, not written by hand.

A definition is a list of rows, each a vector expression (`vectors`); its derivative by every variable follows. What is
printed can be evaluated too, and tests verify it against the functions of `own` as they would a user's claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symvi.derive import joints as own_joints
from symvi.derive.notation import Factor, Known, Sum, gathered, shown, times, value
from symvi.derive.own_functions import definition_of
from symvi.derive.symbols import meanings
from symvi.derive.vectors import (
    ByColumns,
    Called,
    Constant,
    Crossed,
    Node,
    Number,
    Part,
    Row,
    Scaled,
    Stacked,
    Tangent,
    Times,
    Total,
    Turned,
    Variable,
    dot,
    function_of,
    latex_name,
    length,
    name_factor,
    product_factor,
    quaternion_text,
    row_factor,
)
from symvi.mechanism.names import did_you_mean
from symvi.registry import CONTACTS, FORCES, JOINTS
from symvi.verify.errors import VerificationError

SIZES = {"rotation vector": Fraction(1), "half": Fraction(2)}
TURNS = {
    ("rotation vector", "body"): ("q (1, theta/2)", r"q \left(1, \tfrac{1}{2}\theta\right)"),
    ("rotation vector", "world"): ("(1, theta/2) q", r"\left(1, \tfrac{1}{2}\theta\right) q"),
    ("half", "body"): ("q (1, theta)", r"q \left(1, \theta\right)"),
    ("half", "world"): ("(1, theta) q", r"\left(1, \theta\right) q"),
}


@dataclass(frozen=True)
class Rows:
    """rows: what a function is, block by block. names: text and LaTeX of shorter names that they use."""

    rows: list[Node]
    names: list[tuple[str, str]]
    letter: str = "g"


@dataclass(frozen=True)
class Derivation:
    """A function and its derivative by each of its usual variables, block by block."""

    name: str
    source: str
    rows: Rows
    wrt: tuple[str, ...]
    tangent: str
    side: str
    options: str = ""

    def blocks(self, name: str) -> list[Sum]:
        """The derivative of every row block by a variable."""
        tangent = Tangent(self.side, SIZES[self.tangent])
        return [gathered(row.by(name, tangent)) for row in self.rows.rows]

    def values(self, variables: Mapping[str, object]) -> np.ndarray:
        """The derivative as numbers, for arrays of any numbers."""
        columns, variables = [], Known(variables)
        for name in self.wrt:
            blocks = []
            for row, terms in zip(self.rows.rows, self.blocks(name), strict=True):
                height = len(np.atleast_1d(value(row.terms, variables)))
                blocks.append(np.atleast_2d(value(terms, variables)) if terms else np.zeros((height, 3), dtype=object))
            columns.append(np.vstack(blocks))
        return np.hstack(columns)

    def text(self) -> str:
        letter = self.rows.letter
        lines = [self._head(), f"  {letter} = {_stacked([r.terms for r in self.rows.rows], False)}"]
        lines += [f"    {text}" for text, _ in self.rows.names]
        if self._turns():
            lines.append(f"  turns: q -> {TURNS[self.tangent, self.side][0]}, v^ u = v x u")
        slopes = [f"  d{letter}/d{_said(n, False)} = {_stacked(self.blocks(n), False)}" for n in self.wrt]
        where = meanings("\n".join([*(line for line in lines[1:] if "turns:" not in line), *slopes]))
        return "\n".join([*lines, "  where", *(f"    {said}" for said in where), *slopes])

    def latex(self) -> str:
        letter = latex_name(self.rows.letter)
        lines = [rf"{letter} &= {_stacked([row.terms for row in self.rows.rows], True)}"]
        lines += [latex.replace("=", "&=", 1) for _, latex in self.rows.names]
        for name in self.wrt:
            by = rf"\frac{{\partial {letter}}}{{\partial {_said(name, True)}}}"
            lines.append(rf"{by} &= {_stacked(self.blocks(name), True)}")
        body = " \\\\\n".join(lines)
        said = rf"% turns: $q \to {TURNS[self.tangent, self.side][1]}$" + "\n" if self._turns() else ""
        return f"% {self._head()}\n{said}\\begin{{align}}\n{body}\n\\end{{align}}"

    def plain(self) -> dict:
        """The derivation in JSON's own types."""
        return {
            "name": self.name,
            "source": self.source,
            "tangent": self.tangent,
            "side": self.side,
            "function": [shown(row.terms) for row in self.rows.rows],
            "names": [text for text, _ in self.rows.names],
            "derivative": {name: [shown(terms) for terms in self.blocks(name)] for name in self.wrt},
            "latex": self.latex(),
        }

    def _head(self) -> str:
        """Name, source, and what of it was chosen."""
        chosen = ([self.options] if self.options else []) + [f"{self.tangent}, {self.side} side"] * self._turns()
        return f"{self.name} ({self.source})" + (f", {', '.join(chosen)}" if chosen else "")

    def _turns(self) -> bool:
        return any(name.startswith("q") for name in self.wrt)


def derivation(
    name: str, tangent: str = "rotation vector", side: str = "body", axes: str = "world", scale: object = None
) -> Derivation:
    """The derivation of one of symvi's own functions. Raises VerificationError for a name that has none."""
    if tangent not in SIZES:
        raise VerificationError(f"tangent {tangent!r}: derivations are written for {' and '.join(SIZES)}")
    options = {"axis": None, "parent": "body", "offset": True, "axes": axes, "scale": scale}
    definition = definition_of(name, **options)
    if name in own_joints.names():
        rows = joint_rows(name, axes, own_joints.scale_of(scale))
        chosen = f"axes {axes}, scale {own_joints.scale_of(scale)}"
    elif name in (told := ROWS | _of_records()):
        rows, chosen = told[name](), ""
    else:
        known = [*own_joints.names(), *told]
        raise VerificationError(f"'{name}' has no derivation as text; {did_you_mean(name, known)}")
    return Derivation(name, definition.source, rows, definition.wrt, tangent, side, chosen)


def _of_records() -> dict[str, Callable[[], Rows]]:
    """What records of contacts and of forces have of rows as vector expressions."""
    records = (*CONTACTS.values(), *FORCES.values())
    return {name: rows for record in records for name, rows in record.told.items()}


def _said(name: str, latex: bool) -> str:
    """theta_a for q_a: what a derivative is by."""
    if not name.startswith("q"):
        return latex_name(name) if latex else name
    return ("\\theta" if latex else "theta") + (latex_name(name) if latex else name)[1:]


def _stacked(blocks: list[Sum], latex: bool) -> str:
    parts = [shown(terms, latex) for terms in blocks]
    if len(parts) == 1:
        return parts[0]
    return r"\begin{bmatrix} " + r" \\ ".join(parts) + r" \end{bmatrix}" if latex else f"[{'; '.join(parts)}]"


# --- joints -------------------------------------------------------------------------------------------------------
GAP_NAME = ("u = x_b + R_b p_b - x_a - R_a p_a", "u = x_{b} + R_{b} p_{b} - x_{a} - R_{a} p_{a}")
PRODUCT = ("q_off*", "q_a*", "q_b")
PRODUCT_NAME = ("d = q_off* q_a* q_b", f"d = {quaternion_text(PRODUCT, True)}")


def gap() -> Node:
    parts = (1, Variable("x_b")), (1, Turned("q_b", Variable("p_b")))
    others = (-1, Variable("x_a")), (-1, Turned("q_a", Variable("p_a")))
    return Called("u", Total(*parts, *others))


def chosen(count: int) -> Factor:
    """The rows of the triad that a joint with so many constraints holds."""
    text, latex, rows = {
        1: ("a3ᵀ", r"a_3^{\mathsf T}", [2]),
        2: ("[a1 a2]ᵀ", r"\left[a_1\ a_2\right]^{\mathsf T}", [0, 1]),
        3: ("A", "A", [0, 1, 2]),
    }[count]
    return Factor(text, latex, lambda v: np.array(v["A"], dtype=object)[rows])


def third_axis() -> Node:
    """a3, the third row of the triad."""
    return Constant(Factor("a3", "a_3", lambda v: np.array(v["A"], dtype=object)[2]))


def in_frame(count: int) -> Node:
    return Times(chosen(count), Turned("q_off", Turned("q_a", gap(), True), True))


def joint_rows(name: str, axes: str, scale: Fraction) -> Rows:
    """A joint's rows as vector expressions."""
    if name == own_joints.ANGLE:
        return Rows([Row(angle())], [PRODUCT_NAME], "alpha")
    if (words := JOINTS[name].words) is not None:
        if words.rows is None:
            raise VerificationError(f"the rows of a {name} joint are told in no vector expressions")
        return words.rows(axes)
    held, rows, names = own_joints.held_of(name), [], []
    if held.translations:
        rows.append(gap() if held.translations == 3 and axes == "world" else in_frame(held.translations))
        names.append(GAP_NAME)
    if held.rotations:
        rows.append(Total((scale, Times(chosen(held.rotations), Part(PRODUCT)))))
        names.append(PRODUCT_NAME)
    return Rows(rows, names)


def angle() -> Number:
    """2 atan2(a3·V d, S d)."""
    v_part, s_part, axis = Part(PRODUCT), Part(PRODUCT, "S"), third_axis()
    sine = dot(axis, v_part)

    def s(values):
        return value(s_part.terms, values)[0]

    def size(values):
        return s(values) ** 2 + sine.factor.value(values) ** 2

    cosine_over = Factor("(S d/((S d)² + (a3·V d)²))", r"\frac{S d}{(S d)^2 + (a_3 \cdot V d)^2}",
                         lambda v: s(v) / size(v), number=True)  # fmt: skip
    sine_over = Factor("(a3·V d/((S d)² + (a3·V d)²))", r"\frac{a_3 \cdot V d}{(S d)^2 + (a_3 \cdot V d)^2}",
                       lambda v: sine.factor.value(v) / size(v), number=True)  # fmt: skip

    def slope(name: str, tangent: Tangent) -> Sum:
        first = times(sine.by(name, tangent), cosine_over, by=Fraction(2))
        return first + times(s_part.by(name, tangent), sine_over, by=Fraction(-2))

    text = Factor("2 atan2(a3·V d, S d)", r"2 \operatorname{atan2}(a_3 \cdot V d, S d)",
                  lambda v: 2 * np.arctan2(sine.factor.value(v), s(v)), number=True)  # fmt: skip
    return Number(text, slope)


# --- bodies, contacts, forces -------------------------------------------------------------------------------------
def _square(w: list):
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]


def cosine(w: str, h: str = "h") -> Number:
    """c = sqrt(1 - (h²/4) w·w), whose derivative is -(h²/4) wᵀ/c."""

    def c(values):
        return np.sqrt(1 - values[h] * values[h] * _square(list(values[w])) / 4)

    end = w.partition("_")[2]
    text, latex = (f"c_{end}", f"c_{{{end}}}") if end else ("c", "c")
    share = Factor(f"(h²/(4 {text}))", rf"\tfrac{{h^2}}{{4 {latex}}}", lambda v: v[h] * v[h] / 4 / c(v), number=True)
    inner = Variable(w)

    def by(name: str, tangent: Tangent) -> Sum:
        return times(inner.by(name, tangent), share, row_factor(inner.terms), by=Fraction(-1))

    return Number(Factor(text, latex, c, number=True), by)


def cosine_name(w: str) -> tuple[str, str]:
    end = w.partition("_")[2]
    c = f"c_{end}" if end else "c"
    return f"{c} = sqrt(1 - (h²/4) {w}·{w})", (
        rf"{latex_name(c)} = \sqrt{{1 - \tfrac{{h^2}}{{4}} {latex_name(w)} \cdot {latex_name(w)}}}"
    )


HALF_STEP = Factor("(h/2)", r"\tfrac{h}{2}", lambda v: v["h"] / 2, number=True)
INERTIA = Factor("J", "J", lambda v: np.array(v["J"], dtype=object), symmetric=True)


def spin(w: str) -> Node:
    return Times(INERTIA, Variable(w))


def momentum(w: str, sign: int = 1) -> list[tuple[int, Node]]:
    turning = Times(HALF_STEP, Crossed(Variable(w), spin(w)))
    return [(1, Scaled(cosine(w), spin(w))), (sign, turning)]


def _angular_momentum() -> Rows:
    return Rows([Total(*momentum("w"))], [cosine_name("w")], "l")


WORLD_INERTIA = "R(q) J R(q)ᵀ, row by row", r"R(q) J R(q)^{\mathsf T} \text{, row by row}"


def _inertia_column(e: Node) -> Node:
    return Turned("q", Times(INERTIA, Turned("q", e, True)))


def _rotational_residual() -> Rows:
    old = [(-by, node) for by, node in momentum("w_0", -1)]
    torque = Times(name_factor("h", True), Variable("tau"))
    names = [cosine_name("w_1"), cosine_name("w_0")]
    return Rows([Total(*momentum("w_1"), *old, (-1, torque))], names, "r")


def _translational_residual() -> Rows:
    change = Times(name_factor("m", True), Total((1, Variable("v_1")), (-1, Variable("v_0"))))
    return Rows([Total((1, change), (-1, Times(name_factor("h", True), Variable("f"))))], [], "r")


def _update_map() -> Rows:
    turn = Stacked(cosine("w"), Times(HALF_STEP, Variable("w")))
    return Rows([Times(product_factor("q"), turn)], [cosine_name("w")], "q_2")


def _kinetic_energy() -> Rows:
    energy = Times(name_factor("m", True), Row(dot(Variable("v"), Variable("v"))))
    spinning = Row(dot(Variable("w"), spin("w")))
    return Rows([Total((Fraction(1, 2), energy), (Fraction(1, 2), spinning))], [], "T")


def point_spring_rows() -> Rows:
    energy = function_of(
        gap(), "(k/2) (|u| - L)²", r"\tfrac{k}{2} \left(\|u\| - L\right)^2",
        lambda w, v: v["k"] * (length(w) - v["L"]) ** 2 / 2,
        "(k (|u| - L)/|u|)", r"\tfrac{k (\|u\| - L)}{\|u\|}", lambda w, v: v["k"] * (length(w) - v["L"]) / length(w),
    )  # fmt: skip
    return Rows([Row(energy)], [GAP_NAME], "V")


def point_spring_force_rows() -> Rows:
    u = gap()
    pull = function_of(
        u, "k (1 - L/|u|)", r"k \left(1 - \tfrac{L}{\|u\|}\right)",
        lambda w, v: v["k"] * (1 - v["L"] / length(w)),
        "(k L/|u|³)", r"\tfrac{k L}{\|u\|^3}", lambda w, v: v["k"] * v["L"] / length(w) ** 3,
    )  # fmt: skip
    return Rows([Total((-1, Scaled(pull, u)))], [GAP_NAME], "f")


def _sliding() -> Rows:
    tangents = Factor("[t1 t2]ᵀ", r"\left[t_1\ t_2\right]^{\mathsf T}", lambda v: np.array(v["N"], dtype=object)[:2])
    normal = Factor("n", "n", lambda v: np.array(v["N"], dtype=object)[2])
    lever = Total((1, Turned("q", Variable("p"))), (-1, Times(name_factor("r", True), Constant(normal))))
    return Rows([Times(tangents, Total((1, Variable("v")), (1, Crossed(Variable("w"), lever))))], [], "s")


ROWS: dict[str, Callable[[], Rows]] = {
    "rotation": lambda: Rows([Turned("q", Variable("v"))], [], "f"),
    "inverse_rotation": lambda: Rows([Turned("q", Variable("v"), True)], [], "f"),
    "rotation_matrix": lambda: Rows(
        [ByColumns("R(q), row by row", r"R(q) \text{, row by row}", lambda e: Turned("q", e))], [], "f"
    ),
    "world_inertia": lambda: Rows([ByColumns(*WORLD_INERTIA, _inertia_column)], [], "f"),
    "relative_orientation": lambda: Rows([Part(("q_a*", "q_b"), "")], [("d = q_a* q_b", "d = q_{a}^{*} q_{b}")], "d"),
    "gyroscopic_torque": lambda: Rows([Crossed(Variable("w"), spin("w"))], [], "f"),
    "position_update": lambda: Rows(
        [Total((1, Variable("x")), (1, Times(name_factor("h", True), Variable("v"))))], [], "x_2"
    ),
    "update_map": _update_map,
    "kinetic_energy": _kinetic_energy,
    "angular_momentum": _angular_momentum,
    "translational_residual": _translational_residual,
    "rotational_residual": _rotational_residual,
    "sliding": _sliding,
}
