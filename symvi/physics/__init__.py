"""MATHEMATICS: every formula of the method, derived by SymPy once per type. SymPy lives here and nowhere else."""
