"""What `symvi derive` prints is right: it is evaluated and verified like a user's claim."""

from __future__ import annotations

import re

import pytest

import symvi.verify as verify
from symvi.derive import own, own_names
from symvi.derive.derivation import derivation
from tests.support.subset import first_of


def as_claim(found, names: list[str]):
    """A derivation as a function of arguments with these names."""
    scope: dict = {"found": found}
    exec(f"def claim({', '.join(names)}): return found.values(dict({', '.join(f'{n}={n}' for n in names)}))", scope)
    return scope["claim"]


@pytest.mark.parametrize("side", first_of(["body", "world"]))
@pytest.mark.parametrize("name", first_of(own_names(), kept=8))
def test_what_is_printed_is_the_derivative(name: str, side: str) -> None:
    found = derivation(name, side=side, axes="joint")
    function = own(name, side=side, axes="joint", offset=True)
    report = verify.derivative(function, as_claim(found, list(function.variables)), wrt=found.wrt)
    assert report.right, str(report)


@pytest.mark.parametrize(("tangent", "axes"), [("half", "joint"), ("rotation vector", "world")])
def test_a_revolute_joint_in_the_papers_tangent_and_in_world_axes(tangent: str, axes: str) -> None:
    found = derivation("revolute", tangent=tangent, axes=axes, scale=1)
    function = own("revolute", tangent=tangent, axes=axes, offset=True, scale=1)
    assert verify.derivative(function, as_claim(found, list(function.variables)), wrt=found.wrt).right


def test_a_revolute_joint_reads_as_in_the_papers() -> None:
    """With u = R_aᵀ(x_b + R_b p_b - x_a): dg/dtheta_a = A R_offᵀ u^, since p_a's share is A R_offᵀ p_a^."""
    assert derivation("spherical", axes="joint").text().splitlines()[-3:] == [
        "  dg/dtheta_a = A R_offᵀ (R_aᵀ u)^ + A R_offᵀ p_a^",
        "  dg/dx_b = A R_offᵀ R_aᵀ",
        "  dg/dtheta_b = -A R_offᵀ R_aᵀ R_b p_b^",
    ]


def test_latex_names_every_variable_and_closes_what_it_opens() -> None:
    text = derivation("revolute", axes="joint").latex()
    assert r"\frac{\partial g}{\partial \theta_{a}}" in text and r"R_{\mathrm{off}}^{\mathsf T}" in text
    assert text.count(r"\begin{") == text.count(r"\end{") and text.count("{") == text.count("}")


@pytest.mark.parametrize("name", own_names())
def test_latex_sets_no_word_as_a_product_of_letters(name: str) -> None:
    lines = [line for line in derivation(name).latex().splitlines() if not line.startswith("%")]
    body = re.sub(r"\\(begin|end|mathrm|text|operatorname|mathsf)\{[^}]*\}|\\[a-zA-Z]+", " ", "\n".join(lines))
    assert not re.findall(r"[a-zA-Z]{2,}", body), body


@pytest.mark.parametrize("name", own_names())
def test_equal_terms_are_gathered(name: str) -> None:
    found = derivation(name)
    for terms in (block for by in found.wrt for block in found.blocks(by)):
        factors = [tuple(factor.text for factor in term.factors) for term in terms]
        assert len(set(factors)) == len(factors)


def test_a_kinetic_energy_has_its_momenta() -> None:
    assert derivation("kinetic_energy").text().splitlines()[-2:] == ["  dT/dv = m vᵀ", "  dT/dw = wᵀ J"]


def test_what_derive_prints_is_what_verify_asks_for() -> None:
    """The defaults of both are the same: rows in world axes."""
    found = derivation("revolute")
    function = own("revolute", offset=True)
    assert verify.derivative(function, as_claim(found, list(function.variables)), wrt=found.wrt).right


def test_the_heading_says_what_was_chosen() -> None:
    first = derivation("revolute", axes="joint", scale=1, side="world").text().splitlines()[0]
    assert first.endswith("axes joint, scale 1, rotation vector, world side")
    assert derivation("position_update").text().splitlines()[0] == "position_update (BM20 (30))"


SYMBOLS = {
    "world_inertia": ("e_i", "J"),
    "revolute": ("x", "q", "R(q)", "p_a", "[a1 a2]", "q_off", "V", "L(p)", "R(p)", "v^", "I"),
    "screw": ("S", "pitch", "a3", "R_off"),
    "distance": ("L",),
    "rotational_residual": ("w", "J", "h", "tau"),
    "half_space": ("p", "n", "o", "r"),
}


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_symbol_has_its_line(name: str) -> None:
    """And no line says what does not occur: a distance has no axes, a rotation no step."""
    said = [line.strip().partition(":")[0] for line in derivation(name).text().splitlines()]
    for symbol in SYMBOLS[name]:
        assert any(symbol in found.removesuffix(" before Vᵀ").split(", ") for found in said), symbol
    assert "A" not in said and ("h" in said) == (name == "rotational_residual")
