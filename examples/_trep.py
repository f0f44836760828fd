"""The two closed-chain mechanisms of Johnson & Murphey 2009 as S-expressions, which their program trep reads."""

from __future__ import annotations

from math import cos, pi

# Listing 1 as it is printed: the bracket that closes (tx -1.5 ...) is missing; Fig. 6 shows three arms side by side.
LISTING_1 = """\
(mechanical-system (gravity 0 0 -9.81)
  (ry "J" (Name "J")
    (tz -0.5 (Name "I") (Mass 1))
    (tz -1.0
      (ry "H" (Name "H")
        (tz -1.0 (Name "G") (Mass 1))
        (tz -2.0 (Name "O2")))))
  (tx -1.5
    (ry "K" (Name "K")
      (tz -1.0 (Name "L") (Mass 1))
      (tz -2.0
        (ry "M" (Name "M")
          (tz -0.5 (Name "N") (Mass 1))
          (tz -1.0 (Name "O")))))
  (tx 1.5
    (ry "A" (Name "A")
      (tz -1.0 (Name "B") (Mass 1))
      (tz -2.0
        (ry "C" (Name "C")
          (tz -0.375 (Name "D") (Mass 1))
          (tz -0.75
            (ry "E" (Name "E")
              (tz -0.5 (Name "F") (Mass 1))
              (tz -1.0 (Name "G2"))))))))
  (point-constraint "G" "G2" (1 0 0))
  (point-constraint "G" "G2" (0 0 1))
  (point-constraint "O" "O2" (1 0 0))
  (point-constraint "O" "O2" (0 0 1)))
"""
# Angles of trep's own example near a start; it moves them until the loops close.
NEAR_START = {
    "J": -0.523599, "H": 1.21009, "K": 0.523599, "M": -1.34537, "A": -0.523599, "C": 1.5385, "E": 1.22497,
}  # fmt: skip

# trep's own example of the lift; the paper does not say its numbers.
LENGTH, MASS, INERTIA, SLIDER, ANGLE = 5.0, 1.0, 1.0, 1.0, 0.05 * pi


def scissor_lift(segments: int) -> tuple[str, dict[str, float]]:
    """A lift that hangs from a pivot and a slider (Section VI-C), and the start of its variables [m, rad].

    Bars cross in their middles. The bars that begin at the pivot and at the slider hang on each other in two zigzag
    chains, "L0" "R1" "L2" ... and "R0" "L1" "R2" ...; L bars point to the right.
    """
    chains = []
    for first, second in ("LR", "RL"):
        names = [f"{second if k % 2 else first}{k}" for k in range(segments)]
        bars = [
            f'(ry "{name}" (tx {LENGTH / 2} (name "middle {name}") (mass {MASS} {INERTIA} {INERTIA} {INERTIA}))'
            f" (tx {LENGTH}"
            for name in names
        ]
        chains.append("\n    ".join(bars) + "))" * segments)
    points = [
        f'(point-constraint "middle L{k}" "middle R{k}" ({direction}))'
        for k in range(segments)
        for direction in ("1 0 0", "0 0 1")
    ]
    lines = ["(system", "(gravity 0 0 -9.81)", chains[0], f'(tx "slider" (mass {SLIDER})', f"  {chains[1]})", *points]
    start = {"slider": LENGTH * cos(ANGLE), "L0": ANGLE, "R0": pi - ANGLE}
    for k in range(1, segments):
        start |= {f"L{k}": pi + 2 * ANGLE, f"R{k}": pi - 2 * ANGLE}
    return "\n  ".join(lines) + ")\n", start
