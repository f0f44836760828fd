"""SAYING: the report as text, JSON, HTML and LaTeX, with counterexamples to paste."""
