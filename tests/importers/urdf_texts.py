"""URDF as tests write it: random robots with everything a reader may get wrong, and small pieces of text."""

from __future__ import annotations

import numpy as np

__all__ = ["inertial", "joint", "link", "random_robot", "robot", "words"]

TYPES = ("revolute", "continuous", "prismatic", "fixed", "revolute", "continuous")


def robot(*parts: str, name: str = "robot") -> str:
    return "\n".join(['<?xml version="1.0"?>', f'<robot name="{name}">', *parts, "</robot>"])


def inertial(
    mass: float = 1.0, moments: tuple = (0.01, 0.02, 0.025), xyz: tuple = (0, 0, 0), rpy: tuple = (0, 0, 0)
) -> str:
    ixx, iyy, izz, *products = moments
    ixy, ixz, iyz = products or (0, 0, 0)
    return (
        f'<inertial><origin xyz="{words(xyz)}" rpy="{words(rpy)}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{ixx!r}" ixy="{ixy!r}" ixz="{ixz!r}" iyy="{iyy!r}" iyz="{iyz!r}" izz="{izz!r}"/></inertial>'
    )


def link(name: str, inside: str | None = None) -> str:
    return f'<link name="{name}">{inertial() if inside is None else inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "", xyz: tuple = (0, 0, 0)) -> str:
    limit = '<limit lower="-3" upper="3" effort="0" velocity="0"/>' if kind in ("revolute", "prismatic") else ""
    if "<limit" in inside:
        limit = ""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{words(xyz)}"/><parent link="{parent}"/>'
        f'<child link="{child}"/>{limit}{inside}</joint>'
    )


def words(values: tuple) -> str:
    return " ".join(repr(float(value)) for value in values)


def random_robot(seed: int, count: int = 9) -> str:
    """A tree of `count` links with mass, any axes, turned inertials, fixed links, a massless one at an end, mimics."""
    random = np.random.default_rng(seed)
    parts = [link("base", inertial(*_random_inertial(random)))]
    movable = []
    for k in range(count):
        parent = "base" if k == 0 else random.choice(["base", *(f"link{n}" for n in range(k))])
        kind = "revolute" if k < 2 else str(random.choice(TYPES))
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        if k % 3 == 0:
            axis = np.eye(3)[random.integers(3)] * random.choice([-1.0, 1.0])
        inside = "" if k == 3 else f'<axis xyz="{words(axis)}"/>'
        inside += f'<origin xyz="{words(random.normal(size=3) * 0.4)}" rpy="{words(random.uniform(-3, 3, 3))}"/>'
        if kind != "fixed":
            damping = random.choice([0.0, 0.3])
            inside += f'<dynamics damping="{damping}" friction="{random.choice([0.0, 0.2])}"/>'
            if movable and kind != "continuous" and random.random() < 0.4:
                inside += f'<mimic joint="{movable[0]}" multiplier="{random.uniform(-2, 2):.3f}" offset="0.1"/>'
            elif kind != "continuous":  # which Pinocchio neither lets follow nor lead
                movable.append(f"joint{k}")
        text = joint(f"joint{k}", kind, parent, f"link{k}", inside).replace('<origin xyz="0.0 0.0 0.0"/>', "", 1)
        parts += [link(f"link{k}", inertial(*_random_inertial(random))), text]
    parts += [link("tool", ""), joint("mount", "fixed", f"link{count - 1}", "tool", xyz=(0.1, 0.2, 0.3))]
    return robot(*parts, name=f"random{seed}")


def _random_inertial(random: np.random.Generator) -> tuple:
    """Mass, six entries of an inertia that a body can have, position and orientation of its frame."""
    points = random.normal(size=(8, 3)) * 0.2
    points -= points.mean(axis=0)
    mass = float(random.uniform(0.5, 3.0))
    tensor = mass / 8 * (np.trace(points.T @ points) * np.eye(3) - points.T @ points)
    entries = [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return mass, tuple(entries), tuple(random.normal(size=3) * 0.1), tuple(random.uniform(-3, 3, 3))
