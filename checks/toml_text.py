"""TOML files, whose parser errors become one sentence."""

from __future__ import annotations

from typing import Any


def parsed_toml(content: bytes, where: str) -> tuple[str, dict[str, Any]]:
    """Return the text and the contents of a TOML file."""
    import tomllib

    try:
        text = content.decode("utf-8")
        return text, tomllib.loads(text)
    except ValueError as error:  # of TOML, of UTF-8, and of numbers with thousands of digits
        raise ValueError(f"{where}: is not TOML, {error}") from None
    except RecursionError:
        raise ValueError(f"{where}: is not accepted as TOML: its lists are nested too deeply") from None
