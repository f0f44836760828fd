"""CONTROL: what people build on derivatives of the motion."""

from symvi.control.identification import Identification, identify
from symvi.control.operations import jax_rollout, jax_step, torch_rollout, torch_step
from symvi.control.planning import Plan, ilqr
from symvi.control.regulator import Regulator, lqr
from symvi.control.tracking import Tracker, tvlqr
from symvi.control.transcription import Transcription, transcribe
from symvi.simulate.step_map import StepMap, StepSlopes

__all__ = [
    "Identification",
    "Plan",
    "Regulator",
    "StepMap",
    "StepSlopes",
    "Tracker",
    "Transcription",
    "identify",
    "ilqr",
    "jax_rollout",
    "jax_step",
    "lqr",
    "torch_rollout",
    "torch_step",
    "transcribe",
    "tvlqr",
]
