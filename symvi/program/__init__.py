"""ASSEMBLY: kernels per node type, and the schedule that runs them. No SymPy, no text."""
