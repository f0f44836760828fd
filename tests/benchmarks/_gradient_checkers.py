"""What people check derivatives with: finite differences, complex steps, JAX's check_grads, SymPy, SymEngine.

Each answers a case of the corpus (tests/verify/corpus) with RIGHT, WRONG or UNDECIDED. Each is used with the tangents
that the question asks for, as somebody would who knows them: a quaternion is moved on the unit sphere.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from random import Random
from types import ModuleType, SimpleNamespace

import numpy as np

from tests.verify.corpus.algebra import L, R
from tests.verify.corpus.asking import ask
from tests.verify.corpus.case import Case
from tests.verify.corpus.differences import claimed, derivative
from tests.verify.corpus.loading import ForeignNumbers, load, numeric, written_in_sympy
from tests.verify.corpus.points import moved, point

RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"
STEP, POINTS = 1e-6, 3
IMAGINARY = 1e-30j


def symvi(name: str) -> str:
    return RIGHT if ask(_as_written()[name]).right else WRONG


def differences(tolerance: float) -> Callable[[str], str]:
    """Central differences with a step of 1e-6 at three points; tolerance: of an entry, relative where it is above 1."""

    def verdict(name: str) -> str:
        case, random = _in_numpy()[name], Random(name)
        for _ in range(POINTS):
            at = point(case, random)
            claim, found = (np.asarray(each, dtype=float) for each in (claimed(case, at), derivative(case, at, STEP)))
            if not np.allclose(claim, found, rtol=tolerance, atol=tolerance):
                return WRONG
        return RIGHT

    return verdict


def complex_step(name: str) -> str:
    """Imaginary steps of 1e-30 at three points; second derivatives by central differences of these slopes.

    The function runs in complex numbers as it is: what is not analytic, as abs or a norm, is differentiated wrongly;
    what complex numbers do not have, as arctan2, decides nothing.
    """
    case, random = _in_numpy()[name], Random(name)
    tolerance = 1e-10 if case.order == 1 else 1e-6
    for _ in range(POINTS):
        at = point(case, random)
        claim, found = np.asarray(claimed(case, at), dtype=float), derivative(case, at, STEP, slopes=_imaginary)
        if not np.allclose(claim, found, rtol=tolerance, atol=tolerance):
            return WRONG
    return RIGHT


def _imaginary(case: Case, function: Callable, place: Mapping) -> np.ndarray:
    columns = [function(moved(case, place, *along, IMAGINARY, np.sqrt)) for along in case.directions]
    return np.stack([np.imag(column) / np.imag(IMAGINARY) for column in columns], axis=-1)


# --- JAX ----------------------------------------------------------------------------------------------------------
def jax_check_grads(name: str) -> str:
    """check_grads in double precision with its own step and tolerance, the claim as the function's derivative rule."""
    import jax
    from jax.test_util import check_grads

    case, random = _in_jax()[name], Random(name)
    for _ in range(POINTS):
        at = {key: jax.numpy.asarray(np.asarray(value, dtype=float)) for key, value in point(case, random).items()}
        function = jax.custom_jvp(_local_function(case, at))
        function.defjvp(_rule(case, at, function))
        try:
            check_grads(function, (jax.numpy.zeros(len(case.directions)),), order=1)
        except AssertionError:
            return WRONG
    return RIGHT


def _rule(case: Case, at: Mapping, function: Callable) -> Callable:
    import jax.numpy as jnp

    matrix = jnp.asarray(case.claimed(**at), dtype=float).reshape(-1, len(case.directions))
    return lambda primals, tangents: (function(*primals), matrix @ tangents[0])


def _local_function(case: Case, at: Mapping) -> Callable:
    """The function that is differentiated, by a small move along all directions at once."""
    import jax
    import jax.numpy as jnp

    def values(place: Mapping):
        found = jnp.reshape(jnp.asarray(case.function(**place)), -1)
        return found if case.weights is None else jnp.reshape(found @ at[case.weights], 1)

    def at_moved(function: Callable, place: Mapping) -> Callable:
        return lambda move: function(_moved(case, place, move))

    if case.order == 1 and case.weights is None:
        return at_moved(values, at)
    nowhere = jnp.zeros(len(case.directions))
    slopes = lambda place: jax.jacfwd(at_moved(values, place))(nowhere).reshape(-1)  # noqa: E731
    if case.order == 2:
        return at_moved(slopes, at)
    # G^T lambda itself is the gradient of lambda . f
    return at_moved(values, at)


def _moved(case: Case, at: Mapping, move) -> dict:
    import jax.numpy as jnp

    found, start = dict(at), 0
    for name in case.towards:
        variable = case.variables[name]
        step, start = move[start : start + variable.directions], start + variable.directions
        if variable.kind != "quaternion" or variable.tangent == "raw":
            found[name] = at[name] + (step[0] if variable.size == 1 else step)
            continue
        turn = jnp.concatenate([jnp.ones(1), step if variable.tangent == "half" else step / 2])
        turn = turn / jnp.sqrt(turn @ turn)
        found[name] = _matrix_of(variable.side)(at[name]) @ turn
    return found


# --- computer algebra -----------------------------------------------------------------------------------------------
def algebra(engine: str, seconds: float) -> Callable[[str], str]:
    """Differentiate in R^4, take the tangent's columns, subtract, simplify (SymPy) or expand (SymEngine): zero or not.

    What takes longer than `seconds` is undecided; it runs in a process of its own, which is then stopped.
    """
    worker = _Worker(engine)

    def verdict(name: str) -> str:
        return worker.answer(name, seconds)

    verdict.ready, verdict.close = worker.start, worker.close
    return verdict


class _Worker:
    """A process that answers names of cases for one engine, started again after it had to be stopped."""

    def __init__(self, engine: str):
        self.engine, self.process = engine, None

    def answer(self, name: str, seconds: float) -> str:
        self.start()
        self.pipe.send(name)
        if self.pipe.poll(seconds):
            return self.pipe.recv()
        self.close()
        return UNDECIDED

    def start(self) -> None:
        """Have the process running, with all that it needs imported."""
        if self.process is not None:
            return
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_answer_names, args=(theirs, self.engine), daemon=True)
        self.process.start()
        self.pipe.recv()

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def _answer_names(pipe, engine: str) -> None:
    decide = {"sympy": _simplified, "sympy on the sphere": _on_the_sphere, "symengine": _expanded}[engine]
    cases = _symbolic(engine)
    pipe.send("ready")
    while True:
        name = pipe.recv()
        try:
            pipe.send(decide(cases[name]))
        except Exception:  # conditions on symbols, functions that the engine does not have
            pipe.send(UNDECIDED)


def _symbolic(engine: str) -> dict[str, Case]:
    """The cases as they are called with symbols of an engine."""
    import sympy

    library = sympy
    if engine == "symengine":
        import symengine as library
    same = ("sqrt", "sin", "cos", "tan", "exp", "log", "sign", "pi")
    functions = {name: getattr(library, name) for name in same if hasattr(library, name)}
    angles = {"arctan2": library.atan2, "arccos": library.acos}
    return {**load(ForeignNumbers({**functions, **angles})), **written_in_sympy()}


def _differences_in(library: ModuleType, case: Case) -> list:
    """Claim minus truth, entry by entry."""
    at = {name: _symbols(library, name, variable) for name, variable in case.variables.items()}
    if case.symbolic:
        convert = library.sympify
        values, claim = [[convert(entry) for entry in matrix] for matrix in (case.function, case.claimed)]
        at = {name: _own_symbols(library, name, variable) for name, variable in case.variables.items()}
    else:
        values = list(np.asarray(case.function(**at)).reshape(-1))
        claim = list(np.asarray(case.claimed(**at)).reshape(-1))
    if case.weights is not None:
        values = [sum(value * y for value, y in zip(values, at[case.weights], strict=True))]
    truth = _slopes(library, case, values, at)
    if case.order == 2:
        truth = _slopes(library, case, truth, at)
    return [library.sympify(a) - library.sympify(b) for a, b in zip(claim, truth, strict=True)]


def _slopes(library: ModuleType, case: Case, values: list, at: Mapping) -> list:
    """Row by row, a column per direction."""
    found = []
    for value in values:
        for name in case.towards:
            variable, symbols = case.variables[name], np.atleast_1d(at[name])
            free = np.array([library.diff(library.sympify(value), symbol) for symbol in symbols])
            if variable.kind == "quaternion" and variable.tangent != "raw":
                matrix = L(symbols) if variable.side == "body" else R(symbols)
                free = (free @ matrix)[1:] / (1 if variable.tangent == "half" else 2)
            found += list(free)
    return found


def _symbols(library: ModuleType, name: str, variable):
    if variable.kind == "inertia":
        return np.array([[library.Symbol(f"{name}{min(i, j)}{max(i, j)}") for j in range(3)] for i in range(3)])
    if variable.size == 1:
        return library.Symbol(name)
    return np.array([library.Symbol(f"{name}{k}") for k in range(variable.size)])


def _own_symbols(library: ModuleType, name: str, variable):
    """Of cases that are written in SymPy: real, and positive where they are said to be."""
    import sympy

    kind = {"positive": True} if variable.kind in ("positive", "step") else {"real": True}
    if variable.size == 1:
        return library.sympify(sympy.Symbol(name, **kind))
    return np.array(
        [library.sympify(sympy.Symbol(f"{name}{'_' * ('_' in name)}{k}", **kind)) for k in range(variable.size)]
    )


def _simplified(case: Case) -> str:
    import sympy

    entries = [sympy.nsimplify(entry, rational=True) for entry in _differences_in(sympy, case)]
    return RIGHT if all(sympy.simplify(entry) == 0 for entry in entries) else WRONG


def _on_the_sphere(case: Case) -> str:
    """As somebody would who knows about |q| = 1: numerators divided by q.q - 1, and what remains simplified."""
    import sympy

    spheres = []
    for name, variable in case.variables.items():
        if variable.kind == "quaternion" and variable.tangent != "raw":
            symbols = (_own_symbols if case.symbolic else _symbols)(sympy, name, variable)
            spheres.append((sum(symbol**2 for symbol in symbols) - 1, symbols[0]))
    for entry in _differences_in(sympy, case):
        numerator = sympy.fraction(sympy.together(sympy.nsimplify(entry, rational=True)))[0]
        for sphere, scalar in spheres:
            numerator = sympy.rem(sympy.expand(numerator), sphere, scalar)
        if sympy.simplify(numerator) != 0:
            return WRONG
    return RIGHT


def _expanded(case: Case) -> str:
    import symengine

    return RIGHT if all(symengine.expand(entry) == 0 for entry in _differences_in(symengine, case)) else WRONG


# --- the corpus for each of them ------------------------------------------------------------------------------------
@cache
def _as_written() -> dict[str, Case]:
    return {**load(), **written_in_sympy()}


@cache
def _in_numpy() -> dict[str, Case]:
    return {**load(), **{name: numeric(each, "numpy") for name, each in written_in_sympy().items()}}


def _jax_numpy() -> ModuleType:
    """jax.numpy, which joins arrays but no lists of numbers."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    found = ModuleType("numpy")
    found.__getattr__ = lambda name: getattr(jnp, name)
    for name in ("concatenate", "hstack", "vstack", "column_stack", "stack"):
        joined = getattr(jnp, name)
        setattr(found, name, lambda parts, joined=joined, **more: joined([jnp.asarray(each) for each in parts], **more))
    found.linalg = SimpleNamespace(norm=jnp.linalg.norm)
    return found


@cache
def _in_jax() -> dict[str, Case]:
    numpy = _jax_numpy()
    return {**load(numpy), **{name: numeric(each, "jax", numpy) for name, each in written_in_sympy().items()}}


def _matrix_of(side: str) -> Callable:
    """L or R of arrays that JAX traces: as the formulas' files call them."""
    functions = next(iter(_in_jax().values())).function.__globals__
    return functions["L" if side == "body" else "R"]


def names() -> list[str]:
    """All cases."""
    return list(_as_written())


def case_of(name: str) -> Case:
    return _as_written()[name]


def installed(package: str) -> bool:
    return find_spec(package) is not None


def timed(verdict: Callable[[str], str], name: str) -> tuple[str, float]:
    """The answer, and the seconds that it took; a checker that fails has decided nothing."""
    getattr(verdict, "ready", lambda: None)()
    start = time.perf_counter()
    try:
        answer = verdict(name)
    except Exception:
        answer = UNDECIDED
    return answer, time.perf_counter() - start
