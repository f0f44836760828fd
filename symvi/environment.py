"""The environment of a fresh clone: a folder with every package that symvi needs, made once and found again at once.

Standard library only: this runs before anything is installed. The folder is `.venv` in the checkout, made with uv where
it is on the path and with venv and pip otherwise, always for the interpreter that runs now. Packages come from
requirements.lock, checked by hash: those that symvi itself needs, the others when tests are first run. The package
ziglang (a C compiler) is left out where a C compiler works already; continuous integration adds those of
requirements-peers.lock, for tests that are skipped elsewhere.

What the folder was made from is noted in it last, so a killed set-up is taken up again; one that matches is used as it
is, without network. A file lock keeps two processes from filling it at the same time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from symvi.cache.folder import problem_of

CHECKOUT = Path(__file__).resolve().parent.parent
LOCK = CHECKOUT / "requirements.lock"
PEERS = "requirements-peers.lock"  # beside the lock: what only continuous integration needs
NOTE = "symvi-environment.json"
ZIGLANG = "ziglang"
TESTS = "tests"

_ASK_FOR_COMPILER = """\
from symvi.errors import CompilerError
from symvi.native.compiler import find_compiler
try:
    raise SystemExit(0 if find_compiler() else 1)
except CompilerError:
    raise SystemExit(0)  # $SYMVI_CC or $CC is wrong: the job itself says so
"""


class SetUpError(Exception):
    """The environment cannot be made; the text is one line that says why and what to do."""


def python_of_checkout(for_tests: bool = False) -> Path:
    """Return the interpreter of the checkout's environment, after making or updating the environment if need be.

    for_tests: with everything in the lock, not only what symvi itself needs.
    """
    folder = _folder()
    if not _is_current(folder, for_tests):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(folder):
                if not _is_current(folder, for_tests):
                    _make(folder, for_tests)
        except OSError as error:
            raise SetUpError(f"the environment {folder} cannot be written: {error}") from error
    _make_importable(folder)
    return interpreter_in(folder)


def interpreter_in(folder: Path) -> Path:
    """Return where the interpreter of a virtual environment lies."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages_of_lock(text: str) -> dict[str, str]:
    """Split a lock into its packages: name -> the lines of that package (several where versions differ by platform)."""
    packages: dict[str, str] = {}
    for entry in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]:
        name = entry.partition("==")[0].strip()
        packages[name] = packages.get(name, "") + entry
    return packages


def needed_by(names: Iterable[str], packages: Mapping[str, str]) -> dict[str, str]:
    """Those of a lock's packages that have these names, and all they need: each says by `# via` who asks for it."""
    asked_by = {name: set(re.findall(r"^ +# (?:via|  ) ?(\S+)", entry, re.M)) for name, entry in packages.items()}
    found, more = set(), set(names) & packages.keys()
    while more:
        found |= more
        more = {name for name, others in asked_by.items() if others & found} - found
    return {name: entry for name, entry in packages.items() if name in found}


def _own_requirements() -> list[str]:
    """The names of the packages that symvi needs without any extra."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0] for requirement in project["dependencies"]]


def _folder() -> Path:
    """`.venv` in the checkout, unless somebody else made that one or the checkout is read-only."""
    folder = CHECKOUT / ".venv"
    if (folder / NOTE).is_file() or (not folder.exists() and os.access(CHECKOUT, os.W_OK)):
        return folder
    digest = hashlib.sha256(os.fsencode(CHECKOUT)).hexdigest()[:16]
    cache = _cache()
    if problem := problem_of(cache):  # what lies there will be run
        raise SetUpError(f"the cache folder {cache} {problem}; name one that only you can write to with SYMVI_CACHE")
    return cache / "environments" / digest


def _cache() -> Path:
    """The user's cache folder for symvi, where platformdirs will say it is, or $SYMVI_CACHE."""
    if os.environ.get("SYMVI_CACHE"):
        return Path(os.environ["SYMVI_CACHE"]).expanduser().absolute()
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():
        raise SetUpError(f"{CHECKOUT} cannot hold an environment and there is no home folder; set SYMVI_CACHE")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "symvi" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "symvi"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "symvi"


def _wanted(folder: Path) -> dict[str, str]:
    """What the environment has to be made from: these packages, for this interpreter (or for its own, run from it)."""
    running_in_it = Path(sys.prefix).resolve() == folder.resolve()
    python = _noted(folder).get("python", "") if running_in_it else f"{sys.version} {sys.base_prefix}"
    return {"lock": hashlib.sha256(LOCK.read_bytes()).hexdigest(), "python": python}


def _noted(folder: Path) -> dict[str, str]:
    try:
        return json.loads((folder / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _is_current(folder: Path, for_tests: bool = False) -> bool:
    noted = _noted(folder)
    if not interpreter_in(folder).exists() or any(noted.get(key) != value for key, value in _wanted(folder).items()):
        return False
    if for_tests and noted.get(TESTS) != "installed":
        return False
    if for_tests and _in_ci() and noted.get("peers", "") != _digest_of_peers():
        return False
    return noted.get(ZIGLANG) in ("installed", "failed") or not (_in_ci() or _no_compiler_on_path())


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def _no_compiler_on_path() -> bool:
    """A quick look; while the environment is made, symvi.native finds out whether a compiler really works.

    Where $SYMVI_CC or $CC names one, right or wrong, no other is looked for: the job itself says what is wrong with it.
    """
    is_given = os.environ.get("SYMVI_CC", "").strip() or os.environ.get("CC", "").strip()
    return not is_given and not any(shutil.which(name) for name in ("cc", "gcc", "clang", "tcc", "zig"))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with open(folder / "symvi-environment.lock", "w", encoding="utf-8") as file:
        with suppress(ImportError):  # Windows has no fcntl: there two set-ups at once are not kept apart
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(folder: Path, for_tests: bool) -> None:
    uv = shutil.which("uv")
    much = "a minute and 500 MB" if for_tests else "half a minute and 250 MB"
    _say(f"setting up {folder} with {'uv' if uv else 'venv and pip'}: once, about {much}")
    try:
        _fill(folder, uv, for_tests)
    except SetUpError:
        if uv is None or not _can_make_with_pip():
            raise
        _say("uv failed; trying venv and pip")  # they trust other certificates and read other settings
        _fill(folder, None, for_tests)


def _fill(folder: Path, uv: str | None, for_tests: bool) -> None:
    noted, wanted = _noted(folder), _wanted(folder)
    for_tests = for_tests or noted.get(TESTS) == "installed"  # what was there once is kept
    has_pip = any(folder.glob("[lL]ib/**/site-packages/pip"))
    if noted.get("python") != wanted["python"] or not interpreter_in(folder).exists() or not (uv or has_pip):
        _clear(folder)
        _note(folder, {})  # from here on the folder is known to be ours
        _make_empty(folder, uv)
        _note(folder, {"python": wanted["python"]})
    packages = packages_of_lock(LOCK.read_text(encoding="utf-8"))
    ziglang = packages.pop(ZIGLANG)
    own = needed_by(_own_requirements(), packages)
    if any(_noted(folder).get(key) != value for key, value in wanted.items()):
        _install(folder, uv, "packages", "".join((packages if for_tests else own).values()), exactly=True)
    elif for_tests:  # beside what is there: somebody may have added an extra
        others = (entry for name, entry in packages.items() if name not in own)
        _install(folder, uv, TESTS, "".join(others), exactly=False)
    _make_importable(folder)
    added = {ZIGLANG: _add_ziglang(folder, uv, ziglang), TESTS: "installed" if for_tests else "absent"}
    _note(folder, {**wanted, **added, "peers": _add_peers(folder, uv) if for_tests else ""})


def _clear(folder: Path) -> None:
    """Remove an environment of another interpreter, but not the file lock that is held just now."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.suffix != ".lock":
            path.unlink()


def _make_empty(folder: Path, uv: str | None) -> None:
    if uv:
        # uv would fetch an interpreter of its own choice if it were not given this one
        command = [uv, "venv", "--quiet", "--no-project", "--allow-existing", "--python", sys.executable, str(folder)]
    else:
        if not _can_make_with_pip():
            package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            raise SetUpError(
                f"this Python cannot make virtual environments: install the system's package {package} "
                f"(Debian, Ubuntu: apt install {package}) or uv, then try again"
            )
        command = [sys.executable, "-m", "venv", str(folder)]
    _run(command, f"no virtual environment could be made in {folder}")


def _can_make_with_pip() -> bool:
    """Some systems put venv's copy of pip, or all of venv, into a package of its own."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def _install(folder: Path, uv: str | None, title: str, requirements: str, exactly: bool) -> None:
    """Install locked requirements, checked by hash, with compiled bytecode: SymPy takes seconds to load without."""
    listing = folder / f"symvi-{title}.txt"
    listing.write_text(requirements, encoding="utf-8")
    python = str(interpreter_in(folder))
    if uv:
        verb = ["pip", "sync", str(listing)] if exactly else ["pip", "install", "--no-deps", "-r", str(listing)]
        command = [uv, *verb, "--quiet", "--require-hashes", "--compile-bytecode", "--python", python]
    else:
        options = ["-qq", "--disable-pip-version-check", "--no-input", "--no-deps", "--require-hashes", "--compile"]
        command = [python, "-m", "pip", "install", *options, "-r", str(listing)]
    _run(command, f"the {title} could not be installed (is there a network?)")


def _add_ziglang(folder: Path, uv: str | None, requirement: str) -> str:
    """Add the compiler that comes as a wheel where no other one works; CI compares it with the others."""
    ask = [str(interpreter_in(folder)), "-c", _ASK_FOR_COMPILER]
    if not _in_ci() and subprocess.run(ask, check=False, stdin=subprocess.DEVNULL, cwd=CHECKOUT).returncode == 0:
        return "absent"
    _say("adding the package ziglang as C compiler, 100 MB")
    try:
        _install(folder, uv, ZIGLANG, requirement, exactly=False)
    except SetUpError:
        _say(f"there is no C compiler, so everything runs in Python, slowly; install gcc or clang, or remove {folder}")
        return "failed"
    return "installed"


def _digest_of_peers() -> str:
    """Of the lock of the programs that importers are tested against; empty where there is none."""
    lock = LOCK.with_name(PEERS)
    return hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""


def _add_peers(folder: Path, uv: str | None) -> str:
    """In continuous integration add what tests of importers compare with; returns the digest of its lock."""
    digest = _digest_of_peers() if _in_ci() else ""
    if digest:
        _say("adding real robots and the programs that importers are compared with, 500 MB")
        _install(folder, uv, "peers", LOCK.with_name(PEERS).read_text(encoding="utf-8"), exactly=False)
    return digest


def _make_importable(folder: Path) -> None:
    """Let the environment's interpreter import symvi from the checkout, wherever either has been moved to."""
    for packages in [folder / "Lib" / "site-packages", *folder.glob("lib/python*/site-packages")]:
        pointer, line = packages / "symvi-checkout.pth", os.fsencode(CHECKOUT) + b"\n"
        if packages.is_dir() and not (pointer.is_file() and pointer.read_bytes() == line):
            pointer.write_bytes(line)


def _note(folder: Path, values: dict[str, str]) -> None:
    unfinished = folder / (NOTE + ".new")
    unfinished.write_text(json.dumps(values, indent=1), encoding="utf-8")
    unfinished.replace(folder / NOTE)


def _run(command: Sequence[str], failure: str) -> None:
    """Run a command of the set-up; what it says goes to standard error, which is not for results."""
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
    if done.returncode != 0:
        raise SetUpError(f"{failure}; {Path(command[0]).name} failed with what is printed above")


def _say(line: str) -> None:
    print(f"symvi: {line}", file=sys.stderr, flush=True)
