"""A user's own expressions where the mechanism starts: whether they can be derived, and have values and gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.names import shown
from symvi.physics.force_models import force_model
from symvi.physics.formula import UnderivableError
from symvi.physics.model import ConstraintModel
from symvi.physics.multibody import MultibodySystem
from symvi.registry import CONTACTS, FORCES, JOINTS

__all__ = ["check_expressions"]


def check_expressions(system: MultibodySystem) -> None:
    """Raises MechanismError, with all problems, for expressions of custom joints, potentials and gaps that are not real
    anywhere, or have no finite value or gradient at the start."""
    problems = [problem for element in _elements(system) for problem in _problems(system.mechanism, *element)]
    if problems:
        raise MechanismError(problems)


def _elements(system: MultibodySystem) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """(title, model, texts) of everything that has an expression of its own."""
    mechanism = system.mechanism
    for joint in mechanism.joints:
        if JOINTS[joint.type].is_own:
            yield f"joint '{joint.name}'", system.joint(joint.name), joint.expressions
    for force in mechanism.forces:
        if texts := FORCES[force.kind].expressions(force):
            yield f"force '{force.name}'", force_model(system, force), texts
    gaps = {c.name: texts for c in mechanism.contacts if (texts := CONTACTS[c.kind].expressions(c))}
    for model in system.contacts if gaps else ():
        if model.name in gaps:
            yield f"contact '{model.name}'", model, gaps[model.name]


def _problems(mechanism: Mechanism, title: str, model: Any, texts: tuple[str, ...]) -> Iterator[str]:
    import numpy as np

    from symvi.analysis.equations import Equations, start_configuration

    names, units = (title,) * len(texts), ("1",) * len(texts)
    rows = ConstraintModel(model.name, title, model.bodies, model.groups, model.parameters, len(texts), names, units)
    try:
        with np.errstate(all="ignore"):
            start = start_configuration(mechanism, mechanism.bodies, {})
            (found,), _ = Equations(mechanism.body_names, [rows]).at(start)
    except UnderivableError as error:
        yield f"{title}: expression {shown('; '.join(texts))} is not a real function: {error}"
        return
    for k, text in enumerate(texts):
        slopes = [gradient[k] for gradient in found.gradients.values()]
        if not np.isfinite(found.g[k]):
            yield f"{title}: expression {shown(text)} has no finite value where the mechanism starts"
        elif not np.isfinite(slopes).all():
            yield f"{title}: expression {shown(text)} has no finite gradient where the mechanism starts"
