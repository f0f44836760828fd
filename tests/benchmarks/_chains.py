"""Open chains of general links: what the benchmarks measure."""

from __future__ import annotations

from symvi.mechanism import Body, Joint, Mechanism

INERTIA = (0.084, 0.084, 0.02, 0.001, 0.002, 0.003)
START = {"revolute": 0.8, "spherical": (0.7, 0.1, 0.1)}


def chain(count: int, kind: str) -> Mechanism:
    """A chain of `count` links with full inertias, anchors off the axes and a general axis: nothing can be baked."""
    bodies = [Body(name=f"link{k}", mass=1.0, inertia=INERTIA) for k in range(count)]
    joints = [
        Joint(
            name=f"joint{k}", type=kind, parent=f"link{k - 1}" if k else "world", child=f"link{k}",
            parent_anchor=(0.01, 0.02, -0.5) if k else (0.0, 0.0, 0.0), child_anchor=(0.02, 0.03, 0.5),
            axis=(1.0, 0.2, 0.3), coordinate=None if k else START[kind],
        )
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name=f"{kind}_chain", bodies=bodies, joints=joints)


def crooked(count: int) -> Mechanism:
    """The same on hinges whose axes point in three directions in turn."""
    axes = ((1.0, 0.2, 0.3), (0.1, 1.0, -0.4), (0.3, -0.2, 1.0))
    found = chain(count, "revolute")
    joints = [joint.changed(axis=axes[k % 3]) for k, joint in enumerate(found.joints)]
    return found.changed(name="crooked_chain", joints=joints)


def planar(count: int) -> Mechanism:
    """Boxes on parallel hinges, all anchors in one plane."""
    found = chain(count, "revolute")
    bodies = [body.changed(inertia=(*INERTIA[:3], 0.0, 0.0, 0.0)) for body in found.bodies]
    joints = [
        joint.changed(axis=(0.0, 1.0, 0.0), parent_anchor=(0.0, 0.0, -0.5 if k else 0.0), child_anchor=(0.0, 0.0, 0.5))
        for k, joint in enumerate(found.joints)
    ]
    return found.changed(name="planar_chain", bodies=bodies, joints=joints)
