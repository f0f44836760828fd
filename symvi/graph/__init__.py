"""Combinatorics: the graph of a mechanism and the order in which its Newton matrix is eliminated. No mechanics."""

from symvi.graph.check import check
from symvi.graph.elimination import EliminationOrder, carried_bodies, cost, plan
from symvi.graph.graph import Constraint, Graph, Node

__all__ = ["Constraint", "EliminationOrder", "Graph", "Node", "carried_bodies", "check", "cost", "plan"]
