"""An MJCF document through MuJoCo's own compiler, which resolves defaults, frames, angles and inertias."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from symvi.errors import MechanismError
from symvi.extras import install_command
from symvi.importers.mjcf_document import Document
from symvi.importers.report import Findings
from symvi.importers.xml import SLIP, Element

__all__ = ["compiled"]

MOST_BODIES = 20_000
KEYFRAME = re.compile(r"(?:Error: )?keyframe")


def compiled(document: Document, findings: Findings) -> Any:
    """The mujoco.MjModel of a document.

    Raises MechanismError: without the package; and with the compiler's own complaint, at the line of the file.
    """
    try:
        import mujoco as package
    except ImportError:
        raise MechanismError(
            f"{document.root.source.file}: MJCF is read with MuJoCo's compiler: {install_command('mjcf')}"
        ) from None
    mujoco: Any = package  # compiled, and silent about its types
    bodies = sum(element.tag == "body" for element in document.root.walk())
    if bodies > MOST_BODIES:
        raise MechanismError(f"{document.root.source}: {bodies} bodies are more than {MOST_BODIES}")
    warnings: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warnings.append)  # without it, MuJoCo writes a file into the current folder
    try:
        model = mujoco.MjModel.from_xml_string(document.text, dict(document.meshes))
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise MechanismError(_translated(str(error), document, mujoco)) from None
    finally:
        mujoco.set_mju_user_warning(before)
    for warning in dict.fromkeys(warnings):
        findings.note("approximated", document.root.source, "", "MuJoCo's compiler warns", _one_line(warning))
    return model


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _translated(message: str, document: Document, mujoco: Any) -> str:
    """The compiler's message with the file's own line and names, and the nearest word that it knows."""
    found = re.findall(r"line (\d+)", message)
    number = int(found[-1]) if found else 0  # names, which stand before it, can say anything
    element = document.lines[number - 1] if 0 < number <= len(document.lines) else _named(message, document)
    text = _one_line(re.sub(r"\s*Element (?:name )?'[^']*'(?:, id -?\d+)?(?:, line -?\d+)?", " ", message))
    text = re.sub(r"^(?:XML )?Error: ?(?:Schema violation: |Error: )?", "", text).strip()
    text = re.sub(rf"^keyframe (?:\d+|'[^']*'):|\s*'{document.stem}[^']*':?", "", text).strip()
    name = element.attributes.get("name", "")
    title = f"{element.tag} '{name[:60]}'" if name else f"<{element.tag[:60]}>"
    return f"{element.source}: {title}: {text}{_remedy(text, element, mujoco)}"


def _named(message: str, document: Document) -> Element:
    """The element that the compiler names where it says no line; the root where nothing is so named, or several are."""
    found = re.search(r"Element name '([^']*)'", message)
    elements = [item for (_, name), item in document.named.items() if found and name == found[1]]
    if len(elements) > 1:
        elements = [item for item in elements if KEYFRAME.match(message) and item.tag == "key"]
    return elements[0] if len(elements) == 1 else document.root


def _remedy(text: str, element: Element, mujoco: Any) -> str:
    tags = _schema(mujoco)
    attribute = re.search(r"unrecognized attribute: '([^']*)'", text)
    if attribute:
        word, known = attribute[1], tags.get(element.tag, [])
    elif "unrecognized element" in text:
        word, known = element.tag, list(tags)
    else:
        remedies = (found for part, found in REMEDIES.items() if part in text)
        return next((f"; {remedy}" for remedy in remedies), "")
    near = get_close_matches(word.lower()[:80], known, n=1, cutoff=SLIP)
    return f"; did you mean '{near[0]}'?" if near else f"; MuJoCo {mujoco.__version__} does not know it; remove it"


REMEDIES = {
    "mass and inertia of moving": "give the body <inertial>, or a geom with a volume and a density",
    "unknown default class": "name a class that a <default> of the file defines",
    "Could not allocate memory": "say how much of it MuJoCo may take: <size memory='1G'/>",
    "bad format in attribute": "it must be numbers",
    "problem reading attribute": "it must be numbers",
}


def _schema(mujoco: Any) -> dict[str, list[str]]:
    """Tag -> its attributes, as MuJoCo prints them in columns: name and count first, attributes from column 30 on."""
    tags: dict[str, list[str]] = {}
    tag = ""
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head, tail = line[:30].split(), line[30:].split()
        tag = head[0] if head else tag
        for one in ("body", "worldbody") if tag == "(world)body" else (tag,):
            tags.setdefault(one, []).extend(tail)
    return tags
