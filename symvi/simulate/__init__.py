"""RUNNING: solvers in C or in Python behind one interface, and the trajectories that they make."""
