"""CONTROL: what people build on derivatives of the motion."""

from symvi.control.regulator import Regulator, lqr

__all__ = ["Regulator", "lqr"]
