"""Trace files: one module per format."""

from netplace.apps.formats.catalog import FORMATS, Format, endings, files_of, format_of
from netplace.apps.formats.files import (
    check_convertible,
    convert,
    open_trace,
    read,
    read_repeated,
    rewrite,
    write,
)
from netplace.apps.formats.writing import Options

__all__ = [
    "FORMATS",
    "Format",
    "Options",
    "check_convertible",
    "convert",
    "endings",
    "files_of",
    "format_of",
    "open_trace",
    "read",
    "read_repeated",
    "rewrite",
    "write",
]
