"""What a constraint or a force is made of: formulas, and where their inputs come from. No layout, nothing of C.

Labels "a", "b", ... name the bodies that a model touches; the world has a label too but no unknowns. Parameters are
given with their values, in the model's own numbers (anchors from the centre of mass, unit axes, offset quaternions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from symvi.physics.formula import Formula

SHARES = "shares"  # the parameter of laws with the share of every body that their weights count with


@dataclass(frozen=True)
class Parameter:
    """A number that the generated solver takes at run time (or bakes, where it is exactly 0 or 1)."""

    values: tuple[float, ...]
    meaning: str
    unit: str = "1"


@dataclass(frozen=True)
class Position:
    """The centre of mass of the body with this label."""

    body: str


@dataclass(frozen=True)
class FixedTo:
    """A vector fixed to a body, given in body axes by a parameter."""

    body: str
    parameter: str


@dataclass(frozen=True)
class Attitude:
    """A quaternion fixed to a body: the body's orientation times the offset in a parameter."""

    body: str
    parameter: str


@dataclass(frozen=True)
class Data:
    """A number that does not move: a parameter, a carried state of the model ("near"), or an input of the step."""

    name: str
    store: str = "parameters"
    size: int = 1


@dataclass(frozen=True)
class AtFirstKnot:
    """The value of another source at the first knot, held still."""

    source: Position | FixedTo | Attitude


Source = Position | FixedTo | Attitude | Data | AtFirstKnot


@dataclass(frozen=True)
class Group:
    """Rows of one formula: which of its rows, into which rows of the model, times which parameter (None: 1)."""

    formula: Formula
    inputs: Mapping[str, Source]
    rows: tuple[int, ...]
    into: tuple[int, ...]
    factor: str | None = None
    bodies: Mapping[str, str] = field(default_factory=lambda: {"a": "a", "b": "b"})

    @property
    def near(self) -> Data | None:
        """What tells the rows' angle its branch; None where they have no angle with whole turns."""
        source = self.inputs.get("near")
        if source is not None and not isinstance(source, Data):
            raise ValueError(f"formula {self.formula.name}: an angle is near a number, not near {source}")
        return source


@dataclass(frozen=True)
class Motion:
    """What a unit rate of a coordinate asks of body b while body a stays: to slide along an axis, to turn about it.

    An axis that it turns about goes through body b's own anchor. pitch: advance along the axis it turns about.
    """

    kind: str  # "translation" or "rotation"
    axis: FixedTo
    anchor: FixedTo
    pitch: str | None = None


@dataclass(frozen=True)
class Laws:
    """Which rows springs, dampers and servos act along within a step (laws.py), and what weighs them.

    elastic, damped, sinusoidal: rows with a stiffness, a damping, a sinusoidal spring. coordinates: of every row, the
    coordinate whose weight it takes: three free rotations have two sets of rows, rates that dampers act along and a
    rotation vector that springs act along. motions: of every coordinate; none where the bodies are otherwise free.
    aimed: servos are among them. loaded: joints, gears, contacts or point springs hold its bodies too. opposed: its
    sides, "child" and "parent", whose mass bounds what may then oppose its coordinates; springs of none act halfway.
    central: all act halfway, as inner steps of a composition want it; how long these may be for a damper is told.
    """

    elastic: tuple[int, ...]
    damped: tuple[int, ...]
    sinusoidal: tuple[int, ...]
    coordinates: tuple[int, ...]
    motions: tuple[Motion, ...] = ()
    aimed: bool = False
    loaded: bool = False
    opposed: tuple[str, ...] = ()
    central: bool = False


class Modelled(Protocol):
    """What all models have."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def bodies(self) -> Mapping[str, str | None]: ...
    @property
    def groups(self) -> tuple[Group, ...]: ...
    @property
    def parameters(self) -> Mapping[str, Parameter]: ...
    @property
    def rows(self) -> int: ...


@dataclass(frozen=True)
class ConstraintModel:
    """Rows g = 0 between bodies. `bodies` maps labels to body names (None: the world)."""

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    rows: int
    row_names: tuple[str, ...]
    row_units: tuple[str, ...]
    target: str | None = None  # an input that row 0 must reach: a driver's
    offset: str | None = None  # a parameter that row 0 is reduced by: a coupling's
    angles: tuple[str, ...] = ()  # carried angles in the model's state
    frame: tuple[str, ...] = ()  # the parameters with the joint's axes on body a, for its reaction
    tree: bool = True  # may carry the spanning tree: its rows on body b alone have full rank
    pivots: tuple[str, ...] = ()  # labels of bodies that lack inertia where these rows hold them
    free: tuple[Group, ...] = ()  # its minimal coordinates and their rates, where laws act along them
    freedoms: int = 0  # rows of `free`
    laws: Laws | None = None  # springs, dampers, servos along `free`
    stopped: tuple[int, ...] = ()  # the rows of `free` that limits and dry friction act along


@dataclass(frozen=True)
class ForceModel:
    """A force at the knots along the gradient of some rows c: impulse (dc/dz)ᵀ phi on the bodies (one rule for all).

    phi of row k is an input force_k. A model whose only row is an energy has `energy` set: phi = -factor.
    """

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    rows: int
    row_names: tuple[str, ...]
    row_units: tuple[str, ...]
    force: str | None = None
    energy: str | None = None
    torque: str | None = None
    in_body_axes: bool = False
    angles: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShareModel:
    """What a spring, a damper or a servo adds to the laws along a joint's coordinates, by names of its parameters.

    stiffness_k (rest_k - c_k), or towards the input `target`; damping_k (rate_k - c'_k); sinusoidal: stiffness times
    -sin(c - rest) on the joint's rotation, number `along`.
    """

    name: str
    type: str
    joint: str
    parameters: Mapping[str, Parameter]
    rows: int
    row_units: tuple[str, ...]
    along: tuple[int, ...]
    stiffness: str | None = None
    rest: str | None = None
    target: str | None = None
    damping: str | None = None
    sinusoidal: bool = False
    groups: tuple[Group, ...] = ()
    bodies: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class LawModel:
    """Laws along coordinates that keep their blocks: of a joint that does not take them, or of a point spring.

    joint: whose coordinates the rows are; the numbers are sums over its springs, dampers and servos. None: they are
    the parameters "stiffness", "length" and "damping" of the element itself.
    """

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    rows: int
    row_names: tuple[str, ...]
    row_units: tuple[str, ...]
    laws: Laws
    joint: str | None = None
    angles: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContactModel:
    """A gap that must not close, and friction where it does. Body b always moves.

    gap: one row, the gap itself. centre: what body b carries to the middle of the sphere whose surface touches (None:
    it touches with its material points alone, as a user's own shape does). arm: the same of body a (None as for a
    plane). place: the arm of the contact point on body b (None: it has the same arm from the sphere's centre at both
    knots, as above ground that is fixed to the world). cone: "none",
    "second_order" or "linear", then with `directions` of friction, half of them given by the parameters "cosines" and
    "sines" in the plane of the parameters "t1" and "t2" on body a.
    unit_gradient: the gap is a distance by construction, so that its gradient is the normal. is_flat: that normal is
    the parameter "normal", fixed to body a.
    """

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    cone: str
    centre: FixedTo | None = FixedTo("b", "anchor_b")
    arm: FixedTo | None = None
    place: Group | None = None
    unit_gradient: bool = True
    is_flat: bool = False
    directions: int = 0
    rows: int = 1
    row_names: tuple[str, ...] = ("gap",)
    row_units: tuple[str, ...] = ("m",)


def body_of(model: ConstraintModel | ContactModel, label: str) -> str:
    """The body with a label that never stands for the world."""
    body = model.bodies[label]
    if body is None:
        raise ValueError(f"{model.name}: {label} is the world")
    return body


@dataclass(frozen=True)
class LimitModel:
    """Bounds on one joint coordinate: parameters "lower" and "upper", whichever are there.

    along: the joint's free coordinate whose gradient the row has; none where it has another one, as a rotation vector's
    entries have, which are not the rates of turning about the joint's axes.
    """

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    row_units: tuple[str, ...]
    joint: str
    along: tuple[int, ...]
    angles: tuple[str, ...] = ()
    rows: int = 1
    row_names: tuple[str, ...] = ("coordinate",)


@dataclass(frozen=True)
class DryFrictionModel:
    """Forces along joint coordinates that oppose their rates, each up to the parameter "bound".

    along: the joint's free coordinates, whose gradients the rows have.
    """

    name: str
    type: str
    bodies: Mapping[str, str | None]
    groups: tuple[Group, ...]
    parameters: Mapping[str, Parameter]
    rows: int
    row_names: tuple[str, ...]
    row_units: tuple[str, ...]
    joint: str
    along: tuple[int, ...]
    angles: tuple[str, ...] = ()
