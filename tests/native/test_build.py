"""One library for one key, whole or not at all; failures say what happened and keep the evidence."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from symvi.errors import CompilerError
from symvi.native import build, compile_library, find_compiler, load_library

BUILD = """
import json, sys
from symvi.native import compile_library, load_library
path = compile_library(json.loads(sys.argv[1]), "pend")
print(path)
print(load_library(path, "double pend_fused(double a, double b, double c);").lib.pend_fused(2.0, 3.0, 4.0))
"""


def objects(cache: Path) -> list[Path]:
    return sorted((cache / "libraries").glob("*.so"))


def leftovers(cache: Path) -> list[Path]:
    return sorted((cache / "building").glob("*"))


def test_a_library_is_built_once(tmp_path, script, monkeypatch, sources):
    calls = tmp_path / "calls"
    monkeypatch.setenv("SYMVI_CC", str(script(f'echo "$*" >> "{calls}"; real "$@"')))
    path = compile_library(sources, "pend")
    built = calls.read_text()
    start = time.process_time()
    assert compile_library(sources, "pend") == path
    assert time.process_time() - start < 0.1  # measured 0.0005 s
    assert calls.read_text() == built
    assert compile_library(sources, "pend", cache=False) == path
    assert len(calls.read_text()) > len(built)
    assert leftovers(tmp_path / "cache") == []


def test_whatever_decides_the_bytes_is_in_the_key(own_cache, script, monkeypatch, sources):
    reference = compile_library(sources, "pend")
    others = [
        compile_library({**sources, "pend.c": sources["pend.c"] + "\n"}, "pend"),
        compile_library({**sources, "pend.h": sources["pend.h"] + "\n"}, "pend"),
        compile_library(sources, "pend2"),
        compile_library(sources, "pend", flags=("-O0",)),
        compile_library(sources, "pend", profile="fast"),
    ]
    monkeypatch.setattr(build, "ABI_VERSION", build.ABI_VERSION + 1)
    others.append(compile_library(sources, "pend"))
    compiler = script()
    monkeypatch.setenv("SYMVI_CC", str(compiler))
    others.append(compile_library(sources, "pend"))
    os.utime(compiler, ns=(0, 0))
    others.append(compile_library(sources, "pend"))
    assert len({reference, *others}) == 1 + len(others)
    assert objects(own_cache) == sorted([reference, *others])


def test_the_processor_counts_only_where_its_own_instructions_are_used(monkeypatch, sources):
    compiler = find_compiler()
    portable = build._key(sources, compiler, ("-O2",))
    built = [compile_library(sources, "pend", profile=profile) for profile in ("reproducible", "fast")]
    monkeypatch.setattr(build, "_processor", lambda: "another one")
    again = [compile_library(sources, "pend", profile=profile) for profile in ("reproducible", "fast")]
    assert len({*built, *again}) == 4
    assert build._key(sources, compiler, ("-O2",)) == portable


def test_a_library_in_use_is_not_overwritten(sources):
    """Built again it is another file under the same name: who has loaded the old one keeps it."""
    path = compile_library(sources, "pend")
    old = path.stat().st_ino
    assert compile_library(sources, "pend", cache=False) == path
    assert path.stat().st_ino != old


def test_several_source_files(sources, declarations):
    parts = {**sources, "pend.c": "#include <stddef.h>\n", "step.c": sources["pend.c"]}
    assert load_library(compile_library(parts, "pend"), declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0


def test_the_same_bytes_from_two_folders(tmp_path, monkeypatch, sources):
    contents = []
    for name in ("one", "another place"):
        monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / name))
        contents.append(compile_library(sources, "pend").read_bytes())
    assert contents[0] == contents[1]


def test_a_failure_shows_the_compilers_text_and_keeps_the_folder(own_cache, sources):
    broken = {**sources, "pend.c": "int pend_step(void) { return undeclared_thing; }\n"}
    with pytest.raises(CompilerError, match="undeclared_thing") as caught:
        compile_library(broken, "pend")
    (kept,) = (own_cache / "failed").iterdir()
    assert str(kept) in str(caught.value)
    assert (kept / "pend.c").read_text() == broken["pend.c"]
    assert (kept / "pend.h").read_text() == broken["pend.h"]
    assert "-ffp-contract=off" in (kept / "command.txt").read_text()
    assert "undeclared_thing" in (kept / "output.txt").read_text()
    assert objects(own_cache) == leftovers(own_cache) == []
    # a second time the same, and mended it builds
    with pytest.raises(CompilerError, match="undeclared_thing"):
        compile_library(broken, "pend")
    assert compile_library(sources, "pend").is_file()


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        (r"printf 'wr\377ng'; exit 1", "wr\ufffdng"),
        ("kill -9 $$", "signal 9"),
        ("exit 0", "does not load"),
        ('while [ "$1" != -o ]; do shift; done; echo half > "$2"', "does not load"),
        ("echo FIRST; yes filler | head -c 100000; echo LAST; exit 1", "LAST"),
    ],
    ids=["output that is no text", "killed", "makes nothing", "makes half an object", "long output"],
)
def test_a_compiler_that_misbehaves(behaviour, sentence, own_cache, script, monkeypatch, sources):
    compiler = script(f'case "$*" in *pend.c*) {behaviour};; *) real "$@";; esac')
    monkeypatch.setenv("SYMVI_CC", str(compiler))
    with pytest.raises(CompilerError) as caught:
        compile_library(sources, "pend")
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 5000
    assert objects(own_cache) == leftovers(own_cache) == []


def test_an_undefined_symbol_is_found_before_the_library_is_kept(own_cache, sources):
    with pytest.raises(CompilerError, match="pend_nowhere"):
        compile_library({"pend.c": "double pend_nowhere(void);\ndouble f(void) { return pend_nowhere(); }\n"}, "pend")
    assert objects(own_cache) == []


@pytest.mark.parametrize("file", ["../pend.c", "a b.c", "-o.c", "pend.c;x", "sub/pend.c", "pend.so", ""])
def test_a_source_with_a_hostile_name_is_refused(file):
    with pytest.raises(ValueError, match="not a plain name"):
        compile_library({"pend.c": "", file: ""}, "pend")


@pytest.mark.parametrize("name", ["../pend", "-x", "a b", "", "pend\n"])
def test_a_library_with_a_hostile_name_is_refused(name, sources):
    with pytest.raises(ValueError, match="not a C identifier"):
        compile_library(sources, name)


def test_nothing_to_compile_is_refused(sources):
    with pytest.raises(ValueError, match="no .c file"):
        compile_library({"pend.h": sources["pend.h"]}, "pend")


def test_an_unknown_profile_is_refused(sources):
    with pytest.raises(ValueError, match="'reproducible' or 'fast'"):
        compile_library(sources, "pend", profile="quick")


def test_two_processes_build_once_and_both_run(tmp_path, script, python, sources):
    import json

    calls = tmp_path / "calls"
    compiler = script(f'case "$*" in *pend.c*) echo built >> "{calls}"; sleep 1;; esac; real "$@"')
    both = [python(BUILD, json.dumps(sources), SYMVI_CC=str(compiler)) for _ in range(2)]
    results = [process.communicate(timeout=60) for process in both]
    assert [error for _, error in results] == ["", ""]
    paths, values = zip(*(out.split() for out, _ in results), strict=True)
    assert len(set(paths)) == 1
    assert values == ("10.0", "10.0")
    assert calls.read_text() == "built\n"
    assert leftovers(tmp_path / "cache") == []


def test_a_killed_build_leaves_nothing_half_written(tmp_path, own_cache, script, python, monkeypatch, sources):
    """The process is killed while its compiler, which lives on, has written half of the object."""
    import json

    stuck, slow = tmp_path / "stuck", tmp_path / "slow"
    compiler = script(
        f'case "$*" in *pend.c*) if [ -e "{slow}" ]; then\n'
        f'echo half > pend.so; echo $$ > "{stuck}.new"; mv "{stuck}.new" "{stuck}"; exec /bin/sleep 60\n'
        'fi;; esac; real "$@"'
    )
    slow.touch()
    process = python(BUILD, json.dumps(sources), SYMVI_CC=str(compiler))
    try:
        deadline = time.monotonic() + 30
        while not stuck.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        assert objects(own_cache) == []
        assert len(leftovers(own_cache)) == 1

        slow.unlink()
        other = compile_library(sources, "other")
        assert leftovers(own_cache) == []  # a build of anything else has swept up
        monkeypatch.setenv("SYMVI_CC", str(compiler))
        path = compile_library(sources, "pend")
        assert load_library(path, "double pend_fused(double, double, double);").lib.pend_fused(2.0, 3.0, 4.0) == 10.0
        assert objects(own_cache) == sorted([other, path])
    finally:
        os.kill(int(stuck.read_text()), signal.SIGKILL)
