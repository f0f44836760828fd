"""Loading a compiled library into Python."""

from __future__ import annotations

import threading

import cffi
import pytest

from symvi.errors import CompilerError
from symvi.native import cffi_tables, compile_library, load_library

WAITER = """\
__attribute__((visibility("default"))) int waiter_wait(const volatile int *flag);
int waiter_wait(const volatile int *flag) {
  long rounds;
  for (rounds = 0; rounds < 20000000000L; rounds++) { if (*flag) { return 1; } }
  return 0;
}
"""


def test_functions_structs_and_constants(sources, declarations):
    path = compile_library(sources, "pend")
    library = load_library(path, declarations + "#define PEND_SIZE 3\nenum { PEND_OK = 0, PEND_FAILED = -2 };")
    assert library.path == path
    state = library.ffi.new("pend_state *", {"length": 4.0, "angle": [1.0, 0.0]})
    assert library.lib.pend_step(state, 0.5) == 7
    assert list(state.angle) == [1.0, 2.0]
    assert library.ffi.sizeof("pend_state") == 24
    assert (library.lib.PEND_SIZE, library.lib.PEND_FAILED) == (3, -2)


def test_declarations_are_parsed_once(sources, declarations, monkeypatch, own_cache):
    path = compile_library(sources, "pend")
    load_library(path, declarations)
    assert len(list((own_cache / "declarations").iterdir())) == 1

    def parsed_again():
        raise AssertionError("parsed again")

    monkeypatch.setattr(cffi, "FFI", parsed_again)
    monkeypatch.setattr(cffi_tables, "module_of", lambda declarations: parsed_again())
    assert load_library(path, declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0
    with pytest.raises(AssertionError):
        load_library(path, declarations + "\n")


def test_loading_says_nothing(sources, declarations, capfd):
    load_library(compile_library(sources, "pend"), declarations)
    assert capfd.readouterr() == ("", "")


def test_a_library_that_is_not_there(tmp_path, declarations):
    with pytest.raises(CompilerError, match="gone.so cannot be loaded"):
        load_library(tmp_path / "gone.so", declarations)


def test_calls_release_the_interpreters_lock():
    """A C function waits for what another Python thread writes; with the lock held it would wait in vain."""
    library = load_library(compile_library({"waiter.c": WAITER}, "waiter"), "int waiter_wait(const volatile int *);")
    flag = library.ffi.new("int *", 0)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(library.lib.waiter_wait(flag)))
    thread.start()
    flag[0] = 1
    thread.join()
    assert seen == [1]


def test_a_function_outlives_its_library(sources, declarations, python):
    """In a process of its own, which crashes if the library is unloaded."""
    path = compile_library(sources, "pend")
    process = python(
        "import sys\n"
        "from symvi.native import load_library\n"
        "fused = load_library(sys.argv[1], sys.argv[2]).lib.pend_fused\n"
        "print(fused(2.0, 3.0, 4.0))",
        str(path),
        declarations,
    )
    assert process.communicate(timeout=60) == ("10.0\n", "")


def test_threads_load_at_once(sources, declarations, own_cache):
    results = []

    def work():
        library = load_library(compile_library(sources, "pend"), declarations)
        results.append(library.lib.pend_fused(2.0, 3.0, 4.0))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [10.0] * 8
    assert len(list((own_cache / "libraries").glob("*.so"))) == 1
