"""A quick compiler for tests of motion: every compiler makes the same bits, as tests/simulate/test_golden.py shows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def compiling_quickly() -> Iterator[None]:
    """tcc where it is installed and nothing else was asked for: gcc takes longer to compile than these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        if shutil.which("tcc") and not (os.environ.get("SYMVI_CC") or os.environ.get("CC")):
            patch.setenv("SYMVI_CC", "tcc")
        yield


@pytest.fixture(autouse=True, scope="module")
def compiled_quickly() -> Iterator[None]:
    """For all tests of a module that imports it."""
    with compiling_quickly():
        yield
