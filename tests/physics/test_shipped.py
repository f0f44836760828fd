"""The formulas that come with symvi are those that this source derives."""

from __future__ import annotations

import os
import subprocess
import sys

from symvi.physics import store
from symvi.physics.deriving import declared, derived_text

AGAIN = "the mathematics has changed: write symvi/physics/derived.json again, by `python3 -m symvi.physics.deriving`"


def test_they_are_what_this_source_derives() -> None:
    assert store.SHIPPED.read_text(encoding="utf-8") == derived_text(), AGAIN


def test_they_are_used_and_of_every_type(monkeypatch) -> None:
    assert set(declared()) == set(store.shipped()), AGAIN
    name = "angular_momentum"
    assert store.load(name) == store.shipped()[name]
    monkeypatch.setattr(store, "shipped", lambda: {name: "what it holds"})
    assert store.load(name) == "what it holds"


def test_those_of_another_source_are_passed_over(monkeypatch) -> None:
    monkeypatch.setattr(store, "sources", lambda: "of another source")
    assert store.shipped.__wrapped__() == {}


def test_a_first_step_does_without_sympy(tmp_path) -> None:
    """A fresh cache: nothing of symvi's own is derived."""
    script = """
import sys
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.simulate.simulator import generate_text
for name in ("double_pendulum", "four_bar"):
    generate_text(Mechanism.from_file(demo_file(name)))
print("sympy" in sys.modules)
"""
    environment = {**os.environ, "SYMVI_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
