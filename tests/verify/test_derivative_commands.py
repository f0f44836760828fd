"""`symvi verify` and `symvi derive`: files of claims, C against symvi's own functions, exit codes, forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import symvi.verify as verify
from symvi import cli
from symvi.derive import own

CLAIMS = """
import numpy as np
import symvi.verify as verify
from symvi.derive import own

VARIABLES = {"q": verify.quaternion(), "v": verify.vector(3)}

def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])

def position(q, v):
    return rotation(q) @ v

def position_derivative_wrt_v(q, v):
    return rotation(q)

@verify.claim(function=own("spherical"))
def hinge(xa, qa, xb, qb, pa, pb):
    return np.hstack([-np.eye(3), rotation(qa) @ skew(pa), np.eye(3), -rotation(qb) @ skew(pb)])
"""
WRONG = """
def position_derivative_wrt_q(q, v):
    return rotation(q) @ skew(v)
"""
IN_C = """
void lever(const double q[4], const double v[3], double J[3][3]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double R[3][3] = {{1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)},
                      {2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)},
                      {2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)}};
    double S[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = 0;
            for (int k = 0; k < 3; k++)
                J[i][j] -= SIZE * R[i][k] * S[k][j];
        }
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    (tmp_path / "lever.c").write_text(IN_C)
    return tmp_path


def test_a_file_of_right_claims_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "claims.py"]) == 0
    assert capsys.readouterr().out.count("RIGHT") == 2


@pytest.mark.thorough
def test_what_is_right_only_where_it_was_tested_fails_where_that_is_asked(folder: Path, capsys) -> None:
    assert cli.main(["verify", "claims.py", "--strict"]) == 0
    never = "def never(q, v):\n    return rotation(q) @ v\ndef never_derivative_wrt_v(q, v):\n"
    (folder / "claims.py").write_text(
        CLAIMS + never + "    return rotation(q) if np.sin(v[0]) < 2 else 0 * rotation(q)\n"
    )
    assert cli.main(["verify", "claims.py"]) == 0
    capsys.readouterr()
    assert cli.main(["verify", "claims.py", "--strict", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["claims"]["never_derivative_wrt_v"]
    assert found["right"] and not found["everywhere"]


def test_a_wrong_claim_fails_with_its_diagnosis(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "claims.py").write_text(CLAIMS + WRONG)
    assert cli.main(["verify", "claims.py", "--json", "--html", "report.html"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [name for name, report in found["claims"].items() if not report["right"]] == ["position_derivative_wrt_q"]
    assert found["claims"]["position_derivative_wrt_q"]["diagnoses"][0]["says"] == "the wrong sign"
    assert "wrong" in (folder / "report.html").read_text()


@pytest.mark.parametrize(("size", "code"), [("1", 0), ("1.0/2", 1), ("1/2", 1)])
def test_c_is_judged_against_a_function_of_symvi(folder: Path, size: str, code: int, capsys) -> None:
    command = "verify --c lever.c --function lever --against rotation --define".split()
    assert cli.main([*command, f"SIZE={size}"]) == code
    out = capsys.readouterr().out
    assert ("half the true value" in out) == (size == "1.0/2")
    assert ("1/2 is 0" in out) == (size == "1/2")  # whole numbers divide as C divides them


def test_the_papers_tangent_can_be_stated(folder: Path) -> None:
    command = "verify --c lever.c --function lever --against rotation --define SIZE=2 --tangent half".split()
    assert cli.main(command) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify"], "give a Python file"),
        (["verify", "missing.py"], "missing.py"),
        (["verify", "empty.py"], "claims nothing"),
        (["verify", "broken.py"], "broken.py:2: ZeroDivisionError"),
        (["verify", "."], "is a folder; give a Python file"),
        (["verify", "binary"], "binary is no text"),
        (["verify", "--c", "lever.c", "--function", "lever"], "--against"),
        (["verify", "--c", "lever.c", "--function", "lever", "--against", "rotations"], "did you mean 'rotation'"),
        (["verify", "--c", "lever.c", "--function", "leverage", "--against", "rotation"], "no function leverage"),
        (["verify", "lever.c"], "write symvi verify --c lever.c --function NAME --against NAME"),
        (["derive", "revolut"], "did you mean 'revolute'"),
        (["derive", "world_inertias"], "did you mean 'world_inertia'"),
    ],
)
def test_what_cannot_be_judged_is_named(folder: Path, arguments: list[str], words: str, capsys) -> None:
    (folder / "empty.py").write_text("x = 1\n")
    (folder / "broken.py").write_text("x = 0\ny = 1 / x\n")
    (folder / "binary").write_bytes(b"\x7fELF\0\0")
    assert cli.main(arguments) in (1, 2)
    assert words in capsys.readouterr().err


def test_one_claim_that_cannot_be_judged_does_not_hide_the_others(folder: Path, capsys) -> None:
    (folder / "claims.py").write_text(CLAIMS + "\ndef position_derivative_wrt_q(q, v):\n    return rotation(q)[:2]\n")
    assert cli.main(["verify", "claims.py", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert len(found["claims"]) == 2 and list(found["not judged"]) == ["position_derivative_wrt_q"]


def test_weights_that_do_not_fit_do_not_hide_the_other_claims(folder: Path, capsys) -> None:
    claim = """
VARIABLES["lam"] = verify.vector(2)

@verify.claim(function=position, wrt="v", weights="lam")
def pulled(q, v, lam):
    return rotation(q).T @ lam
"""
    (folder / "claims.py").write_text(CLAIMS + claim)
    assert cli.main(["verify", "claims.py", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert len(found["claims"]) == 2 and "'lam' has 2 numbers" in found["not judged"]["pulled"]


def test_claims_whose_variables_are_not_known_do_not_hide_the_others(folder: Path, capsys) -> None:
    claims = """
def position_derivative_wrt_r(q, v):
    return 0
def speed_derivative_wrt_v(q, v):
    return 0
@verify.claim(function="spherica")
def ball(xa):
    return 0
"""
    (folder / "claims.py").write_text(CLAIMS + claims)
    assert cli.main(["verify", "claims.py", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert len(found["claims"]) == 2
    assert all(report["right"] for report in found["claims"].values())
    said = found["not judged"]
    assert "VARIABLES has no 'r'; known: q, v" in said["position_derivative_wrt_r"]
    assert "no function speed" in said["speed_derivative_wrt_v"]
    assert "symvi.derive.own('spherica')" in said["ball"]


def test_a_name_may_say_several_variables(folder: Path, capsys) -> None:
    claims = """
VARIABLES["q_v"] = verify.scalar()
VARIABLES["r"] = VARIABLES["R_"] = verify.scalar()
def turned(q, v):
    return rotation(q) @ v
def turned_derivative_wrt_v_q(q, v):
    return np.hstack([rotation(q), -rotation(q) @ skew(v)])
def turned_derivative_wrt_v_r(q, v):
    return 0
def turned_derivative_wrt_v_v(q, v):
    return 0
"""
    (folder / "claims.py").write_text(CLAIMS + claims)
    assert cli.main(["verify", "claims.py", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["claims"]["turned_derivative_wrt_v_q"]["wrt"] == ["v", "q"]
    assert found["claims"]["turned_derivative_wrt_v_q"]["right"]
    said = found["not judged"]
    assert "'v_r' may mean v and r or v and R_; say which" in said["turned_derivative_wrt_v_r"]
    assert "@verify.claim(function=turned, wrt=('v', 'r'))" in said["turned_derivative_wrt_v_r"]
    assert "VARIABLES has no 'v_v'" in said["turned_derivative_wrt_v_v"]


def test_the_last_line_names_what_is_wrong_and_what_could_not_be_judged(folder: Path, capsys) -> None:
    (folder / "claims.py").write_text(CLAIMS + WRONG + "\ndef position_derivative_wrt_r(q, v):\n    return 0\n")
    assert cli.main(["verify", "claims.py"]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "1 of 3 wrong: position_derivative_wrt_q; could not be judged: position_derivative_wrt_r" in last


ADDED = IN_C.replace("            J[i][j] = 0;\n", "").replace("SIZE", "1")


def test_an_output_that_the_caller_clears_is_said_to_be(folder: Path, capsys) -> None:
    (folder / "added.c").write_text(ADDED)
    command = ["verify", "--c", "added.c", "--function", "lever", "--against", "rotation"]
    assert cli.main(command) == 2
    assert "if the caller sets J to zero before the call, say so: --cleared J" in capsys.readouterr().out
    assert cli.main([*command, "--cleared", "J"]) == 0
    assert cli.main([*command, "--cleared", "K"]) == 2
    assert "--cleared: lever has no parameter K; it has" in capsys.readouterr().err


def test_a_parameter_may_be_one_number_of_a_variable(folder: Path, capsys) -> None:
    scalars = IN_C.replace("SIZE", "1").replace("const double v[3]", "double v0, double vy, double vz")
    (folder / "scalars.c").write_text(scalars.replace("    double S", "    double v[3] = {v0, vy, vz};\n    double S"))
    command = ["verify", "--c", "scalars.c", "--function", "lever", "--against", "rotation"]
    assert cli.main(command) == 2
    assert "parameter 'v0' is no variable; did you mean 'v'? Say --name 'v0=v[0]'" in capsys.readouterr().out
    names = ["--name", "v0=v[0]", "--name", "vy=v[1]", "--name", "vz=v[2]"]
    assert cli.main([*command, *names]) == 0
    assert cli.main([*command, *names[:2], "--name", "vy=v[2]", "--name", "vz=v[1]"]) == 1
    assert cli.main([*command, *names[:-1], "vz=v[1]"]) == 2
    assert "the parameters vy, vz are one number, number 2 of v" in capsys.readouterr().out
    assert cli.main([*command, *names[:-1], f"vz=v[{'9' * 5000}]"]) == 2
    assert "9...': v is a vector of 3, its last entry is v[2]" in capsys.readouterr().out.replace("\n", "")
    assert cli.main([*command, *names[:-1], "vz=v[3]"]) == 2
    assert "--name 'vz=v[3]': v is a vector of 3, its last entry is v[2]" in capsys.readouterr().out
    assert cli.main([*command, *names, "--name", "q=v[1]"]) == 2
    assert "the parameter 'q' is an array, the entry is one number" in capsys.readouterr().out


@pytest.mark.parametrize(("names", "words"), [({"x": 0}, "write both as texts"), (["x"], "names is a list")])
def test_names_are_texts(names: object, words: str) -> None:
    with pytest.raises(verify.VerificationError, match=words):
        verify.c("double f(double x) { return 3*x; }", "f", names=names)


@pytest.mark.parametrize("written", ["variables", "Variables", "WITH"])
def test_a_dictionary_of_variables_by_another_name_is_pointed_at(folder: Path, written: str, capsys) -> None:
    (folder / "claims.py").write_text(CLAIMS.replace("VARIABLES", written))
    assert cli.main(["verify", "claims.py"]) == 2
    out = capsys.readouterr().out
    assert f"no dictionary VARIABLES says what 'v' and every other argument is; is '{written}' meant?" in out
    assert out.count("RIGHT") == 1


def test_what_a_file_prints_is_no_part_of_the_verdict(folder: Path, capsys) -> None:
    talk = CLAIMS.replace("    return rotation(q) @ v", "    print('at', q)\n    return rotation(q) @ v")
    (folder / "claims.py").write_text(talk + "\nprint('loaded')\n")
    assert cli.main(["verify", "claims.py", "--json"]) == 0
    shown = capsys.readouterr()
    assert len(json.loads(shown.out)["claims"]) == 2
    assert "loaded" in shown.err and "at [" in shown.err


def test_derivations_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["derive"]) == 0
    assert {"revolute", "rotational_residual", "half_space"} <= set(capsys.readouterr().out.split())
    assert cli.main(["derive", "revolute"]) == 0
    assert "dg/dtheta_b" in capsys.readouterr().out
    assert cli.main(["derive", "revolute", "--latex"]) == 0
    assert r"\begin{align}" in capsys.readouterr().out


def test_derive_offers_what_it_can_print(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["derive", "--help"])
    shown = capsys.readouterr().out
    assert "half" in shown and "raw" not in shown


def test_what_cannot_be_judged_is_no_wrong_derivative(tmp_path, capsys) -> None:
    """Exit code 2, whatever keeps the verdict from being found; 1 is for wrong derivatives alone."""
    ends = tmp_path / "ends.py"
    ends.write_text("import sys\nsys.exit(0)\n")
    for arguments, said in (
        (["verify", str(tmp_path / "nowhere.py")], "nowhere.py"),
        (["verify", str(ends)], "ends.py:2: ends the program"),
        (["derive", "revolute", "--scale", "abc"], "scale 'abc'"),
    ):
        assert cli.main(arguments) == 2
        assert said in capsys.readouterr().err


def test_a_report_that_cannot_be_written_hides_no_verdict(folder: Path, capsys) -> None:
    assert cli.main(["verify", "claims.py", "--json", "--html", "nowhere/report.html"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert "nowhere/report.html" in found["error"] and len(found["claims"]) == 2


def test_an_own_function_says_what_it_is() -> None:
    assert repr(own("rotation")) == "rotation (symvi): f = R(q) v = V(q v q*)"


# --- where claims hold ------------------------------------------------------------------------------------------------
DISTANCE = """
import numpy as np
import symvi.verify as verify
from symvi.derive import own

VARIABLES = {"x": verify.scalar(), "y": verify.vector(2)}

def distance(x, y):
    return abs(x) * y[0]

def distance_derivative_wrt_x(x, y):
    return y[0]

def of_y(y):
    return y @ y

@verify.claim(function=of_y, wrt="y", where={"y": (-2, 2)})
def slope_of_y(y):
    return 2 * y
"""


@pytest.mark.parametrize(
    ("where", "code"),
    [((), 1), (("x=0:",), 0), (("x=0:3/2", "y=-1:1"), 0), (("x=-1:1",), 1), (("x=:-1/2",), 1)],
    ids=["anywhere", "above zero", "of both", "on both sides", "below zero"],
)
def test_bounds_from_the_shell_hold_for_the_claims_that_have_the_variable(folder: Path, where, code: int) -> None:
    Path("claims.py").write_text(DISTANCE)
    assert cli.main(["verify", "claims.py", *(part for one in where for part in ("--where", one))]) == code


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("x", "write NAME=VALUE"),
        ("x=1", "write NAME=LOW:HIGH"),
        ("x=low:1", "say x=0:1"),
        ("z=0:1", "no variable 'z'"),
        ("x=2:1", "nothing lies between"),
    ],
)
def test_bounds_from_the_shell_that_are_none_are_named(folder: Path, capsys, where: str, said: str) -> None:
    Path("claims.py").write_text(DISTANCE)
    assert cli.main(["verify", "claims.py", "--where", where]) == 2
    found = capsys.readouterr()
    assert said in found.out + found.err


@pytest.mark.parametrize(("name", "said"), [("joint.cpp", "C++"), ("joint.m", "MATLAB"), ("joint.jl", "Julia")])
@pytest.mark.parametrize("option", [[], ["--c"]])
def test_other_languages_are_refused_as_what_they_are(folder: Path, capsys, name: str, said: str, option: list) -> None:
    (folder / name).write_text("f = 1")
    assert cli.main(["verify", *option, name]) == 2
    found = capsys.readouterr()
    assert f"{name} is {said}" in found.out + found.err and "--ask points.csv" in found.out + found.err


def test_what_a_claim_may_cost_is_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "claims.py", "--effort", "1e7"]) == 0
    assert cli.main(["verify", "claims.py", "--effort", "-1"]) == 2
    assert "effort -1" in capsys.readouterr().out
