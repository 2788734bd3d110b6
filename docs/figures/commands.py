"""The pictures of tutorials and guides, made by the commands that their pages show.

Run with ``python docs/figures/commands.py``; takes a minute.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGES = HERE.parent
# page: {picture that its commands leave: its name among the figures}
PICTURES = {
    "guides/three-networks.md": {"load.png": "three-networks.png"},
    "tutorial/first-table.md": {"bars.png": "tutorial-bars.png"},
    "tutorial/shared-machine.md": {
        "live/sharing.png": "tutorial-sharing.png",
        "live/waiting.png": "tutorial-waiting.png",
    },
}
STEP = re.compile(r"^```(shell|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page: Path, folder: Path) -> None:
    """Write the files that a page shows into a folder, and run its commands there."""
    for kind, text in STEP.findall(page.read_text(encoding="utf-8")):
        if kind == "toml":
            (folder / text.split()[1]).write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            command = [sys.executable, "-m", "netplace", *shlex.split(line.removeprefix("$ netplace "))]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Follow each page in a folder of its own and keep its pictures."""
    for page, pictures in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            follow(PAGES / page, Path(folder))
            for made, name in pictures.items():
                shutil.copy(Path(folder) / made, HERE / name)


if __name__ == "__main__":
    main()
