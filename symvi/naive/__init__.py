"""Plain definitions: discrete mechanics as a textbook states it, over any numbers, derived by dual numbers.

Nothing here knows the formulas of physics/, their world axes, difference forms, chain rules or block patterns.
"""
