"""MATHEMATICS: every formula of the method, derived by SymPy once per type. SymPy lives in this package and nowhere
else.
"""
