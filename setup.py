"""Which folder is which package: ``apps/`` is imported as ``netplace.apps``, and so on.

The folders stand at the top of the repository and share one importable name, so that nothing called
``apps`` or ``runs`` can take their place. All else about the project is in pyproject.toml.
"""

from setuptools import find_packages, setup

FOLDERS = [
    "checks",
    "extensions",
    "topologies",
    "apps",
    "netsim",
    "placement",
    "scheduling",
    "runs",
    "cosim",
    "advice",
    "benchmarks",
    "testing",
    "report",
    "studies",
    "cli",
    "experiments",
]

setup(
    packages=[
        "netplace",
        *(f"netplace.{folder}" for folder in FOLDERS),
        *(f"netplace.{folder}.{inner}" for folder in FOLDERS for inner in find_packages(folder)),
    ],
    data_files=[("share/man/man1", ["docs/netplace.1"])],
    package_dir={f"netplace.{folder}": folder for folder in FOLDERS},
)
