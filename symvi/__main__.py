"""`python3 -m symvi COMMAND`, also in a fresh clone on a machine where nothing was installed by hand.

Standard library only. In a checkout the job runs in the checkout's own environment (symvi/environment.py), which is
made first if need be; where symvi is installed with all its packages, the job runs right here.

    test [--all] [PYTEST ARGUMENTS]     run the tests, all or those named, else a subset; in a checkout
    anything else                       goes to the command line in symvi/cli
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code; in a checkout, usually by becoming another process."""
    if sys.version_info < OLDEST_PYTHON:
        return _fail("Python 3.11 or newer is needed, this is " + sys.version.split()[0])
    from symvi.environment import CHECKOUT, LOCK, SetUpError, python_of_checkout

    is_test = arguments[:1] == ["test"]
    in_checkout = LOCK.is_file() and (CHECKOUT / "pyproject.toml").is_file()
    if is_test and not in_checkout:
        return _fail("the tests are not part of the installed package; run this command in a clone of the repository")
    if _is_installed("test" if is_test else None):
        python = Path(sys.executable)
    elif in_checkout:
        try:
            python = python_of_checkout(for_tests=is_test)
        except SetUpError as error:
            return _fail(str(error))
    else:
        return _fail(f"packages that symvi needs are missing here; run: {sys.executable} -m pip install symvi")
    if is_test:
        os.chdir(CHECKOUT)
        return _become([str(python), "-m", "pytest", "-n", "auto", *arguments[1:]])
    if python == Path(sys.executable):
        return _run_cli()
    return _become([str(python), "-m", "symvi.cli", *arguments])


def _is_installed(extra: str | None) -> bool:
    """Whether this interpreter has symvi installed (from a wheel, or as an editable package) and all that it needs."""
    from importlib import metadata

    try:
        requirements = metadata.requires("symvi") or []
        for requirement in requirements:
            of_extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", requirement)
            if of_extra is None or of_extra.group(1) == extra:
                metadata.version(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0])
    except metadata.PackageNotFoundError:
        return False
    return True


def _run_cli() -> int:
    from symvi.cli import main as run

    return run()


def _become(command: list[str]) -> int:
    """Run `command` instead of this process, so that signals and the exit code are its own."""
    sys.stdout.flush()
    if os.name == "nt":  # Windows would start the new process beside the caller's prompt
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)


def _fail(line: str) -> int:
    print("symvi: " + line, file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(_fail("interrupted")) from None
