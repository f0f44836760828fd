"""Bodies without inertia about some axis: point masses, and lines of mass. They may turn only where a joint holds them.

The pivot of such a body is singular. Its joint's rows, which vanish in the solution, are therefore added to its balance
of momentum, weighted like an inertia: body and joint become one pivot, and the solution stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.errors import MechanismError
from symvi.mechanism import Body, Mechanism
from symvi.physics.model import ConstraintModel

HELD = 1e-6  # of the size of a turn: a joint holds a rotation that its rows see by more than this


def pivots_of(mechanism: Mechanism, models: Sequence[ConstraintModel], size: float) -> dict[str, str]:
    """For every body without inertia about some axis, the joint that holds it there: body name -> constraint name.

    Raises MechanismError for all bodies that no joint holds, with the axis in body axes.
    """
    bodies = [body for body in mechanism.bodies if body.has_zero_inertia]
    if not bodies:
        return {}
    found = {body.name: _holding(mechanism, body, models, size) for body in bodies}
    left = [body for body in bodies if found[body.name] is None]
    problems = [
        f"body '{body.name}': has no inertia about {_text(_free_axes(body)[:, -1])} (body axes), and no joint alone "
        "holds that rotation; give it a moment there, or hold it by a joint that does (a revolute or fixed one)"
        for body in left
    ]
    if problems:
        raise MechanismError(problems, [("bodies", body.name, "inertia") for body in left])
    return {name: joint for name, joint in found.items() if joint is not None}


def _holding(mechanism: Mechanism, body: Body, models: Sequence[ConstraintModel], size: float) -> str | None:
    """The first joint whose rows hold all rotations of a body without inertia; joints that carry it come first."""
    import numpy as np

    from symvi.analysis.equations import Equations, start_configuration
    from symvi.mechanism.rotation import rotation_matrix

    near = [m for m in models if m.frame and body.name in m.bodies.values()]
    near.sort(key=lambda m: (not m.tree, m.bodies.get("b") != body.name))
    configuration, names = start_configuration(mechanism, mechanism.bodies, {}), mechanism.body_names
    rows, _ = Equations(names, near).at(configuration)
    k = names.index(body.name)
    axes = np.array(rotation_matrix(tuple(configuration.q[k]))) @ _free_axes(body)
    for model, found in zip(near, rows, strict=True):
        units = np.array([1.0 if unit == "rad" else 1.0 / size for unit in model.row_units])
        seen = units[:, None] * (found.gradients[k][:, 3:] @ axes)
        if len(seen) >= axes.shape[1] and np.linalg.svd(seen, compute_uv=False)[-1] > HELD:
            return model.name
    return None


def _free_axes(body: Body):
    """(3, k): the principal axes without inertia, in body axes."""
    import numpy as np

    xx, yy, zz, xy, xz, yz = body.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return axes[:, moments <= 1e-12 * moments[-1]]


def _text(axis) -> str:
    largest = max(axis, key=abs)
    return "(" + ", ".join(f"{x / largest + 0.0:.3g}" for x in axis) + ")"
