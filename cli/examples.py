"""The examples that the help shows; the tests run every one of them."""

from __future__ import annotations

from pathlib import Path

# A block for each command: its name, and a line for each example.
_TEXT = Path(__file__).with_name("examples.txt").read_text(encoding="utf-8")
EXAMPLES = {command: examples for command, *examples in map(str.splitlines, _TEXT.split("\n\n"))}


def examples_of(command: str) -> str:
    """Return the examples of one of the product's commands as the last lines of its help."""
    return as_epilog(*EXAMPLES[command])


def as_epilog(*examples: str) -> str:
    """Return examples as the last lines of a command's help."""
    return "\n\n".join(("Examples:", *examples))
