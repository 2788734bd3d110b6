"""Applications: programs made of computation and messages, generators of programs, and trace files."""

from __future__ import annotations

from netplace.apps.application import Application
from netplace.apps.catalog import APPLICATIONS, application
from netplace.apps.operation import Op, Operation, OperationError
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter
from netplace.apps.traffic import Traffic

__all__ = [
    "APPLICATIONS",
    "Application",
    "Op",
    "Operation",
    "OperationError",
    "Program",
    "TaskWriter",
    "Traffic",
    "application",
]
