"""Derivatives in C and Python with conditions, as small angles, norms, friction and robust losses have: errors in them.

What an error does is judged at points of many sizes, at and beside zero, in fifty digits: its effect is the largest
difference from the right claim, of the largest entry at that point. What is above the bound of verify's rule has to be
called wrong; what is below may be a note; what changes nothing has to be right.

    python -m tests.verify.edits.guarded --from 0 --to 2000 --jobs 2 --journal guarded.jsonl [--language Python]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

import mpmath
from mpmath import mp

import symvi.verify as verify
from symvi.errors import SymviError
from symvi.verify.asking.question import question
from symvi.verify.judging.decide import decide
from symvi.verify.reading.sources import read
from symvi.verify.verdict import POINTS as POINTS_OF_A_WAY
from symvi.verify.verdict import fit, output_shape
from tests.verify.edits import c_edits, judge
from tests.verify.edits.running import Journal, add_options, done

SIZES = (1, 1, 1, 3, 0.1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-12)
POINTS = 120
BOUND, DOUBT = 1e-6, 2.0  # verify's; beside it either verdict is right
CAUGHT, NOTED, EQUIVALENT, UNREADABLE, MISSED, ALARM = (
    "caught", "a note", "equivalent", "unreadable", "missed", "false alarm",
)  # fmt: skip

HEAD = """
#include <math.h>
static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1]*b[2] - a[2]*b[1];
    out[1] = a[2]*b[0] - a[0]*b[2];
    out[2] = a[0]*b[1] - a[1]*b[0];
}
static double dot(const double *a, const double *b) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
"""
# Exp(phi) p = cos p + (1 - cos)/n^2 (phi . p) phi + sin/n phi x p
TURN = """
static void turned(const double *phi, const double *p, double *out)
{
    double n = sqrt(dot(phi, phi)), c[3];
    cross(phi, p, c);
    if (n < 1e-7) {
        for (int i = 0; i < 3; i++) out[i] = p[i] + c[i];
        return;
    }
    double a = sin(n)/n, b = (1 - cos(n))/(n*n), s = dot(phi, p);
    for (int i = 0; i < 3; i++) out[i] = cos(n)*p[i] + b*s*phi[i] + a*c[i];
}
static void right_jacobian(const double *phi, double J[3][3])
{
    double n = sqrt(dot(phi, phi)), a, b;
    double K[3][3] = {{0, -phi[2], phi[1]}, {phi[2], 0, -phi[0]}, {-phi[1], phi[0], 0}};
    if (n < 1e-7) {
        a = 0.5;
        b = 0.16666666666666666;
    } else {
        a = (1 - cos(n))/(n*n);
        b = (n - sin(n))/(n*n*n);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = i == j ? 1 - b*n*n : 0;
            J[i][j] += -a*K[i][j] + b*phi[i]*phi[j];
        }
}
"""
TURNED_BY_PHI = """
{
    double J[3][3], column[3], r[3], c[3];
    right_jacobian(phi, J);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) column[i] = J[i][j];
        cross(p, column, c);
        turned(phi, c, r);
        for (int i = 0; i < 3; i++) G[i][j] = -r[i];
    }
}
"""
V3, S, POSITIVE, STEP = verify.vector(3), verify.scalar(), verify.scalar(positive=True), verify.step()


@dataclass(frozen=True, eq=False)
class Guarded:
    """A function f and its derivative G by `wrt`, both C, and what their parameters are."""

    name: str
    function: str
    claim: str
    wrt: str
    variables: Mapping[str, verify.Variable]


SUBJECTS = (
    Guarded(
        "a turn by a vector",
        HEAD + TURN + "void f(const double phi[3], const double p[3], double out[3]) { turned(phi, p, out); }",
        HEAD + TURN + "void G(const double phi[3], const double p[3], double G[3][3])" + TURNED_BY_PHI,
        "phi",
        {"phi": V3, "p": V3},
    ),
    Guarded(
        "a gyroscope's bias",
        HEAD + TURN + "void f(const double b[3], const double w[3], const double p[3], double dt, double out[3])"
        "{ double phi[3]; for (int i = 0; i < 3; i++) phi[i] = (w[i] - b[i])*dt; turned(phi, p, out); }",
        HEAD
        + TURN
        + "static void by_phi(const double *phi, const double *p, double G[3][3])"
        + TURNED_BY_PHI
        + "void G(const double b[3], const double w[3], const double p[3], double dt, double G[3][3])\n{\n"
        "    double phi[3], H[3][3];\n    for (int i = 0; i < 3; i++) phi[i] = (w[i] - b[i])*dt;\n"
        "    by_phi(phi, p, H);\n    for (int i = 0; i < 3; i++)\n        for (int j = 0; j < 3; j++)\n"
        "            G[i][j] = -dt*H[i][j];\n}",
        "b",
        {"b": V3, "w": V3, "p": V3, "dt": STEP},
    ),
    Guarded(
        "sin x / x",
        "#include <math.h>\ndouble f(double x) { return fabs(x) < 1e-4 ? 1 - x*x/6 : sin(x)/x; }",
        "#include <math.h>\ndouble G(double x)\n{\n    if (fabs(x) < 1e-4) return -x/3;\n"
        "    return (cos(x) - sin(x)/x)/x;\n}",
        "x",
        {"x": S},
    ),
    Guarded(
        "the length of a vector",
        HEAD + "double f(const double x[3]) { return sqrt(dot(x, x)); }",
        HEAD + "void G(const double x[3], double G[3])\n{\n    double n = sqrt(dot(x, x));\n"
        "    for (int i = 0; i < 3; i++) {\n        if (n == 0) G[i] = 0;\n        else G[i] = x[i]/n;\n    }\n}",
        "x",
        {"x": V3},
    ),
    Guarded(
        "Huber's loss",
        "#include <math.h>\ndouble f(const double r[3], double d) { double s = 0; for (int i = 0; i < 3; i++)"
        " s += fabs(r[i]) <= d ? r[i]*r[i]/2 : d*(fabs(r[i]) - d/2); return s; }",
        "#include <math.h>\nvoid G(const double r[3], double d, double G[3])\n{\n    for (int i = 0; i < 3; i++) {\n"
        "        if (fabs(r[i]) <= d) G[i] = r[i];\n        else if (r[i] > 0) G[i] = d;\n"
        "        else G[i] = -d;\n    }\n}",
        "r",
        {"r": V3, "d": POSITIVE},
    ),
    Guarded(
        "friction with a boundary layer",
        HEAD + "void f(const double v[3], double mu, double e, double out[3]) { double n = sqrt(dot(v, v));"
        " for (int i = 0; i < 3; i++) out[i] = n < e ? -mu*v[i]/e : -mu*v[i]/n; }",
        HEAD + "void G(const double v[3], double mu, double e, double G[3][3])\n{\n    double n = sqrt(dot(v, v));\n"
        "    for (int i = 0; i < 3; i++)\n        for (int j = 0; j < 3; j++) {\n            G[i][j] = 0;\n"
        "            if (n < e) {\n                if (i == j) G[i][j] = -mu/e;\n            } else {\n"
        "                if (i == j) G[i][j] = -mu/n;\n                G[i][j] += mu*v[i]*v[j]/(n*n*n);\n"
        "            }\n        }\n}",
        "v",
        {"v": V3, "mu": POSITIVE, "e": POSITIVE},
    ),
    Guarded(
        "the logarithm of a quaternion",
        HEAD + "void f(const double w, const double v[3], double out[3]) { double n = sqrt(dot(v, v));"
        " for (int i = 0; i < 3; i++) out[i] = n < 1e-8 ? 2*v[i]/w : 2*atan2(n, w)/n*v[i]; }",
        HEAD + "void G(const double w, const double v[3], double G[3][3])\n{\n    double n = sqrt(dot(v, v));\n"
        "    for (int i = 0; i < 3; i++)\n        for (int j = 0; j < 3; j++) {\n"
        "            if (n < 1e-8) {\n                G[i][j] = i == j ? 2/w : 0;\n            } else {\n"
        "                double a = 2*atan2(n, w)/n, s = n*n + w*w;\n"
        "                G[i][j] = (2*w/s - a)*v[i]*v[j]/(n*n);\n                if (i == j) G[i][j] += a;\n"
        "            }\n        }\n}",
        "v",
        {"w": POSITIVE, "v": V3},
    ),
    Guarded(
        "a spring with play that saturates",
        "#include <math.h>\ndouble f(double x, double k, double g, double m) { double y = fabs(x) < g ? 0 : x > 0"
        " ? x - g : x + g; double s = k*y; return s > m ? m : s < -m ? -m : s; }",
        "#include <math.h>\ndouble G(double x, double k, double g, double m)\n{\n    double y;\n"
        "    if (fabs(x) < g) return 0;\n    y = x > 0 ? x - g : x + g;\n    if (k*y > m || k*y < -m) return 0;\n"
        "    return k;\n}",
        "x",
        {"x": S, "k": POSITIVE, "g": POSITIVE, "m": POSITIVE},
    ),
    Guarded(
        "a pinhole's image",
        "#include <math.h>\nvoid f(const double P[3], double c, double out[2]) { if (P[2] < 1e-3) {"
        " out[0] = out[1] = 0; return; } out[0] = c*P[0]/P[2]; out[1] = c*P[1]/P[2]; }",
        "#include <math.h>\nvoid G(const double P[3], double c, double G[2][3])\n{\n    double z = P[2];\n"
        "    for (int i = 0; i < 2; i++) {\n        G[i][0] = G[i][1] = G[i][2] = 0;\n        if (z >= 1e-3) {\n"
        "            G[i][i] = c/z;\n            G[i][2] = -c*P[i]/(z*z);\n        }\n    }\n}",
        "P",
        {"P": V3, "c": POSITIVE},
    ),
)


@cache
def _points(subject: Guarded) -> list[dict[str, list]]:
    """Points of all sizes, each variable of one of its own, and where one or all numbers are zero or equal."""
    random, found = Random(f"guarded {subject.name}"), []
    for number in range(POINTS):
        point = {}
        for name, variable in subject.variables.items():
            size = random.choice(SIZES) if number % 3 else 1
            numbers = [random.uniform(-1.5, 1.5) * size for _ in range(variable.size)]
            if variable.positive or variable.kind == "step":
                numbers = [abs(numbers[0]) / size / 2 + 0.1]
            elif number % 10 == 7:
                numbers = [0.0] * variable.size if name == subject.wrt else numbers
            elif number % 10 == 9:
                numbers[random.randrange(len(numbers))] = 0.0
            point[name] = [mp.mpf(x) for x in numbers]
        if subject.wrt == "b" and number % 3 == 1:  # where two are nearly the same, or the same
            gap = random.choice((0, 1e-9, 1e-12, 1e-5))
            point["b"] = [x + gap * random.uniform(-1, 1) for x in point["w"]]
        found.append(point)
    return found


@dataclass(frozen=True)
class Language:
    """What is a language's own: texts to what is verified, and to values in many digits; errors; what has them."""

    subjects: tuple[Guarded, ...]
    given: Callable[[str, str], object]
    values: Callable[[Guarded, str], judge.Values]
    edited: Callable[[str, Random], tuple[str, str]]


@cache
def language(name: str) -> Language:
    """C or Python."""
    if name == "C":
        return Language(SUBJECTS, verify.c, lambda subject, text: _values(verify.c(text, "G").source), c_edits.edited)
    from tests.verify.edits import guarded_python, python_edits

    return Language(guarded_python.SUBJECTS, guarded_python.function, guarded_python.values, python_edits.edited)


def _values(source) -> judge.Values:
    arithmetic, shapes = judge.Arithmetic(), {p.name: p.shape for p in source.parameters}
    output = "G" if "G" in shapes else "return"

    def values(point):
        given = {name: point[name][0] if shapes[name] == () else point[name] for name in shapes if name != output}
        return source(given, arithmetic)[output]

    return values


@cache
def _right(subject: Guarded, own: Language) -> tuple:
    values = own.values(subject, subject.claim)
    with mpmath.workdps(judge.DIGITS):
        return tuple(values(point) for point in _points(subject))


def effect(subject: Guarded, changed: judge.Values, own: Language) -> tuple[float, bool]:
    """The largest difference at any point, of the largest entry there; whether there is a value at all of them."""
    worst, is_defined = 0.0, True
    for point, old in zip(_points(subject), _right(subject, own), strict=True):
        try:
            with mpmath.workdps(judge.DIGITS):
                new = changed(point)
                size = max(map(abs, (*old, *new)))
                share = max(abs(a - b) for a, b in zip(old, new, strict=True)) / size if size else mp.mpf(0)
        except (ArithmeticError, ValueError):
            is_defined = False
            continue
        worst = max(worst, float(share) if share > judge.SAME else 0.0)
    return worst, is_defined


@dataclass(frozen=True)
class Tried:
    """What came of an error. said: the changed text, where the verdict is wrong, and its effect."""

    subject: str
    kind: str
    outcome: str
    effect: float = 0.0
    said: str = ""


@cache
def _judged(subject: Guarded, own: Language) -> tuple:
    """A subject's function and question, read once."""
    asked = question(subject.wrt, subject.variables, 1, None, None)
    function = read(own.given(subject.function, "f"), subject.variables, "function")
    return function, asked, output_shape(function, asked, 0)


def _is_right(subject: Guarded, claimed, own: Language) -> bool:
    """The decision alone, without a search for a diagnosis."""
    function, asked, outer = _judged(subject, own)
    return not decide(fit(function, read(claimed, asked.variables, "claim"), asked, outer, 0), POINTS_OF_A_WAY).wrong


def tried(number: int, seed: int = 0, name: str = "C") -> Tried:
    """The error of this number, planted and judged. name: of a language."""
    own = language(name)
    subject = own.subjects[number % len(own.subjects)]
    kind, text = own.edited(subject.claim, Random(f"{seed} guarded {number}"))
    try:
        claimed = own.given(text, "G")
        share, is_defined = effect(subject, own.values(subject, text), own)
    except SymviError:
        return Tried(subject.name, kind, UNREADABLE)
    try:
        right = _is_right(subject, claimed, own)
    except SymviError:
        return Tried(subject.name, kind, CAUGHT if share or not is_defined else ALARM, share, text)
    return Tried(subject.name, kind, _outcome(right, share, is_defined), share, text)


def _outcome(right: bool, share: float, is_defined: bool) -> str:
    """What a verdict is worth. Where a claim has no value at some points, wrong is right, and the rest is a note."""
    if right:
        return MISSED if share > BOUND * DOUBT else EQUIVALENT if share == 0 and is_defined else NOTED
    return CAUGHT if share > BOUND / DOUBT or not is_defined else ALARM if share == 0 else NOTED


def several(numbers: range, seed: int, name: str) -> list[Tried]:
    return [tried(number, seed, name) for number in numbers]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 1 for a wrong verdict."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.verify.edits.guarded",
        description="Plant single errors in correct derivatives of code with conditions; judge them by their effect.",
    )
    add_options(parser, 2000, "errors")
    parser.add_argument("--language", choices=("C", "Python"), default="C")
    options = parser.parse_args(arguments)
    counts: Counter = Counter()
    asked = options.seed, options.language
    for found in done(several, range(options.first, options.to), asked, options.jobs, Journal(options.journal, Tried)):
        for one in found:
            counts[one.outcome] += 1
            if one.outcome in (MISSED, ALARM, NOTED):
                print(f"{one.outcome}: {one.kind} in {one.subject}, effect {one.effect:.1e}", flush=True)
            if one.outcome in (MISSED, ALARM):
                print(one.said, flush=True)
        print(f"{sum(counts.values())} done", file=sys.stderr, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return 1 if counts[MISSED] or counts[ALARM] else 0


if __name__ == "__main__":
    sys.exit(main())
