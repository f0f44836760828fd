"""The wrench: a force at a point of a body and a torque, from outside, at the knots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import Wrench

    return Wrench


def model(system: Any, force: Any) -> Any:
    """Along the point of the body, and a torque in its axes."""
    from symvi.physics.joints import rows as row
    from symvi.physics.model import FixedTo, ForceModel, Group, Parameter, Position

    body = system.mechanism.body(force.body)
    point = tuple(p - c for p, c in zip(force.point, body.center_of_mass, strict=True))
    groups = (Group(row.point_on_body, {"x_b": Position("b"), "r_b": FixedTo("b", "point")}, (0, 1, 2), (0, 1, 2)),)
    parameters = {"point": Parameter(point, "where the force acts, from the centre of mass", "m")}
    return ForceModel(
        force.name,
        force.kind,
        {"a": None, "b": body.name},
        groups,
        parameters,
        3,
        ("x", "y", "z"),
        ("m",) * 3,
        force="force",
        torque="torque",
        in_body_axes=force.frame == "body",
    )


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Where the force acts."""
    from symvi.numbers.settings import point

    yield f"{force.name}.point", point(mechanism, force.body, f"{force.name}.point", force.point)


def signals(force: Any) -> Iterator:
    """Three forces, then three torques."""
    names = (f"{force.name}.{'force' if k < 3 else 'torque'}[{k % 3}]" for k in range(6))
    yield from ((name, text, False) for name, text in zip(names, force.signal, strict=True))


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Its power, how far its point moves, and how far its body turns."""
    from symvi.naive.force_energies import NaiveForce
    from symvi.naive.quaternion import add, cross, dot, rotate, scale, subtract

    def in_world(q):
        return inputs["force"] if force.frame == "world" else rotate(q, inputs["force"])

    def power(a, b, motion_a, motion_b):
        velocity = add(motion_b[0], cross(motion_b[1], rotate(b[1], numbers["point"])))
        return dot(in_world(b[1]), velocity) + dot(rotate(b[1], inputs["torque"]), motion_b[1])

    def given():
        q = scene.system.first[force.body][1]
        return [*in_world(q), *rotate(q, inputs["torque"])]

    def way():
        places = [at[force.body] for at in (scene.system.first, scene.system.second())]
        before, after = (add(x, rotate(q, numbers["point"])) for x, q in places)
        return [*subtract(after, before), *scale(scene.h, scene.system.velocity(force.body)[1])]

    return NaiveForce(("world", force.body), power=power, given=given, way=way)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.proofs.numbers import from_center

    return {"point": from_center(mechanism, force.body, force.point, numbers)}


def examples(parent: str, child: str) -> Iterator:
    """In the axes of the world, and of the body."""
    from symvi.mechanism import Wrench

    yield Wrench(name="wind", body=parent, point=(0.3, 0, 0.4))
    yield Wrench(name="jet", body=child, point=(0.3, 0.2, 0.4), frame="body")


register_force(
    ForceKind(
        name="wrench",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        signals=signals,
        examples=examples,
    )
)
