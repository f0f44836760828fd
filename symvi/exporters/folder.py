"""A folder that appears whole or not at all, and never in place of anybody else's files.

It is written under a name of its own beside the place where it belongs, and moved there at the end. An earlier export
is replaced if it is as it was written: its manifest.json holds a digest of every file, and one of itself. What its own
Makefile has built in build/ may be there too, and goes with it: it can be built again. On Linux the two folders change
places in one operation, so that whoever looks, or whenever the process is killed, finds one of them.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from symvi.errors import SymviError

try:
    from fcntl import LOCK_EX, LOCK_NB, flock

    ALONE, AT_ONCE = LOCK_EX, LOCK_NB
except ImportError:  # Windows: what a killed export has left beside the folder stays there
    ALONE = AT_ONCE = 0
    flock = None

__all__ = ["MANIFEST", "check_replaceable", "digest_of", "manifest_text", "sealed", "staged"]

MANIFEST = "manifest.json"
SEAL = "digest"  # the manifest's digest of itself, taken while this is empty
# what the Makefile builds, and where; {} is the prefix
BUILD, PRODUCTS = "build", ("{}.o", "{}_queries.o", "lib{}_solver.a", "self_test", "self_test.exe")
SHOWN = 5  # foreign files that an error names


def digest_of(text: str) -> str:
    """SHA-256 of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(manifest: dict) -> dict:
    """A manifest with a digest of itself in it: a later export sees whether somebody has changed it."""
    return {**manifest, SEAL: digest_of(manifest_text({**manifest, SEAL: ""}))}


def manifest_text(manifest: dict) -> str:
    """The text of manifest.json."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def check_replaceable(folder: Path) -> None:
    """Raises SymviError unless the folder is missing, empty, or an export that nobody has changed."""
    if folder.is_symlink() and not folder.exists():
        raise SymviError(f"{folder}: is a link to nowhere; give another folder")
    if folder.exists() and not folder.is_dir():
        raise SymviError(f"{folder}: is a file; give a folder")
    if folder.absolute() == folder.absolute().parent:
        raise SymviError(f"{folder}: is the root of the file system; give a folder in it")
    if folder.exists() and folder.samefile(Path.cwd()):
        raise SymviError(f"{folder}: is the folder you are in, which cannot be exchanged; give another one")
    parent = folder.absolute().parent
    if not parent.is_dir():
        raise SymviError(f"{folder}: there is no folder {parent}; make it first")
    if problem := _problem(folder):
        raise SymviError(f"{folder}: {problem}; nothing was written. Move them away, or give another folder")


def _problem(folder: Path) -> str:
    """What would be lost if the folder were replaced; empty where nothing would."""
    if not folder.exists() or not any(folder.iterdir()):
        return ""
    known = _digests(folder)
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    for name in _built(folder, found):
        del found[name]
    folders = {parent.as_posix() for name in known for parent in Path(name).parents}
    foreign = [
        name + "/" * path.is_dir()
        for name, path in found.items()
        if path.is_symlink() or name not in (folders if path.is_dir() else known)
    ]
    if foreign:
        return f"holds what no export has written: {_listed(foreign)}"
    changed = [name for name in sorted(known) if name not in found or known[name] != _digest_in(found[name], name)]
    return f"files of this export were changed: {_listed(changed)}" if changed else ""


def _built(folder: Path, found: Mapping[str, Path]) -> list[str]:
    """Of what lies in an export, that which its own Makefile has built; nothing where anything else lies with it."""
    try:
        prefix = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["prefix"]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    own = {BUILD, *(f"{BUILD}/{name.format(prefix)}" for name in PRODUCTS)}
    there = [name for name in found if Path(name).parts[0] == BUILD]
    plain = all(found[name].is_dir() if name == BUILD else found[name].is_file() for name in there)
    linked = any(found[name].is_symlink() for name in there)
    return there if len(there) > 1 and own.issuperset(there) and plain and not linked else []


def _digests(folder: Path) -> dict[str, str]:
    """File -> digest, as the manifest of an earlier export says; nothing where there is none."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return {**{str(name): str(digest) for name, digest in manifest["files"].items()}, MANIFEST: manifest[SEAL]}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _digest_in(path: Path, name: str) -> str:
    try:
        text = path.read_bytes().decode()
        if name == MANIFEST:
            manifest = json.loads(text)
            text = manifest_text({**manifest, SEAL: ""}) if text == manifest_text(manifest) else ""
        return digest_of(text)
    except (OSError, ValueError):
        return ""


def _listed(names: list[str]) -> str:
    # of a foreign folder its name is enough
    tops = [name for name in names if not any(name != other and name.startswith(other) for other in names)]
    return ", ".join(tops[:SHOWN]) + (f" and {len(tops) - SHOWN} more" if len(tops) > SHOWN else "")


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Yield an empty folder; what is in it at the end takes the place of `folder`. Nothing does after an error.

    What killed exports have left beside it is removed first. Raises SymviError as check_replaceable does.
    """
    place = folder.resolve()
    _sweep(place)
    stage = place.with_name(f"{_mark(place)}{secrets.token_hex(4)}")
    stage.mkdir()
    try:
        with _held(stage):
            yield stage
            _put(stage, folder, place)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _put(stage: Path, folder: Path, place: Path) -> None:
    """Move the stage to its place; an export that lies there is the stage afterwards."""
    check_replaceable(folder)
    if not place.exists() or not any(place.iterdir()):
        if place.exists() and sys.platform == "win32":
            place.rmdir()
        os.rename(stage, place)
        return
    _exchange(stage, place)
    if problem := _problem(stage):  # somebody has written there since
        _exchange(stage, place)
        raise SymviError(f"{folder}: {problem}; nothing was written. Move them away, or give another folder")


def _exchange(one: Path, other: Path) -> None:
    """Let two folders change places."""
    if not _exchanged_at_once(one, other):
        between = one.with_name(f"{one.name}-old")
        os.rename(other, between)
        os.rename(one, other)
        os.rename(between, one)


def _exchanged_at_once(one: Path, other: Path) -> bool:
    """In one operation, where the system has one."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _mark(place: Path) -> str:
    return f".{place.name}.symvi-"


@contextmanager
def _held(stage: Path) -> Iterator[None]:
    """Hold a folder's lock: a sweep leaves it alone."""
    if flock is None:
        yield
        return
    handle = os.open(stage, os.O_RDONLY)
    try:
        flock(handle, ALONE)
        yield
    finally:
        os.close(handle)


def _sweep(place: Path) -> None:
    """Remove what killed exports to this place have left: nobody holds it."""
    if flock is None:
        return
    for left in place.parent.glob(f"{escape(_mark(place))}*"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                flock(handle, ALONE | AT_ONCE)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)
