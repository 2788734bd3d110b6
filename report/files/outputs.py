"""Where results may be written, as is known before anything long begins."""

from __future__ import annotations

import os
from pathlib import Path

from netplace.files import is_device

PICTURES = (".png", ".pdf", ".svg")


def check_output(path: Path, endings: tuple[str, ...] = ()) -> Path:
    """Return `path` if a file can be written there, before a long run finds that it cannot."""
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{path}: unknown kind of file, expected a name that ends in {' or '.join(endings)}")
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, expected the name of a file")
    if is_device(path):
        if not os.access(path, os.W_OK):
            raise ValueError(f"{path}: is not writable")
        return path
    if path.exists() and not (path.is_file() or path.is_symlink()):
        raise ValueError(f"{path}: is neither a file nor a device that takes text")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path}: folder {path.parent} is not writable")
    return path


def check_output_folder(path: Path, flag: str = "-o") -> Path:
    """Return `path` if it is a folder, or one can be made there."""
    if path.is_symlink():
        raise ValueError(f"{flag} {path}: is a link, which no output follows; name the folder itself")
    if path.exists() and not path.is_dir():
        raise ValueError(f"{flag} {path}: is a file, expected the name of a folder")
    if not path.parent.is_dir():
        raise ValueError(f"{flag} {path}: the folder {path.parent} does not exist")
    return path
