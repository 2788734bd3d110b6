"""Stores that commands write to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from netplace.runs.store import Store


def open_store(path: str | Path) -> Store:
    """Return a store that is written to; a word is said where an empty file is taken as a new one."""
    from netplace.runs.store import Store

    store = Store(path)
    if store.was_empty:
        click.echo(
            f"netplace: {store.path}: was empty, probably because its command was killed; netplace starts a "
            f"new store",
            err=True,
        )
    return store
