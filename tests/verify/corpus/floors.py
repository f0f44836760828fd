"""FLOORS: what usual questions about guarded code cost: operations, and seconds of a processor, the best of three.

python -m tests.verify.corpus.floors
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

import numpy as np

import symvi.verify as verify
from tests.verify.corpus import guarded
from tests.verify.corpus.asking import ask
from tests.verify.corpus.guarded import right_jacobian, rotation_by, skew
from tests.verify.corpus.loading import load

V3 = verify.vector(3)


def attention(q, K, W):  # noqa: N803  (keys, values)
    e = np.exp(K @ q - np.max(K @ q))
    return W.T @ (e / np.sum(e))


def attention_by_q(q, K, W):  # noqa: N803
    e = np.exp(K @ q - np.max(K @ q))
    a = e / np.sum(e)
    return W.T @ (np.diag(a) - np.outer(a, a)) @ K


def turned(b, w, p, dt):
    """p after samples of a gyroscope with a bias."""
    total = np.eye(3)
    for each in w:
        total = total @ rotation_by((each - b) * dt)
    return total @ p


def turned_by_b(b, w, p, dt):
    """Forster (A.20)."""
    total, slope = np.eye(3), np.zeros((3, 3))
    for each in w:
        phi = (each - b) * dt
        slope = rotation_by(phi).T @ slope - right_jacobian(phi) * dt
        total = total @ rotation_by(phi)
    return -total @ skew(p) @ slope


def samples(count: int) -> verify.Report:
    variables = {"b": V3, "w": verify.matrix(count, 3), "p": V3, "dt": verify.step()}
    return verify.derivative(turned, turned_by_b, "b", variables)


def keys() -> verify.Report:
    variables = {"q": V3, "K": verify.matrix(4, 3), "W": verify.matrix(4, 2)}
    return verify.derivative(attention, attention_by_q, "q", variables)


QUESTIONS: dict[str, Callable[[], verify.Report]] = {
    **{name: lambda name=name: ask(load()[name]) for name in ("screw", "ball joint", "universal joint")},
    "Huber on four residuals": next(each.ask for each in guarded.CASES if each.name == "Huber on four residuals"),
    "attention": keys,
    "two samples of Forster": lambda: samples(2),
    "three samples of Forster": lambda: samples(3),
}


def main() -> int:
    for name, asked in QUESTIONS.items():
        seconds = []
        for _ in range(3):
            began = process_time()
            report = asked()
            seconds.append(process_time() - began)
        verdict = str(report).partition(":")[0]
        print(f"{name:26} {verdict:20} {report.operations:8d} operations {min(seconds):5.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
