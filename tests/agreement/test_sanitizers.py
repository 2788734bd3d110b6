"""Sanitizers find no fault of the kernel: stories on several threads, and what crosses the border of the API.

Each builds the extension once more, with its own checks, in a folder of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
TESTS = {
    "thread": ["agreement/test_threads_agree.py"],
    "address,undefined": [
        "agreement/test_agreement.py",
        "netsim/test_kernel_engine.py",
    ],
}
LIBRARIES = {"thread": ["libtsan.so"], "address,undefined": ["libasan.so", "libubsan.so"]}


def built(sanitizer, folder):
    """Build the extension with a sanitizer and return its path."""
    from netplace.version import __version__

    cmake, ninja = (str(Path(sys.executable).parent / tool) for tool in ("cmake", "ninja"))
    settings = {
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "CMAKE_MAKE_PROGRAM": ninja,
        "NETPLACE_SANITIZE": sanitizer,
        "Python_EXECUTABLE": sys.executable,
        "SKBUILD_PROJECT_VERSION_FULL": __version__,
    }
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run(
        [cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *defined],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run([cmake, "--build", str(folder)], check=True, stdout=subprocess.DEVNULL)
    (module,) = folder.glob("_native*.so")
    return module


def library(name):
    """Return where the compiler has a library of a sanitizer."""
    compiler = os.environ.get("CXX", "c++").split()
    said = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    path = said.stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"the compiler has no {name}")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("sanitizer", TESTS)
def test_no_fault_is_found(sanitizer, tmp_path):
    libraries = [library(name) for name in LIBRARIES[sanitizer]]
    module = built(sanitizer, tmp_path / "build")
    # Python and NumPy keep memory to the end. A fault ends the process at once.
    options = {
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
    }
    what, *more = (str(HERE.parent / word) if word.endswith(".py") else word for word in TESTS[sanitizer])
    finished = subprocess.run(
        [sys.executable, str(HERE / "sanitized.py"), str(module), "-q", "-n", "0", "-s", what, *more],
        env=os.environ | options | {"LD_PRELOAD": " ".join(libraries), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout[-5000:] + finished.stderr[-10000:]
