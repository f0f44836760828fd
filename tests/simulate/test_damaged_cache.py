"""A damaged cache changes no bit of a motion: what does not match its digest is made anew, whatever happened to it.

Each load is a process of its own, forked from one that has imported everything and loaded nothing: what is in memory
cannot stand in for what is on disk, and a crash is seen.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.quick import compiled_quickly  # noqa: F401
from tests.support.subset import first_of

REPOSITORY = Path(__file__).parents[2]
FLIPS = 100
KINDS = ("libraries", "texts", "declarations", "templates", "formulas", "compilers.json")
# reads words from standard input; for each, forks a child that loads the pendulum and swings it, and says what came out
SERVER = """\
import os, sys
import symvi
from symvi.demos import demo_file
import symvi.simulate.solver_build, symvi.simulate.engine, symvi.simulate.run, symvi.emit.c, symvi.program.compose
import cffi, filelock, jinja2, numpy, sympy
import symvi.physics.lowering, symvi.physics.store
symvi.physics.store.shipped = dict  # formulas that come along are in no cache
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            motion = symvi.Simulator(symvi.Mechanism.from_file(demo_file("pendulum"))).simulate(0.2, 0.01)
            print(motion.state_hash(), len(motion), flush=True)
        except BaseException as error:
            print("raised", repr(error).replace(chr(10), " "), flush=True)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        print("ended with status", status, flush=True)
"""


class Server:
    """Loads the mechanism again and again, each time from disk."""

    def __init__(self, cache: Path):
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "SYMVI_CACHE": str(cache), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def ask(self) -> None:
        self.process.stdin.write("again\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        return self.process.stdout.readline().strip()

    def motion(self) -> str:
        self.ask()
        return self.answer()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server, str]]:
    """A filled cache, who loads from it, and the motion of the start, before anything was kept."""
    cache = tmp_path_factory.mktemp("damaged") / "cache"
    server = Server(cache)
    yield cache, server, server.motion()
    server.close()


def files(cache: Path, kind: str) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file() and str(path.relative_to(cache)).startswith(kind))


def damage(path: Path, content: bytes) -> None:
    """Another file in its place: what is loaded somewhere must stay as it is."""
    mode = path.stat().st_mode
    path.unlink()
    path.write_bytes(content)
    path.chmod(mode)


def forget_what_hides(cache: Path, kind: str) -> None:
    """Formulas and templates are read only where the text that was made of them is not there."""
    if kind in ("templates", "formulas"):
        for path in files(cache, "texts"):
            path.unlink()


def test_every_kind_of_entry_is_there(kept) -> None:
    cache, server, motion = kept
    assert motion.endswith(" 21"), motion
    assert all(files(cache, kind) for kind in KINDS)
    assert len(files(cache, "libraries")) == 2  # with its digest
    assert server.motion() == motion


@pytest.mark.thorough
@pytest.mark.slow
def test_a_flipped_bit_changes_nothing(kept) -> None:
    """Anywhere in any file. What is damaged is made anew as soon as it is read."""
    cache, server, motion = kept
    chance = random.Random(20261122)
    for turn in range(FLIPS):
        kind = KINDS[turn % len(KINDS)]
        path = chance.choice(files(cache, kind))
        content = bytearray(path.read_bytes())
        place = chance.randrange(len(content))
        content[place] ^= 1 << chance.randrange(8)
        damage(path, bytes(content))
        forget_what_hides(cache, kind)
        assert server.motion() == motion, (path, place)
        assert path.read_bytes() != content, path


DAMAGES = {
    "cut short": lambda path: damage(path, path.read_bytes()[: path.stat().st_size // 2]),
    "without its last byte": lambda path: damage(path, path.read_bytes()[:-1]),
    "longer": lambda path: damage(path, path.read_bytes() + b"\n"),
    "empty": lambda path: damage(path, b""),
    "null": lambda path: damage(path, b"null"),
    "zeros": lambda path: damage(path, bytes(path.stat().st_size)),
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), (path / "with").mkdir(parents=True)),
    "a link to nowhere": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "a link to its copy": lambda path: (path.rename(path.with_name("copy")), path.symlink_to("copy")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "not to be read": lambda path: path.chmod(0o000),
    "open to its group": lambda path: path.chmod(0o660),
    "open to everybody": lambda path: path.chmod(0o646),
}


@pytest.mark.parametrize("what", first_of(DAMAGES, kept=3))
def test_a_damaged_file_is_made_anew(kept, what: str) -> None:
    cache, server, motion = kept
    for kind in KINDS:
        damaged = files(cache, kind)
        for path in damaged if kind == "libraries" else damaged[:1]:
            DAMAGES[what](path)
        forget_what_hides(cache, kind)
        assert server.motion() == motion, kind
        path = damaged[0]
        assert path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o022 == 0, path
        (damaged[0].parent / "copy").unlink(missing_ok=True)


def test_anothers_bytes_under_its_name_are_made_anew(kept) -> None:
    """Whole and with their own digest, but of another entry."""
    cache, server, motion = kept
    library, digest = files(cache, "libraries")
    other = library.with_name("other.so")
    for old, new in ((library, other), (digest, other.with_name("other.so.sha256"))):
        new.write_bytes(old.read_bytes())
    damage(library, b"another library")
    damage(digest, digest.read_bytes().replace(library.name.encode(), b"other.so"))
    assert server.motion() == motion
    assert library.read_bytes() != b"another library"
    for path in (other, other.with_name("other.so.sha256")):
        path.unlink()
    one, two = files(cache, "templates")[:2]
    damage(one, two.read_bytes())
    forget_what_hides(cache, "templates")
    assert server.motion() == motion
    assert one.read_bytes() != two.read_bytes()


@pytest.mark.thorough
def test_two_processes_mend_the_same_damage_at_once(kept) -> None:
    cache, server, motion = kept
    other = Server(cache)
    try:
        for kind in 2 * KINDS:
            damage(files(cache, kind)[0], b"\x7fELF")
            forget_what_hides(cache, kind)
            server.ask()
            other.ask()
            assert (server.answer(), other.answer()) == (motion, motion), kind
    finally:
        other.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("kind", first_of(KINDS))
def test_what_belongs_to_another_user_is_made_anew(kept, kind: str) -> None:
    cache, server, motion = kept
    path = files(cache, kind)[0]
    os.chown(path, 65534, 65534)
    forget_what_hides(cache, kind)
    assert server.motion() == motion
    assert path.stat().st_uid == 0


@pytest.mark.parametrize("mode", first_of([0o777, 0o1777, 0o770]))
@pytest.mark.parametrize("kind", first_of(["libraries", "texts", "declarations", "templates", "formulas"]))
def test_a_subfolder_that_others_can_write_to_is_refused(kept, kind: str, mode: int) -> None:
    """By its name; nothing in it is read. It is the user's to say what happens with it."""
    cache, server, motion = kept
    (folder,) = (path for path in cache.iterdir() if path.name.startswith(kind))
    folder.chmod(mode)
    assert f"SYMVI_CACHE={cache}: holds {folder.name}, which other users can write" in server.motion()
    folder.chmod(0o700)
    assert server.motion() == motion


@pytest.mark.parametrize("kind", first_of(["texts", "declarations", "templates", "formulas", "libraries"]))
def test_a_file_in_a_subfolders_place(kept, kind: str) -> None:
    """Without libraries nothing can be compiled; all else only costs time."""
    cache, server, motion = kept
    (folder,) = (path for path in cache.iterdir() if path.name.startswith(kind))
    folder.rename(cache / "aside")
    folder.write_text("a file")
    forget_what_hides(cache, kind)
    found = server.motion()
    folder.unlink()
    (cache / "aside").rename(folder)
    if kind == "libraries":
        assert f"the cache folder {cache} cannot be written" in found and "libraries" in found
    else:
        assert found == motion
    assert server.motion() == motion


def test_a_cache_that_is_full_only_costs_time(tmp_path: Path) -> None:
    """No file may grow beyond 4 kB: the compiler's object does not fit, so the compiler's failure is told."""
    # the text is generated and not kept, nothing half-written stays
    code = (
        "import resource, symvi\n"
        "from symvi.demos import demo_file\n"
        "from symvi.simulate.solver_build import text_of\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "mechanism = symvi.Mechanism.from_file(demo_file('pendulum'))\n"
        "print(len(text_of(mechanism).files))\n"
        "try:\n"
        "    symvi.Simulator(mechanism)\n"
        "except symvi.SymviError as error:\n"
        "    print(type(error).__name__)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "SYMVI_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\nCompilerError\n", "")
    left = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert not any(name.startswith(".") for name in left)
    assert not files(tmp_path / "cache", "texts") and not files(tmp_path / "cache", "libraries")
