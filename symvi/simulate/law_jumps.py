"""Where laws jump."""
def sentences(mechanism): return [""]
def jump_of(trajectory, first, last): return ""
