"""Pictures of the documents: as wide as a page or a column, but those that only long runs make anew."""

import struct
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PRINT = {1400, 1050}  # 7 inches at 200 dots each, 3.5 at 300
OLDER = tuple(f"studies/partition-metrics/2d-W-{app}.png" for app in ("CG", "FT", "MG"))
SCREEN = ("demo-report", "gallery-")  # of a browser
PICTURES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.png"))


def width(path: Path) -> int:
    """Return how many pixels a PNG is wide, from its header."""
    found: int = struct.unpack(">I", path.read_bytes()[16:20])[0]
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_have_the_width_of_a_page_or_a_column(name):
    wide = width(DOCS / name)
    if name.startswith("figures/gallery-") or Path(name).stem.startswith(SCREEN):
        assert wide == 1280
    elif name in OLDER:
        assert wide <= 2000
    else:
        assert wide in PRINT
