"""Citations: every one that code and generated text make is in the table, and the cited equations are what code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy as sp

from symvi.kernels import carried_joint, spatial, tied
from symvi.mechanism import (
    Body,
    Contact,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    PointSpring,
)
from symvi.physics import algebra, body, gaps, kinematics, placing
from symvi.physics.formula import INTERMEDIATES
from symvi.physics.joints import rows
from symvi.physics.lowering import symbols_of
from symvi.physics.papers import IDEAS, PAPERS, citations, missing
from symvi.simulate.solver_build import text_of
from tests.physics.test_stated_forms import all_formulas

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ("symvi", "templates", "tests", "examples")
KINDS = {".py", ".jinja", ".c", ".md", ".toml"}
TABLE = REPOSITORY / "symvi" / "physics" / "papers.py"


def texts(folder: str) -> dict[str, str]:
    """Every text of a folder, but the table itself and this test."""
    files = [path for path in sorted((REPOSITORY / folder).rglob("*")) if path.suffix in KINDS and path.is_file()]
    own = {TABLE, Path(__file__)}
    return {str(p.relative_to(REPOSITORY)): p.read_text(encoding="utf-8") for p in files if p not in own}


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_code_cites_is_in_the_table(folder: str) -> None:
    assert not {name: gone for name, text in texts(folder).items() if (gone := missing(text))}


def test_what_readme_cites_is_in_the_table() -> None:
    assert not missing((REPOSITORY / "README.md").read_text(encoding="utf-8"))


def test_the_table_has_nothing_that_is_not_cited() -> None:
    everything = [text for folder in FOLDERS for text in texts(folder).values()]
    everything.append((REPOSITORY / "README.md").read_text(encoding="utf-8"))
    cited = {citation for text in everything for citation in citations(text)}
    known = {(short, key) for short, paper in PAPERS.items() for key in paper.entries}
    assert not known - cited


def test_what_was_not_seen_says_so_where_it_is_cited() -> None:
    """Sources that are printed: a reader of a generated file cannot look into the table."""
    unseen = re.compile(r"BSMH23 appendix [A-Z](?!,? \(?not seen)")
    for folder in ("symvi", "templates"):
        assert not {name: found for name, text in texts(folder).items() if (found := unseen.findall(text))}


def everything_at_once() -> Mechanism:
    """Joints with rows of their own, forces, a limit, dry friction, and contacts of all kinds in one mechanism."""
    names = ("one", "two", "three", "four", "five", "six")
    bodies = [Body(name=n, mass=1.0, inertia=(1.0, 1.1, 1.2), position=(0.5 * k, 0, 0)) for k, n in enumerate(names)]
    joints = [
        Joint(name="hinge", type="revolute", child="one"),
        Joint(name="hooke", type="universal", parent="one", child="two", child_axis=(1, 0, 0)),
        Joint(name="thread", type="screw", parent="two", child="three", pitch=0.1),
        Joint(name="slide", type="cylindrical", child="four"),
        Joint(name="ball", type="spherical", parent="four", child="five"),
        Joint(name="rod", type="distance", parent="five", child="six", length=0.5),
    ]
    return Mechanism(
        name="everything",
        gravity=(0, 0, -9.81),
        bodies=bodies,
        joints=joints,
        forces=[
            JointSpring(name="spring", joint="hinge", stiffness=1.0),
            JointSpring(name="around", joint="ball", stiffness=1.0),
            JointDamper(name="damper", joint="hooke", damping=0.1),
            DryFriction(name="dry", joint="thread", bound=0.1),
            PointSpring(name="rope", parent="three", child="six", stiffness=2.0, length=0.3),
        ],
        limits=[Limit(name="stop", joint="hinge", coordinate=0, lower=-1.0, upper=1.0)],
        contacts=[
            Contact(name="ground", child="six", radius=0.1, friction=0.5),
            Contact(name="pyramid", child="five", friction=0.5, cone="linear", directions=4),
            Contact(name="plate", parent="four", child="six", radius=0.1, friction=0.3),
            Contact(
                name="balls", kind="sphere", parent="one", child="six", parent_radius=0.1, radius=0.1, friction=0.2
            ),
        ],
    )


def test_what_generated_text_cites_is_in_the_table_and_in_its_head() -> None:
    generated = text_of(everything_at_once(), layout="looped").files
    cited = {citation for text in generated.values() for citation in citations(text)}
    assert not {name: gone for name, text in generated.items() if (gone := missing(text))}
    assert {("BM20", "(32)"), ("BSMH23", "(20a)"), ("BSMH23", "(27a)"), ("BSMH23", "(28a)"), ("JM09", "(37)")} <= cited
    balances = {("BM20", "(29)"), ("BM20", "(32)"), ("BSMH23", "(10)"), ("BSMH23", "(16)")}  # forces, torques
    residual = re.findall(r"f = \[p - p0; l - l0\] - e +\[.*\]", "".join(generated.values()))
    assert residual and all(balances <= set(citations(line)) for line in residual)
    source = generated["everything.c"]
    named = re.findall(r"^ \*   ([A-Z]+\d\d)  ", source, re.MULTILINE)
    assert named and set(named) <= set(PAPERS)
    assert {short for short, _ in citations(source)} <= set(named)


@pytest.mark.parametrize(
    "text, found",
    [
        ("BM20 (29), (32), times h and h/2", {"(29)", "(32)"}),
        ("as in BM20\n(17));", {"(17)"}),
        ("    # BM20\n    # (31)", {"(31)"}),
        ("BM20 (6)-(9)", {"(6)", "(7)", "(8)", "(9)"}),
        ("BSMH23 (27a)-(27c)", {"(27a)", "(27b)", "(27c)"}),
        ("BM20 section 4.2 and BSMH23\nsection 4", {"section 4.2", "section 4"}),
        ("BM20 Algorithms 1-4", {"Algorithm 1", "Algorithm 2", "Algorithm 3", "Algorithm 4"}),
        ("Algorithms 1 and 2 of Brüdigam & Manchester 2020", set()),
        ("BM20 Fig. 4c, 4d, 5a and 8, BSMH23 Fig. 9b-d.", {"Fig. 4", "Fig. 5", "Fig. 8", "Fig. 9"}),
        ("with a damper Fig. 7c of BSMH23.", {"Fig. 7"}),
        ("JM09, Section V, Table II", {"section V", "Table II"}),
        ("BSMH23 (4b), Fig. 8b: the centre", {"(4b)", "Fig. 8"}),
        ("the code behind BM20 fails (see below)", set()),
    ],
)
def test_citations_are_read(text: str, found: set[str]) -> None:
    assert {key for _, key in citations(text)} == found


def test_a_number_that_no_paper_has_is_missed() -> None:
    assert missing("p = m v [BM20 (77)], BSMH23 (27d), JM09 section IX") == [
        "BM20 (77)",
        "BSMH23 (27d)",
        "JM09 section IX",
    ]


# --- the cited equations, typed from the papers, against the code ---------------------------------------------------
H = sp.Symbol("h", positive=True)
Q = sp.Matrix(sp.symbols("q_0:4", real=True))
P = sp.Matrix(sp.symbols("p_0:4", real=True))
X = sp.Matrix(sp.symbols("x_0:3", real=True))
WD = sp.Matrix(sp.symbols("w_0:3", real=True))
J = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"J_{min(i, j)}{max(i, j)}", real=True))
T, V = sp.diag(1, -1, -1, -1), sp.zeros(3, 1).row_join(sp.eye(3))  # BM20 (7), (10)


def L(q):  # noqa: N802  (BM20 (8))
    vector = sp.Matrix(q[1:])
    return sp.Matrix([[q[0], *(-vector)], *(sp.Matrix([vector[i], *(q[0] * sp.eye(3) + algebra.skew(vector))[i, :]]).T
                                           for i in range(3))])  # fmt: skip


def R(q):  # noqa: N802  (BM20 (9))
    vector = sp.Matrix(q[1:])
    return sp.Matrix([[q[0], *(-vector)], *(sp.Matrix([vector[i], *(q[0] * sp.eye(3) - algebra.skew(vector))[i, :]]).T
                                           for i in range(3))])  # fmt: skip


def zero(value, *units) -> bool:
    """Zero for quaternions of length one."""
    rest = sp.Matrix([value]).applyfunc(sp.expand)
    for q in units:
        rest = rest.applyfunc(lambda e, q=q: sp.rem(e, sum(x**2 for x in q) - 1, q[0]))
    return rest.applyfunc(sp.expand).is_zero_matrix


def test_quaternions() -> None:
    """BM20 (3), (7)-(15)."""
    assert L(Q) == algebra.left(Q) and R(Q) == algebra.right(Q)
    assert T * Q == algebra.conjugate(Q) and V * Q == algebra.vector(Q) and V.T * X == algebra.pure(X)
    qv, pv = V * Q, V * P
    product = sp.Matrix([Q[0] * P[0] - algebra.dot(qv, pv), *(Q[0] * pv + P[0] * qv + algebra.cross(qv, pv))])
    assert zero(algebra.multiply(Q, P) - product) and zero(L(Q) * P - R(P) * Q)
    assert zero(V * R(Q).T * L(Q) * V.T - kinematics.rotation_matrix.builder(Q)["R"], Q)


def test_the_rotational_gradient() -> None:
    """BM20 (17) is twice the derivative by a rotation vector in body axes, and that of world axes turned back."""
    f = sp.Matrix([algebra.dot(X, algebra.rotation(Q) * WD)])
    papers = V * L(Q).T * f.jacobian(Q).T
    assert zero(papers - 2 * algebra.rotational_gradient(f, Q).T)
    in_world = algebra.gradient(f, [("quaternion", Q)])[:, 3:]
    assert zero(papers - 2 * algebra.rotation(Q).T * in_world.T, Q)


def test_the_update() -> None:
    """BM20 (31), w in body axes, is the code's turn by [c; (h/2) w] with w in world axes."""
    root = sp.Symbol("s", positive=True)  # of (2/h)² - w·w
    papers = H / 2 * L(Q) * sp.Matrix([root, *WD])
    w = algebra.rotation(Q) * WD
    code = kinematics.turned.builder(sp.Matrix([H / 2 * root]), H / 2 * w, Q)["q2"]
    assert zero(papers - code, Q)


def test_the_balance_of_torques() -> None:
    """BM20 (32) times h/2, in world axes, is l1 - l0 - h tau, with l the code's momentum; its signs are right.

    l0 belongs to the knot before, q0, with q1 = q0 [c; (h/2) w0].
    """
    before = sp.Matrix([1, 4, -4, 7]) / sp.sqrt(82).evalf(40)
    w1, w0 = sp.Matrix([0.6, 0, -0.2]).evalf(40), sp.Matrix([0.3, 0.4, 1]).evalf(40)
    inertia = sp.Matrix([[3, 1, 2], [1, 5, -1], [2, -1, 7]]).evalf(40) / 4
    tau, h = sp.Matrix([1, -2, 3]).evalf(40), sp.Rational(1, 2)
    turn = [sp.Matrix([sp.sqrt(1 - h**2 / 4 * w.dot(w)), *(h / 2 * w)]) for w in (w0, w1)]
    knot = L(before) * turn[0]

    def papers(w, sign):
        return inertia * w * sp.sqrt(4 / h**2 - w.dot(w)) + sign * w.cross(inertia * w)

    def code(q, w, step):
        r = algebra.rotation(q)
        packed = sp.Matrix(body.packed(r * inertia * r.T))
        return body.angular_momentum.builder(sp.Matrix([step[0]]), r * sp.Matrix(step[1:]), r * w, packed)["l"]

    printed = papers(w1, 1) - (papers(w0, -1)) - 2 * tau
    turned = algebra.rotation(knot)
    ours = code(knot, w1, turn[1]) - code(before, w0, turn[0]) - h * turned * tau
    assert max(abs(x) for x in sp.Matrix(h / 2 * turned * printed - ours)) < 1e-35
    public_code = papers(w1, 1) - papers(w0, 1) - 2 * tau
    assert max(abs(x) for x in sp.Matrix(h / 2 * turned * public_code - ours)) > 1e-3


def test_translation() -> None:
    """BM20 (21), (22), (28)-(30): energies, and momenta as slopes of the discrete action."""
    m, g = sp.symbols("m g", positive=True)
    x1, x2, x3 = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in ("x1", "x2", "x3"))
    v1, v2 = (x2 - x1) / H, (x3 - x2) / H
    gravity = sp.Matrix([0, 0, -g])
    kinetic = [body.kinetic_energy.builder(sp.Matrix([m]), v, sp.zeros(3, 1), sp.zeros(6, 1))["T"] for v in (v1, v2)]
    weight = body.weight.builder(sp.Matrix([m]), gravity, x2)
    assert zero(weight["V"] - m * g * x2[2])
    action = sp.Matrix([H * (kinetic[0] + kinetic[1] - weight["V"])])
    momenta = [body.linear_momentum.builder(sp.Matrix([m]), v)["p"] for v in (v1, v2)]
    assert zero(action.jacobian(x2).T - (momenta[0] - momenta[1] + H * weight["f"]))


def test_a_ball_and_socket() -> None:
    """BM20 (18) is a minus b."""
    x_a, x_b, p_a, p_b = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in ("xa", "xb", "pa", "pb"))
    carried = [V * R(q).T * L(q) * V.T * p for q, p in ((Q, p_a), (P, p_b))]
    r_a, r_b = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in ("ra", "rb"))
    code = rows.coincidence.builder(x_a=x_a, r_a=r_a, x_b=x_b, r_b=r_b)["g"]
    code = code.xreplace(dict(zip([*r_a, *r_b], [*carried[0], *carried[1]], strict=True)))
    assert zero(x_a + carried[0] - (x_b + carried[1]) + code)


def test_angular_velocity_of_a_turn() -> None:
    """BM20 (16)."""
    c, rate, t = sp.Matrix([sp.Symbol("c", real=True)]), sp.Matrix([sp.Symbol("r", real=True)]), sp.Symbol("t")
    code = placing.turn_about_axis.builder(c, rate)
    moving = code["d"].xreplace({c[0]: c[0] + rate[0] * t})
    papers = 2 * V * L(moving).T * moving.diff(t)
    assert sp.simplify(papers.subs(t, 0) - code["w"]).is_zero_matrix


def test_friction_s_torque() -> None:
    """BSMH23 (4b) with Q(q)ᵀ: the power of friction is beta·B z', the body's spin in body axes."""
    d = sp.Matrix(sp.symbols("d_0:3", real=True))  # a direction
    p = sp.Matrix(sp.symbols("p_0:3", real=True))  # in body axes
    r = algebra.rotation(Q)
    sliding = algebra.dot(d, algebra.cross(r * WD, r * p))  # of the point, by spinning alone
    assert zero(sliding - algebra.dot(algebra.skew(p) * r.T * d, WD), Q)
    assert not zero(sliding - algebra.dot(algebra.skew(p) * r * d, WD), Q)


def test_a_gap_above_ground() -> None:
    """BSMH23 section 2: phi = e_z·(x + R p)."""
    given = {argument.name: symbols_of(argument) for argument in gaps.gap_to_half_space.inputs}
    found = gaps.gap_to_half_space.builder(**given)
    value = found["g"].xreplace(dict(found[INTERMEDIATES]))
    level = dict(zip([*given["n"], *given["x_a"], *given["r_a"], *given["radius"]], [0, 0, 1, *[0] * 7], strict=True))
    assert zero(value.xreplace(level) - sp.Matrix([given["x_b"][2] + given["r_b"][2]]))


def test_sections_are_cited_as_sections() -> None:
    """A bare numeral behind a paper's name is no citation that the table could know."""
    for path in sorted((Path(__file__).parents[2] / "symvi").rglob("*.py")):
        assert not re.search(r"\b(BM20|BSMH23) [IVX]+\b", path.read_text(encoding="utf-8")), path.name


def test_authors_that_sources_name_are_in_the_table() -> None:
    """A source is "derived here", a paper of the table, or an idea whose authors the table names in full."""
    authors = {name for names in IDEAS.values() for name in names}
    sources = {formula.source for formula in all_formulas().values()} | {
        spatial.SOURCE,
        carried_joint.SOURCE,
        tied.SOURCE,
    }
    named = {name for source in sources for name in re.findall(r"[A-Z][a-z]{3,}(?:-[A-Z][a-z]{3,})?", source)}
    assert named - {"Algorithm", "Algorithms", "Hooke"} <= authors
    page = (REPOSITORY / "symvi" / "manual" / "sources.md").read_text(encoding="utf-8")
    assert all(names[0] in page and reference.partition(",")[0] in page for reference, names in IDEAS.items())
