"""SAYING: the report as text, JSON and HTML, with counterexamples to paste."""
