"""A kernel writes the very fields that it reads: no value may be loaded after a store to the same place."""

from __future__ import annotations

import pytest

from symvi.demos import demo_file, demo_names
from symvi.emit.printer import Language, statements
from symvi.emit.python import access
from symvi.mechanism import Mechanism
from symvi.simulate.solver_build import composed
from tests.support.subset import first_of

LANGUAGE = Language(str, access, lambda name, arguments: f"{name}({', '.join(arguments)})")


@pytest.mark.parametrize("name", first_of(demo_names(), kept=2))
def test_nothing_is_loaded_after_it_was_overwritten(name: str) -> None:
    for kernel in composed(Mechanism.from_file(demo_file(name))).kernels():
        stored: set[str] = set()
        for statement in statements(kernel, LANGUAGE):
            if statement.kind == "store":
                stored.add(statement.target)
            elif statement.kind == "load":
                assert statement.expression not in stored, f"{kernel.name} loads {statement.expression} too late"
