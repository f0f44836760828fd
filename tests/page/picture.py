"""The picture of README: the page that `symvi demo` writes, standing still at six seconds, as Chromium shows it.

.venv/bin/python -m tests.page.picture symvi/manual/walker.png
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from symvi import cli
from tests.page.browser import WEBGL, Browser, find_chromium

TIME = 6.0  # s
SIZE = (1060, 640)
NEARER = 1400.0  # turns of the mouse wheel, as a browser counts them


def draw(path: Path) -> None:
    """Let the demo walk, open its page at TIME, come nearer, and write what is seen in 256 colours: some 60 kB."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("needs the package chromium")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "strandbeest.html"
        if cli.main(["demo", "--page", str(page)]):
            raise SystemExit(1)
        with Browser(chromium, *WEBGL, size=SIZE) as browser:
            browser.open(page, f"t={TIME}")
            browser.wheel(SIZE[0] / 2, SIZE[1] / 4, -NEARER)
            seen = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
    few = seen.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(path, format="PNG", optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
