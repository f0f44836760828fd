"""ASKING: what is asked: variables with a tangent, an order, a domain; points of them; layouts; what it may cost."""
