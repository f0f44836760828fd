"""Drivers whose rate is told to the joint that they lead: their records and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from symvi.kernels.common import JOINT
from symvi.kernels.constraint import ConstraintKernels
from symvi.kernels.driven import driven_kernels
from symvi.kernels.kernel import Kernel
from symvi.physics.model import ConstraintModel
from symvi.program.draft import Draft
from symvi.program.formulation import Joined
from symvi.program.program import Node
from symvi.program.tree_links import TreeLinks


class LedDriver(NamedTuple):
    """A driver with its kernels by phase, and the records that these work on."""

    kernels: Mapping[str, Kernel]
    ports: Mapping[str, Node]
    joined: Joined


def led_drivers(draft: Draft, tree: TreeLinks, nodes: Mapping[str, Node]) -> Iterator[LedDriver]:
    """Every driver that leads a joint of the tree, by its type and that of its joint. nodes: of links, by body."""
    drivers = {driver.name: driver for driver in tree.mechanism.drivers}
    bodies = {link.model.name: name for name, link in tree.links.items() if link.model is not None}
    models = [model for model in tree.problem.system.drivers if model.name in tree.led]

    def unknown(model: ConstraintModel) -> int:
        driver = drivers[model.name]
        return tree.unknown(tree.links[bodies[driver.joint]].order, driver)

    def role(model: ConstraintModel) -> tuple[str, ...]:
        return "of", nodes[bodies[drivers[model.name].joint]].kind, str(unknown(model))

    for kind, first, members in draft.types(models, role, said=False):
        body = bodies[drivers[first.name].joint]
        baked = draft.bake(kind, members)
        kernels = driven_kernels(draft.records, kind, first, baked, nodes[body].kind, tree.links[body], unknown(first))
        for model in members:
            joint, node = nodes[bodies[drivers[model.name].joint]], draft.node(kind, model.name, model)
            draft.book(draft.works, node, model, paid=True, late=True)
            yield LedDriver(
                kernels, {**draft.ports(node, model), JOINT: joint}, Joined(node, ConstraintKernels({}, {}, {}), model)
            )
