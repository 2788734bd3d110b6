"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["COMMAND", "PICTURES", "check_output", "check_output_folder", "whole_file"]

PICTURES = (".png", ".pdf", ".svg")
COMMAND = "command.txt"  # of a folder: the command that made it


def check_output(path: Path, endings: tuple[str, ...] = ()) -> Path:
    """Return `path` if a file can be written there, before a long run finds that it cannot.

    Raises
    ------
    ValueError
        If the name ends otherwise than in one of `endings`, or the folder is not there.
    """
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{path}: unknown kind of file, expected a name that ends in {' or '.join(endings)}")
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, expected the name of a file")
    if _is_device(path):
        if not os.access(path, os.W_OK):
            raise ValueError(f"{path}: is not writable")
        return path
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path}: folder {path.parent} is not writable")
    return path


def check_output_folder(path: Path, flag: str = "-o") -> Path:
    """Return `path` if it is a folder, or one can be made there.

    Raises
    ------
    ValueError
        If it is a file, or there is no folder to make it in; the sentence begins with `flag`.
    """
    if path.exists() and not path.is_dir():
        raise ValueError(f"{flag} {path}: is a file, expected the name of a folder")
    if not path.parent.is_dir():
        raise ValueError(f"{flag} {path}: there is no folder {path.parent}")
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the name of a temporary file, which takes the place of `path` once the block has ended well.

    It has the same endings, for they say the format.

    What is no file, such as ``/dev/stdout`` or a pipe, stays what it is and gets the content.
    """
    import tempfile

    endings = "".join(path.suffixes)
    if _is_device(path):
        with tempfile.TemporaryDirectory() as place:
            draft = Path(place) / f"draft{endings}"
            yield draft
            try:
                with _opened(path) as device:
                    device.write(draft.read_bytes())
            except OSError as error:
                if error.filename is None and not isinstance(error, BrokenPipeError):
                    raise OSError(error.errno, error.strerror, str(path)) from None
                raise
        return

    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=endings, dir=path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if error.filename in (None, name):  # the name that a user gave, not that of the draft
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def _is_device(path: Path) -> bool:
    """Tell whether `path` is there and no file to be replaced: a device, a pipe, a stream of this process."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or path.absolute().parts[1:2] in (("dev",), ("proc",))


def _opened(path: Path) -> BinaryIO:
    """Return a device to write to; what leads to stdout or stderr goes on where that is."""
    for stream in (1, 2):
        if os.path.samestat(os.fstat(stream), path.stat()):
            sys.stdout.flush()
            return os.fdopen(os.dup(stream), "wb")
    return path.open("wb")


def _umask() -> int:
    """Return the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
