"""A walk over the joints of a mechanism that reaches every body once, from bodies of which something is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from symvi.mechanism.elements import Joint
from symvi.mechanism.joint_table import coordinate_count
from symvi.mechanism.mechanism import Mechanism
from symvi.registry import JOINTS

__all__ = ["Step", "tree_walk"]


class Step(NamedTuple):
    """A joint by which the walk reaches one of its bodies from the other."""

    joint: Joint
    to_child: bool

    @property
    def target(self) -> str:
        """The name of the body that is reached."""
        return self.joint.child if self.to_child else self.joint.parent


def tree_walk(
    mechanism: Mechanism, starts: Iterable[str], reached: Collection[str], known: Mapping[str, object]
) -> Iterator[Step]:
    """The steps from the bodies `starts`; the caller enters each target into `reached` before the next step.

    Of several joints that lead on, the one with the fewest coordinates not among the `known` joints is taken, then
    the one that comes first in the mechanism.
    """
    joints_at: dict[str, list[int]] = {}
    for index, joint in enumerate(mechanism.joints):
        if JOINTS[joint.type].tree:
            joints_at.setdefault(joint.parent, []).append(index)
            joints_at.setdefault(joint.child, []).append(index)
    waiting: list[tuple[int, int]] = []

    def wait_at(name: str) -> None:
        for index in joints_at.get(name, ()):
            joint = mechanism.joints[index]
            heappush(waiting, (0 if joint.name in known else coordinate_count(joint), index))

    for name in starts:
        wait_at(name)
    while waiting:
        joint = mechanism.joints[heappop(waiting)[1]]
        if joint.parent in reached and joint.child in reached:
            continue
        step = Step(joint, joint.parent in reached)
        yield step
        wait_at(step.target)
