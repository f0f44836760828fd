"""generated/reference: what the generated C looks like, committed, reviewed like source, compared byte for byte.

After a change that is meant, write it anew with `python tests/emit/test_reference_output.py` and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.simulate.build import text_of

FOLDER = Path(__file__).resolve().parents[2] / "generated" / "reference"
REFERENCES = {  # demo -> layout
    "pendulum": "inline",
    "double_pendulum": "unrolled",
    "four_bar": "unrolled",
}


def texts(name: str) -> dict[str, str]:
    """The generated files of a demo."""
    return dict(text_of(Mechanism.from_file(demo_file(name)), REFERENCES[name]).files)


@pytest.mark.parametrize("name", REFERENCES)
def test_generated_text_is_the_committed_one(name: str) -> None:
    for file, text in texts(name).items():
        committed = (FOLDER / name / file).read_text(encoding="utf-8")
        assert text == committed, (
            f"{file} changed; run `python {Path(__file__).name}` if that is meant, and read the difference"
        )


def main() -> None:
    for name in REFERENCES:
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        for file, text in texts(name).items():
            (FOLDER / name / file).write_text(text, encoding="utf-8")
            print(f"{name}/{file}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
