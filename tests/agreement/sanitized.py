"""Tests on a build of the extension with sanitizers: ``python sanitized.py MODULE ARGUMENTS``.

The module at the path given stands in for the installed one; the other arguments are those of pytest.
"""

from __future__ import annotations

import importlib.util
import sys


def main() -> int:
    """Load the module, and run the tests."""
    import pytest

    import netplace

    spec = importlib.util.spec_from_file_location("netplace._native", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["netplace._native"] = netplace._native = module  # type: ignore[attr-defined]
    spec.loader.exec_module(module)
    return pytest.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
