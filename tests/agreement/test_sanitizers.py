"""Sanitizers find no fault of the compiled part: stories on one thread and several, and wrong calls.

Each builds the extension once more, with its own checks, in a folder of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
STORIES = ["pytest", "-q", "-n", "0", "-s", "-p", "no:cacheprovider"]
THREADS = str(HERE / "test_threads_agree.py")
TESTS = {
    "thread": [[*STORIES, THREADS]],
    "address,undefined": [
        [*STORIES, THREADS, *(str(HERE / f"test_{name}.py") for name in ("agreement", "wirings_agree"))],
        [
            *STORIES,
            *(str(HERE.parent / "netsim" / f"test_{name}.py") for name in ("kernel_engine", "golden")),
        ],
        *([str(HERE / "wrong_calls.py"), str(seed), "1000", os.devnull] for seed in range(100, 110)),
    ],
}
LIBRARIES = {"thread": ["libtsan.so"], "address,undefined": ["libasan.so", "libubsan.so"]}
# Python and NumPy keep memory to the end. A fault ends the process, an array that is too large does not.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0",
    "OPENBLAS_NUM_THREADS": "1",
}


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


@pytest.mark.nightly
@pytest.mark.parametrize("sanitizer", TESTS)
def test_no_fault_is_found(sanitizer, tmp_path):
    preload = " ".join(library(name) for name in LIBRARIES[sanitizer])
    module = built(sanitizer, tmp_path / "build")
    for words in TESTS[sanitizer]:
        finished = subprocess.run(
            [sys.executable, str(HERE / "sanitized.py"), str(module), *words],
            env=os.environ | OPTIONS | {"LD_PRELOAD": preload},
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        assert finished.returncode == 0, f"{words}\n{finished.stdout[-5000:]}{finished.stderr[-10000:]}"


SCRIPT = Path(__file__).with_name("wrong_calls.py")


def made(seed, count, last):
    """Make wrong calls in a process of their own."""
    finished = subprocess.run(
        [sys.executable, str(SCRIPT), str(seed), str(count), str(last)],
        capture_output=True,
        text=True,
        check=False,
    )
    call = last.read_text(encoding="utf-8")[:2000]
    assert finished.returncode == 0, f"{call}\n{finished.stderr[-5000:]}"
    calls, refused = (int(word) for word in finished.stdout.split() if word.isdigit())
    assert calls >= count
    assert 0.3 < refused / calls < 0.95  # else what is drawn is all wrong, or all right


def test_wrong_calls_end_with_a_value_or_an_exception(tmp_path):
    made(1, 400, tmp_path / "last")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_wrong_calls_end_with_a_value_or_an_exception(seed, tmp_path):
    made(seed, 1000, tmp_path / "last")
