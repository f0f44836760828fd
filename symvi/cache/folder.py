"""Where the cache folder is, whether code may be loaded from it, and folders in it for what is being built."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from symvi.cache.owner import is_open, is_own, is_trusted, user_number
from symvi.errors import CompilerError

_SUBFOLDERS = tuple("libraries texts declarations templates building failed locks zig environments peers".split())
_FORMULAS = "formulas-"


def cache_folder() -> Path:
    """Return the cache folder, created if need be: $SYMVI_CACHE, else the user's cache, else a private temporary one.

    Raises CompilerError when $SYMVI_CACHE is given and cannot be created or is not safe to load code from. The user's
    cache folder is passed over in that case, and also when it cannot be written (a home that is missing or read-only).
    """
    given = os.environ.get("SYMVI_CACHE")
    if given:
        return _given_folder(given)
    usual, temporary = _user_folder(), _temporary_folder()
    if usual is not None and _usable(usual):
        return usual
    # in a folder that everybody shares, somebody else may have laid a link under our name
    if not temporary.is_symlink() and _usable(temporary):
        return temporary
    return _process_folder()


@contextmanager
def build_folder(name: str) -> Iterator[Path]:
    """Yield a fresh folder inside the cache, for this process alone; no other process builds `name` meanwhile.

    The folder is on the file system of the cache, so that files can be renamed from it into place, and is removed at
    the end. What killed builds have left behind is removed first: their locks are free.

    Raises CompilerError when the cache folder cannot be written.
    """
    from filelock import FileLock  # imported where it is needed: it takes longer than a cache hit

    try:
        root = subfolder("building")
        with FileLock(subfolder("locks") / f"{name}.lock"):
            _sweep(root, owned=name)
            folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=root))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise CompilerError(
            f"the cache folder {cache_folder()} cannot be written ({error}); set SYMVI_CACHE to one that can"
        ) from error


def subfolder(name: str) -> Path:
    """Return a folder of the cache, created for the owner alone when it is missing; an OSError says why it cannot."""
    folder = cache_folder() / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _given_folder(given: str) -> Path:
    folder = Path(os.path.expanduser(given)).absolute()
    problem = problem_of(folder)
    if problem is not None:
        raise CompilerError(f"SYMVI_CACHE={given}: {problem}; name a folder that only you can write to")
    return folder


def _user_folder() -> Path | None:
    """Return the user's cache folder, or None for a user without a home: no HOME, no entry in the user table."""
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("symvi", appauthor=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # older versions of platformdirs answer "~/.cache"


def _temporary_folder() -> Path:
    """The folder for temporary files is everybody's on POSIX, and the user's own on Windows."""
    return Path(tempfile.gettempdir()) / ("symvi" if user_number() is None else f"symvi-{user_number()}")


@cache
def _process_folder() -> Path:
    """The last resort: a folder for this process only, removed when it ends."""
    folder = Path(tempfile.mkdtemp(prefix="symvi-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _usable(folder: Path) -> bool:
    return problem_of(folder) is None and os.access(folder, os.W_OK)


def problem_of(folder: Path) -> str | None:
    """Create the folder if it is missing; say why no code may be loaded from it, or return None if it may."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        open_subfolder, open_parent = _open_subfolder(folder), _open_parent(folder)
    except OSError as error:
        return f"cannot be created or looked into ({error.strerror})"
    # root could change any file anyway: a read-only folder that came with the system image is as good as an own one
    if not is_own(status):
        return "belongs to another user"
    if user_number() is not None and status.st_mode & stat.S_IWOTH:
        return f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
    if open_parent:
        return f"lies in {open_parent}, where every user can put another folder in its place"
    return _close_to_group(folder, status, open_subfolder) if is_open(status) else open_subfolder


def _close_to_group(folder: Path, status: os.stat_result, problem: str | None) -> str | None:
    """Take away the group's right to write, which a umask of 002 gives; say so if a member may have used it."""
    mode = stat.S_IMODE(status.st_mode)
    try:
        folder.chmod(mode & ~stat.S_IWGRP)
    except OSError:
        return "can be written by other users of its group"
    planted = [entry.name for entry in os.scandir(folder) if not is_own(entry.stat(follow_symlinks=False))]
    if planted:
        problem = f"holds {planted[0]}, which other users can write"
    if problem:
        folder.chmod(mode)  # so that the next process sees what this one saw
    return problem


def _open_parent(folder: Path) -> Path | None:
    """Return a folder above it in which everybody may rename, or None. Where the sticky bit is set, only owners may."""
    if user_number() is None:
        return None
    modes = {parent: parent.stat().st_mode for parent in folder.resolve().parents}
    return next((parent for parent, mode in modes.items() if mode & stat.S_IWOTH and not mode & stat.S_ISVTX), None)


def _open_subfolder(folder: Path) -> str | None:
    """Say which of the subfolders somebody else may have put something into, or return None."""
    for name in (*_SUBFOLDERS, *(entry for entry in os.listdir(folder) if entry.startswith(_FORMULAS))):
        with suppress(FileNotFoundError):
            if not is_trusted(os.stat(folder / name)):
                return f"holds {name}, which other users can write"
    return None


def _sweep(root: Path, owned: str) -> None:
    """Remove what killed builds left: each folder whose lock is free, or held by this very build of `owned`."""
    from filelock import FileLock, Timeout

    for leftover in root.iterdir():
        name = leftover.name.rpartition(".")[0]
        if name == owned:
            shutil.rmtree(leftover, ignore_errors=True)
            continue
        try:
            with FileLock(root.parent / "locks" / f"{name}.lock", timeout=0):
                shutil.rmtree(leftover, ignore_errors=True)
        except Timeout:
            continue
