"""Parameters that follow from others, those that are free, and what values make sense: for Python and generated text.

Free are the numbers of the description (settings.py) alone: triads, unit vectors, scales and what else several of them
decide at once are tied to each other, and none may be changed by itself. The geometry of a joint lies in every node
that reads its coordinates: the joint itself, its drivers, springs, limits. It has one name, joint.field, and one value.
What a body's residual is weighed by follows its mass and inertia, what complementarity is measured by follows masses
and gravity (numbers/complementarity_scale.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypedDict

from symvi.mechanism import Mechanism
from symvi.mechanism.forces import LEAST_BOUND, AlongJoint

GEOMETRY = (
    *("anchor_a", "anchor_b", "frame_a", "frame_b", "joint_a", "joint_b", "pin", "pitch"),
    *(f"{name}{k}" for name in ("axis", "e") for k in (1, 2, 3)),
)
OF_JOINTS = ("j1_", "j2_")  # of a coupling's fields, by the joint that they describe
LOCK = ".lock"  # between a joint and the number of a coordinate that is held in place of its rows
LAWS = ".laws"  # after a joint, for the laws along its coordinates where they are an element (physics/coordinates.py)
SOLVERS = ("guard", "limit", "extent", "weight")  # of the analysis of the mechanism where it was described
PAIRS = (("rest_cos", "rest_sin"),)  # cosine and sine of one angle
INTERNAL = (
    "size",
    "guard",
    "limit",
    "h",
    "share",
    "shares",
)  # what follows from other numbers, or has its own argument

if TYPE_CHECKING:
    from symvi.scalar import Number
OF_UNITS = ("mass", "gravity", "effective_mass", "acceleration")  # what complementarity is measured by follows these
LENGTH = "length"  # of a joint that holds a distance, or of a spring that pulls to one
NOT_NEGATIVE = ("stiffness", "damping", "radius", "reach", LENGTH)
POSITIVE = ("mass", "extent", "effective_mass", "acceleration")
FRICTION = ("friction", "bound")
LEAST_FRICTION = {"double": LEAST_BOUND, "float": 1e-6}  # next to none, and far from where the interior point is lost


class Derivation(TypedDict):
    """What generated text needs to derive parameters from others, as plain data.

    free: the solver's names of what a description has as numbers. along: joints by element (`acts_along`). radii: per
    body, at what radius its mass counts at least in its residual [m]. parts, contacts, nodes: see `Touching`.
    """

    free: list[str]
    along: dict[str, list[str]]
    radii: list[float]
    parts: list[int]
    contacts: list[int]
    nodes: dict[str, list[int]]


def derivation_of(mechanism: Mechanism, radii: Sequence[float]) -> Derivation:
    """What is derived from what in a mechanism; radii as in `Derivation`."""
    from symvi.numbers.complementarity_scale import touching
    from symvi.numbers.settings import described_numbers

    tables = touching(mechanism)
    return {
        "free": sorted({own for _, each in described_numbers(mechanism) for own in each.numbers(each.value)}),
        "along": {element: list(joints) for element, joints in acts_along(mechanism).items()},
        "radii": list(radii),
        "parts": list(tables.parts),
        "contacts": list(tables.contacts),
        "nodes": {name: list(bodies) for name, bodies in tables.nodes.items()},
    }


def common_name(joints: Mapping[str, tuple[str, ...]], name: str) -> str:
    """joint.field for the geometry of a joint in any element that acts along it; other names as they are."""
    element, _, field = name.rpartition(".")
    element = element.partition(LOCK)[0].removesuffix(LAWS)
    which = int(field.startswith(OF_JOINTS[1]))
    for prefix in OF_JOINTS:
        field = field.removeprefix(prefix)
    if field in GEOMETRY and element in joints:
        return f"{joints[element][which]}.{field}"
    return name


def is_positive(field: str, of_joint: bool) -> bool:
    """Whether the numbers of a field must be above zero: the length of a joint, though not that of a spring."""
    return field in POSITIVE or (field == LENGTH and of_joint)


def may_be_set(free: Collection[str], name: str) -> bool:
    """Whether a parameter of the solver may be set alone, by its name: free ones, units, and the solver's own.

    free: the solver's names of what a description has as numbers (`Derivation`).
    """
    field = name.rpartition(".")[2]
    paired = any(field in pair for pair in PAIRS)
    return (name in free and not paired) or field in (*OF_UNITS, *SOLVERS)


def acts_along(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Element -> the joint, or the two, along whose coordinates it acts; a joint acts along its own."""

    def found() -> Iterator[tuple[str, tuple[str, ...]]]:
        yield from ((joint.name, (joint.name,)) for joint in mechanism.joints)
        yield from ((coupling.name, coupling.joints) for coupling in mechanism.couplings)
        for element in (*mechanism.drivers, *mechanism.forces, *mechanism.limits):
            if isinstance(element, AlongJoint):
                yield element.name, (element.joint,)

    return dict(found())


def merit_inertia(mass: Number, inertia: Sequence[Number], square: Number) -> Number:
    """What a body's residual is weighed by [kg m²]: its largest moment, at least that of its mass at a small radius.

    square: that of the radius [m²]. Floats, or scalars that are traced (program/parameter_update.py).
    """
    from symvi.scalar import greater

    return reduce(greater, (*inertia[:3], mass * square))
