"""One entry of the cache: put in its place whole, read only if it is as it was written, by somebody trusted."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from symvi.cache.folder import build_folder
from symvi.cache.owner import is_trusted
from symvi.errors import CompilerError

# A link is not followed: what it leads to may be anybody's. Nor is a pipe waited for.
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def kept(place: Path) -> bytes | None:
    """Return what `keep` has kept at a place; None where there is nothing, or anything else than what was kept."""
    found = _read(place)
    seal, _, content = (found or b"").partition(b"\n")
    return content if found is not None and seal == _seal(place, content) else None


def keep(place: Path, content: bytes) -> None:
    """Keep an entry for the next process. A cache that cannot be written, or is full, only costs time."""
    temporary = None
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".", dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_seal(place, content) + b"\n" + content)
        _put(Path(temporary), place)
    except (OSError, CompilerError):
        with suppress(OSError):
            if temporary is not None:
                os.unlink(temporary)


def is_sound(library: Path) -> bool:
    """Whether a library is the one that `publish` has put there, byte for byte, and nobody else can have written it."""
    said, found = _read(_digest_file(library)), _read(library)
    return said is not None and found is not None and said == _digest_line(library, found)


def publish(file: Path, library: Path) -> None:
    """Move a finished library to its place in the cache, for good. Its folder has to be there.

    Its digest is there first: who looks in between finds that the two do not match, waits for the lock of this build,
    and looks again.
    """
    if os.name == "posix":  # elsewhere modes say nothing of who may write
        file.chmod(stat.S_IMODE(file.stat().st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))
    digest = _digest_file(file)
    handle = os.open(digest, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o644)
    with os.fdopen(handle, "wb") as stream:
        stream.write(_digest_line(library, file.read_bytes()))
    _put(digest, _digest_file(library))
    _put(file, library)


def _read(place: Path) -> bytes | None:
    """Return the bytes of a plain file that only the user or root can have written; None for anything else."""
    try:
        with open(place, "rb", opener=lambda path, _: os.open(path, _READ)) as file:
            status = os.fstat(file.fileno())
            return file.read() if stat.S_ISREG(status.st_mode) and is_trusted(status) else None
    except OSError:
        return None


def _put(file: Path, place: Path) -> None:
    """Rename a file to its place. What lies there and cannot be replaced (a folder; a library that is loaded, on
    Windows) is moved away first."""
    try:
        os.replace(file, place)
    except OSError:
        if not os.path.lexists(place):
            raise
        with build_folder("aside") as aside:
            os.replace(place, aside / place.name)
            os.replace(file, place)


def _seal(place: Path, content: bytes) -> bytes:
    """The digest of an entry, with its name: the bytes of another one are not its own."""
    digest = hashlib.sha256(place.name.encode() + b"\0")
    digest.update(content)
    return digest.hexdigest().encode()


def _digest_file(library: Path) -> Path:
    return library.with_name(f"{library.name}.sha256")


def _digest_line(library: Path, content: bytes) -> bytes:
    """What the file beside a library says, in the words of sha256sum."""
    return f"{hashlib.sha256(content).hexdigest()}  {library.name}\n".encode()
