"""The process that expands one xacro file; see xacro.py. It imports nothing of symvi: it runs by itself.

Three walls, one behind the other. Expressions of the file reach nothing but what xacro_expressions.py allows. An audit
hook, which Python calls before it opens, imports or starts anything, and which cannot be taken away again, allows
reading in given folders and nothing else. And what Python does without asking a hook is not there any more: the
functions of the system but those that look at files, and those that load code of the machine. The system itself is told
to start no process and to write no file.
"""

import errno
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable
from typing import Any

MEMORY = 2_000_000_000  # bytes
# What happens where macros are expanded; "open" and what lists folders are judged by the path, "import" by the name.
USUAL = ("builtins.id", "compile", "exec", "glob.glob", "glob.glob/2", "marshal.loads")
LISTING = ("os.listdir", "os.scandir")
IMPORTED = "encodings"  # what is imported only where a file needs it, and is Python all through
LEFT = {"_exit", "fspath", "getcwd", "getpid", "listdir", "lstat", "readlink", "scandir", "stat"}  # of the system
LOADING = ("create_builtin", "create_dynamic", "exec_builtin", "exec_dynamic")  # of _imp


class Arguments(dict):
    """The arguments of a file, and the names that it has asked for."""

    def __init__(self, given: dict):
        super().__init__(given)
        self.asked = {}

    def __contains__(self, name: object) -> bool:
        self.asked[str(name)] = None
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked[str(name)] = None
        return super().__getitem__(name)


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    sys.path[:] = job["path"]
    import unicodedata  # noqa: F401
    import xml.dom.minidom  # noqa: F401
    import xml.parsers.expat  # noqa: F401
    from xml.dom import expatbuilder  # noqa: F401

    import xacro
    import yaml
    from xacro import substitution_args

    def find(package: str) -> str:
        if package not in job["packages"]:
            raise xacro.XacroException(f"$(find {package}): give the folder of this package")
        return job["packages"][package]

    substitution_args._eval_find = find
    guard(xacro, substitution_args, find)
    bound(job["seconds"])
    files = [module.__file__ for module in (os, xacro, yaml)]
    libraries = [os.path.realpath(os.path.dirname(file)) for file in files if file]
    fence([*job["folders"], *libraries])
    try:
        arguments = Arguments(job["arguments"])
        document: Any = xacro.process_file(job["file"], mappings=arguments)
        text = document.documentElement.toprettyxml(indent="  ").encode()
    except BaseException as error:  # whatever it is, the parent wants one line
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    if len(text) > job["most"]:
        print("it expands to more than can be read", file=sys.stderr, flush=True)
        os._exit(1)
    sys.stdout.buffer.write(json.dumps(list(arguments.asked)).encode() + b"\n")
    sys.stdout.buffer.write(b'<?xml version="1.0"?>\n' + text)
    sys.stdout.buffer.flush()
    os._exit(0)


def guard(xacro: Any, substitution_args: Any, find: object) -> None:
    """From here on the library evaluates expressions as xacro_expressions.py does."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "xacro_expressions.py")
    spec = importlib.util.spec_from_file_location("xacro_expressions", place)
    if spec is None or spec.loader is None:
        raise ImportError(place)
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    expressions = own.Expressions(xacro, substitution_args, find)
    xacro.safe_eval, substitution_args._eval = expressions.evaluate, expressions.substituted
    trials = (
        lambda: xacro.eval_text("${(lambda: (0).__doc__)()}", xacro.Table(xacro._global_symbols)),
        lambda: substitution_args.resolve_args("$(eval max)", {}),
    )
    for trial in trials:  # what xacro itself would evaluate
        try:
            trial()
        except (NameError, xacro.XacroException):
            continue
        raise ImportError("this version of xacro evaluates expressions in a way that is not known here")


def bound(seconds: int) -> None:
    """Bounds on time, memory, processes and files, where the system has them; none of them can be raised again."""
    try:
        import resource
    except ImportError:
        return
    bounds = {"AS": MEMORY, "CPU": seconds, "NPROC": 0, "FSIZE": 0, "CORE": 0}
    for name, most in bounds.items():
        try:
            limit = getattr(resource, f"RLIMIT_{name}")
            _, hard = resource.getrlimit(limit)
            last = most + (name == "CPU")  # s: at the first bound the system tells what the matter is, here it does not
            last = last if hard == resource.RLIM_INFINITY else min(last, hard)
            resource.setrlimit(limit, (min(most, last), last))
        except (AttributeError, OSError, ValueError):  # a system that has no such bound
            continue
    for name in ("setrlimit", "prlimit"):
        resource.__dict__.pop(name, None)


def fence(folders: list) -> None:
    """From here on only what lies in these folders is read, and nothing else is done."""

    def inside(path: str | bytes | os.PathLike) -> bool:
        real = os.path.realpath(os.fsdecode(path))
        return any(real == place or real.startswith(place + os.sep) for place in folders)

    def refuse(what: str, path: object = None) -> None:
        raise PermissionError(errno.EACCES, what, *(() if path is None else (str(path),)))

    def judge(event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = (mode and any(letter in mode for letter in "wax+")) or (flags or 0) & (os.O_WRONLY | os.O_RDWR)
            if isinstance(path, int) or path is None or writes or not inside(path):
                refuse("it may not open", path)
        elif event in LISTING:
            if isinstance(arguments[0], int) or not inside(arguments[0] or "."):
                refuse("it may not list", arguments[0])
        elif event == "import":
            if arguments[0].partition(".")[0] != IMPORTED or arguments[1] is not None:
                refuse(f"it may not import {arguments[0]}")
        elif event not in USUAL:
            refuse(f"it may not use {event}")

    disarm(refuse)
    sys.addaudithook(judge)


def disarm(refuse: Callable[[str], None]) -> None:
    """Put a refusal in the place of the system's functions, many of which Python calls without asking a hook."""

    def refusal(name: str) -> object:
        return lambda *_, **__: refuse(f"it may not use {name}")

    import _imp

    for module in (os, sys.modules[os.name]):
        for name, value in list(vars(module).items()):
            if isinstance(value, types.BuiltinFunctionType) and name not in LEFT:
                setattr(module, name, refusal(name))
    for name in LOADING:
        setattr(_imp, name, refusal(name))


if __name__ == "__main__":
    main()
