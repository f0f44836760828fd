"""What the tests of native code share: a cache of their own, a small library, and compilers made of shell scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
# gcc as a shell command that works whatever the search path is changed to
REAL_GCC = f'PATH="{os.environ["PATH"]}" {shutil.which("gcc")}'

# exports as the generated C marks them: a macro with the library's prefix
HEADER = """\
#if defined(__GNUC__)
#define PEND_API __attribute__((visibility("default")))
#else
#define PEND_API
#endif
typedef struct { double length; double angle[2]; } pend_state;
PEND_API int pend_step(pend_state *state, double step);
PEND_API double pend_fused(double a, double b, double c);
double pend_internal(double a);
"""
SOURCE = """\
#include "pend.h"
#if defined(__GNUC__) && !defined(__TINYC__)
#define PEND_SQRT(x) __builtin_sqrt(x)
#else
#include <math.h>
#define PEND_SQRT(x) sqrt(x)
#endif
double pend_internal(double a) { return PEND_SQRT(a); }
int pend_step(pend_state *state, double step) {
  state->angle[1] = state->angle[0] + step * pend_internal(state->length);
  return 7;
}
double pend_fused(double a, double b, double c) { return a * b + c; }
"""
DECLARATIONS = """\
typedef struct { double length; double angle[2]; } pend_state;
int pend_step(pend_state *state, double step);
double pend_fused(double a, double b, double c);
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and no compiler chosen by the environment."""
    shared = os.environ.get("SYMVI_CACHE")
    if shared:  # zig's first call compiles for seconds what its later calls use; that is not tested here
        monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(Path(shared) / "zig"))
    for variable in ("SYMVI_CC", "CC"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def sources() -> dict[str, str]:
    return {"pend.h": HEADER, "pend.c": SOURCE}


@pytest.fixture
def declarations() -> str:
    return DECLARATIONS


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Path]:
    """Make a compiler out of a shell script; in its text, `real` is gcc."""

    def make(text: str = 'real "$@"', name: str = "cc") -> Path:
        file = tmp_path / "tools" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'#!/bin/sh\nreal() {{ {REAL_GCC} "$@"; }}\n{text}\n')
        file.chmod(0o755)
        return file

    return make


@pytest.fixture
def python() -> Callable[..., subprocess.Popen[str]]:
    """Start a fresh Python process on a text, from another folder than the checkout's."""

    def start(text: str, *arguments: str, **variables: str | None) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
        return subprocess.Popen(
            [sys.executable, "-c", text, *arguments],
            env={name: value for name, value in environment.items() if value is not None},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start
