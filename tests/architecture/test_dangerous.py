"""Whatever could run code, start a process or write a file stands here with the reason why it is safe."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "netplace",
    *re.findall(r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(), re.MULTILINE),
)

# Names of functions and modules that are looked for; a module counts once, where it is imported.
MODULES = {
    "cffi",
    "cloudpickle",
    "code",
    "concurrent.futures",
    "ctypes",
    "dill",
    "importlib.machinery",
    "joblib",
    "jsonpickle",
    "marshal",
    "multiprocessing",
    "pickle",
    "pty",
    "runpy",
    "shelve",
    "socket",
    "subprocess",
    "xmlrpc",
    "yaml",
    "zipimport",
}
FUNCTIONS = {"__import__", "compile", "eval", "exec", "execfile"}
METHODS = {
    "CDLL",
    "LoadLibrary",
    "NamedTemporaryFile",
    "Popen",
    "__reduce__",
    "__reduce_ex__",
    "exec_module",
    "find_spec",
    "hardlink_to",
    "import_module",
    "imsave",
    "memmap",
    "mkdtemp",
    "mkstemp",
    "module_from_spec",
    "read_pickle",
    "save",
    "savefig",
    "savetxt",
    "savez",
    "savez_compressed",
    "spec_from_file_location",
    "symlink_to",
    "to_csv",
    "to_excel",
    "to_feather",
    "to_hdf",
    "to_json",
    "to_parquet",
    "to_pickle",
    "tofile",
    "write_bytes",
    "write_text",
}
OF_SYSTEM = {
    "copy2",
    "copyfile",
    "copytree",
    "execl",
    "execv",
    "execve",
    "execvp",
    "fork",
    "forkpty",
    "link",
    "move",
    "popen",
    "posix_spawn",
    "spawnl",
    "spawnv",
    "symlink",
    "system",
    "touch",
    "write_table",
}  # of os, shutil and pyarrow.parquet
OPENING = ("w", "a", "x", "+")  # in the mode of a file

OWN_RULE = "a rule that the user named by a flag, or a package that the user installed (SECURITY.md)"
LAZY = "a name that stands in the code, loaded when it is first used"
WORKERS = "worker processes of this one: what goes through their pipes comes from here"
NATIVE = "the compiled part of netplace, beside this file or where it was installed"
LOADS = "tells what is loaded; loads what the import would have loaded"
DRAFT = "into the draft that `atomic_file` gives"

SAFE = {
    "apps/formats/otf2.py": {"find_spec": "whether the library is installed; nothing is loaded"},
    "apps/formats/otf2_process.py": {
        "import subprocess": "the library's process: -P, another folder, MessagePack under a schema",
        "Popen": "as its import",
    },
    "apps/formats/recording.py": {"memmap": "maps a file that is read, nothing is written"},
    "apps/formats/writing.py": {"open": DRAFT},
    "apps/recording/launch.py": {
        "import subprocess": "the compiler and the program that the user named, without a shell",
        "Popen": "as its import",
    },
    "benchmarks/fresh.py": {"import subprocess": "benchmarks start themselves anew, with -P"},
    "benchmarks/memory.py": {"write_text": "forgets the peak of memory of this process, in /proc/self"},
    "benchmarks/service.py": {"import socket": "a socket in a folder of its own"},
    "checks/csv_cells.py": {"to_csv": f"{DRAFT}, or text in memory for a checksum", "open": DRAFT},
    "checks/elsewhere.py": {"import_module": "Matplotlib, from another folder than the working one"},
    "checks/stopping.py": {
        "import ctypes": "the C library of this process, for prctl: a worker ends with its parent",
        "CDLL": "as its import",
        "import multiprocessing": "tells whose worker this process is; nothing goes through a pipe",
    },
    "checks/trusted.py": {
        "mkstemp": "the draft of this user's key",
        "link": "the key appears whole at once; an existing one stays",
    },
    "checks/writing.py": {"write_bytes": DRAFT, "open": "a device that the user named"},
    "cli/__init__.py": {"import_module": LAZY},
    "cli/applications.py": {"savez_compressed": DRAFT},
    "cli/completion.py": {"import_module": LAZY},
    "cli/rerun.py": {
        "import subprocess": "a command of netplace, with -P, without a shell, in an empty folder",
        "symlink_to": "into that folder, to an input of the known digest",
    },
    "cosim/checkpoint.py": {"open": DRAFT},
    "cosim/plain_state.py": {"import_module": "a module of netplace alone, for a class that holds state"},
    "extensions/on_demand.py": {"import_module": LAZY},
    "extensions/place.py": {
        "import_module": OWN_RULE,
        "spec_from_file_location": OWN_RULE,
        "module_from_spec": OWN_RULE,
        "exec_module": OWN_RULE,
        "find_spec": OWN_RULE,
        "import importlib.machinery": OWN_RULE,
    },
    "live/follow.py": {
        "open": "appends to the audit log in that folder",
    },
    "live/grid_engine.py": {
        "import socket": "the socket of a service of the same user",
        "import subprocess": "qstat and qalter of PATH, no shell, a time limit",
    },
    "live/journal.py": {"open": "lock, token and draft of the journal in the service's folder, no link"},
    "live/service.py": {"import socket": "a socket of this user's, and the loopback address with a token"},
    "live/slurm.py": {"import subprocess": "Slurm's commands by absolute path, no shell, a time limit"},
    "netplace/__init__.py": {"import_module": LAZY},
    "netplace/guarding.py": {
        "exec_module": "a module of netplace, as its own loader would load it",
        "find_spec": "the same modules that the finders behind it find",
        "import importlib.machinery": "a name of a type",
    },
    "netplace/native.py": {
        "find_spec": NATIVE,
        "import importlib.machinery": NATIVE,
    },
    "netsim/errors.py": {"__reduce__": "how an error comes back from a worker process of this one"},
    "netsim/kernel_engine.py": {"save": "the extension's state as bytes in memory, no file"},
    "placement/mapping/qap/__init__.py": {"import_module": LAZY},
    "report/files/provenance.py": {"copyfile": "into a draft of `atomic_file`"},
    "report/pages/__init__.py": {"import_module": "the module of the registry, which stands there"},
    "report/plots/__init__.py": {"import_module": "a module of this package, by a table that stands there"},
    "report/plots/drawing.py": {"savefig": "into memory, or into a draft"},
    "runs/campaign.py": {"open": "a lock beside a store; no link is followed"},
    "runs/executors.py": {
        "import multiprocessing.connection": WORKERS,
        "import multiprocessing.process": WORKERS,
        "import pickle": "an error of this process, written and read at once in memory",
    },
    "runs/processes.py": {
        "import multiprocessing": WORKERS,
        "import multiprocessing.context": WORKERS,
    },
    "runs/store_schema.py": {"link": "a new store appears whole, an existing one stays"},
    "runs/tables.py": {"write_table": DRAFT},
    "scheduling/partitioner/centres/space.py": {"__reduce__": "how a space goes to workers of this process"},
    "scheduling/workload/files.py": {"open": DRAFT, "write_text": "its own function, by `atomic_file`"},
    "scheduling/workload/job_table.py": {"write_text": "that of netplace.scheduling.workload.files"},
    "scheduling/workload/swf.py": {"write_text": "that of netplace.scheduling.workload.files"},
    "testing/topology.py": {"import pickle": "a network of whoever tests it, written and read in memory"},
}


def found_in(tree: ast.AST) -> Iterator[str]:
    """Yield what is dangerous in a module: imports, calls, and files that are opened to be written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (f"import {alias.name}" for alias in node.names if _dangerous(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if _dangerous(node.module or "") or any(name in MODULES for name in names):
                yield f"import {node.module}"
            yield from (
                alias.name
                for alias in node.names
                if alias.name in METHODS or (alias.name in OF_SYSTEM and node.module in ("os", "shutil"))
            )
        elif isinstance(node, ast.FunctionDef) and node.name in METHODS:
            yield node.name
        elif isinstance(node, ast.Call):
            yield from _found_in_call(node)
        elif isinstance(node, ast.Name) and node.id in FUNCTIONS and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute) and (
            node.attr in METHODS
            or (node.attr in OF_SYSTEM and getattr(node.value, "id", "") in ("os", "shutil", "pq"))
        ):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg in ("shell", "allow_pickle"):
            yield from () if getattr(node.value, "value", None) is False else (node.arg,)


def _dangerous(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in MODULES)


def _found_in_call(node: ast.Call) -> Iterator[str]:
    """Yield ``open`` for a file that is opened to be written, or in a mode that is not told here."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name not in ("open", "fdopen", "GzipFile", "ZipFile"):
        return
    named = [key.value for key in node.keywords if key.arg == "mode"]
    texts = [str(part.value) for part in (*node.args, *named) if isinstance(part, ast.Constant)]
    writes = any(re.fullmatch(r"[rwaxbt+]{1,4}", text) and set(text) & set(OPENING) for text in texts)
    untold = any(not isinstance(part, ast.Constant) for part in named)
    flags = any(flag in ast.dump(part) for part in node.args for flag in ("O_CREAT", "O_WRONLY", "O_RDWR"))
    if writes or untold or flags:
        yield "open"


def everything() -> dict[str, set[str]]:
    """Return what is dangerous in each module of the product."""
    made = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found = set(found_in(ast.parse(path.read_text(encoding="utf-8"))))
            if found:
                made[path.relative_to(ROOT).as_posix()] = found
    return made


def test_each_has_a_reason_and_each_reason_its_place():
    made = everything()
    new = {f"{file}: {what}" for file in made for what in made[file] - set(SAFE.get(file, ()))}
    gone = {f"{file}: {what}" for file in SAFE for what in set(SAFE[file]) - made.get(file, set())}
    assert not new, "say in this file why these are safe, or do without them"
    assert not gone, "these are not there any more"


def test_every_reason_is_one():
    assert list(SAFE) == sorted(SAFE)
    for reasons in SAFE.values():
        assert all(len(reason) > 10 for reason in reasons.values())


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import pickle", "import pickle"),
        ("from pickle import loads", "import pickle"),
        ("import multiprocessing.pool", "import multiprocessing.pool"),
        ("from concurrent import futures", "import concurrent"),
        ("import os\nos.system('x')", "system"),
        ("from os import popen", "popen"),
        ("eval(text)", "eval"),
        ("f = exec", "exec"),
        ("compile(text, '', 'exec')", "compile"),
        ("import numpy as np\nnp.load(path, allow_pickle=True)", "allow_pickle"),
        ("np.load(path, allow_pickle=trusted)", "allow_pickle"),
        ("run(words, shell=True)", "shell"),
        ("open(path, 'w')", "open"),
        ("open(path, mode='ab')", "open"),
        ("path.open('r+b')", "open"),
        ("open(path, mode=how)", "open"),
        ("os.open(path, os.O_CREAT | os.O_RDWR)", "open"),
        ("path.write_text('x')", "write_text"),
        ("frame.to_csv(path)", "to_csv"),
        ("figure.savefig(path)", "savefig"),
        ("class A:\n    def __reduce__(self): return eval, ('1',)", "__reduce__"),
    ],
)
def test_what_is_dangerous_is_seen(code, what):
    assert what in set(found_in(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["re.compile('x')", "open(path)", "path.open('rb')", "np.load(p, allow_pickle=False)", "open(w)"]
)
def test_what_is_harmless_is_not(code):
    assert not set(found_in(ast.parse(code)))


def test_every_new_interpreter_imports_nothing_of_the_working_folder():
    seen = 0
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "sys.executable" in text else ():
                if not isinstance(node, ast.List | ast.Tuple) or len(node.elts) < 2:
                    continue
                if ast.unparse(node.elts[0]) == "sys.executable":
                    seen += 1
                    assert ast.unparse(node.elts[1]) in ("'-P'", "'-I'"), f"{path}, line {node.lineno}"
    assert seen > 1
