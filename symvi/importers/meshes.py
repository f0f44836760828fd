"""Where the meshes of a file are. They are looked for in its own folder and in folders that the caller names only."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from urllib.parse import unquote

from symvi.extras import quoted
from symvi.mechanism.names import shown

__all__ = ["Folders"]


class Folders:
    """The folders that may be read.

    own: the folder of the file. packages: name of a package -> its folder; "package://NAME/..." begins there.
    """

    def __init__(self, own: Path, packages: Mapping[str, str | PathLike[str]]):
        self.own = own
        self.packages = {name: Path(folder) for name, folder in packages.items()}
        self.allowed = [folder.resolve() for folder in (own, *self.packages.values())]

    def find(self, mesh: str) -> tuple[Path | None, str]:
        """(path, "") of a mesh as a file names it; (None, why it cannot be read)."""
        kind, _, rest = mesh.partition("://")
        if not rest:
            path = self.own / mesh
        elif kind in ("package", "model"):
            package, _, inner = rest.lstrip("/").partition("/")  # some files have package:///NAME/...
            if package not in self.packages:
                return None, f"package {shown(package)} has no folder here: {self._remedy(package)}"
            path = self.packages[package] / inner
        elif kind == "file":
            path = Path(unquote(rest))
        else:
            return None, f"is neither a file nor in a package: {shown(kind)}"
        try:
            path = path.resolve()
            if not any(path.is_relative_to(folder) for folder in self.allowed):
                return None, "lies outside the folders given"
            return (path, "") if path.is_file() else (None, "there is no such file")
        except (OSError, ValueError, RuntimeError):
            return None, "is no name that a file can have"

    def _remedy(self, package: str) -> str:
        """What names the folder of a package; the folder above the file that has its name, where there is one."""
        own = self.own.resolve()
        above = next((str(folder) for folder in (own, *own.parents) if package and folder.name == package), None)
        return f"give packages, or --package {quoted(f'{package}={above}') if above else 'NAME=FOLDER'}"
