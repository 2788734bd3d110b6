"""A script of Python on a build of the extension with sanitizers: ``python sanitized.py MODULE ARGUMENTS``.

The module at the path given stands in for the installed one. The other arguments are a script and its own, or
those of pytest after the word pytest.
"""

import importlib.util
import runpy
import sys


def main() -> int:
    """Load the module, and run the script or the tests."""
    import pytest

    import netplace

    spec = importlib.util.spec_from_file_location("netplace._native", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["netplace._native"] = netplace._native = module  # type: ignore[attr-defined]
    spec.loader.exec_module(module)
    if sys.argv[2] == "pytest":
        return pytest.main(sys.argv[3:])
    sys.argv[:2] = []
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
