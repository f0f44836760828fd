"""MJCF as tests write it: the four-bar of four_bars.py, and random models with everything a reader may get wrong."""

from __future__ import annotations

import numpy as np

from tests.importers.four_bars import MOMENTS, A, B, C, D

__all__ = ["LOOPS", "four_bar", "model", "random_model"]


def model(*parts: str, world: str = "") -> str:
    return "\n".join(["<mujoco model='model'>", *parts, f"<worldbody>{world}</worldbody>", "</mujoco>"])


def words(values) -> str:
    return " ".join(repr(float(value)) for value in values)


ASIDE = np.array((0.3, 0.0, 0.0))
LOOPS = {
    "one connect": f'<connect name="c" body1="coupler" body2="rocker" anchor="{words(C - B)}"/>',
    "two connects": f'<connect name="c" body1="coupler" body2="rocker" anchor="{words(C - B)}"/>'
    f'<connect name="e" body1="rocker" body2="coupler" anchor="{words(C - D + ASIDE)}"/>',
    "connected sites": '<connect name="c" site1="of_rocker" site2="of_coupler"/>',
    "a weld": '<weld name="w" body1="rocker" body2="tip"/>',
    "a weld of sites": '<weld name="w" site1="of_rocker" site2="of_tip"/>',
}


def four_bar(form: str) -> str:
    """The four-bar with its loop in one of LOOPS. A weld takes a fourth body, whose hinge is that of the loop.

    MuJoCo gives no body that moves no mass: that of the tip is taken from the rocker, whose own inertial says so.
    """
    welded = "weld" in form
    hinge = '<joint name="{}" axis="1 0 0"/>'
    moments = f'diaginertia="{words(MOMENTS)}"'
    tip = ""
    rocker = f'<inertial pos="{words((C - D) / 2)}" mass="1" {moments}/>'
    if welded:
        small = 0.01
        tip = (
            f'<body name="tip" pos="{words(C - B)}">{hinge.format("c")}<site name="of_tip"/>'
            f'<inertial pos="0 0 0" mass="{small}" diaginertia="0.0001 0.0001 0.0001"/></body>'
        )
        rocker = less(small)
    return model(
        f"<equality>{LOOPS[form]}</equality>",
        world=f'<body name="crank" pos="{words(A)}">{hinge.format("a")}'
        f'<inertial pos="{words((B - A) / 2)}" mass="1" {moments}/>'
        f'<body name="coupler" pos="{words(B - A)}">{hinge.format("b")}<site name="of_coupler" pos="{words(C - B)}"/>'
        f'<inertial pos="{words((C - B) / 2)}" mass="1" {moments}/>{tip}</body></body>\n'
        f'<body name="rocker" pos="{words(D)}">{hinge.format("d")}<site name="of_rocker" pos="{words(C - D)}"/>'
        f"{rocker}</body>",
    )


def less(mass: float) -> str:
    """The rocker's <inertial> without a ball of this mass, of inertia 0.0001, at its point C."""
    end = C - D
    center = (1.0 * end / 2 - mass * end) / (1.0 - mass)
    tensor = np.diag(MOMENTS) - np.diag([0.0001] * 3)
    for weight, arm in ((1.0, end / 2 - center), (-mass, end - center)):
        tensor = tensor + weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return f'<inertial pos="{words(center)}" mass="{1.0 - mass}" fullinertia="{words(entries)}"/>'


KINDS = (
    "hinge",
    "slide",
    "hinge hinge hinge",
    "slide slide hinge",
    "ball",
    "hinge hinge",
    "slide hinge",
    "slide slide",
)


def random_model(seed: int, count: int = 7) -> str:
    """A tree of `count` bodies: all joints, several of one body, classes, references, loads, motors, degrees."""
    random = np.random.default_rng(seed)
    bodies: list[str] = []
    children: dict[int, list[int]] = {}
    for k in range(count):
        parent = -1 if k == 0 else int(random.integers(-1, k))
        children.setdefault(parent, []).append(k)
        base = "free" if k == 0 and seed % 2 else KINDS[(seed + 3 * k) % len(KINDS)]
        bodies.append("\n".join(_joint(random, f"j{k}_{n}", kind) for n, kind in enumerate(base.split())))
    hinges = [f"j{k}_0" for k, text in enumerate(bodies) if 'type="hinge"' in text.splitlines()[0]]

    def written(k: int) -> str:
        place = f'pos="{words(random.normal(size=3) * 0.3)}" euler="{words(random.uniform(-170, 170, 3))}"'
        inner = "\n".join(written(child) for child in children.get(k, ()))
        held = f'<body name="b{k}_tool" pos="0 0.1 0.2">{_shape(random)}</body>' if k % 3 == 0 else ""
        return f'<body name="b{k}" {place}>\n{bodies[k]}\n{_mass(random, k)}\n{held}{inner}</body>'

    world = "\n".join(written(k) for k in children[-1])
    return model(
        '<compiler angle="degree" eulerseq="XYZ"/>',
        '<option gravity="0.5 -1 -9.81"/>',
        '<default><joint damping="0.1"/>'
        '<default class="geared"><joint armature="0.05" stiffness="2"/></default></default>',
        f"<actuator>{_motors(hinges)}</actuator>",
        world=world,
    )


def _joint(random: np.random.Generator, name: str, kind: str) -> str:
    if kind == "free":
        return f'<freejoint name="{name}"/>'
    place = f'pos="{words(random.normal(size=3) * 0.1)}"'
    if kind == "ball":
        return f'<joint name="{name}" type="ball" {place} stiffness="1.5"/>'
    axis = random.normal(size=3) if random.random() < 0.5 else np.roll((1.0, 0.0, 0.0), int(name[-1]))
    own = 'class="geared"' if random.random() < 0.4 else ""
    reference = f'ref="{random.uniform(-20, 20)}"' if kind == "hinge" else f'ref="{random.uniform(-0.3, 0.3)}"'
    spring = f'springref="{random.uniform(-0.3, 0.3)}"' if own else ""
    return f'<joint name="{name}" type="{kind}" {own} {place} axis="{words(axis)}" {reference} {spring}/>'


def _mass(random: np.random.Generator, k: int) -> str:
    if k % 2:
        return _shape(random)
    points = random.normal(size=(8, 3)) * 0.2
    points -= points.mean(axis=0)
    tensor = (np.trace(points.T @ points) * np.eye(3) - points.T @ points) / 8.0
    entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return f'<inertial pos="{words(random.normal(size=3) * 0.1)}" mass="1.2" fullinertia="{words(entries)}"/>'


def _shape(random: np.random.Generator) -> str:
    ends = random.normal(size=6) * 0.2
    return (
        f'<geom type="capsule" fromto="{words(ends)}" size="0.05"/>'
        f'<geom type="box" size="0.1 0.07 0.05" euler="10 20 30" pos="{words(random.normal(size=3) * 0.1)}"/>'
    )


def _motors(hinges: list[str]) -> str:
    kinds = (
        '<motor name="m{0}" joint="{1}" gear="3"/>',
        '<position name="m{0}" joint="{1}" kp="4" kv="0.5" gear="2"/>',
        '<velocity name="m{0}" joint="{1}" kv="0.7" gear="0.5"/>',
    )
    return "".join(kinds[k % 3].format(k, joint) for k, joint in enumerate(hinges))
