"""Pictures of reports as a browser shows them, for the README and the gallery.

Run with ``python docs/figures/screenshots.py`` after ``docs/figures/gallery.py`` and ``scripts/demo``; takes
seconds, and needs a Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "report"))
from browser import Browser  # noqa: E402

WIDTH = 1280
# Picture: the page, and how much of it is shown, in pixels from its top.
PICTURES = {
    "demo-report": (ROOT / "demo-output" / "report.html", 1300),
    "gallery-run": (HERE.parent / "gallery" / "run.html", 1500),
    "gallery-schedule": (HERE.parent / "gallery" / "schedule.html", 1500),
    "gallery-co-simulation": (HERE.parent / "gallery" / "co-simulation.html", 1800),
}
DRAWN = """(async () => {
  for (const place of document.querySelectorAll("[data-figure]")) {
    place.scrollIntoView();
    await new Promise((then) => setTimeout(then, 150));
  }
  scrollTo(0, 0);
})()"""


def main() -> None:
    """Take the pictures."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        Browser(Path(profile)) as browser,
    ):
        for name, (page, height) in PICTURES.items():
            browser.open(page, WIDTH)
            browser.value(DRAWN)
            whole = Path(profile) / f"{name}.png"
            browser.picture(whole)
            shown = Image.open(io.BytesIO(whole.read_bytes())).convert("RGB").crop((0, 0, WIDTH, height))
            shown.save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
