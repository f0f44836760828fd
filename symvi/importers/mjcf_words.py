"""The words of MJCF that are no part of a mechanism here, each with the reason that the report gives.

Which words there are at all, MuJoCo's own schema says.
"""

from __future__ import annotations

from symvi.importers.report import Findings
from symvi.importers.xml import Element
from symvi.mechanism.names import shown

__all__ = ["DROPPED", "REFUSED", "note_what_has_no_effect"]

SOFT = "softness of MuJoCo's solver: what it softens is held exactly here"
BODIES = "symvi's bodies are rigid; take it out of the file"
PICTURE = "has no effect on the motion"
BOUNDS = "bounds of motors belong to their controllers"
PAIRS = "contacts between bodies are not imported"

REFUSED = {
    "plugin": "a plugin is a program of its own, which is not run; take it out of the file",
    "composite": BODIES,
    "flexcomp": BODIES,
    "flex": BODIES,
    "attach": "models in other files are not attached; write one file with MuJoCo's own tools first",
}
# Left out before the compiler sees the file.
DROPPED = {
    "size": "memory of MuJoCo's own",
    "visual": PICTURE,
    "statistic": PICTURE,
    "custom": "numbers of the file's author",
    "sensor": "a sensor has no effect on the motion",
    "contact": PAIRS,
    "camera": PICTURE,
    "light": PICTURE,
    "skin": PICTURE,
    "deformable": PICTURE,
    "extension": "has no effect without a plugin",
}
# tag -> attribute -> why it is ignored; under "" of any tag
ATTRIBUTES: dict[str, dict[str, str]] = {
    "": dict.fromkeys(("solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"), SOFT),
    "joint": {
        "margin": SOFT,
        "actuatorfrcrange": BOUNDS,
        "actuatorgravcomp": "gravity is one for all bodies",
        "springdamper": "",  # the compiler makes stiffness and damping of it
    },
    "geom": {
        "margin": SOFT,
        "gap": SOFT,
        "solmix": SOFT,
        "condim": "contacts have Coulomb's friction with the circular cone; friction \"0\" switches it off",
        "priority": SOFT,
        "fluidshape": "forces of fluids are not imported",
        "fluidcoef": "forces of fluids are not imported",
        "adhesion": "adhesion is not imported",
        "surfacevel": "moving surfaces are not imported",
    },
    "option": {
        **dict.fromkeys(("wind", "density", "viscosity"), "forces of fluids are not imported"),
        "magnetic": "only a sensor would feel it",
    },
    "body": {"gravcomp": "gravity is one for all bodies", "sleep": PICTURE},
}  # fmt: skip
OPTION = "a setting of MuJoCo's own solver; step and tolerances are given to the simulation"
MECHANISM = ("gravity",)  # what <option> says about the mechanism itself
ACTUATOR = {
    **dict.fromkeys(("ctrlrange", "ctrllimited", "forcerange", "forcelimited"), BOUNDS),
    **dict.fromkeys(("actrange", "actlimited", "actdim", "actearly"), "symvi's motors have no state of their own"),
}  # fmt: skip


def note_what_has_no_effect(root: Element, findings: Findings) -> None:
    """Note every element and attribute that is left out, in default classes too, at its own line."""

    def look(element: Element, section: str, title: str) -> None:
        for child in element.children:
            inside = section or child.tag
            if child.tag in DROPPED:
                findings.note("ignored", child.source, _title(child, title), f"<{child.tag}>", DROPPED[child.tag])
            else:
                _attributes(child, inside, _title(child, title), findings)
                look(child, inside, _title(child, title))

    look(root, "", "")


def _title(element: Element, around: str) -> str:
    """How the report names an element: by itself if it has a name or class, else by what is around it."""
    attributes = element.attributes
    if element.tag == "default":
        return f"default class {shown(attributes.get('class', 'main'))}"
    name = attributes.get("name")
    return f"{element.tag} {shown(name)}" if name else around


def _attributes(element: Element, section: str, title: str, findings: Findings) -> None:
    own = ATTRIBUTES.get(element.tag, {})
    actuator = ACTUATOR if section == "actuator" or element.tag in ("motor", "position", "velocity", "general") else {}
    for name in element.attributes:
        why = own.get(name) or ATTRIBUTES[""].get(name) or actuator.get(name)
        if element.tag == "option" and name not in MECHANISM:
            why = why or OPTION
        if why:
            findings.note("ignored", element.source, title, f"{name} of <{element.tag}>", why)
