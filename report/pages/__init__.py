"""One page that anybody opens: an outcome of any command as an HTML file of its own.

Names are loaded when they are used, because `netplace.report.pages.registry` imports every kind of page.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["PAGES", "PageKind", "kind_of", "page_of", "read_outcome", "render", "write_page"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.registry"), name)
