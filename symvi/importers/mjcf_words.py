"""The words of MJCF that are no part of a mechanism here, each with the reason that the report gives.

Which words there are at all, MuJoCo's own schema says. Skipped is what the motion does not depend on: pictures,
settings of the solver, and values that are MuJoCo's defaults anyway. What it depends on is ignored, and `strict`
refuses that.
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
INPUTS = "bounds of an input, for whoever gives it"
PAIRS = "contacts between bodies are not imported"
OPTION = "a setting of MuJoCo's own solver; step and tolerances are given to the simulation"
OVERRIDE = "contact parameters for all geoms, where its flag is on"
DEFAULT = "is MuJoCo's default"
HARMLESS = (PICTURE, INPUTS, OPTION)

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
        "magnetic": PICTURE,
        **dict.fromkeys(("o_margin", "o_solref", "o_solimp", "o_friction"), OVERRIDE),
    },
    "body": {"gravcomp": "gravity is one for all bodies", "sleep": PICTURE},
}  # fmt: skip
# As ATTRIBUTES: the values that say nothing. A shorter text of numbers leaves the others as they are.
_SOLREF, _SOLIMP = "0.02 1", "0.9 0.95 0.001 0.5 2"
DEFAULTS: dict[str, dict[str, str]] = {
    "": {
        **dict.fromkeys(("solref", "solreflimit", "solreffriction"), _SOLREF),
        **dict.fromkeys(("solimp", "solimplimit", "solimpfriction"), _SOLIMP),
        **dict.fromkeys(("forcelimited", "actlimited", "actearly"), "false"),
    },
    "joint": {"margin": "0", "actuatorgravcomp": "false"},
    "geom": {
        **dict.fromkeys(("margin", "gap", "priority", "adhesion"), "0"),
        "solmix": "1",
        "condim": "3",
        "fluidshape": "none",
        "surfacevel": "0 0 0",
    },
    "option": {"wind": "0 0 0", "density": "0", "viscosity": "0"},
    "body": {"gravcomp": "0"},
}
MECHANISM = ("gravity",)  # what <option> says about the mechanism itself
ACTUATOR = {
    **dict.fromkeys(("ctrlrange", "ctrllimited"), INPUTS),
    **dict.fromkeys(("forcerange", "forcelimited"), BOUNDS),
    **dict.fromkeys(("actrange", "actlimited", "actdim", "actearly"), "symvi's motors have no state of their own"),
}  # fmt: skip


def note_what_has_no_effect(root: Element, findings: Findings) -> None:
    """Note every element and attribute that is left out, in default classes too, at its own line."""

    def look(element: Element, section: str, title: str) -> None:
        for child in element.children:
            inside = section or child.tag
            if child.tag in DROPPED:
                is_loss = child.tag == "contact" and any(inner.tag != "exclude" for inner in child.children)
                kind = "ignored" if is_loss else "skipped"
                findings.note(kind, child.source, _title(child, title), f"<{child.tag}>", DROPPED[child.tag])
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
    for name, text in element.attributes.items():
        why = own.get(name) or ATTRIBUTES[""].get(name) or actuator.get(name)
        if element.tag == "option" and name not in MECHANISM:
            why = why or OPTION
        if why and _is_default(element.tag, name, text):
            why = DEFAULT
        if why:
            kind = "skipped" if why in (DEFAULT, *HARMLESS) else "ignored"
            findings.note(kind, element.source, title, f"{name} of <{element.tag}>", why)


def _is_default(tag: str, name: str, text: str) -> bool:
    """Whether an attribute says what MuJoCo would take without it."""
    usual = DEFAULTS.get(tag, {}).get(name) or DEFAULTS[""].get(name)
    if usual is None:
        return False
    try:
        given = [float(word) for word in text.split()]
        return given == [float(word) for word in usual.split()][: len(given)]
    except ValueError:
        return text.strip() == usual
