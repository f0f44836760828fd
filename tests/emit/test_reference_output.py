"""generated/reference: what the generated C looks like, committed, reviewed like source, compared byte for byte.

A tree, a loop, a contact, in maximal coordinates, which are those of the papers; kernels.md lists the kernels of each,
with what they cost. After a change that is meant, write all anew with `python tests/emit/test_reference_output.py` and
read the difference.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from symvi.demos import demo_file
from symvi.mechanism import Body, Contact, Mechanism
from symvi.simulate.solver_build import composed, text_of

FOLDER = Path(__file__).resolve().parents[2] / "generated" / "reference"
REFERENCES = {  # demo -> layout
    "pendulum": "inline",
    "double_pendulum": "unrolled",
    "four_bar": "unrolled",
    "ball": "unrolled",
}
TABLE = "kernels.md"
HEAD = """\
# Kernels of the reference mechanisms

Every kernel of the C in the folders beside this file: what it computes, its operations (add, sub, mul, div, sqrt and
functions), and how often a phase calls it, once for every node of its type.
"""


def ball() -> Mechanism:
    """A ball that rolls on a floor: the smallest mechanism with a contact and friction."""
    body = Body(
        name="ball", mass=1.0, inertia=(0.004, 0.004, 0.004), position=(0.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0)
    )
    floor = Contact(name="floor", kind="half_space", child="ball", radius=0.1, friction=0.4)
    return Mechanism(name="ball", bodies=[body], contacts=[floor])


def mechanism(name: str) -> Mechanism:
    return ball() if name == "ball" else Mechanism.from_file(demo_file(name))


def texts(name: str) -> dict[str, str]:
    """The generated files of a mechanism."""
    return dict(text_of(mechanism(name), REFERENCES[name], coordinates="maximal").files)


def table() -> str:
    """The kernels of all references, phase by phase, in Markdown."""
    lines = [HEAD]
    for name in REFERENCES:
        program = composed(mechanism(name), coordinates="maximal")
        lines += [f"## {name}", "", "| phase | kernel | computes | operations | calls |", "|---|---|---|---:|---:|"]
        for phase, calls in program.phases.items():
            counts = Counter(call.kernel.name for call in calls)
            kernels = {call.kernel.name: call.kernel for call in calls}
            lines += [
                f"| {phase} | `{kernel}` | {kernels[kernel].summary.replace('|', chr(92) + '|')} "
                f"| {kernels[kernel].flops()} | {count} |"
                for kernel, count in counts.items()
            ]
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize("name", REFERENCES)
def test_generated_text_is_the_committed_one(name: str) -> None:
    for file, text in texts(name).items():
        committed = (FOLDER / name / file).read_text(encoding="utf-8")
        assert text == committed, (
            f"{file} changed; run `python {Path(__file__).name}` if that is meant, and read the difference"
        )


def test_kernels_of_one_mechanism_are_told_apart() -> None:
    """No two of one type, and no two phases of one trace, are said to compute the same."""
    rows = [line.split(" | ")[1:4] for line in table().splitlines() if line.startswith("| ") and "`" in line]
    by_type = {(kernel.split("_", 1)[1], computes) for kernel, computes, _ in rows}
    own = {(kernel, computes) for kernel, computes, _ in rows}
    assert len(by_type) == len(own)


def test_the_table_of_kernels_is_the_committed_one() -> None:
    assert table() == (FOLDER / TABLE).read_text(encoding="utf-8")


def main() -> None:
    (FOLDER / TABLE).write_text(table(), encoding="utf-8")
    for name in REFERENCES:
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        for file, text in texts(name).items():
            (FOLDER / name / file).write_text(text, encoding="utf-8")
            print(f"{name}/{file}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
