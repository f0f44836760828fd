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
MOST_BYTES = 100_000


def draw(path: Path, *, duration: float = 10.0) -> None:
    """Let the demo walk, open its page at TIME, come nearer, and write a PNG with as many colours as 100 kB hold."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("needs the package chromium")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "strandbeest.html"
        if cli.main(["demo", "--page", str(page), "--time", str(duration)]):
            raise SystemExit(1)
        with Browser(chromium, *WEBGL, size=SIZE) as browser:
            browser.open(page, f"t={TIME}")
            browser.wheel(SIZE[0] / 2, SIZE[1] / 4, -1400.0)
            shown = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
    for colours in (256, 128, 64, 32):
        few = shown.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        packed = io.BytesIO()
        few.save(packed, format="PNG", optimize=True)
        if packed.tell() < MOST_BYTES:
            break
    path.write_bytes(packed.getvalue())


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
