"""symvi: symbolic code generation for rigid-body dynamics.

The public names are looked up when they are first used, so that `import symvi` and `symvi --help` are quick: importing
SymPy alone takes most of a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from symvi import contacts as _contacts  # noqa: F401  registers symvi's own kinds, before anything asks for them
from symvi import forces as _forces  # noqa: F401
from symvi import joints as _joints  # noqa: F401
from symvi.registry import CONTACTS as _CONTACTS
from symvi.registry import FORCES as _FORCES
from symvi.registry import JOINTS as _JOINTS
from symvi.registry import MOTION as _MOTION
from symvi.registry import NOTEBOOK as _NOTEBOOK
from symvi.registry import ContactKind as _ContactKind
from symvi.registry import ForceKind as _ForceKind
from symvi.registry import JointType as _JointType


def _try_contact(record: _ContactKind) -> None:
    from symvi.analysis.record_checks import try_contact

    try_contact(record)


def _try_force(record: _ForceKind) -> None:
    from symvi.analysis.record_checks import try_force

    try_force(record)


def _try_joint(record: _JointType) -> None:
    from symvi.analysis.record_checks import try_joint

    try_joint(record)


def _draw_mechanism(mechanism: Mechanism) -> str:
    from symvi.page.notebook import mechanism_html

    return mechanism_html(mechanism)


def _draw_motion(motion: Trajectory) -> str:
    from symvi.page.notebook import motion_html

    return motion_html(motion)


def _linearize_motion(motion: Trajectory, *how: Any) -> Any:
    from symvi.simulate.motion_linearized import along_motion

    return along_motion(motion, *how)


_MOTION.update(linearize=_linearize_motion)
_NOTEBOOK.update(mechanism=_draw_mechanism, motion=_draw_motion)
_CONTACTS.close_own(_try_contact)
_FORCES.close_own(_try_force)
_JOINTS.close_own(_try_joint)

if TYPE_CHECKING:
    from symvi.control import identify
    from symvi.errors import (
        AccuracyWarning,
        ArgumentError,
        AssemblyError,
        CompilerError,
        EnergyWarning,
        FileError,
        MechanismError,
        MissingExtraError,
        MissingFileError,
        RateWarning,
        SolverError,
        SpinWarning,
        StiffnessWarning,
        SymviError,
        SymviWarning,
    )
    from symvi.exporters import Exported, export
    from symvi.importers import Format, Imported, load, register_format
    from symvi.mechanism import (
        Actuator,
        Body,
        Box,
        Capsule,
        Contact,
        Coupling,
        Cylinder,
        Driver,
        DryFriction,
        Joint,
        JointDamper,
        JointSpring,
        Limit,
        Mechanism,
        PointSpring,
        Potential,
        Rod,
        Servo,
        Sphere,
        Wrench,
    )
    from symvi.mechanism.state import State
    from symvi.physics.symbols import placements
    from symvi.registry import ContactKind, ForceKind, JointType, register_contact, register_force, register_joint
    from symvi.simulate import Simulator, SolverOptions, Trajectory
    from symvi.simulate.coordinates import coordinates_of, state_from
    from symvi.sweeps import sweep

__version__ = "0.1.0"

_HOME_OF = {
    name: module
    for module, names in {
        "symvi.errors": "AccuracyWarning ArgumentError AssemblyError CompilerError EnergyWarning FileError"
        " MechanismError MissingExtraError MissingFileError RateWarning SolverError SpinWarning StiffnessWarning"
        " SymviError SymviWarning",
        "symvi.control": "identify",
        "symvi.exporters": "Exported export",
        "symvi.importers": "Format Imported load register_format",
        "symvi.mechanism": "Actuator Body Box Capsule Contact Coupling Cylinder Driver DryFriction Joint JointDamper"
        " JointSpring Limit Mechanism PointSpring Potential Rod Servo Sphere Wrench",
        "symvi.mechanism.state": "State",
        "symvi.physics.symbols": "placements",
        "symvi.registry": "ContactKind ForceKind JointType register_contact register_force register_joint",
        "symvi.simulate": "Simulator SolverOptions Trajectory",
        "symvi.simulate.coordinates": "coordinates_of state_from",
        "symvi.sweeps": "sweep",
    }.items()
    for name in names.split()
}

# Written out, because type checkers and completion read it; a test compares it with the table above.
__all__ = [
    "AccuracyWarning",
    "Actuator",
    "ArgumentError",
    "AssemblyError",
    "Body",
    "Box",
    "Capsule",
    "CompilerError",
    "Contact",
    "ContactKind",
    "Coupling",
    "Cylinder",
    "Driver",
    "DryFriction",
    "EnergyWarning",
    "Exported",
    "FileError",
    "ForceKind",
    "Format",
    "Imported",
    "Joint",
    "JointDamper",
    "JointSpring",
    "JointType",
    "Limit",
    "Mechanism",
    "MechanismError",
    "MissingExtraError",
    "MissingFileError",
    "PointSpring",
    "Potential",
    "RateWarning",
    "Rod",
    "Servo",
    "Simulator",
    "SolverError",
    "SolverOptions",
    "Sphere",
    "SpinWarning",
    "StiffnessWarning",
    "State",
    "SymviError",
    "SymviWarning",
    "Trajectory",
    "Wrench",
    "__version__",
    "coordinates_of",
    "export",
    "identify",
    "load",
    "placements",
    "register_contact",
    "register_force",
    "register_format",
    "register_joint",
    "state_from",
    "sweep",
]


def __getattr__(name: str) -> object:
    """Import a public name from the module it lives in, once."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'symvi' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
