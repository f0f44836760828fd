"""The process that expands one xacro file; see xacro.py. It imports nothing of symvi: it runs by itself.

What the file's Python may do is decided by an audit hook, which Python calls before it opens, starts or connects
anything, and which cannot be taken away again.
"""

import errno
import json
import os
import sys

MEMORY = 2_000_000_000  # bytes
# Events that have no place in the expansion of a macro; "open" is judged by its path.
REFUSED = (
    "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "webbrowser.", "urllib.", "ftplib.", "smtplib.",
    "pty.", "signal.", "sqlite3.", "winreg.", "msvcrt.", "code.", "syslog.", "mmap.",
)  # fmt: skip
LISTING = ("os.listdir", "os.scandir")  # judged by its path too
IMPORTED = ("encodings", "unicodedata", "xml", "xacro", "yaml")  # what is imported only where a file needs it


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
    substitution_args._eval_dict["find"] = find
    bound(job["seconds"])
    libraries = [os.path.realpath(os.path.dirname(module.__file__)) for module in (os, xacro, yaml)]
    fence([*job["folders"], *libraries])
    try:
        arguments = Arguments(job["arguments"])
        document = xacro.process_file(job["file"], mappings=arguments)
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


def bound(seconds: int) -> None:
    """Bounds on processor time and memory, where the system has them."""
    try:
        import resource
    except ImportError:
        return
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))


def fence(folders: list) -> None:
    """From here on only what lies in these folders is read."""

    def inside(path: object) -> bool:
        if isinstance(path, int):
            return True
        real = os.path.realpath(os.fsdecode(path))
        return any(real == place or real.startswith(place + os.sep) for place in folders)

    def refuse(what: str, path: object = None) -> None:
        raise PermissionError(errno.EACCES, what, *(() if path is None else (str(path),)))

    def judge(event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = (mode and any(letter in mode for letter in "wax+")) or (flags or 0) & (os.O_WRONLY | os.O_RDWR)
            if path is None or writes or not inside(path):
                refuse("it may not open", path)
        elif event in LISTING:
            if not inside(arguments[0] or "."):
                refuse("it may not list", arguments[0])
        elif event == "import":
            if arguments[0].partition(".")[0] not in IMPORTED:
                refuse(f"it may not import {arguments[0]}")
        elif event.startswith(REFUSED):
            refuse(f"it may not use {event}")

    sys.addaudithook(judge)


if __name__ == "__main__":
    main()
