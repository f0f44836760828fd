"""A kernel stores once to a place: what it adds in several terms is one store, and a second store is refused."""

from __future__ import annotations

import pytest

from symvi.kernels.kernel import Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace


def traced() -> Trace:
    return Trace(Records(), (Port("i", "body"),), "i", "an example")


def test_terms_of_a_state_are_summed() -> None:
    trace = traced()
    p = trace.read("i", "state", "p")[0]
    q = trace.read("i", "state", "q")[0]
    trace.add_to_state("i", "p", [q])
    trace.add_to_state("i", "p", [q * q])
    ((_, _, total),) = trace.writes
    assert total == p + q + q * q


def test_a_second_store_is_refused() -> None:
    trace = traced()
    value = trace.read("i", "state", "p")[0]
    trace.write("i", "p", [2 * value], store="state")
    trace.write("i", "p", [3 * value], store="state")
    with pytest.raises(ValueError, match="stores twice"):
        trace.kernels("example")
