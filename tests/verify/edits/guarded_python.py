"""The derivatives of guarded.py as people write them in Python: the same errors, judged by the same rule."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from itertools import count

from mpmath import mp

from tests.verify.edits import judge
from tests.verify.edits.guarded import POSITIVE, STEP, V3, Guarded, S

EXACT = {"sin": mp.sin, "cos": mp.cos, "sqrt": mp.sqrt, "atan2": mp.atan2}
_numbers = count()

HEAD = "\nfrom math import atan2, cos, sin, sqrt\n"
DOT = """
def dot(a, b):
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]
"""
CROSS = """
def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
"""
# Exp(phi) p = cos p + (1 - cos)/n^2 (phi . p) phi + sin/n phi x p
TURN = """
def turned(phi, p):
    n, c = sqrt(dot(phi, phi)), cross(phi, p)
    if n < 1e-7:
        return [p[i] + c[i] for i in range(3)]
    a, b, s = sin(n)/n, (1 - cos(n))/(n*n), dot(phi, p)
    return [cos(n)*p[i] + b*s*phi[i] + a*c[i] for i in range(3)]

def right_jacobian(phi):
    n = sqrt(dot(phi, phi))
    K = [[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]]
    if n < 1e-7:
        a = 0.5
        b = 0.16666666666666666
    else:
        a = (1 - cos(n))/(n*n)
        b = (n - sin(n))/(n*n*n)
    J = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    for i in range(3):
        for j in range(3):
            J[i][j] = 1 - b*n*n if i == j else 0
            J[i][j] = J[i][j] - a*K[i][j] + b*phi[i]*phi[j]
    return J

def by_phi(phi, p):
    J, G = right_jacobian(phi), [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    for j in range(3):
        r = turned(phi, cross(p, [J[i][j] for i in range(3)]))
        for i in range(3):
            G[i][j] = -r[i]
    return G
"""
SUBJECTS = (
    Guarded(
        "a turn by a vector",
        HEAD + DOT + CROSS + TURN + "\ndef f(phi, p):\n    return turned(phi, p)\n",
        HEAD + DOT + CROSS + TURN + "\ndef G(phi, p):\n    return by_phi(phi, p)\n",
        "phi",
        {"phi": V3, "p": V3},
    ),
    Guarded(
        "a gyroscope's bias",
        HEAD
        + DOT
        + CROSS
        + TURN
        + "\ndef f(b, w, p, dt):\n    return turned([(w[i] - b[i])*dt for i in range(3)], p)\n",
        HEAD + DOT + CROSS + TURN + "\ndef G(b, w, p, dt):\n    H = by_phi([(w[i] - b[i])*dt for i in range(3)], p)\n"
        "    return [[-dt*H[i][j] for j in range(3)] for i in range(3)]\n",
        "b",
        {"b": V3, "w": V3, "p": V3, "dt": STEP},
    ),
    Guarded(
        "sin x / x",
        HEAD + "\ndef f(x):\n    return 1 - x*x/6 if abs(x) < 1e-4 else sin(x)/x\n",
        HEAD + "\ndef G(x):\n    if abs(x) < 1e-4:\n        return -x/3\n    return (cos(x) - sin(x)/x)/x\n",
        "x",
        {"x": S},
    ),
    Guarded(
        "the length of a vector",
        HEAD + DOT + "\ndef f(x):\n    return sqrt(dot(x, x))\n",
        HEAD + DOT + "\ndef G(x):\n    n = sqrt(dot(x, x))\n    if n == 0:\n        return [0, 0, 0]\n"
        "    return [x[0]/n, x[1]/n, x[2]/n]\n",
        "x",
        {"x": V3},
    ),
    Guarded(
        "Huber's loss",
        HEAD + "\ndef f(r, d):\n    return sum(x*x/2 if abs(x) <= d else d*(abs(x) - d/2) for x in r)\n",
        HEAD + "\ndef G(r, d):\n    g = [0, 0, 0]\n    for i in range(3):\n        if abs(r[i]) <= d:\n"
        "            g[i] = r[i]\n        elif r[i] > 0:\n            g[i] = d\n        else:\n            g[i] = -d\n"
        "    return g\n",
        "r",
        {"r": V3, "d": POSITIVE},
    ),
    Guarded(
        "friction with a boundary layer",
        HEAD + DOT + "\ndef f(v, mu, e):\n    n = sqrt(dot(v, v))\n"
        "    return [-mu*v[i]/e if n < e else -mu*v[i]/n for i in range(3)]\n",
        HEAD + DOT + "\ndef G(v, mu, e):\n    n, g = sqrt(dot(v, v)), [[0, 0, 0], [0, 0, 0], [0, 0, 0]]\n"
        "    for i in range(3):\n        for j in range(3):\n            if n < e:\n"
        "                g[i][j] = -mu/e if i == j else 0\n            else:\n"
        "                g[i][j] = -mu/n if i == j else 0\n                g[i][j] += mu*v[i]*v[j]/(n*n*n)\n"
        "    return g\n",
        "v",
        {"v": V3, "mu": POSITIVE, "e": POSITIVE},
    ),
    Guarded(
        "the logarithm of a quaternion",
        HEAD + DOT + "\ndef f(w, v):\n    n = sqrt(dot(v, v))\n    a = 2/w if n < 1e-8 else 2*atan2(n, w)/n\n"
        "    return [a*v[0], a*v[1], a*v[2]]\n",
        HEAD + DOT + "\ndef G(w, v):\n    n, g = sqrt(dot(v, v)), [[0, 0, 0], [0, 0, 0], [0, 0, 0]]\n"
        "    for i in range(3):\n        for j in range(3):\n            if n < 1e-8:\n"
        "                g[i][j] = 2/w if i == j else 0\n            else:\n"
        "                a, s = 2*atan2(n, w)/n, n*n + w*w\n                g[i][j] = (2*w/s - a)*v[i]*v[j]/(n*n)\n"
        "                if i == j:\n                    g[i][j] += a\n    return g\n",
        "v",
        {"w": POSITIVE, "v": V3},
    ),
    Guarded(
        "a spring with play that saturates",
        HEAD + "\ndef f(x, k, g, m):\n    y = 0 if abs(x) < g else x - g if x > 0 else x + g\n    s = k*y\n"
        "    return m if s > m else -m if s < -m else s\n",
        HEAD + "\ndef G(x, k, g, m):\n    if abs(x) < g:\n        return 0\n    y = x - g if x > 0 else x + g\n"
        "    if k*y > m or k*y < -m:\n        return 0\n    return k\n",
        "x",
        {"x": S, "k": POSITIVE, "g": POSITIVE, "m": POSITIVE},
    ),
    Guarded(
        "a pinhole's image",
        HEAD + "\ndef f(P, c):\n    if P[2] < 1e-3:\n        return [0, 0]\n    return [c*P[0]/P[2], c*P[1]/P[2]]\n",
        HEAD + "\ndef G(P, c):\n    z = P[2]\n    if z < 1e-3:\n        return [[0, 0, 0], [0, 0, 0]]\n"
        "    return [[c/z, 0, -c*P[0]/(z*z)], [0, c/z, -c*P[1]/(z*z)]]\n",
        "P",
        {"P": V3, "c": POSITIVE},
    ),
)


def function(text: str, name: str, **instead: object) -> Callable:
    """A function of a text, whose lines reports can quote. instead: other functions of these names."""
    file = f"<guarded {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict = {"__name__": "guarded_subject"}
    exec(compile(text, file, "exec"), names)
    names.update(instead)
    return names[name]


def values(subject: Guarded, text: str) -> judge.Values:
    """The entries of a claim at a point, in many digits."""
    claimed = function(text, "G", **EXACT)

    def at(point: Mapping[str, list]) -> list:
        kinds = subject.variables.items()  # copies, for code that writes to its arguments
        given = {name: list(point[name]) if kind.shape else point[name][0] for name, kind in kinds}
        try:
            found = claimed(**given)
        except (IndexError, TypeError, UnboundLocalError) as error:
            raise ValueError(str(error)) from error
        rows = found if isinstance(found, list) else [found]
        return [judge.real(mp.mpmathify(x)) for row in rows for x in (row if isinstance(row, list) else [row])]

    return at
