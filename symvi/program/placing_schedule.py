"""The schedule of placing: the kernels of joint_placing.py on the joints of a mechanism, in the order of its tree.

A joint's coordinates lie in the record of its constraint, or in one of its own where it has none (a floating joint).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symvi.kernels.joint_placing import (
    couple_kernel,
    is_settled,
    leaders,
    measure_kernel,
    place_kernel,
    placing_model,
    placing_tree,
)
from symvi.mechanism import Joint, coordinate_kinds
from symvi.physics.model import ConstraintModel
from symvi.physics.multibody import MultibodySystem
from symvi.program.draft import Draft
from symvi.program.formulation import Joined
from symvi.program.program import MotionNotes, Node
from symvi.registry import JOINTS

SLIDES = ("", "a translation [m]", "two translations [m]", "three translations [m]")
TURNS = ("", "an angle [rad]", "two angles [rad]", "a rotation vector [rad]")


class Placing:
    """Adds the phases couple, place and measure to a draft, once its bodies and joints have records."""

    def __init__(self, draft: Draft, system: MultibodySystem, joints: Mapping[str, Joined]):
        self.draft, self.mechanism = draft, system.mechanism
        nodes = {name: joined.node for name, joined in joints.items()}
        self.models = {
            joint.name: placing_model(system.geometry(joint.name))
            for joint in self.mechanism.joints
            if JOINTS[joint.type].tree
        }
        self.nodes = {name: nodes[name] for name in self.models if name in nodes}
        self._own_nodes()
        self.steps = placing_tree(self.mechanism)
        self.placed = {step.joint.name for step in self.steps}
        self.led = leaders(self.mechanism, self.placed)
        self.baked = self._baked()
        self._measure()
        self._place()
        self._couple(nodes)

    def _own_nodes(self) -> None:
        """Records of joints that have no constraint, or whose rows were all dropped."""
        left = [model for name, model in self.models.items() if name not in self.nodes]
        for kind, _, members in self.draft.types(left):
            for model in members:
                self.nodes[model.name] = self.draft.node(kind, model.name)

    def _baked(self) -> dict[str, dict]:
        """Node type -> exact numbers of its members' parameters, which are added to what their records hold."""
        members: dict[str, list[ConstraintModel]] = {}
        for name, node in self.nodes.items():
            members.setdefault(node.kind, []).append(self.models[name])
            known = self.draft.parameters.setdefault((node.kind, node.index), {})
            known |= {key: p.values for key, p in self.models[name].parameters.items()}
        return {kind: self.draft.bake(kind, models) for kind, models in members.items()}

    def _call(self, phase: str, kernel, ports: Mapping[str, Node], text: str) -> None:
        self.draft.schedule({phase: kernel}, ports, text)

    def _measure(self) -> None:
        made: dict[str, object] = {}
        for name, node in sorted(self.nodes.items(), key=lambda item: self._place_of(item[1])):
            model = self.models[name]
            if model.rows:
                if node.kind not in made:
                    made[node.kind] = measure_kernel(self.draft.records, node.kind, model, self.baked[node.kind])
                self._call("measure", made[node.kind], self.draft.ports(node, model), name)

    def _place(self) -> None:
        made: dict[tuple, object] = {}
        for joint, to_child in self.steps:
            node, model = self.nodes[joint.name], self.models[joint.name]
            key = node.kind, to_child
            if key not in made:
                made[key] = place_kernel(self.draft.records, *key[:1], model, self.baked[node.kind], to_child)
            text = f"{model.bodies['b' if to_child else 'a']} by {joint.name}"
            self._call("place", made[key], self.draft.ports(node, model), text)

    def _couple(self, nodes: Mapping[str, Node]) -> None:
        made: dict[tuple, object] = {}
        for led in self.led:
            if led.coupling not in nodes:  # its row is dropped: it follows from others
                continue
            ports = {"leader": self.nodes[led.leader], "follower": self.nodes[led.follower]}
            own = nodes[led.coupling]
            key = own.kind, ports["leader"].kind, ports["follower"].kind, led.backwards
            if key not in made:
                made[key] = couple_kernel(self.draft.records, *key)
            self._call("couple", made[key], {own.kind: own, **ports}, f"{led.follower} by {led.leader}")

    def _place_of(self, node: Node) -> tuple[int, int]:
        return list(self.draft.nodes).index(node.kind), node.index

    # --- what printing must know -------------------------------------------------------------------------------------
    def notes(self, constraints: Mapping[str, Joined], angles: Sequence[dict]) -> MotionNotes:
        """Where coordinates lie and what they are; which carried angles and drivers they give."""
        return {
            "motion": [self._note(self.mechanism.joint(name)) for name, model in self.models.items() if model.rows],
            "carried_motion": [self._carried(angle) for angle in angles],
            "driven_motion": [
                self._given(driver.joint, driver.coordinate, constraints[driver.name][0])
                for driver in self.mechanism.drivers
            ],
            "placing_settles": is_settled(self.mechanism, self.placed, self.led, constraints),
        }

    def _note(self, joint: Joint) -> dict[str, object]:
        node, kinds = self.nodes[joint.name], coordinate_kinds(joint.type)
        parts = SLIDES[kinds.count("translation")], TURNS[kinds.count("rotation")]
        text = f"{joint.type}: {', '.join(filter(None, parts))}"
        follows = next((led.leader for led in self.led if led.follower == joint.name), None)
        if joint.name not in self.placed:
            text += "; closes a loop, and is not read"
        elif follows:
            text += f"; follows {follows}"
        return {"joint": joint.name, "kind": node.kind, "index": node.index, "kinds": list(kinds), "text": text}

    def _carried(self, angle: Mapping) -> dict[str, object]:
        place = {key: angle[key] for key in ("kind", "index", "field")}
        return place | self._from(angle["joint"], angle["coordinate"])

    def _given(self, joint: str, coordinate: int, node: Node) -> dict[str, object]:
        return {"kind": node.kind, "index": node.index, **self._from(joint, coordinate)}

    def _from(self, joint: str, coordinate: int) -> dict[str, object]:
        node = self.nodes[joint]
        entry = f"[{coordinate}]" if self.models[joint].rows > 1 else ""
        place = f"{node.kind}[{node.index}]"
        return {"joint": place, "entry": entry, "of": node.kind, "of_index": node.index, "which": coordinate}
