"""GUARDED: right and wrong Jacobians of code with conditions, as people write it: small angles, equalities, limits.

Formulas are from their public definitions: Forster et al., On-Manifold Preintegration, TRO 2017; Solà, Quaternion
kinematics for the error-state Kalman filter, 2017; Barfoot, State Estimation for Robotics, 2017. A slip stands behind a
condition that no random point fulfils. What must be said of it is stated by hand: "right", "wrong", or "not right
everywhere" where the place of the slip may be out of reach, which has to be told then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

import symvi.verify as verify

RIGHT, WRONG, TOLD = "right", "wrong", "not right everywhere"
I3 = np.eye(3)
V3, S, POSITIVE, STEP = verify.vector(3), verify.scalar(), verify.scalar(positive=True), verify.step()


@dataclass(frozen=True)
class Guarded:
    """A question and what has to be said of it."""

    name: str
    function: Callable
    claimed: Callable
    wrt: str
    variables: Mapping[str, verify.Variable]
    expected: str

    def ask(self) -> verify.Report:
        return verify.derivative(self.function, self.claimed, self.wrt, self.variables)


def as_expected(expected: str, report: verify.Report) -> bool:
    """Whether a report says what it has to."""
    return {RIGHT: report.right, WRONG: not report.right, TOLD: not report.everywhere}[expected]


CASES: list[Guarded] = []


def case(name: str, function: Callable, claimed: Callable, wrt: str, expected: str = RIGHT, **variables) -> None:
    CASES.append(Guarded(name, function, claimed, wrt, variables, expected))


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


# --- rotations ------------------------------------------------------------------------------------------------------
def rotation_by(phi):
    """Exp(phi), I + [phi]x below 1e-7."""
    n = np.linalg.norm(phi)
    if n < 1e-7:
        return I3 + skew(phi)
    k = skew(phi / n)
    return I3 + np.sin(n) * k + (1 - np.cos(n)) * k @ k


def frozen_rotation(phi):
    """The same with I below 1e-7: as code it has no slope there."""
    return I3 + 0 * skew(phi) if np.linalg.norm(phi) < 1e-7 else rotation_by(phi)


def right_jacobian(phi, inside=lambda phi: I3 - 0.5 * skew(phi), threshold=1e-7):
    n = np.linalg.norm(phi)
    if n < threshold:
        return inside(phi)
    k = skew(phi)
    return I3 - (1 - np.cos(n)) / n**2 * k + (n - np.sin(n)) / n**3 * k @ k


INSIDES = {
    "I - [phi]x/2": (lambda phi: I3 - 0.5 * skew(phi), RIGHT),
    "I": (lambda phi: I3, RIGHT),
    "I + [phi]x/2, an effect of 1e-7": (lambda phi: I3 + 0.5 * skew(phi), RIGHT),
    "-I": (lambda phi: -I3, WRONG),
    "0": (lambda phi: 0 * I3, WRONG),
    "I/2": (lambda phi: I3 / 2, WRONG),
    "I with a wrong entry": (lambda phi: I3 + np.diag([0, 0, 1e-3]), WRONG),
    "I with a small wrong entry": (lambda phi: I3 + np.diag([0, 0, 1e-5]), WRONG),
}
for _name, (_inside, _expected) in INSIDES.items():
    case(
        f"rotated point, Jr = {_name} below",
        lambda phi, p: rotation_by(phi) @ p,
        lambda phi, p, inside=_inside: -rotation_by(phi) @ skew(p) @ right_jacobian(phi, inside),
        "phi",
        _expected,
        phi=V3,
        p=V3,
    )
    case(
        f"frozen rotated point, Jr = {_name} below",
        lambda phi, p: frozen_rotation(phi) @ p,
        lambda phi, p, inside=_inside: -rotation_by(phi) @ skew(p) @ right_jacobian(phi, inside),
        "phi",
        TOLD if _name == "0" else _expected,
        phi=V3,
        p=V3,
    )
for _threshold, _expected in ((1e-10, RIGHT), (1e-7, RIGHT), (1e-2, WRONG)):
    case(
        f"rotated point, Jr = I below {_threshold:g}",
        lambda phi, p: rotation_by(phi) @ p,
        lambda phi, p, t=_threshold: -rotation_by(phi) @ skew(p) @ right_jacobian(phi, lambda phi: I3, t),
        "phi",
        _expected,
        phi=V3,
        p=V3,
    )
case(
    "gyroscope, one sample, by its bias",
    lambda b, w, p, dt: rotation_by((w - b) * dt) @ p,
    lambda b, w, p, dt: rotation_by((w - b) * dt) @ skew(p) @ right_jacobian((w - b) * dt) * dt,
    "b",
    b=V3,
    w=V3,
    p=V3,
    dt=STEP,
)
case(
    "gyroscope, one sample, by its bias, sign lost below",
    lambda b, w, p, dt: rotation_by((w - b) * dt) @ p,
    lambda b, w, p, dt: (
        rotation_by((w - b) * dt) @ skew(p) @ right_jacobian((w - b) * dt, lambda phi: -I3 + 0.5 * skew(phi)) * dt
    ),
    "b",
    WRONG,
    b=V3,
    w=V3,
    p=V3,
    dt=STEP,
)


def preintegrated(b, w, p, dt):
    return rotation_by((w[0] - b) * dt) @ rotation_by((w[1] - b) * dt) @ p


def preintegrated_by_bias(b, w, p, dt, inside=INSIDES["I - [phi]x/2"][0]):
    """Forster (A.20): the sum of the samples' right Jacobians, each turned by those after it."""
    turned, by_bias = I3, np.zeros((3, 3))
    for each in w:
        phi = (each - b) * dt
        by_bias = rotation_by(phi).T @ by_bias - right_jacobian(phi, inside) * dt
        turned = turned @ rotation_by(phi)
    return -turned @ skew(p) @ by_bias


_IMU = {"b": V3, "w": verify.matrix(2, 3), "p": V3, "dt": STEP}
case("two gyroscope samples (Forster)", preintegrated, preintegrated_by_bias, "b", **_IMU)
case(
    "two gyroscope samples, zero below",
    preintegrated,
    lambda b, w, p, dt: preintegrated_by_bias(b, w, p, dt, lambda phi: 0 * I3),
    "b",
    WRONG,
    **_IMU,
)
case(
    "two turns by the same vector",
    lambda phi, p: rotation_by(phi) @ (rotation_by(phi) @ p),
    lambda phi, p: (
        -rotation_by(phi) @ skew(rotation_by(phi) @ p) @ right_jacobian(phi)
        - rotation_by(phi) @ rotation_by(phi) @ skew(p) @ right_jacobian(phi)
    ),
    "phi",
    phi=V3,
    p=V3,
)


def quaternion_of(phi, inside=lambda phi: np.array([1, *(phi / 2)])):
    """Solà (101)."""
    n = np.linalg.norm(phi)
    return inside(phi) if n < 1e-8 else np.array([np.cos(n / 2), *(np.sin(n / 2) * phi / n)])


def quaternion_by(phi, inside):
    n = np.linalg.norm(phi)
    if n < 1e-8:
        return inside(phi)
    s, c = np.sin(n / 2) / n, np.cos(n / 2)
    return np.vstack([-s / 2 * phi, s * I3 + (c / 2 - s) / n**2 * np.outer(phi, phi)])


for _name, _inside, _expected in (
    ("(-phi/4; I/2)", lambda phi: np.vstack([-phi / 4, I3 / 2]), RIGHT),
    ("(0; I/2)", lambda phi: np.vstack([0 * phi, I3 / 2]), RIGHT),
    ("(0; I)", lambda phi: np.vstack([0 * phi, I3]), WRONG),
    ("(0; 0)", lambda phi: np.vstack([0 * phi, 0 * I3]), WRONG),
):
    case(
        f"quaternion of a rotation vector, {_name} below",
        quaternion_of,
        lambda phi, inside=_inside: quaternion_by(phi, inside),
        "phi",
        _expected,
        phi=V3,
    )


def logarithm(q):
    """Of a unit quaternion; 2 v for small turns."""
    n = np.linalg.norm(q[1:])
    return 2 * q[1:] / q[0] if n < 1e-8 else 2 * np.arctan2(n, q[0]) * q[1:] / n


def inverse_right_jacobian(phi, inside):
    n = np.linalg.norm(phi)
    if n < 1e-8:
        return inside(phi)
    k = skew(phi)
    return I3 + k / 2 + (1 / n**2 - (1 + np.cos(n)) / (2 * n * np.sin(n))) * k @ k


for _name, _inside, _expected in (
    ("I + [phi]x/2", lambda phi: I3 + skew(phi) / 2, RIGHT),
    ("I", lambda phi: I3, RIGHT),
    ("2 I", lambda phi: 2 * I3, WRONG),
):
    case(
        f"logarithm of a quaternion, {_name} below",
        logarithm,
        lambda q, inside=_inside: inverse_right_jacobian(logarithm(q), inside),
        "q",
        _expected,
        q=verify.quaternion(),
    )


# --- SE(3), reprojection ---------------------------------------------------------------------------------------------
def left_v(phi):
    """The translation of Exp on SE(3) is V(phi) rho (Barfoot)."""
    n, k = np.linalg.norm(phi), skew(phi)
    if n < 1e-7:
        return I3 + k / 2
    return I3 + (1 - np.cos(n)) / n**2 * k + (n - np.sin(n)) / n**3 * k @ k


case(
    "SE(3), translation by rho", lambda rho, phi: left_v(phi) @ rho, lambda rho, phi: left_v(phi), "rho", rho=V3, phi=V3
)
case(
    "SE(3), translation by rho, I - [phi]x/2 below",
    lambda rho, phi: left_v(phi) @ rho,
    lambda rho, phi: I3 - skew(phi) / 2 if np.linalg.norm(phi) < 1e-7 else left_v(phi),
    "rho",
    RIGHT,  # an effect of 1e-7
    rho=V3,
    phi=V3,
)
case(
    "SE(3), translation by rho, 0 below",
    lambda rho, phi: left_v(phi) @ rho,
    lambda rho, phi: skew(phi) / 2 if np.linalg.norm(phi) < 1e-7 else left_v(phi),
    "rho",
    WRONG,
    rho=V3,
    phi=V3,
)


def project(P):  # noqa: N803  (a point in camera axes)
    return P[:2] / P[2] if P[2] > 0.1 else 10 * P[:2]


def by_point(P, factor=1):  # noqa: N803
    if P[2] > 0.1:
        return np.array([[1 / P[2], 0, -P[0] / P[2] ** 2], [0, 1 / P[2], -factor * P[1] / P[2] ** 2]])
    return 10 * I3[:2]


case("projection with a least depth", project, by_point, "P", P=V3)
case("projection with a least depth, twice one entry", project, lambda P: by_point(P, 2), "P", WRONG, P=V3)
case(
    "projection with a least depth, half of it behind",
    project,
    lambda P: by_point(P) / (1 if P[2] > 0.1 else 2),
    "P",
    WRONG,
    P=V3,
)
case(
    "radial distortion, no distortion at the centre",
    lambda x, k: x * (1 + k * (x @ x)),
    lambda x, k: (1 + k * (x @ x)) * np.eye(2) + (0 if x @ x < 1e-16 else 2 * k) * np.outer(x, x),
    "x",
    x=verify.vector(2),
    k=S,
)


# --- norms, angles, laws ----------------------------------------------------------------------------------------------
def normalized(x, threshold=1e-9):
    n = np.linalg.norm(x)
    return x / n if n > threshold else x


def normalized_by(x, inside, threshold=1e-9):
    n = np.linalg.norm(x)
    return I3 / n - np.outer(x, x) / n**3 if n > threshold else inside * I3


for _inside, _expected in ((1, RIGHT), (-1, WRONG), (0, WRONG), (1.01, WRONG)):
    case(f"unit vector, {_inside} I below", normalized, lambda x, i=_inside: normalized_by(x, i), "x", _expected, x=V3)


def huber(r, d):
    return sum(x * x / 2 if abs(x) <= d else d * (abs(x) - d / 2) for x in r)


case(
    "Huber on four residuals",
    huber,
    lambda r, d: np.array([x if abs(x) <= d else d * np.sign(x) for x in r]),
    "r",
    r=verify.vector(4),
    d=POSITIVE,
)
case(
    "Huber on four residuals, the last one twice inside",
    huber,
    lambda r, d: np.array([x * (1 + (k == 3)) if abs(x) <= d else d * np.sign(x) for k, x in enumerate(r)]),
    "r",
    WRONG,
    r=verify.vector(4),
    d=POSITIVE,
)
case(
    "Huber on four residuals, the first one's sign outside",
    huber,
    lambda r, d: np.array([x if abs(x) <= d else d * (1 if x > 0 or k == 0 else -1) for k, x in enumerate(r)]),
    "r",
    WRONG,
    r=verify.vector(4),
    d=POSITIVE,
)


def friction(v, mu, e):
    n = np.linalg.norm(v)
    return -mu * v / n if n > e else -mu * v / e


def friction_by(v, mu, e, inside=1):
    n = np.linalg.norm(v)
    return -mu * (I3 / n - np.outer(v, v) / n**3) if n > e else -mu * inside * I3 / e


case("regularized friction", friction, friction_by, "v", v=V3, mu=POSITIVE, e=POSITIVE)
case(
    "regularized friction, the sticking slope 1e-5 too large",
    friction,
    lambda v, mu, e: friction_by(v, mu, e, 1 + 1e-5),
    "v",
    WRONG,
    v=V3,
    mu=POSITIVE,
    e=POSITIVE,
)
case(
    "regularized friction, outside 1e-9 too large",
    friction,
    lambda v, mu, e: friction_by(v, mu, e) * (1 + 1e-9 * (np.linalg.norm(v) > e)),
    "v",
    WRONG,
    v=V3,
    mu=POSITIVE,
    e=POSITIVE,
)
case(
    "unilateral spring, 1e-9 too stiff", lambda x: max(x, 0) ** 2, lambda x: 2 * (1 + 1e-9) * max(x, 0), "x", WRONG, x=S
)
case(
    "sinc, -x/3 below",
    lambda x: np.sin(x) / x,
    lambda x: -x / 3 if abs(x) < 1e-4 else np.cos(x) / x - np.sin(x) / x**2,
    "x",
    x=S,
)
case(
    "sinc, 1 below",
    lambda x: np.sin(x) / x,
    lambda x: 1 if abs(x) < 1e-4 else np.cos(x) / x - np.sin(x) / x**2,
    "x",
    WRONG,
    x=S,
)
case(
    "sinc, x/3 below",
    lambda x: np.sin(x) / x,
    lambda x: x / 3 if abs(x) < 1e-4 else np.cos(x) / x - np.sin(x) / x**2,
    "x",
    WRONG,
    x=S,
)
case(
    "decay rate",
    lambda k, t: t - k * t * t / 2 if k < 1e-6 else (1 - np.exp(-k * t)) / k,
    lambda k, t: -t * t / 2 if k < 1e-6 else (k * t * np.exp(-k * t) - 1 + np.exp(-k * t)) / k**2,
    "k",
    k=POSITIVE,
    t=S,
)
case(
    "decay rate, sign below",
    lambda k, t: t - k * t * t / 2 if k < 1e-6 else (1 - np.exp(-k * t)) / k,
    lambda k, t: t * t / 2 if k < 1e-6 else (k * t * np.exp(-k * t) - 1 + np.exp(-k * t)) / k**2,
    "k",
    WRONG,
    k=POSITIVE,
    t=S,
)


# --- where numbers are equal -----------------------------------------------------------------------------------------
def torque(n, J):  # noqa: N803
    return np.cross(n, J @ n)


def torque_by(n, J):  # noqa: N803
    return skew(n) @ J - skew(J @ n)


EQUALITIES: dict[str, tuple[Callable, str]] = {
    "n0 = n1": (lambda n: n[0] == n[1], WRONG),
    "n0 = 2 n1": (lambda n: n[0] == 2 * n[1], WRONG),
    "n0 = 0": (lambda n: n[0] == 0, WRONG),
    "n0 = n1 = 0": (lambda n: n[0] == 0 and n[1] == 0, WRONG),
    "n0 = n1 = n2": (lambda n: n[0] == n[1] and n[1] == n[2], WRONG),
    "(n0 - n1)^2 = 0": (lambda n: (n[0] - n[1]) ** 2 == 0, TOLD),
    "|n0 - n1| < 1e-9": (lambda n: abs(n[0] - n[1]) < 1e-9, WRONG),
    "|n0 - n1| < 1e-13": (lambda n: abs(n[0] - n[1]) < 1e-13, WRONG),
    "n0^2 + n1^2 < 1e-16": (lambda n: n[0] ** 2 + n[1] ** 2 < 1e-16, WRONG),
    "|(n0, n1)| = 0": (lambda n: np.sqrt(n[0] ** 2 + n[1] ** 2) == 0, TOLD),
    "n0 n1 = n2": (lambda n: n[0] * n[1] == n[2], WRONG),
    "n.n = 1": (lambda n: n @ n == 1, TOLD),
    "|n.n - 1| < 1e-9": (lambda n: abs(n @ n - 1) < 1e-9, WRONG),
    "n0 + n1 + n2 = 0": (lambda n: n[0] + n[1] + n[2] == 0, WRONG),
    "|n0 - n1| < 1e-9 and n2 > 5": (lambda n: abs(n[0] - n[1]) < 1e-9 and n[2] > 5, WRONG),
    "n0 = n1 and n2 > 5": (lambda n: n[0] == n[1] and n[2] > 5, WRONG),
    "n0 = n1 and n2 < -1000": (lambda n: n[0] == n[1] and n[2] < -1000, WRONG),
    "sin n0 = n1": (lambda n: np.sin(n[0]) == n[1], TOLD),
}
for _name, (_is_there, _expected) in EQUALITIES.items():
    case(
        f"gyroscopic torque, twice where {_name}",
        torque,
        lambda n, J, is_there=_is_there: (2 if is_there(n) else 1) * torque_by(n, J),
        "n",
        _expected,
        n=V3,
        J=verify.inertia(),
    )
    case(
        f"update of an angular velocity, twice where {_name}",
        lambda n, h: h * n * (n @ n),
        lambda n, h, is_there=_is_there: (2 if is_there(n) else 1) * h * ((n @ n) * I3 + 2 * np.outer(n, n)),
        "n",
        TOLD
        if _name in ("n0 = n1 = 0", "n0 = n1 = n2", "n0 n1 = n2", "|n.n - 1| < 1e-9") or "5" in _name or "1000" in _name
        else _expected,
        n=verify.angular_velocity("h"),
        h=STEP,
    )
PAIRS: dict[str, tuple[Callable, str]] = {
    "a = b": (lambda a, b: (a == b).all(), TOLD),
    "|a - b| < 1e-9": (lambda a, b: np.linalg.norm(a - b) < 1e-9, WRONG),
    "|a x b| < 1e-9": (lambda a, b: np.linalg.norm(np.cross(a, b)) < 1e-9, TOLD),
    "|a.b| < 1e-9": (lambda a, b: abs(a @ b) < 1e-9, WRONG),
    "a.b = 0": (lambda a, b: a @ b == 0, WRONG),
    "a0 = b0": (lambda a, b: a[0] == b[0], WRONG),
    "|a| < 1e-9": (lambda a, b: np.linalg.norm(a) < 1e-9, WRONG),
}
for _name, (_is_there, _expected) in PAIRS.items():
    case(
        f"product of vectors, twice where {_name}",
        lambda a, b: np.cross(a, b) + a * (b @ b),
        lambda a, b, is_there=_is_there: (2 if is_there(a, b) else 1) * ((b @ b) * I3 - skew(b)),
        "a",
        _expected,
        a=V3,
        b=V3,
    )
    case(
        f"product of vectors, zero where {_name}",
        lambda a, b: np.cross(a, b) + a * (b @ b),
        lambda a, b, is_there=_is_there: (0 if is_there(a, b) else 1) * ((b @ b) * I3 - skew(b)),
        "a",
        _expected,
        a=V3,
        b=V3,
    )
case(
    "mean cosine",
    lambda x, y: np.cos(x) if x == y else (np.sin(x) - np.sin(y)) / (x - y),
    lambda x, y: -np.sin(x) / 2 if x == y else np.cos(x) / (x - y) - (np.sin(x) - np.sin(y)) / (x - y) ** 2,
    "x",
    x=S,
    y=S,
)
case(
    "mean cosine, no half where x = y",
    lambda x, y: np.cos(x) if x == y else (np.sin(x) - np.sin(y)) / (x - y),
    lambda x, y: -np.sin(x) if x == y else np.cos(x) / (x - y) - (np.sin(x) - np.sin(y)) / (x - y) ** 2,
    "x",
    WRONG,
    x=S,
    y=S,
)
case(
    "length of a difference, 0 where equal",
    lambda a, b: np.sqrt((a - b) @ (a - b)),
    lambda a, b: (a - b) / np.sqrt((a - b) @ (a - b)) if (a - b) @ (a - b) > 0 else 0 * a,
    "a",
    a=V3,
    b=V3,
)
case("no special case", lambda n, J: np.cross(n, J @ n), torque_by, "n", n=V3, J=verify.inertia())
