"""Names of kernels and types of nodes: as long as compilers tell apart, and never twice."""

from __future__ import annotations

from symvi.program.program import LONGEST, free_name


def test_a_name_that_is_taken_gets_a_member_then_a_number() -> None:
    assert free_name("factor_body", ["left arm"], set()) == "factor_body"
    assert free_name("factor_body", ["left arm"], {"factor_body"}) == "factor_body_left_arm"
    assert free_name("factor_body", ["left arm"], {"factor_body", "factor_body_left_arm"}) == "factor_body_2"


def test_long_names_stay_apart_and_within_what_compilers_read() -> None:
    """One hundred nodes of one type with long names, and members that are longer still."""
    taken: set[str] = set()
    for k in range(100):
        taken.add(free_name("update_" + 56 * "x", [f"{k} " + 70 * "y"], taken))
    assert len(taken) == 100 and max(map(len, taken)) == LONGEST
