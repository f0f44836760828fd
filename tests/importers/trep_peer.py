"""What trep's words mean, from JM09 alone: products of homogeneous matrices, and energies by differences of them.

Its own little reader of well-formed text, so that nothing of symvi's is taken for granted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

__all__ = ["energies", "frames", "nested"]

Frame = tuple[str, np.ndarray, tuple[float, ...]]


def nested(text: str) -> list:
    """The text as lists of lists and words; names keep their quotes."""
    stack: list[list] = [[]]
    for token in re.findall(r'"[^"]*"|[()]|[^\s()]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def transform(word: str, value: float) -> np.ndarray:
    """The matrix of a basic transformation: equation (1) of the paper's frames."""
    k = "xyz".index(word[1].lower())
    found = np.eye(4)
    if word[0].lower() == "t":
        found[k, 3] = value
        return found
    i, j = (k + 1) % 3, (k + 2) % 3
    found[i, i] = found[j, j] = np.cos(value)
    found[j, i], found[i, j] = np.sin(value), -np.sin(value)
    return found


def frames(text: str, q: Mapping[str, float]) -> list[Frame]:
    """(name, its matrix in the world, mass and moments) of every expression that is a frame."""
    found: list[Frame] = []

    def read(item: list, pose: np.ndarray) -> None:
        place = 0
        while place < len(item) and isinstance(item[place], str):
            parameter = item[place + 1]
            parameter = parameter[1] if isinstance(parameter, list) else parameter
            value = q.get(parameter.strip('"'), 0.0) if parameter.startswith('"') else float(parameter)
            pose = pose @ transform(item[place], value)
            place += 2
        options = {one[0].lower(): one[1:] for one in item[place:]}
        mass = tuple(float(entry) for entry in options.get("mass", ()))
        found.append((options.get("name", [""])[0].strip('"'), pose, mass))
        for inner in item[place:]:
            if len(inner[0]) == 2:
                read(inner, pose)

    for item in nested(text)[1:]:
        if len(item[0]) == 2:
            read(item, np.eye(4))
    return found


def energies(text: str, q: Mapping[str, float], rates: Mapping[str, float]) -> tuple[float, float]:
    """Kinetic and potential energy [J]: of every mass, with the body velocity of its frame by central differences."""
    step = 1e-6
    gravity = next(np.array([float(x) for x in item[1:]]) for item in nested(text)[1:] if item[0] == "gravity")

    def moved(sign: float) -> list[Frame]:
        return frames(text, {name: value + sign * step * rates.get(name, 0.0) for name, value in q.items()})

    kinetic = potential = 0.0
    for (_, here, mass), (_, after, _), (_, before, _) in zip(frames(text, q), moved(1), moved(-1), strict=True):
        if mass:
            body = np.linalg.inv(here) @ (after - before) / (2 * step)
            turning = np.array([body[2, 1], body[0, 2], body[1, 0]])
            moments = np.array(mass[1:] or (0, 0, 0))
            kinetic += 0.5 * mass[0] * body[:3, 3] @ body[:3, 3] + 0.5 * turning @ (moments * turning)
            potential -= mass[0] * gravity @ here[:3, 3]
    return kinetic, potential
