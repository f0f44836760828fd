"""The papers that code and generated files cite: what every cited number is, and in which edition.

A citation is the paper's short name and what it points at: BM20 (31), BSMH23 (27a)-(27c), BM20 Algorithms 1-4,
BSMH23 section 2, JM09 Fig. 8. `missing` finds those of a text that this table does not have. An entry that was not
seen stands in a part of the paper that was not at hand: what the code does there was worked out anew, and proofs and
tests vouch for it. `ours` says where the code differs, by convention or because the paper errs; it was derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """What a citation points at, in words or in the paper's letters; ours: where the code differs from it, and why."""

    words: str
    ours: str = ""
    seen: bool = True


@dataclass(frozen=True)
class Paper:
    """A paper: how it is cited in full, the edition whose numbers are meant, other names for it, what is cited."""

    reference: str
    edition: str
    names: tuple[str, ...]
    entries: Mapping[str, Entry]


# Works that are cited whole, for an idea: the formulas were worked out here. What stands before their references is how
# code names them. None of them was at hand.
IDEAS: Mapping[str, tuple[str, ...]] = {
    "Y. E. Nesterov, M. J. Todd, Self-Scaled Barriers and Interior-Point Methods for Convex Programming, Mathematics "
    "of Operations Research, 1997: the scaling of a second-order cone": ("Nesterov-Todd", "Nesterov and Todd"),
    "S. Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, SIAM Journal on Optimization, 1992: "
    "predictor, centring and second-order corrector": ("Mehrotra",),
    "W. Liniger, R. A. Willoughby, Efficient Integration Methods for Stiff Systems of Ordinary Differential Equations, "
    "SIAM Journal on Numerical Analysis, 1970: a weight between knots that is exact for one decay": (
        "Liniger-Willoughby",
    ),
    "R. Featherstone, Rigid Body Dynamics Algorithms, Springer, 2008: articulated bodies and sums over a tree": (
        "Featherstone",
    ),
}

PAPERS: Mapping[str, Paper] = {
    "BM20": Paper(
        "J. Brüdigam, Z. Manchester, Linear-Time Variational Integrators in Maximal Coordinates, WAFR 2020",
        "sections 1 to 6, equations (1) to (38), 19 references; its appendix was not at hand",
        ("BM20", "Brüdigam & Manchester 2020"),
        {
            "(3)": Entry("q p = [q_w p_w - q_v·p_v; q_w p_v + p_w q_v + q_v x p_v]"),
            "(6)": Entry("x^, the matrix of a cross product: x1 x x2 = x1^ x2"),
            "(7)": Entry("T = diag(1, -1, -1, -1)"),
            "(8)": Entry("L(q) = [q_w, -q_vᵀ; q_v, q_w I + q_v^]"),
            "(9)": Entry("R(q) = [q_w, -q_vᵀ; q_v, q_w I - q_v^]", "the code calls rotation matrices R as well"),
            "(10)": Entry("V = [0, I]"),
            "(11)": Entry("q1 q2 = L(q1) q2 = R(q2) q1"),
            "(12)": Entry("the inverse of a unit quaternion is T q"),
            "(13)": Entry("the vector part is V q"),
            "(14)": Entry("a vector as a quaternion is Vᵀ x"),
            "(15)": Entry("q x q* = V R(q)ᵀ L(q) Vᵀ x, the rotation of a vector from body to world axes"),
            "(16)": Entry("omega = 2 V L(q)ᵀ q', in body axes"),
            "(17)": Entry(
                "rotational gradient V L(q)ᵀ (df/dq)ᵀ",
                "twice the derivative by a rotation vector in body axes; the code has the derivative itself, in world "
                "axes, so that a torque counts once",
            ),
            "(18)": Entry(
                "g = x_a + R_a p_a - (x_b + R_b p_b), a ball and socket",
                "b minus a: rows and impulses change their sign together, the reaction is then the one on body b",
            ),
            "(19)": Entry("action S0 = ∫ L dt"),
            "(20)": Entry("L = T - V"),
            "(21)": Entry("T = (1/2) vᵀ M v, of translation"),
            "(22)": Entry("V = g e_zᵀ M x", "gravity in any direction"),
            "(23)": Entry("the action as a sum of integrals over steps"),
            "(24)": Entry("discrete action: the sum of ((1/2) v_kᵀ M v_k - g e_zᵀ M x_k) h"),
            "(25)": Entry("v_k = (x_k+1 - x_k)/h"),
            "(26)": Entry("the action with forces and constraints: + ∫ Fᵀx dt + ∫ lambdaᵀ g dt"),
            "(27)": Entry("its discrete sum: + (F_kᵀ x_k + lambda_kᵀ g(x_k)) h"),
            "(28)": Entry(
                "its gradient by x2: M v1 - M v2 + h (-g M e_z + F2 + Gᵀ lambda2) = 0",
                "the momenta M v1 and M v2 are the slot derivatives of the steps that meet at the knot",
            ),
            "(29)": Entry(
                "d_T = M ((v2 - v1)/h + g e_z) - F2 - Gᵀ lambda2 = 0", "times h: residuals and impulses are in N s"
            ),
            "(30)": Entry("x3 = x2 + h v2"),
            "(31)": Entry(
                "q3 = (h/2) L(q2) [sqrt((2/h)² - w2·w2); w2], w in body axes",
                "q3 = [c; (h/2) w2] q2 with w in world axes: the same turn",
            ),
            "(32)": Entry(
                "d_R = J w2 sqrt(4/h² - w2·w2) + w2 x J w2 - J w1 sqrt(4/h² - w1·w1) + w1 x J w1 - 2 tau2 - Gᵀ lambda2",
                "times h/2 and in world axes: residuals and impulses are in N m s, and G is half of the paper's. All "
                "signs are right as printed; public code has - w1 x J w1",
            ),
            "(33)": Entry("f = [d; g]"),
            "(34)": Entry("f(s) = 0, s = (v2, w2, lambda2)"),
            "(35)": Entry("Newton's iteration"),
            "(36)": Entry("its increment"),
            "(37)": Entry("F = df/ds = [D, Gᵀ; G, 0]", "the upper right block is -Gᵀ by (29) and (32)"),
            "section 4.2": Entry("elimination of the sparse system from the leaves to a root", "not any root will do"),
            "Algorithm 1": Entry("dense LDU factorisation in place", "line 3 runs to i - 1"),
            "Algorithm 2": Entry("dense back-substitution", "line 8 has the index j in s"),
            "Algorithm 3": Entry("sparse LDU factorisation in place"),
            "Algorithm 4": Entry("sparse back-substitution", "lines 4 and 7 lack indices; the root has no parent"),
            "Fig. 4": Entry("energy, drift, time of a Newton step, convergence of Newton's method"),
            "Fig. 5": Entry("time of 1000 steps of pendulums and closed chains"),
            "Fig. 7": Entry("time of 1000 steps of chains of four-bar segments"),
            "Fig. 8": Entry("time of 1000 steps at three tolerances"),
        },
    ),
    "BSMH23": Paper(
        "J. Brüdigam, S. Sosnowski, Z. Manchester, S. Hirche, Variational Integrators and Graph-Based Solvers for "
        "Multibody Dynamics in Maximal Coordinates, Multibody System Dynamics, 2023",
        "the journal's page, equations (1a) to (33); appendices A to E and formulas that are pictures were not at hand",
        ("BSMH23", "Brüdigam, Sosnowski, Manchester & Hirche 2023"),
        {
            "(1a)": Entry(
                "wrench of an actuator on body a", "at the point where the force acts, not at p_a", seen=False
            ),
            "(4a)": Entry("B_xᵀ = [b_1, -b_1, ..., -b_n/2], the directions of friction"),
            "(4b)": Entry(
                "B_qᵀ = p^ Q(q) B_xᵀ",
                "Q(q)ᵀ, the directions in body axes; p to the point that touches, radius included",
            ),
            "(5)": Entry("action with virtual work ∫ [f; 2 L(q) Vᵀ tau]·z dt"),
            "(6)": Entry("its translational part"),
            "(7)": Entry("v_k = (x_k+1 - x_k)/h"),
            "(8)": Entry("discrete action sum of translation"),
            "(9)": Entry("its gradient by x1 is -h d_T = 0"),
            "(10)": Entry(
                "d_T = M (v1 - v0)/h + dV/dx1 - f1 = 0", "the last line; the middle one has h where h² belongs"
            ),
            "(11)": Entry("x1 = x0 + h v0"),
            "(12)": Entry(
                "rotational part of the action, with work 2 tauᵀ V L(q)ᵀ q",
                "V L(q)ᵀ q is zero for every q: it is virtual work with L held fixed",
            ),
            "(13)": Entry("[sqrt((2/h)² - w·w); w] = (2/h) L(q_k)ᵀ q_k+1"),
            "(14)": Entry("discrete action sum of rotation", "as in (12)"),
            "(15)": Entry("its rotational gradient by q1 is -h d_R = 0"),
            "(16)": Entry(
                "d_R = J w1 sqrt(4/h² - w1·w1) + w1 x J w1 - J w0 sqrt(4/h² - w0·w0) + w0 x J w0 + dV/dq - 2 tau",
                "the torque is tau_1, of the knot; times h/2 and in world axes as BM20 (32)",
            ),
            "(20a)": Entry("d = d_0 - G(z1)ᵀ lambda1 = 0", "times h: impulses"),
            "(20b)": Entry("g(z2) = 0", "over h: velocities"),
            "(24a)": Entry("d = d_0 - N(z1)ᵀ gamma1 = 0", "times h: impulses"),
            "(24b)": Entry("0 <= phi(z2) ⊥ gamma1 >= 0", "over h: velocities"),
            "(27a)": Entry("B z' + E psi - eta = 0"),
            "(27b)": Entry("0 <= C_f gamma - Eᵀ beta ⊥ psi >= 0"),
            "(27c)": Entry("0 <= beta ⊥ eta >= 0"),
            "(28a)": Entry(
                "d = d_0 - N(z1)ᵀ gamma1 - B(z1)ᵀ beta1 = 0",
                "with the papers' doubled gradients B_q lacks a factor 2; the code has none of these factors",
            ),
            "section 2": Entry("kinetic energy, joints, gaps, friction: n·(x + R p) >= 0 for a point above ground"),
            "section 4": Entry("elimination on the graph of a mechanism"),
            "appendix B": Entry("rows of the standard joints", "the rows of joint_table.py", seen=False),
            "appendix D": Entry(
                "a basic interior-point method", "as public code has it, its errors left out", seen=False
            ),
            "Fig. 7": Entry("drift, energy, a damped pendulum, a cube that falls"),
            "Fig. 8": Entry("time of 1000 steps of pendulums, and of chains of spheres on the ground"),
            "Fig. 9": Entry("time of four-bar chains; elimination on ladders, nets, crystals"),
            "Fig. 11": Entry("iterations and errors of scaled pendulums at small steps"),
            "Fig. 12": Entry("the double four-bar"),
            "Fig. 13": Entry("a quadruped that learns to walk"),
            "Fig. 14": Entry("an exoskeleton that moves an arm, healthy and spastic"),
        },
    ),
    "JM09": Paper(
        "E. R. Johnson, T. D. Murphey, Scalable Variational Integrators for Constrained Mechanical Systems in "
        "Generalized Coordinates, IEEE Transactions on Robotics, 2009",
        "sections I to VIII, equations (1) to (47)",
        ("JM09", "Johnson & Murphey 2009"),
        {
            "(22)": Entry(
                "D2 D1 L_d of the midpoint rule", "its two mixed terms are each other's transposes, not the same matrix"
            ),
            "(37)": Entry("h = |p1 - p2|² - L²", "over 2 L: metres near zero"),
            "section IV-B": Entry("continuous dynamics of the same Lagrangian"),
            "section IV-C": Entry(
                "potentials: gravity, and a spring between two points of length x = (vᵀv)^(1/2), v = p1 - p2",
                "the first term of the second derivative of x has the factor -1, not -1/2",
            ),
            "section IV-D": Entry("holonomic constraints: impulses along their gradients at the first knot"),
            "section IV-D4": Entry("h = n·(p1 - p2), points that coincide along a direction"),
            "(44)": Entry("the integrator with constraints: h(q_(k+1)) = 0, impulses Dh(q_k)ᵀ λ_k"),
            "(45)": Entry("the same, with what does not depend on q_(k+1) and λ_k known: p_k and π_k = Dh(q_k)"),
            "section V": Entry("trep, its integrator and its descriptions"),
            "section V-A": Entry(
                "the midpoint rule with alpha in its integrator",
                "alpha stands before q_(k+1) once more; loops run while |f| > tolerance, not below it",
            ),
            "section VI": Entry("examples"),
            "section VI-B": Entry("a closed chain of seven bars"),
            "section VI-C": Entry(
                "a scissor lift and its Lagrangian", "sin² has the factor 1/4, and I stands outside m L²"
            ),
            "Table II": Entry("the words of a description"),
            "Listing 1": Entry("the description of the system in Fig. 6", "a bracket is missing"),
            "Fig. 1": Entry("energy of a pendulum, beside that of an integrator of its accelerations"),
            "Fig. 7": Entry("times of pendulums of many links"),
            "Fig. 8": Entry("energy and gap of the closed chain"),
            "Fig. 10": Entry("the scissor lift"),
            "Fig. 11": Entry("its angle against the Lagrangian of one freedom"),
        },
    ),
    "Fan18": Paper(
        "T. Fan, J. Schultz, T. Murphey, Efficient Computation of Higher-Order Variational Integrators in Robotic "
        "Simulation and Trajectory Optimization, WAFR 2018",
        "sections 1 to 7; its supplementary appendix was not at hand",
        ("Fan18",),
        {
            "section 3.2": Entry("Newton's direction", "-J^-1 r: the inverse is missing"),
            "section 3.3": Entry("the same with constraints", "(Dh J^-1 A)^-1: the inverse is missing"),
            "Algorithm 1": Entry("the discrete Euler-Lagrange equations by recursion"),
            "Algorithm 2": Entry("derivatives of kinetic energy by recursion", "line 4: Ad^-T M Ad^-1"),
            "Algorithm 3": Entry("second derivatives of gravity's energy by recursion, O(n²)"),
            "Fig. 4": Entry("a biped with sprung ankles that leaps over 0.16 m"),
            "Fig. 6": Entry("a humanoid that takes a ball, on one flat foot"),
        },
    ),
    "Lee16": Paper(
        "J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A Linear-Time Variational Integrator for Multibody Systems, "
        "WAFR 2016",
        "the text with equations to (21) and further",
        ("Lee16",),
        {
            "section 3.2": Entry("a root by impulses at the first knot, in linear time"),
            "section 3.3": Entry("three starts of an iteration"),
            "Algorithm 3": Entry("RIQN: the inverse mass matrix, times the step, for that of the slopes"),
            "(16b)": Entry("second slope of the discrete Lagrangian: -Adᵀ dlogᵀ G V + ...", "plus, as (21a) has it"),
            "(16c)": Entry("first slope of the discrete Lagrangian: dlogᵀ G V + ...", "minus, as (21a) has it"),
        },
    ),
}

_NUMBER = r"\((\d+)([a-f]?)\)"
_GAP = re.compile(r"(?:[,;]?\s*(?:and\s+)?)?")
_EQUATIONS = re.compile(_NUMBER + "(?:-" + _NUMBER + ")?")
_PARTS = re.compile(
    r"[Ss]ections?\s+([\dIVX]+(?:\.\d+)?(?:-[A-Z]\d?)?)|([Aa]ppendix\s+[A-Z])\b|(Table\s+[IVX]+|Listing\s+\d+)"
)
_ALGORITHMS = re.compile(r"Algorithms?\s+(\d)(?:(?:-|\s+and\s+)(\d))?")
_FIGURES = re.compile(r"Figs?\.\s+((?:\d+[a-d]?(?:-[a-d])?(?:,\s+|\s+and\s+)?)+)")
_BEFORE = re.compile(r"(Figs?\.\s+\d+[a-d]?|Listing\s+\d+|Table\s+[IVX]+)\s+of\s+$")


def citations(text: str) -> Iterator[tuple[str, str]]:
    """Every citation of a text: the paper's short name and one key of its entries. Line breaks do not matter."""
    text = re.sub(r"\s*\n\s*(?:#|\*|/\*)?\s*", " ", text.replace("*/\n", "\n"))
    for short, paper in PAPERS.items():
        for name in paper.names:
            for found in re.finditer(rf"{re.escape(name)}\b", text):
                yield from ((short, key) for key in _behind(text, found.end()))
                before = _BEFORE.search(text, max(0, found.start() - 40), found.start())
                if before:
                    yield from ((short, key) for key in _behind(before[1], 0))


def missing(text: str) -> list[str]:
    """The citations of a text that the table does not have."""
    return [f"{short} {key}" for short, key in citations(text) if key not in PAPERS[short].entries]


def _behind(text: str, place: int) -> Iterator[str]:
    """The keys that follow each other from a place on."""
    while True:
        gap = _GAP.match(text, place)
        place = gap.end() if gap else place
        for pattern, keys in ((_EQUATIONS, _of_equations), (_PARTS, _of_parts), (_ALGORITHMS, _of_algorithms),
                              (_FIGURES, _of_figures)):  # fmt: skip
            found = pattern.match(text, place)
            if found:
                yield from keys(found)
                place = found.end()
                break
        else:
            return


def _of_equations(found: re.Match) -> Iterator[str]:
    first, letter, last, end = found.groups()
    if last is None:
        yield f"({first}{letter})"
    elif letter:
        yield from (f"({first}{chr(code)})" for code in range(ord(letter), ord(end) + 1))
    else:
        yield from (f"({number})" for number in range(int(first), int(last) + 1))


def _of_parts(found: re.Match) -> Iterator[str]:
    section, appendix, other = found.groups()
    yield f"section {section}" if section else " ".join((appendix or other).split())


def _of_algorithms(found: re.Match) -> Iterator[str]:
    first, last = int(found[1]), int(found[2] or found[1])
    yield from (f"Algorithm {number}" for number in range(first, last + 1))


def _of_figures(found: re.Match) -> Iterator[str]:
    yield from dict.fromkeys(f"Fig. {number}" for number in re.findall(r"\d+", found[1]))
