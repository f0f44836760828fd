"""The cache folder: where it is, who may write to it, and what happens where it cannot be used."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock  # noqa: F401  (an import would fail later, without the rights to read)
import pytest

from symvi.errors import CompilerError
from symvi.native import compile_library, load_library

NOBODY = 65534

# a user without HOME who is not in the user table either, as in a container with an arbitrary user
COMPILE_WITHOUT_HOME = """
import pwd
def no_entry(user):
    raise KeyError(user)
pwd.getpwuid = no_entry
from symvi.native import compile_library
print(compile_library({"a.c": "int a;"}, "a"))
"""


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """Within, nothing under the folder can be written, not even by root."""
    files = [folder, *folder.rglob("*")]
    for file in files:
        file.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(os.getuid())
        for file in files:
            file.chmod(0o755)


def test_only_the_owner_may_look_into_it(own_cache, sources):
    old = os.umask(0)
    try:
        compile_library(sources, "pend")
    finally:
        os.umask(old)
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE((own_cache / name).stat().st_mode) for name in ("libraries", "building", "locks")} == {0o700}


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(mode, own_cache, sources):
    own_cache.mkdir()
    own_cache.chmod(mode)
    with pytest.raises(CompilerError, match="written by other users") as caught:
        compile_library(sources, "pend")
    assert f"SYMVI_CACHE={own_cache}" in str(caught.value)


def test_a_folder_that_others_can_exchange_is_refused(tmp_path, monkeypatch, sources):
    """Whoever can write to the folder above it can put another in its place, between a look and a load."""
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / "shared" / "cache"))
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(CompilerError, match=f"lies in {tmp_path / 'shared'}, where every user"):
        compile_library(sources, "pend")
    (tmp_path / "shared").chmod(0o1777)  # as /tmp: owners alone rename
    assert compile_library(sources, "pend").is_file()


def test_a_folder_that_its_group_can_write_to_is_closed(own_cache, sources):
    """A umask of 002 makes such folders; nobody is to blame."""
    own_cache.mkdir()
    own_cache.chmod(0o775)
    compile_library(sources, "pend")
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o755


def test_a_folder_in_which_the_group_can_have_planted_something_is_refused(own_cache, sources):
    (own_cache / "libraries").mkdir(parents=True)
    (own_cache / "libraries").chmod(0o775)
    own_cache.chmod(0o775)
    for _ in range(2):  # looking at it does not make it safe
        with pytest.raises(CompilerError, match="holds libraries, which other users can write"):
            compile_library(sources, "pend")


def test_a_folder_of_another_user_is_refused(own_cache, monkeypatch, sources):
    own_cache.mkdir()
    if os.geteuid() == 0:
        os.chown(own_cache, NOBODY, NOBODY)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with pytest.raises(CompilerError, match="another user"):
        compile_library(sources, "pend")


def test_a_file_in_its_place_is_named(own_cache, sources):
    own_cache.write_text("")
    with pytest.raises(CompilerError, match="SYMVI_CACHE=.*cannot be created"):
        compile_library(sources, "pend")


def test_a_path_with_spaces(tmp_path, monkeypatch, sources, declarations):
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path / "a path" / "with späces"))
    assert load_library(compile_library(sources, "pend"), declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0


def test_a_read_only_cache_serves_what_it_holds(monkeypatch, sources, declarations):
    # not below tmp_path, which only its owner may enter
    folder = Path(tempfile.mkdtemp(prefix="symvi-test-"))
    try:
        folder.chmod(0o755)
        monkeypatch.setenv("SYMVI_CACHE", str(folder / "cache"))
        path = compile_library(sources, "pend")
        with without_rights(folder):
            assert compile_library(sources, "pend") == path
            # the declarations were never parsed before: they are now, and not kept
            assert load_library(path, declarations).lib.pend_fused(2.0, 3.0, 4.0) == 10.0
            with pytest.raises(CompilerError, match="cannot be written.*set SYMVI_CACHE"):
                compile_library(sources, "other")
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("squatter", [None, "open folder", "link"])
def test_without_a_home_the_cache_is_a_private_temporary_folder(squatter, tmp_path, python):
    private = tmp_path / f"symvi-{os.geteuid()}"
    if squatter == "open folder":
        private.mkdir()
        private.chmod(0o777)
    if squatter == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        private.symlink_to(tmp_path / "elsewhere")
    process = python(COMPILE_WITHOUT_HOME, SYMVI_CACHE=None, HOME=None, XDG_CACHE_HOME=None, TMPDIR=str(tmp_path))
    out, error = process.communicate(timeout=60)
    assert error == ""
    folder = Path(out.strip()).parents[1]
    assert folder.parent == tmp_path
    assert (folder == private) == (squatter is None)
    if squatter is None:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    else:
        assert not folder.exists()  # made for that process alone, and gone with it


def test_a_home_that_cannot_be_written_is_passed_over(tmp_path, python):
    (tmp_path / "home").write_text("")
    process = python(
        "from symvi.native import compile_library; print(compile_library({'a.c': 'int a;'}, 'a'))",
        SYMVI_CACHE=None,
        XDG_CACHE_HOME=None,
        HOME=str(tmp_path / "home"),
        TMPDIR=str(tmp_path),
    )
    out, error = process.communicate(timeout=60)
    assert error == ""
    assert Path(out.strip()).parents[1] == tmp_path / f"symvi-{os.geteuid()}"
