"""JUDGING: random points, points at thresholds, the rule of effect, and what was not reached."""
