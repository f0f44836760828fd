"""The words of MJCF that are no part of a mechanism here, each with the reason that the report gives.

Which words there are at all, MuJoCo's own schema says. Skipped is what the motion does not depend on: pictures,
settings of the solver, and values that are MuJoCo's defaults anyway. What it depends on is ignored, and `strict`
refuses that.
"""

from __future__ import annotations

from symvi.importers.mjcf_schema import ACTUATORS, TENDONS, USED
from symvi.importers.report import Findings
from symvi.importers.xml import Element
from symvi.mechanism.names import shown

__all__ = ["DROPPED", "REFUSED", "note_what_has_no_effect"]

SOFT = "softness of MuJoCo's solver: what it softens is held exactly here"
BODIES = "symvi's bodies are rigid; take it out of the file"
PICTURE = "has no effect on the motion"
BOUNDS = "bounds of motors belong to their controllers"
INPUTS = "bounds of an input, for whoever gives it"
FLUIDS = "forces of fluids are not imported"
TENDON = "tendons are not imported"
LAW = "of laws of actuators that are not imported"
COVERED = "goes with another attribute, which has its own line"
UNKNOWN = "nothing here knows it, and the motion may depend on it"
OPTION = "a setting of MuJoCo's own solver; step and tolerances are given to the simulation"
OVERRIDE = "contact parameters for all geoms, where its flag is on"
DEFAULT = "is MuJoCo's default"
ADHESION = "adhesion is not imported"
CONDIM = "contacts resist sliding, but neither spinning nor rolling"
STATE = "symvi's motors have no state of their own"
START_TIME = "a simulation has its own start time"
YIELD = "a spring that yields is taken as one that does not"
HARMLESS = (PICTURE, INPUTS, OPTION, COVERED, START_TIME)

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
    "camera": PICTURE,
    "light": PICTURE,
    "skin": PICTURE,
    "deformable": PICTURE,
    "extension": "has no effect without a plugin",
    "model": "a model in another file, which nothing here attaches",
    "lengthrange": "how ranges of muscles are searched for, which are not imported",
}
SOLVER = (
    "timestep integrator solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance "
    "ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance cone jacobian impratio"
)
SOLVER_FLAGS = (
    "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd override refsafe "
    "sensor sleep speculative warmstart"
)
TENDON_LOADS = ("range", "stiffness", "damping", "frictionloss", "armature", "springyield", "actuatorfrcrange")
# tag -> attribute -> why it is ignored; under "" of any tag
ATTRIBUTES: dict[str, dict[str, str]] = {
    "": dict.fromkeys(("solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"), SOFT),
    "joint": {
        "margin": SOFT,
        **dict.fromkeys(("actuatorfrcrange", "actuatorfrclimited"), BOUNDS),
        "springyield": YIELD,
        "actuatorgravcomp": "gravity is one for all bodies",
    },
    "geom": {
        "margin": SOFT,
        "gap": SOFT,
        "solmix": SOFT,
        "condim": CONDIM,
        "fluidshape": FLUIDS,
        "fluidcoef": FLUIDS,
        "adhesion": ADHESION,
        "surfacevel": "moving surfaces are not imported",
    },
    "pair": {**dict.fromkeys(("margin", "gap"), SOFT), "condim": CONDIM, "adhesion": ADHESION},
    "option": {
        **dict.fromkeys(("wind", "density", "viscosity"), FLUIDS),
        "magnetic": PICTURE,
        **dict.fromkeys(("o_margin", "o_solref", "o_solimp", "o_friction"), OVERRIDE),
        **dict.fromkeys(SOLVER.split(), OPTION),
    },
    "flag": dict.fromkeys(SOLVER_FLAGS.split(), OPTION),
    "body": {"gravcomp": "gravity is one for all bodies", "sleep": PICTURE},
    "weld": {"torquescale": SOFT},
    "key": {
        "act": "the input here of what integrates its control; other motors have no state of their own",
        **dict.fromkeys(("mpos", "mquat"), "bodies that a program moves are held where they are"),
        "plastic": YIELD,
        "time": START_TIME,
    },
    **dict.fromkeys(ACTUATORS, {
        **dict.fromkeys(("ctrlrange", "ctrllimited"), INPUTS),
        **dict.fromkeys(("forcerange", "forcelimited"), BOUNDS),
        **dict.fromkeys(("actrange", "actlimited", "actdim", "actearly"), STATE),
        "delay": "its input acts at once",
        **dict.fromkeys(("nsample", "interp"), COVERED),
        **dict.fromkeys(("ki", "imax", "slewmax", "input", "posrange", "velrange", "ffrange"), LAW),
    }),
    **dict.fromkeys(TENDONS, {
        **dict.fromkeys(TENDON_LOADS, TENDON),
        **dict.fromkeys(("limited", "springlength", "margin", "actuatorfrclimited"), COVERED),
    }),
}  # fmt: skip
TAKEN = {"condim": 1.0, "torquescale": 0.0}  # values of what is ignored else: no friction, and rotation that is free
TAGS = USED.keys() | ATTRIBUTES.keys()
# As ATTRIBUTES: the values that say nothing. A shorter text of numbers leaves the others as they are.
_SOLREF, _SOLIMP = "0.02 1", "0.9 0.95 0.001 0.5 2"
DEFAULTS: dict[str, dict[str, str]] = {
    "": {
        **dict.fromkeys(("solref", "solreflimit", "solreffriction"), _SOLREF),
        **dict.fromkeys(("solimp", "solimplimit", "solimpfriction"), _SOLIMP),
        **dict.fromkeys(("forcelimited", "actlimited", "actearly"), "false"),
    },
    "joint": {"margin": "0", "actuatorgravcomp": "false", "actuatorfrclimited": "false", "springyield": "0"},
    "geom": {
        **dict.fromkeys(("margin", "gap", "adhesion"), "0"),
        "solmix": "1",
        "condim": "3",
        "fluidshape": "none",
        "surfacevel": "0 0 0",
    },
    "option": {"wind": "0 0 0", "density": "0", "viscosity": "0"},
    "pair": {**dict.fromkeys(("margin", "gap", "adhesion"), "0"), "condim": "3"},
    "body": {"gravcomp": "0"},
    "weld": {"torquescale": "1"},
    "key": {"time": "0"},
    **dict.fromkeys(ACTUATORS, {"delay": "0"}),
    **dict.fromkeys(TENDONS, dict.fromkeys(TENDON_LOADS, "0")),
}


def note_what_has_no_effect(root: Element, findings: Findings) -> None:
    """Note every element and attribute that is left out, in default classes too, at its own line."""

    def look(element: Element, title: str) -> None:
        for child in element.children:
            own = _title(child, title)
            if child.tag in DROPPED:
                findings.note("skipped", child.source, own, f"<{child.tag}>", DROPPED[child.tag])
                continue
            if child.tag not in TAGS:
                findings.note("ignored", child.source, own, f"<{child.tag}>", UNKNOWN)
            _attributes(child, own, findings)
            look(child, own)

    look(root, "")


def _title(element: Element, around: str) -> str:
    """How the report names an element: by itself if it has a name or class, else by what is around it."""
    attributes = element.attributes
    if element.tag == "default":
        return f"default class {shown(attributes.get('class', 'main'))}"
    name = attributes.get("name")
    return f"{element.tag} {shown(name)}" if name else around


def _attributes(element: Element, title: str, findings: Findings) -> None:
    own, used = ATTRIBUTES.get(element.tag, {}), USED.get(element.tag, frozenset())
    for name, text in element.attributes.items():
        why = own.get(name) or ("" if name in used else ATTRIBUTES[""].get(name, UNKNOWN))
        if why and _is_default(element.tag, name, text):
            why = DEFAULT
        if why and not _is_taken(name, text):
            kind = "skipped" if why in (DEFAULT, *HARMLESS) else "ignored"
            findings.note(kind, element.source, title, f"{name} of <{element.tag}>", why)


def _is_taken(name: str, text: str) -> bool:
    """Whether an attribute that is ignored else says what can be taken over."""
    try:
        return name in TAKEN and float(text) == TAKEN[name]
    except ValueError:
        return False


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
