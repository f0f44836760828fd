"""ASKING: a case as a question to symvi, in its own language or in C."""

from __future__ import annotations

from pathlib import Path

import symvi.verify as verify
from symvi.derive import own
from tests.verify.corpus.case import Case, Variable

FOLDER = Path(__file__).parent / "c"
ABOUT_Z = {"axis": (0.0, 0.0, 1.0)}
OWN = {  # functions of the corpus that symvi has too: its name for them, and options
    "spherical": ("spherical", ABOUT_Z),
    "revolute": ("revolute", {**ABOUT_Z, "axes": "joint"}),
    "slider": ("cylindrical_free", ABOUT_Z),
    "hinge_angle": ("angle", ABOUT_Z),
    "relative": ("relative_orientation", {}),
    "torque": ("gyroscopic_torque", {}),
    "momentum": ("angular_momentum", {}),
    "update": ("update_map", {}),
}


def known_to_symvi(case: Case) -> bool:
    return not case.symbolic and case.function.__name__ in OWN


def ask_by_name(case: Case) -> verify.Report:
    """symvi's report about a claim, the function being its own one."""
    name, options = OWN[case.function.__name__]
    return verify.derivative(own(name, **options), case.claimed, wrt=case.wrt)


def ask(case: Case, in_c: bool = False, **options: object) -> verify.Report:
    """symvi's report; in_c: function and claim from the C file of the case. options: more arguments of the question."""
    function, claimed = case.function, case.claimed
    if in_c:
        file, *names = case.c
        function, claimed = (verify.c(FOLDER / file, name, include=[FOLDER]) for name in names)
    return verify.derivative(
        function,
        claimed,
        wrt=case.wrt,
        variables={name: said(variable) for name, variable in case.variables.items()},
        order=case.order,
        weights=case.weights,
        **options,
    )


def explained(case: Case, report: verify.Report) -> bool:
    """Whether a diagnosis of the report is one that explains what is wrong."""
    wanted = [expected.partition(": ") for expected in case.diagnoses]
    return any(given.kind == kind and words in str(given) for given in report.diagnoses for kind, _, words in wanted)


def said(variable: Variable) -> object:
    """A variable in the words of symvi.verify."""
    match variable.kind:
        case "quaternion" if variable.tangent == "raw":
            return verify.quaternion("raw")
        case "quaternion":
            return verify.quaternion(variable.tangent, variable.side)
        case "vector":
            return verify.vector(variable.size)
        case "unit vector":
            return verify.unit_vector()
        case "angular velocity":
            return verify.angular_velocity("h")
        case "inertia":
            return verify.inertia()
        case "step":
            return verify.step()
        case "scalar" | "positive":
            return verify.scalar(positive=variable.kind == "positive")
    raise ValueError(variable.kind)
