"""Run a compiler inside a folder and turn its failure into a sentence."""

import os
import shlex
import shutil
from pathlib import Path

from symvi.cache import subfolder
from symvi.errors import CompilerError

# how much of a compiler's output goes into a message; all of it is kept in the folder
_OUTPUT_LIMIT = 4000


class CompilationError(CompilerError):
    """A compiler cannot be started, or failed, or made an object that does not load."""


def run_compiler(command: tuple[str, ...], arguments: tuple[str, ...], folder: Path) -> None:
    """Run a compiler inside a folder; command.txt and output.txt there keep its command line and all of its output.

    Raises CompilationError with the compiler's text when it cannot be started or fails.
    """
    import subprocess  # a library that is found in the cache needs none

    line = (*command, *arguments)
    (folder / "command.txt").write_text(shlex.join(line) + "\n", encoding="utf-8", errors="surrogateescape")
    try:
        done = subprocess.run(
            (found(command), *line[1:]),
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise CompilationError(f"{shlex.join(command)} cannot be started: {error.strerror or error}") from error
    output = done.stdout.decode("utf-8", errors="replace")
    (folder / "output.txt").write_text(output, encoding="utf-8")
    if done.returncode != 0:
        raise CompilationError(f"{shlex.join(command)} {_ending(done.returncode)}:\n{_trimmed(output)}")


def found(command: tuple[str, ...]) -> str:
    """Return a command's program as a process can start it: Windows itself finds no scripts (zig.cmd) on the path."""
    return (shutil.which(command[0]) if os.name == "nt" else None) or command[0]


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a compiler: its temporary files end with the folder, and zig can do without a home."""
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))}
    for variable in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
        environment.setdefault(variable, str(subfolder("zig")))
    return environment


def _ending(status: int) -> str:
    if status > 0:
        return f"failed with exit status {status}"
    return f"was ended by signal {-status} (with signal 9, memory may have run out)"


def _trimmed(output: str) -> str:
    """Return the start of the output, where the first error is, and its end, if the whole is too long."""
    text = output.strip()
    if len(text) <= _OUTPUT_LIMIT:
        return text or "(no output)"
    half = _OUTPUT_LIMIT // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"
