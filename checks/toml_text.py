"""TOML as files have it: what the standard parser raises becomes one sentence."""

from __future__ import annotations

from typing import Any

__all__ = ["parsed_toml"]


def parsed_toml(content: bytes, where: str) -> tuple[str, dict[str, Any]]:
    """Return the content of a TOML file as text, and what it says."""
    import tomllib

    try:
        text = content.decode("utf-8")
        return text, tomllib.loads(text)
    except ValueError as error:  # of TOML, of UTF-8, and of numbers with thousands of digits
        raise ValueError(f"{where}: is not TOML, {error}") from None
    except RecursionError:
        raise ValueError(
            f"{where}: is not TOML as anybody writes it, lists stand in lists too deep"
        ) from None
