"""Code in another language: points are written, its numbers come back, and its Jacobian is judged by these alone."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symvi.verify as verify
from symvi import cli
from symvi.verify.asking.foreign_points import stated
from tests.verify import hand_written as hand

TURNED = {"q": verify.quaternion(), "v": verify.vector(3)}


def program(path: Path, names: dict[str, int], f: Callable, jacobian: Callable, form: str = "%.17g") -> Path:
    """What the other program does: its columns beside those of the table, J where along is -1."""
    lines = list(csv.reader(path.open()))
    done = path.with_name("done.csv")
    with done.open("w", newline="") as file:
        for number, line in enumerate(lines):
            if number == 0:
                csv.writer(file).writerow(line)
                continue
            given, start = {}, 3
            for name, size in names.items():
                given[name] = np.array([float(x) for x in line[start : start + size]])
                start += size
            values = np.ravel(f(**given))
            entries = np.ravel(jacobian(**given)) if line[1] == "-1" else ()
            csv.writer(file).writerow([*line, *(form % x for x in values), *(form % x for x in entries)])
    return done


def judged(folder: Path, wrt, variables, f, jacobian, form: str = "%.17g") -> verify.Report:
    path = folder / "points.csv"
    verify.ask(path, wrt, variables)
    done = program(path, {name: v.size for name, v in variables.items()}, f, jacobian, form)
    return verify.numbers(done, wrt, variables)


def by_both(q, v):
    return np.hstack([hand.rotated_by_q(q, v), hand.rotation(q)])


def test_a_right_jacobian_is_right_where_it_was_tested(tmp_path: Path) -> None:
    """Of a smooth function differences tell errors of 1e-9: five of the six digits that steps of 2e-3 leave squared."""
    report = judged(tmp_path, ["q", "v"], TURNED, hand.rotated, by_both)
    assert report.right and not report.everywhere and report.shape == (3, 6)
    assert "conditions are not seen" in report.unreached[0] and len(report.unreached) == 1


@pytest.mark.parametrize(("i", "k"), [(0, 0), (2, 5), (1, 4)])
def test_an_error_of_a_millionth_in_one_entry_is_found(tmp_path: Path, i: int, k: int) -> None:
    def wrong(q, v):
        found = by_both(q, v)
        found[i, k] *= 1 + 1e-6
        return found

    report = judged(tmp_path, ["q", "v"], TURNED, hand.rotated, wrong)
    assert [entry.index for entry in report.wrong] == [(i, k)]


@pytest.mark.parametrize(
    ("claim", "where", "said"),
    [
        (lambda q, v: -by_both(q, v), "the whole derivative", "the wrong sign"),
        (lambda q, v: by_both(q, v).T.ravel(), "the whole derivative", "column by column"),
        (lambda q, v: by_both(q, v) * [2, 2, 2, 1, 1, 1], "the columns of q", "twice the true value"),
        (lambda q, v: by_both(q, v) * [0, 0, 0, 1, 1, 1], "the columns of q", "the derivative is missing"),
        (lambda q, v: by_both(q, v) * [[1], [1], [-1]], "row 2", "the wrong sign"),
        (lambda q, v: by_both(q, v) * [1, 1, 1, 1, 0.5, 1], "column v[1]", "half the true value"),
        (
            lambda q, v: np.hstack([-hand.skew(hand.rotation(q) @ v), hand.rotation(q)]),
            "the columns of q",
            "about world axes of q, not body axes",
        ),
    ],
    ids=["sign", "by columns", "twice", "missing", "a row", "a column", "side"],
)
def test_what_is_wrong_is_named(tmp_path: Path, claim, where: str, said: str) -> None:
    report = judged(tmp_path, ["q", "v"], TURNED, hand.rotated, claim)
    assert not report.right
    assert any(one.where == where and said in one.says for one in report.diagnoses), str(report)


def rotated_by_matrix(R, v):  # noqa: N803
    return R.reshape(3, 3) @ v


@pytest.mark.parametrize("side", ["body", "world"])
@pytest.mark.parametrize("wrong", [False, True])
def test_rotation_matrices_are_turned(tmp_path: Path, side: str, wrong: bool) -> None:
    variables = {"R": verify.rotation("rotation vector", side), "v": verify.vector(3)}

    def by_turn(R, v):  # noqa: N803
        turn = R.reshape(3, 3)
        return -turn @ hand.skew(v) if (side == "body") is not wrong else -hand.skew(turn @ v)

    assert judged(tmp_path, "R", variables, rotated_by_matrix, by_turn).right is not wrong


@pytest.mark.parametrize(("tangent", "size"), [("rotation vector", 1), ("half", 2)])
def test_quaternions_move_in_their_tangent(tmp_path: Path, tangent: str, size: int) -> None:
    variables = {"q": verify.quaternion(tangent, order="xyzw"), "v": verify.vector(3)}

    def scalar_first(q):
        return np.array([q[3], *q[:3]])

    report = judged(
        tmp_path,
        "q",
        variables,
        lambda q, v: hand.rotated(scalar_first(q), v),
        lambda q, v: size * hand.rotated_by_q(scalar_first(q), v),
    )
    assert report.right, str(report)


def test_steps_stay_where_variables_may_be(tmp_path: Path) -> None:
    """A root of what is positive, and of 1 - (h w/2)², has no value beyond."""
    variables = {"m": verify.scalar(positive=True), "w": verify.angular_velocity("h"), "h": verify.step()}

    def f(m, w, h):
        inside = 1 - h[0] ** 2 / 4 * (w @ w)
        assert m[0] > 0 and inside > 0
        return np.sqrt(m[0]) * np.sqrt(inside)

    def by_w(m, w, h):
        return -np.sqrt(m[0]) * h[0] ** 2 / 4 * w / np.sqrt(1 - h[0] ** 2 / 4 * (w @ w))

    assert judged(tmp_path, "w", variables, f, by_w).right
    assert not judged(tmp_path, "w", variables, f, lambda m, w, h: 2 * by_w(m, w, h)).right


@pytest.mark.parametrize("slope", [1, 0.5])
def test_a_condition_between_the_steps_says_nothing(tmp_path: Path, slope: float) -> None:
    """At one point the function bends one and a third steps away; the others judge it."""
    variables, path = {"x": verify.scalar()}, tmp_path / "points.csv"
    verify.ask(path, "x", variables)
    bend = float(list(csv.reader(path.open()))[1][3]) + 4 / 3 * 2**-9
    done = program(path, {"x": 1}, lambda x: abs(x - bend), lambda x: slope * np.sign(x - bend))
    report = verify.numbers(done, "x", variables)
    assert report.right is (slope == 1)


def test_arrays_of_numpy_are_read(tmp_path: Path) -> None:
    path = tmp_path / "points.npz"
    count = verify.ask(path, "v", {"v": verify.vector(2)})
    points = np.load(path)["points"]
    assert points.shape == (count, 5)
    v = points[:, 3:]
    jacobians = np.stack([np.stack([v[:, 1], v[:, 0]], 1), np.stack([2 * v[:, 0], 0 * v[:, 0]], 1)], 1)
    values = np.stack([v[:, 0] * v[:, 1], v[:, 0] ** 2], 1)
    np.savez(path, points=points, f=values, J=jacobians)
    assert verify.numbers(path, "v", {"v": verify.vector(2)}).right
    np.savez(path, points=points, f=values.astype(np.float32), J=jacobians)
    assert "of 7 digits" in verify.numbers(path, "v", {"v": verify.vector(2)}).unreached[0]
    np.savez(path, points=points, f=np.round(values, 2), J=jacobians)
    with pytest.raises(verify.VerificationError, match="differences tell nothing: values of . digits"):
        verify.numbers(path, "v", {"v": verify.vector(2)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:1], "0 rows"),
        (lambda lines: [line.rsplit(",", 1)[0] for line in lines], "come m values and m x 1 entries of J"),
        (lambda lines: [line for line in lines if ",-1," not in line], "5 columns; after the 4"),
        (
            lambda lines: [*lines[:2], lines[2].replace(",0.001953125,", ",0.0029,"), *lines[3:]],
            "no four steps",
        ),
        (lambda lines: [lines[0], *(line.replace("-", "") for line in lines[1:])], "no point has|no four steps"),
    ],
    ids=["no rows", "no columns", "no points", "another step", "without signs"],
)
def test_tables_that_are_none_are_refused(tmp_path: Path, change, said: str) -> None:
    variables, path = {"x": verify.scalar()}, tmp_path / "points.csv"
    verify.ask(path, "x", variables)
    done = program(path, {"x": 1}, lambda x: x**2, lambda x: 2 * x)
    done.write_text("\n".join(change(done.read_text().splitlines())))
    with pytest.raises(verify.VerificationError, match=said):
        verify.numbers(done, "x", variables)


def test_points_that_were_moved_are_refused(tmp_path: Path) -> None:
    variables, path = {"x": verify.vector(2)}, tmp_path / "points.npz"
    verify.ask(path, "x", variables)
    points = np.load(path)["points"]
    points[3, 4] += 1e-3
    np.savez(path, points=points, f=points[:, 3:4] ** 2, J=np.stack([2 * points[:, 3], 0 * points[:, 3]], 1))
    with pytest.raises(verify.VerificationError, match=r"row 4 says a step .* leave the points"):
        verify.numbers(path, "x", variables)


def test_the_shell_asks_and_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    stating = ["--variable", "q=quaternion", "--variable", "v=vector:3", "--wrt", "q"]
    assert cli.main(["verify", "--ask", "points.csv", "--where", "v=0:1", *stating]) == 0
    numbers = np.loadtxt("points.csv", delimiter=",", skiprows=1)
    assert numbers.shape[1] == 10 and ((numbers[:, 7:] > 0) & (numbers[:, 7:] < 1)).all()
    names = {"q": 4, "v": 3}
    program(Path("points.csv"), names, hand.rotated, hand.rotated_by_q)
    assert cli.main(["verify", "--numbers", "done.csv", *stating]) == 0
    assert cli.main(["verify", "--numbers", "done.csv", "--strict", *stating]) == 1
    program(Path("points.csv"), names, hand.rotated, lambda q, v: -hand.rotated_by_q(q, v))
    assert cli.main(["verify", "--numbers", "done.csv", *stating]) == 1
    assert "the wrong sign" in capsys.readouterr().out
    assert cli.main(["verify", "--numbers", "none.csv", *stating]) == 2
    assert cli.main(["verify", "--numbers", "done.csv", "--where", "v=0:1", *stating]) == 2


def test_variables_are_stated_in_words() -> None:
    texts = ["q=quaternion:half:world:xyzw", "A=matrix:2:3", "m=scalar:positive", "w=angular_velocity:h", "h=step"]
    assert stated(texts) == {
        "q": verify.quaternion("half", "world", order="xyzw"),
        "A": verify.matrix(2, 3),
        "m": verify.scalar(positive=True),
        "w": verify.angular_velocity("h"),
        "h": verify.step(),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q", "NAME=KIND"),
        ("q=quaternon", "did you mean 'quaternion'"),
        ("q=quaternion:hlf", "half"),
        ("x=step:3", "step"),
    ],
)
def test_words_that_state_no_variable_are_named(text: str, said: str) -> None:
    with pytest.raises(verify.VerificationError, match=said):
        stated([text])
