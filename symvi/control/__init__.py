"""CONTROL: what people build on derivatives of the motion."""

from symvi.control.planning import Plan, ilqr
from symvi.control.regulator import Regulator, lqr
from symvi.control.tracking import Tracker, tvlqr

__all__ = ["Plan", "Regulator", "Tracker", "ilqr", "lqr", "tvlqr"]
