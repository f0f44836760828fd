"""Jansen's thirteen numbers close: the geometry of symvi/demos/strandbeest.toml, computed with 50 digits.

    python examples/strandbeest_geometry.py > symvi/demos/strandbeest.toml

Theo Jansen published the lengths of his Strandbeest's leg as thirteen numbers. Seen along the crank axle y, with x to
the right and z up, the left leg has the pivots

    O  crank axle                P  crank pin, shared by both legs          G  toe
    A  hip, fixed                B  upper rod and upper triangle            C  upper triangle and shank
    D  lower rod, rocker, foot   F  shank and foot

and each number is a distance between two of them (BARS below; a and l place A). The right leg is the mirror image in
the plane x = 0, on the same crank: with the crank upright, where the pair starts, the two are exact mirror images.
Every body gets a frame of its own: origin in a pivot, z towards the next pivot, y along the axle. All axes are then
exactly parallel, and the numbers in the file are the published ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

from mpmath import atan2, cos, matrix, mp, mpf, sin, sqrt

mp.dps = 50

NUMBERS = {
    "a": "38", "b": "41.5", "c": "39.3", "d": "40.1", "e": "55.8", "f": "39.4", "g": "36.7",
    "h": "65.7", "i": "49", "j": "50", "k": "61.9", "l": "7.8", "m": "15",
}  # fmt: skip
UNIT = mpf("0.01")  # m: a leg is about one metre high
LENGTHS = {letter: mpf(number) * UNIT for letter, number in NUMBERS.items()}
BARS = {
    "m": "OP", "j": "BP", "k": "DP", "b": "AB", "c": "AD", "d": "AC", "e": "BC", "f": "CF", "g": "DF", "h": "FG",
    "i": "DG",
}  # fmt: skip

LINE_DENSITY = mpf("0.15")  # kg/m: electrician's tube of PVC, which the beasts are made of
TUBE_RADIUS = mpf("0.01")  # m
LAYER = mpf("0.03")  # m between neighbouring layers along the axle
Point = matrix


class Link(NamedTuple):
    """A body: its bars by letter, the pivots that its z axis runs between, its layer in the left and the right leg."""

    bars: str
    origin: str
    towards: str
    layers: tuple[int, int]


# Links that share a pivot, or cross, lie in different layers; the crank in front, its pin through all of them.
LINKS = {
    "crank": Link("m", "O", "P", (-2, -2)),
    "thigh": Link("bde", "A", "B", (0, -1)),
    "rocker": Link("c", "A", "D", (1, 0)),
    "upper_rod": Link("j", "B", "P", (-1, 0)),
    "lower_rod": Link("k", "D", "P", (2, 1)),
    "shank": Link("f", "C", "F", (1, 0)),
    "foot": Link("ghi", "D", "F", (0, -1)),
}
TRIANGLES = ("thigh", "foot")
SHARED = ("world", "crank", "crank_axle")  # by both legs; all other names have a side
# (name, parent, child, pivot). The three last ones close the three loops of a leg.
PINS = (
    ("crank_axle", "world", "crank", "O"),
    ("hip", "world", "thigh", "A"),
    ("hip_rocker", "world", "rocker", "A"),
    ("shoulder", "thigh", "upper_rod", "B"),
    ("knee_rod", "rocker", "lower_rod", "D"),
    ("heel", "thigh", "shank", "C"),
    ("ankle", "shank", "foot", "F"),
    ("knee", "rocker", "foot", "D"),
    ("upper_pin", "crank", "upper_rod", "P"),
    ("lower_pin", "crank", "lower_rod", "P"),
)
COLORS = {
    "crank": "#c0392b", "thigh": "#e0a526", "foot": "#e0a526", "upper_rod": "#3f7f93", "lower_rod": "#3f7f93",
    "rocker": "#8a6d3b", "shank": "#8a6d3b",
}  # fmt: skip


def pivots(crank_angle: mpf, side: int) -> dict[str, Point]:
    """The pivots (x, z) [m] of one leg. crank_angle: from upright towards +x [rad]. side: -1 left, +1 right."""
    n = LENGTHS
    at = {"O": matrix([0, 0]), "P": n["m"] * matrix([sin(crank_angle), cos(crank_angle)])}
    at["A"] = matrix([side * n["a"], -n["l"]])
    at["B"] = meet(at["P"], n["j"], at["A"], n["b"], side)
    at["D"] = meet(at["A"], n["c"], at["P"], n["k"], side)
    at["C"] = meet(at["B"], n["e"], at["A"], n["d"], side)
    at["F"] = meet(at["C"], n["f"], at["D"], n["g"], side)
    at["G"] = meet(at["F"], n["h"], at["D"], n["i"], side)
    return at


def meet(first: Point, first_length: mpf, second: Point, second_length: mpf, side: int) -> Point:
    """Where bars of these lengths from two points meet: of the two places the one that every bar of the leg takes."""
    apart = distance(first, second)
    along = (first_length**2 - second_length**2 + apart**2) / (2 * apart)
    aside = -side * sqrt(first_length**2 - along**2)
    forward = (second - first) / apart
    return first + along * forward + aside * matrix([forward[1], -forward[0]])


def distance(first: Point, second: Point) -> mpf:
    """The distance of two points [m]."""
    return sqrt((second - first)[0] ** 2 + (second - first)[1] ** 2)


def in_frame(point: Point, origin: Point, angle: mpf) -> Point:
    """(x, z) in a frame with this origin, turned about y by the angle: its z axis is (sin, cos)."""
    x, z = point - origin
    return matrix([cos(angle) * x - sin(angle) * z, sin(angle) * x + cos(angle) * z])


class Leg:
    """One leg with the crank upright. side: -1 left, +1 right."""

    def __init__(self, side: int):
        self.side = side
        self.at = pivots(mpf(0), side)

    def name(self, plain: str) -> str:
        """The name of a body or joint in the file."""
        return plain if plain in SHARED else f"{'left' if self.side < 0 else 'right'}_{plain}"

    def layer(self, link: str) -> mpf:
        """Where a link lies along the axle [m]."""
        return LAYER * LINKS[link].layers[self.side > 0]

    def angle(self, link: str) -> mpf:
        """The angle of a link about y [rad]: its z axis is (sin, cos)."""
        x, z = self.at[LINKS[link].towards] - self.at[LINKS[link].origin]
        return atan2(x, z)

    def local(self, link: str, pivot: str) -> Point:
        """A pivot in the frame of a link."""
        return in_frame(self.at[pivot], self.at[LINKS[link].origin], self.angle(link))


def spread(ends: list[tuple[Point, Point]]) -> tuple[mpf, Point, tuple[mpf, mpf, mpf, mpf]]:
    """Mass, centre of mass (x, z) and (ixx, iyy, izz, ixz) about it of bars in a plane, uniform round cylinders."""
    lengths = [distance(start, end) for start, end in ends]
    masses = [LINE_DENSITY * length for length in lengths]
    mass = sum(masses)
    centre = sum((m * (start + end) / 2 for m, (start, end) in zip(masses, ends, strict=True)), matrix([0, 0])) / mass
    ixx = iyy = izz = ixz = mpf(0)
    for m, length, (start, end) in zip(masses, lengths, ends, strict=True):
        across, along = m * (TUBE_RADIUS**2 / 4 + length**2 / 12), m * TUBE_RADIUS**2 / 2
        u, w = (end - start) / length
        x, z = (start + end) / 2 - centre
        ixx += across + (along - across) * u * u + m * z * z
        izz += across + (along - across) * w * w + m * x * x
        ixz += (along - across) * u * w - m * x * z
        iyy += across + m * (x * x + z * z)
    return mass, centre, (ixx, iyy, izz, ixz)


def number(value: mpf, digits: int | None = None) -> str:
    """The shortest text of the nearest double; rounded to so many digits if given."""
    rounded = float(mp.nstr(value, digits)) if digits else float(value)
    return repr(rounded + 0.0)


def vector(*values: mpf, digits: int | None = None) -> str:
    return f"[{', '.join(number(mpf(value), digits) for value in values)}]"


def body_lines(leg: Leg, link: str) -> Iterator[str]:
    """The table of one body."""
    bars, origin = LINKS[link].bars, leg.at[LINKS[link].origin]
    ends = [tuple(leg.local(link, pivot) for pivot in BARS[bar]) for bar in bars]
    mass, centre, (ixx, iyy, izz, ixz) = spread(ends)
    yield f"[bodies.{leg.name(link)}]  # {', '.join(bars)}"
    yield f"mass = {number(mass)}"
    if link in TRIANGLES:
        yield f"center_of_mass = {vector(centre[0], 0, centre[1], digits=12)}"
        yield f"inertia = {vector(ixx, iyy, izz, 0, ixz, 0, digits=12)}"
    else:
        length, middle = number(LENGTHS[bars]), vector(0, 0, LENGTHS[bars] / 2)
        yield f'shape = {{ kind = "rod", length = {length}, radius = {number(TUBE_RADIUS)}, position = {middle} }}'
    angle = leg.angle(link)
    yield f"position = {vector(origin[0], leg.layer(link), origin[1])}"
    yield f"orientation = {vector(cos(angle / 2), 0, sin(angle / 2), 0)}"
    yield f'color = "{COLORS[link]}"'
    yield ""


def joint_lines(leg: Leg, name: str, parent: str, child: str, pivot: str) -> Iterator[str]:
    """The table of one revolute joint. Triangles and the crank are held in their own layer, rods reach over to them."""
    if parent == "world":
        above, below = [(leg.at[pivot][0], leg.layer(child), leg.at[pivot][1]), (0, 0, 0)]
    else:
        gap = leg.layer(child) - leg.layer(parent)
        x, z = leg.local(parent, pivot)
        across, down = leg.local(child, pivot)
        over = parent not in TRIANGLES
        above, below = (x, gap if over else 0, z), (across, 0 if over else -gap, down)
    yield f"[joints.{leg.name(name)}]  # {pivot}"
    yield 'type = "revolute"'
    if parent != "world":
        yield f'parent = "{leg.name(parent)}"'
    yield f'child = "{leg.name(child)}"'
    for label, anchor in (("parent_anchor", above), ("child_anchor", below)):
        if any(abs(value) > mpf("1e-40") for value in anchor):
            yield f"{label} = {vector(*(value if abs(value) > mpf('1e-40') else 0 for value in anchor))}"
    yield "axis = [0.0, 1.0, 0.0]"
    yield ""


HEAD = """# A pair of Jansen's legs: the mechanism that carries the Strandbeest, Theo Jansen's walking beach animal.
#
# Its thirteen published numbers, of 1 cm each, so that a leg is about one metre high:
#     {numbers}
#
# Two mirrored legs turn on one driven crank, 13 bodies and 19 revolute joints. Each leg has three closed loops; its
# two triangles (b d e and g h i) are one body each. Every body is a tube of 0.15 kg per metre, or three of them, with
# its frame in a pivot, z along the tube and y along the axle. Bodies lie in layers 3 cm apart, so that they pass each
# other; all axes are exactly parallel, and the loops close to round-off.
#
# Made by examples/strandbeest_geometry.py, which computes the start from the thirteen numbers: the crank is upright.

[mechanism]
name = "strandbeest"
description = "A pair of Jansen's legs on one driven crank"
gravity = [0.0, 0.0, -9.81]
"""

MOTOR = """[drivers.motor]
joint = "crank_axle"
signal = "2*(sqrt(1 + t**2) - 1)"  # the angle in rad: from rest, and within a second or two 2 rad/s
"""


def description() -> str:
    """The text of strandbeest.toml."""
    left, right = Leg(-1), Leg(1)
    lines = [HEAD.format(numbers=", ".join(f"{letter} {value}" for letter, value in NUMBERS.items()))]
    lines += ["# The crank, shared by both legs.", *body_lines(left, "crank"), *joint_lines(left, *PINS[0]), MOTOR]
    for leg in (left, right):
        side = leg.name("leg").replace("_", " ")
        lines += [f"# The {side}: its bodies."]
        lines += [line for link in LINKS if link not in SHARED for line in body_lines(leg, link)]
        lines += [f"# The {side}: its joints. The last three close its loops."]
        lines += [line for pin in PINS if pin[0] not in SHARED for line in joint_lines(leg, *pin)]
    return "\n".join(lines).rstrip() + "\n"


def full_turn(steps: int = 360) -> dict[str, mpf]:
    """What a full turn of the crank shows [m]: the largest error of a bar's length, and the path of the toe."""
    worst, toes = mpf(0), []
    for k in range(steps):
        at = pivots(2 * mp.pi * k / steps, -1)
        for letter, (start, end) in BARS.items():
            worst = max(worst, abs(distance(at[start], at[end]) - LENGTHS[letter]))
        toes.append(at["G"])
    heights, places = [toe[1] for toe in toes], [toe[0] for toe in toes]
    return {
        "error of a bar": worst,
        "step length": max(places) - min(places),
        "step height": max(heights) - min(heights),
    }


if __name__ == "__main__":
    for meaning, value in full_turn().items():
        print(f"{meaning}: {mp.nstr(value, 4)} m", file=sys.stderr)
    print(description(), end="")
