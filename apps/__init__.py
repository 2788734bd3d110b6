"""What tasks say: programs of computation and messages, their generators, and trace files."""

from __future__ import annotations

from apps.application import Application
from apps.catalog import APPLICATIONS, application
from apps.operation import Op, Operation, OperationError
from apps.program import Program
from apps.task import TaskWriter
from apps.traffic import Traffic

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
