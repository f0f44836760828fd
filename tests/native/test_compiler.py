"""Which compiler is found, and what is known about it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

import pytest

from symvi.errors import CompilerError
from symvi.extras import install_command
from symvi.native import Compiler, compile_library, find_compiler, load_library
from symvi.native.compiler import identify

COMMANDS = {
    "gcc": ("gcc",),
    "clang": ("clang",),
    "tcc": ("tcc",),
    "zig": (sys.executable, "-m", "ziglang", "cc"),
}


def compiler_of_kind(kind: str) -> Compiler:
    present = importlib.util.find_spec("ziglang") if kind == "zig" else shutil.which(kind)
    if not present:
        pytest.skip(f"needs package {'ziglang' if kind == 'zig' else kind}")
    return identify(COMMANDS[kind])


# gcc 12 turns these four lines into one fused vector instruction unless its straight-line vectoriser is off
FOUR_LINES = """\
void four_lines(double *restrict o, const double *restrict a, const double *restrict b, const double *restrict c);
__attribute__((visibility("default")))
void four_lines(double *restrict o, const double *restrict a, const double *restrict b, const double *restrict c) {
  o[0] = a[0] * b[0] - c[0];
  o[1] = a[1] * b[1] + c[1];
  o[2] = a[2] * b[2] - c[2];
  o[3] = a[3] * b[3] + c[3];
}
"""

# stands in for the package, so that the search is tested where it is not installed; gcc does the work
ZIGLANG = """\
import os, sys
if sys.argv[1] == "version":
    print("9.8.7")
else:
    print(os.environ["ZIG_GLOBAL_CACHE_DIR"], os.environ["ZIG_LOCAL_CACHE_DIR"], file=open({log!r}, "a"))
    flags = [word for word in sys.argv[2:] if not word.startswith("-mcpu=") and not word.endswith("-vectorize")]
    os.environ["PATH"] = {path!r}
    os.execv({gcc!r}, ["gcc", *flags])
"""


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """A search path with nothing on it but what a test puts there, and no ziglang."""
    (tmp_path / "tools").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    monkeypatch.setitem(sys.modules, "ziglang", None)


@pytest.mark.parametrize("profile", ["reproducible", "fast"])
@pytest.mark.parametrize("kind", COMMANDS)
def test_every_compiler_builds_in_both_profiles(kind, profile, sources, declarations):
    compiler = compiler_of_kind(kind)
    assert compiler.kind == kind
    assert any(digit in compiler.version for digit in "0123456789")
    library = load_library(compile_library(sources, "pend", profile=profile, compiler=compiler), declarations)
    state = library.ffi.new("pend_state *", {"length": 2.25, "angle": [1.0, 0.0]})
    assert library.lib.pend_step(state, 2.0) == 7
    assert state.angle[1] == 1.0 + 2.0 * 1.5
    if kind != "tcc":  # tcc exports every function
        with pytest.raises(CompilerError, match="pend_internal"):
            load_library(library.path, "double pend_internal(double a);")


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_reproducible_profile_rounds_every_product(kind, sources, declarations):
    """Also on a processor with fused multiply-add: (1+e)(1-e) = 1 - e² rounds to 1, fused with -1 it leaves -e²."""
    compiler = compiler_of_kind(kind)
    native = {"zig": ("-mcpu=native",), "tcc": ()}.get(kind, ("-march=native",))
    library = load_library(compile_library(sources, "pend", compiler=compiler, flags=native), declarations)
    tiny = 2.0**-30
    assert library.lib.pend_fused(1 + tiny, 1 - tiny, -1.0) == 0.0

    four = compile_library({"four.c": FOUR_LINES}, "four", compiler=compiler, flags=native)
    library = load_library(four, "void four_lines(double *o, double *a, double *b, double *c);")
    new = library.ffi.new
    result = new("double[4]")
    factors = new("double[4]", [1 + tiny] * 4), new("double[4]", [1 - tiny] * 4)
    library.lib.four_lines(result, *factors, new("double[4]", [1, -1, 1, -1]))
    assert list(result) == [0.0] * 4


def test_search_order(bare_machine, script):
    """cc, gcc, clang, tcc, then nothing."""
    for name in ("cc", "gcc", "clang", "tcc"):
        script(name=name)
    for name in ("cc", "gcc", "clang", "tcc"):
        found = find_compiler()
        assert found is not None and found.command == (name,)
        assert found.kind == "gcc"  # by what it does, not by what it is called
        (script(name=name)).unlink()
    assert find_compiler() is None


def test_the_environment_comes_first(bare_machine, script, monkeypatch):
    for name in ("cc", "gcc", "tcc"):
        script(name=name)
    monkeypatch.setenv("CC", "gcc")
    assert find_compiler().command == ("gcc",)
    monkeypatch.setenv("SYMVI_CC", "tcc")
    assert find_compiler().command == ("tcc",)


def test_the_package_ziglang_comes_last(tmp_path, own_cache, script, monkeypatch):
    """Called as a module of this very Python, with caches that need no home."""
    package = tmp_path / "site" / "ziglang"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "zig").touch()
    main = ZIGLANG.format(log=str(tmp_path / "log"), path=os.environ["PATH"], gcc=shutil.which("gcc"))
    (package / "__main__.py").write_text(main)
    monkeypatch.delenv("ZIG_GLOBAL_CACHE_DIR", raising=False)
    monkeypatch.setenv("ZIG_LOCAL_CACHE_DIR", "/chosen/by/the/user")
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    assert find_compiler() == Compiler((sys.executable, "-m", "ziglang", "cc"), "zig", "zig 9.8.7")
    assert (tmp_path / "log").read_text() == f"{own_cache / 'zig'} /chosen/by/the/user\n"
    script(name="tcc")
    assert find_compiler().command == ("tcc",)


@pytest.mark.parametrize("variable", ["SYMVI_CC", "CC"])
def test_a_command_with_words(variable, monkeypatch, sources, declarations):
    monkeypatch.setenv(variable, "env gcc")
    assert find_compiler().command == ("env", "gcc")
    assert find_compiler().kind == "gcc"
    assert load_library(compile_library(sources, "pend"), declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0


def test_a_path_with_spaces_needs_no_quotes(tmp_path, script, monkeypatch):
    folder = tmp_path / "my tools"
    folder.mkdir()
    script().rename(folder / "cc")
    monkeypatch.setenv("CC", str(folder / "cc"))
    assert find_compiler().command == (str(folder / "cc"),)
    monkeypatch.setenv("CC", f"env '{folder / 'cc'}'")
    assert find_compiler().command == ("env", str(folder / "cc"))


@pytest.mark.parametrize("variable", ["SYMVI_CC", "CC"])
@pytest.mark.parametrize("text", ["no-such-cc", "false", "gcc --no-such-flag", "'gcc"])
def test_a_given_compiler_that_does_not_work_is_named(variable, text, monkeypatch, sources):
    monkeypatch.setenv(variable, text)
    with pytest.raises(CompilerError, match="not a working C compiler") as caught:
        compile_library(sources, "pend")
    assert f"{variable}={text}" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "exit 1",
        "exit 0",
        'while [ "$1" != -o ]; do shift; done; echo "for another processor" > "$2"',
        'case "$*" in *-shared*) echo "math.h: no such file"; exit 1;; *) real "$@";; esac',
    ],
    ids=["fails", "makes nothing", "cross compiler", "no C library headers"],
)
def test_a_compiler_that_does_not_work_is_passed_over(text, bare_machine, script):
    script(text, name="cc")
    assert find_compiler() is None
    script(name="gcc")
    assert find_compiler().command == ("gcc",)


def test_no_compiler_is_one_line_that_says_what_to_install(bare_machine, sources):
    with pytest.raises(CompilerError) as caught:
        compile_library(sources, "pend")
    message = str(caught.value)
    assert "\n" not in message
    assert "gcc or clang" in message and install_command("zig") in message


def test_a_compiler_is_tried_once_until_its_file_changes(tmp_path, script, monkeypatch):
    calls = tmp_path / "calls"
    compiler = script(f'echo "$*" >> "{calls}"; real "$@"')
    monkeypatch.setenv("SYMVI_CC", str(compiler))
    first = find_compiler()
    tried = calls.read_text()
    assert find_compiler() == first
    assert calls.read_text() == tried
    os.utime(compiler, ns=(0, 0))
    assert find_compiler() == first
    assert calls.read_text() == 2 * tried


def test_a_damaged_record_of_compilers_is_made_anew(own_cache):
    first = find_compiler()
    (own_cache / "compilers.json").write_text('{"half')
    assert find_compiler() == first
