"""An MJCF document made ready for MuJoCo's compiler, which then meets nothing that it has not been handed.

Included files are put in their places, each element with its own file and line. Meshes are read here, from the folders
that may be read, and handed over in memory; textures, skins and height fields, which have no mass, are replaced by the
least that compiles. Elements without a name get one, by which they are found again in the compiled model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import PurePosixPath
from xml.sax.saxutils import quoteattr

from symvi.errors import MechanismError
from symvi.importers.meshes import Folders
from symvi.importers.mjcf_bounds import memory_of, refuse_floods, refuse_large_numbers, refuse_timesteps
from symvi.importers.mjcf_words import DROPPED, REFUSED
from symvi.importers.report import Findings
from symvi.importers.xml import Element, parse_xml, read_bytes
from symvi.mechanism.files import printable
from symvi.mechanism.names import shown

__all__ = ["Document", "prepared", "remedy_for"]

MOST_INCLUDES = 100
LONGEST_ENDING = 100  # of what <replicate> puts behind a name
NAMED = {tag: tag for tag in ("body", "joint", "geom", "site")} | {"freejoint": "joint"}
SECTIONS = {"equality": "equality", "actuator": "actuator", "tendon": "tendon", "keyframe": "key"}
NO_MESH = {"vertex": "0 0 0  1 0 0  0 1 0  0 0 1"}  # four points stand for a mesh that cannot be read
NO_FIELD = {"nrow": "2", "ncol": "2"}
NO_PICTURE = {"type": "2d", "builtin": "flat", "width": "1", "height": "1"}
FILES = ("file", "content_type", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
# What the compiler would do on its own account: bodies and shapes vanish, a muscle's range is found by simulation.
COMPILER = "<compiler fusestatic='false' discardvisual='false'><lengthrange mode='none'/></compiler>"
PATHS = ("meshdir", "texturedir", "assetdir", "strippath", "fusestatic", "discardvisual")
SAVING = ("passthrough", "savecanonical", "savecompiled", "saveinertial")  # what MuJoCo writes into files of its own
# What has room kept for it as the file says it, and no meaning here: numbers of the author, memory of delayed inputs.
ROOM = ("user", "delay", "nsample", "interp")
FILED = ("mesh", "hfield", "texture")
NOT_FINITE = re.compile(r"(?i)(?:^|\s)[+-]?(?:nan(?:\(\w*\))?|inf(?:inity)?)(?=\s|$)")


@dataclass(frozen=True)
class Document:
    """text: for the compiler, one element a line. lines: the elements of these lines, from line 1.

    meshes: file name -> content. named: (kind, name in the text) -> element; stem: of names that are made here.
    missing: name of a mesh -> why it cannot be read. files: name of a mesh -> its file as the document has it.
    """

    root: Element
    text: str
    lines: tuple[Element, ...]
    meshes: Mapping[str, bytes]
    named: Mapping[tuple[str, str], Element]
    stem: str
    missing: Mapping[str, str]
    files: Mapping[str, str]

    def find(self, kind: str, name: str) -> Element:
        """The element of a name in the compiled model; copies that <replicate> makes have that of their original."""
        for end in range(len(name), max(0, len(name) - LONGEST_ENDING), -1):
            if (kind, name[:end]) in self.named:
                return self.named[kind, name[:end]]
        return self.root

    def own_name(self, kind: str, name: str) -> str:
        """The name that the file gives; empty where it gives none."""
        return "" if name.startswith(self.stem) else name


def prepared(root: Element, findings: Findings, folders: Folders) -> Document:
    """The document of a root element <mujoco>, with its includes.

    Raises MechanismError with everything that cannot be imported at all, and for files that cannot be read.
    """
    root = _with_includes(root, folders)
    for element in root.walk():
        for name, text in element.attributes.items():
            if NOT_FINITE.search(text) and name not in ("name", "file"):
                findings.refuse(element.source, f"<{element.tag}> {name}={shown(text)} must be finite")
        if element.tag in REFUSED:
            findings.refuse(element.source, f"<{element.tag}>: {REFUSED[element.tag]}")
    refuse_floods(root, findings)
    refuse_large_numbers(root, findings)
    refuse_timesteps(root, findings)
    findings.check()
    writer = _Writer(root, folders)
    writer.write(root)
    return writer.document()


def remedy_for(why: str) -> str:
    """What to do about a file that cannot be read for a reason that Folders.find gives."""
    return "; allow its folder: packages, or --package ANY_NAME=FOLDER" if "outside" in why else "; put it there"


def _with_includes(root: Element, folders: Folders) -> Element:
    """The element with every <include file=...> replaced by what stands in that file."""
    seen: set[str] = set()

    def opened(element: Element) -> Iterator[Element]:
        name = element.attributes.get("file", "")
        path, why = folders.find(name)
        if path is None:
            raise MechanismError(f"{element.source}: include {shown(name)}: {why}{remedy_for(why)}")
        if str(path) in seen or len(seen) >= MOST_INCLUDES:
            raise MechanismError(f"{element.source}: include {shown(name)}: that file is included already")
        seen.add(str(path))
        return children(parse_xml(read_bytes(path), printable(folders.own / name)))

    def children(element: Element) -> Iterator[Element]:
        for child in element.children:
            if child.tag == "include":
                yield from opened(child)
            else:
                yield Element(child.tag, child.attributes, child.source, list(children(child)))

    return Element(root.tag, root.attributes, root.source, list(children(root)))


class _Writer:
    """One way through a document, which writes the text and remembers what is where."""

    def __init__(self, root: Element, folders: Folders):
        self.root, self.folders, self.numbers = root, folders, count()
        self.text: list[str] = []
        self.lines: list[Element] = []
        self.named: dict[tuple[str, str], Element] = {}
        self.missing: dict[str, str] = {}
        self.meshes: dict[str, bytes] = {}
        self.files: dict[str, str] = {}
        given = {element.attributes.get("name", "") for element in root.walk()}
        self.stem = next(f"unnamed{'_' * k}" for k in count(1) if not any(f"unnamed{'_' * k}" in n for n in given))
        compilers = {k: v for element in root.all("compiler") for k, v in element.attributes.items()}
        self.folder = compilers.get("meshdir", compilers.get("assetdir", ""))
        self.strips = compilers.get("strippath") == "true"

    def document(self) -> Document:
        text = "\n".join(self.text)
        lines = tuple(self.lines)
        return Document(self.root, text, lines, self.meshes, self.named, self.stem, self.missing, self.files)

    def write(self, element: Element, section: str = "", depth: int = 0) -> None:
        """One element, and what is in it. section: the tag below the root that it stands in."""
        attributes = dict(element.attributes)
        kind = NAMED.get(element.tag) if section == "worldbody" else SECTIONS.get(section) if depth == 2 else None
        if element.tag == "compiler":
            attributes = {name: text for name, text in attributes.items() if name not in (*PATHS, *SAVING)}
        elif section == "asset" and depth == 2:
            attributes = self._asset(element, attributes)
        elif element.tag in FILED:  # of a default class
            attributes = {name: text for name, text in attributes.items() if name not in FILES}
        elif kind is not None:
            self._name(element, kind, attributes)
        for name in ROOM:
            attributes.pop(name, None)
        words = "".join(f" {name}={quoteattr(text)}" for name, text in attributes.items())
        self.text.append(f"<{element.tag}{words}>")
        self.lines.append(element)
        if depth == 0:
            memory = memory_of(self.root)
            self.text[-1] += COMPILER + (f"<size memory='{memory}'/>" if memory else "")
        for child in element.children:
            if child.tag not in DROPPED:
                self.write(child, section or child.tag, depth + 1)
        self.text[-1] += f"</{element.tag}>"

    def _name(self, element: Element, kind: str, attributes: dict[str, str]) -> None:
        if not attributes.get("name"):
            attributes["name"] = f"{self.stem}{next(self.numbers)}_"
        self.named.setdefault((kind, attributes["name"]), element)

    def _asset(self, element: Element, attributes: dict[str, str]) -> dict[str, str]:
        """The attributes of an asset that needs no file but those that are handed over."""
        file = attributes.get("file", "")
        name = attributes.get("name") or PurePosixPath(file.replace("\\", "/")).stem
        kept = {key: text for key, text in attributes.items() if key not in FILES}
        if name:
            kept["name"] = name
        if element.tag == "texture":
            return {"name": name or f"{self.stem}{next(self.numbers)}_", **NO_PICTURE}
        if element.tag == "hfield":
            return {**{key: text for key, text in kept.items() if key in ("name", "size")}, **NO_FIELD}
        if element.tag != "mesh" or not file:
            return attributes
        self.named.setdefault(("mesh", name), element)
        where = PurePosixPath(file.replace("\\", "/"))
        self.files[name] = str(PurePosixPath(self.folder) / (where.name if self.strips else where))
        path, why = self.folders.find(self.files[name])
        if path is not None:
            try:
                own = f"{len(self.meshes)}{path.suffix.lower()}"
                self.meshes[own] = read_bytes(path)
                return {**kept, "file": own}
            except MechanismError as error:
                why = str(error)
        self.missing[name] = why
        return {key: text for key, text in kept.items() if key in ("name", "class")} | NO_MESH
