"""Environments of Gymnasium, one world or many at once (extra `learn`)."""

from symvi.learn.env import Env
from symvi.learn.task import Now, Task
from symvi.learn.vector_env import VectorEnv

__all__ = ["Env", "Now", "Task", "VectorEnv"]
