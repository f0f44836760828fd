"""Actuators and controls of MJCF: the motion is MuJoCo's own, and what is left out has its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi import cli
from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.simulate import Trajectory
from symvi.simulate.coordinates import state_from
from symvi.simulate.simulator import Simulator
from tests.importers.mjcf_texts import model

mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")

ARM = (
    '<body name="a" pos="0 0 1"><joint name="h" axis="0 1 0" {}/>'
    '<geom type="box" size="0.1 0.05 0.2" pos="0.1 0.05 0" mass="1" contype="0" conaffinity="0"/></body>'
)
KEY = '<keyframe><key name="k" qpos="0.4" qvel="2" ctrl="{}"/></keyframe>'
STEP, SECONDS = 5e-4, 0.1


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "model.xml"
    path.write_text(text)
    return load(path, **options)


def told(found: Imported, *kinds) -> str:
    return "\n".join(str(notice) for notice in found.report.of(*kinds))


def written(actuators: str, *parts: str, control: str = "0", joint: str = "") -> str:
    return model(*parts, f"<actuator>{actuators}</actuator>", KEY.format(control), world=ARM.format(joint))


MOTIONS = {
    "armature and damping of a motor": written('<motor joint="h" gear="2" damping="1" armature="0.3"/>'),
    "added to the joint's own": written(
        '<motor joint="h" gear="2" damping="0.3"/><motor joint="h" armature="0.2"/>', joint='damping="1" armature="0.4"'
    ),
    "switched off, but there": written(
        '<position joint="h" kp="100" group="2" armature="0.2"/>', '<option actuatorgroupdisable="2"/>', control="1"
    ),
    "one group of two": written(
        '<position joint="h" kp="9" group="1"/><position joint="h" kp="100" group="2"/>',
        '<option actuatorgroupdisable="2 7"/>',
        control="1 1",
    ),
    "all switched off": written(
        '<position joint="h" kp="100"/>', '<option><flag actuation="disable"/></option>', control="1"
    ),
    "a position aimed at": written('<position joint="h" kp="10" kv="1" gear="2"/>', control="1"),
    "a rate aimed at": written('<velocity joint="h" kv="3" gear="0.5"/>', control="1"),
    "a torque": written('<motor joint="h" gear="3"/>', control="0.5"),
    "a control kept in its range": written('<motor joint="h" ctrlrange="-1 2" gear="3"/>', control="5"),
    "a gain that is not the feedback's": written(
        '<general joint="h" gainprm="6" biastype="affine" biasprm="0 -12 -1"/>', control="1"
    ),
}


@pytest.mark.parametrize("kind", MOTIONS)
def test_the_motion_from_a_keyframe_with_its_controls_is_mujocos(kind: str, tmp_path: Path) -> None:
    peer = mujoco.MjModel.from_xml_string(MOTIONS[kind])
    peer.opt.timestep, peer.opt.integrator = STEP / 10, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_step(peer, data, round(SECONDS / peer.opt.timestep))
    found = read(MOTIONS[kind], tmp_path, strict=True)
    start = state_from(found.mechanism, **found.starts["k"])
    run = Simulator(found.mechanism).simulate(SECONDS, STEP, start=start, inputs=found.inputs["k"])
    assert run.coordinates("h")[-1, 0] == pytest.approx(data.qpos[0], abs=5e-4)  # servos are of first order


def test_a_keyframe_with_its_controls_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = read(MOTIONS["a torque"], tmp_path)
    (name,) = found.inputs["k"]
    state = state_from(found.mechanism, **found.starts["k"])
    model_file, saved = tmp_path / "model.xml", tmp_path / "run.npz"
    for given, torque in (["k"], 1.5), (["k", f"{name}=2"], 2.0), ([f"{name}=0.25"], 0.25):
        inputs = [word for text in given for word in ("--input", text)]
        command = ["simulate", str(model_file), "--time", f"{SECONDS}", "--step", f"{STEP}", "--start", "k", *inputs]
        assert cli.main([*command, "--out", str(saved)]) == 0
        run = Simulator(found.mechanism).simulate(SECONDS, STEP, start=state, inputs={name: torque})
        assert Trajectory.load(saved).coordinates("h")[-1, 0] == pytest.approx(run.coordinates("h")[-1, 0], abs=1e-12)
    capsys.readouterr()
    assert cli.main([*command[:-2], "--input", "kk"]) == 1
    assert "the name of a keyframe; did you mean 'k'?" in capsys.readouterr().err
    assert cli.main([*command[:-2], "--input", f"{name}=much"]) == 1
    assert "--input" in capsys.readouterr().err
    assert cli.main([*command, "--input", "k", "--input", "k"]) == 1
    assert "--input 'k', --input 'k': give the inputs of one keyframe" in capsys.readouterr().err


def test_strict_takes_a_start_by_its_name_where_its_controls_are_given_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A start alone would leave the controls of the file out; a force that is given by hand is not the file's."""
    (name,) = read(MOTIONS["a torque"], tmp_path).inputs["k"]
    command = ["simulate", str(tmp_path / "model.xml"), "--time", "0.02", "--step", "0.01", "--start", "k", "--strict"]
    for given, code in (["--input", "k"], 0), (["--input", "k", "--input", f"{name}=2"], 0), ([], 1):
        assert cli.main([*command, *given]) == code
    assert cli.main([*command, "--input", f"{name}=2"]) == 1
    assert "ignored: start 'k': inputs of motors" in capsys.readouterr().err


def test_actuators_that_the_file_switches_off_are_told(tmp_path: Path) -> None:
    found = read(MOTIONS["one group of two"], tmp_path)
    assert [force.stiffness for force in found.mechanism.forces] == [9.0]
    assert "switched off by <option>'s actuatorgroupdisable, with group 2" in told(found, "taken")
    found = read(MOTIONS["all switched off"], tmp_path)
    assert not found.mechanism.forces and "actuator: switched off by <option>'s flag" in told(found, "taken")


def test_a_start_by_its_name_has_no_controls_and_says_so(tmp_path: Path) -> None:
    text = MOTIONS["a position aimed at"]
    found = read(text, tmp_path, start="k")
    assert "the import's inputs['k']" in told(found, "ignored")
    (aim,) = found.inputs["k"].values()
    assert aim == pytest.approx(0.5)
    with pytest.raises(MechanismError, match="inputs of motors"):
        load(tmp_path / "model.xml", start="k", strict=True)


def test_loads_of_actuators_that_act_elsewhere_are_ignored(tmp_path: Path) -> None:
    tendon = '<tendon><fixed name="w"><joint joint="h" coef="1"/></fixed></tendon>'
    found = read(written('<motor tendon="w" damping="1" armature="2"/>', tendon), tmp_path)
    ignored = told(found, "ignored")
    assert "damping: acts on no hinge" in ignored and "armature: acts on no hinge" in ignored


def test_an_actuator_with_two_controls_leaves_the_next_its_own(tmp_path: Path) -> None:
    found = read(
        written('<pid joint="h" kp="1" input="pos vel"/><motor name="m" joint="h"/>', control="0 0 3"), tmp_path
    )
    assert list(found.inputs["k"].values()) == [3.0] and "its law is that of" in told(found, "ignored")


def test_a_switched_off_damper_is_that_of_actuators_too(tmp_path: Path) -> None:
    off = '<option><flag damper="disable"/></option>'
    found = read(written('<motor joint="h" damping="1"/>', off), tmp_path)
    assert [force.kind for force in found.mechanism.forces] == ["actuator"]


INTEGRATORS = {
    "a servo": '<intvelocity name="m" joint="h" kp="20" kv="2" gear="2" actrange="-3 3"/>',
    "a motor": '<general name="m" joint="h" dyntype="integrator" gainprm="4" gear="2"/>',
}


@pytest.mark.parametrize("kind", INTEGRATORS)
def test_what_integrates_its_control_has_the_integral_as_its_input(kind: str, tmp_path: Path) -> None:
    """MuJoCo's control is a rate: with no rate, the activation of the keyframe stays what acts all the time."""
    text = written(INTEGRATORS[kind]).replace('ctrl="0"', 'ctrl="0" act="0.3"')
    peer = mujoco.MjModel.from_xml_string(text)
    peer.opt.timestep, peer.opt.integrator = STEP / 10, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_step(peer, data, round(SECONDS / peer.opt.timestep))
    found = read(text, tmp_path)
    start = state_from(found.mechanism, **found.starts["k"])
    run = Simulator(found.mechanism).simulate(SECONDS, STEP, start=start, inputs=found.inputs["k"])
    assert run.coordinates("h")[-1, 0] == pytest.approx(data.qpos[0], abs=5e-4)
    moved = read(text.replace('ctrl="0"', 'ctrl="0.5"'), tmp_path)
    assert moved.inputs == found.inputs
    assert "the integral of MuJoCo's control, which is a rate" in told(found, "approximated")


OTHER_LAWS = {
    '<damper joint="h" kv="2" ctrlrange="0 1"/>': "a damper",
    '<muscle joint="h" lengthrange="0.1 1"/>': "a muscle",
    '<general joint="h" biastype="affine" biasprm="0 3 0"/>': "as no servo's does",
    '<general joint="h" dyntype="user" actdim="1"/>': "the user's own program",
    '<general joint="h" gaintype="user"/>': "the user's own program",
}


@pytest.mark.parametrize("actuator", OTHER_LAWS)
def test_a_law_that_is_no_servos_is_named(actuator: str, tmp_path: Path) -> None:
    found = read(written(actuator), tmp_path)
    assert not found.mechanism.forces and OTHER_LAWS[actuator] in told(found, "ignored")
