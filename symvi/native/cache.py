"""The cache folder: compiled libraries, known compilers and parsed declarations, kept for the next process.

What lies here is loaded into the process and run, so a folder in which another user could plant something is refused,
and what symvi creates is readable by its owner only. Every entry is made under a private name first and then renamed:
a reader finds all of it or nothing, whenever a writer is killed.

    libraries/      NAME-KEY.so, the compiled objects
    declarations/   KEY.py, declarations that cffi has parsed
    templates/      templates that Jinja has compiled
    compilers.json  what was found out about each compiler
    building/       work in progress; what a killed build left is swept up by a later one
    failed/         the last failed build of each library: sources, command line, the compiler's output
    locks/          one file for each build, against two processes at once
    zig/            zig's own cache
"""

import atexit
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from symvi.errors import CompilerError


def cache_folder() -> Path:
    """Return the cache folder, created if need be: $SYMVI_CACHE, else the user's cache, else a private temporary one.

    Raises CompilerError when $SYMVI_CACHE is given and cannot be created or is not safe to load code from. The user's
    cache folder is passed over in that case, and also when it cannot be written (a home that is missing or read-only).
    """
    given = os.environ.get("SYMVI_CACHE")
    if given:
        return _given_folder(given)
    user, temporary = _user_folder(), _temporary_folder()
    if user is not None and _usable(user):
        return user
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
    """Return a folder of the cache, created for the owner alone when it is missing."""
    folder = cache_folder() / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def publish(file: Path, destination: Path) -> None:
    """Move a finished file to its place in the cache, at once and for good: not even a power cut shows half of it."""
    with open(file, "rb") as stream:
        os.fsync(stream.fileno())
    os.replace(file, destination)


def _given_folder(given: str) -> Path:
    folder = Path(os.path.expanduser(given)).absolute()
    problem = _problem(folder)
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
    return Path(tempfile.gettempdir()) / f"symvi-{os.geteuid()}"


@cache
def _process_folder() -> Path:
    """The last resort: a folder for this process only, removed when it ends."""
    folder = Path(tempfile.mkdtemp(prefix="symvi-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _usable(folder: Path) -> bool:
    return _problem(folder) is None and os.access(folder, os.W_OK)


def _problem(folder: Path) -> str | None:
    """Create the folder if it is missing; say why no code may be loaded from it, or return None if it may."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        return f"cannot be created ({error.strerror})"
    # root could change any file anyway: a read-only folder that came with the system image is as good as an own one
    if status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    if status.st_mode & stat.S_IWOTH:
        return f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
    return _close_to_group(folder) if status.st_mode & stat.S_IWGRP else None


def _close_to_group(folder: Path) -> str | None:
    """Take away the group's right to write, which a umask of 002 gives; say so if a member may have used it."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    try:
        folder.chmod(mode & ~stat.S_IWGRP)
    except OSError:
        return "can be written by other users of its group"
    for entry in folder.iterdir():
        status = entry.lstat()
        open_folder = stat.S_ISDIR(status.st_mode) and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if status.st_uid not in (os.geteuid(), 0) or open_folder:
            folder.chmod(mode)  # so that the next process sees what this one saw
            return f"holds {entry.name}, which other users can write"
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
