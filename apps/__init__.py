"""What tasks say: programs of computation and messages, their generators, and trace files."""

from __future__ import annotations

from apps.operation import Op
from apps.program import Program
from apps.task import TaskWriter

__all__ = ["Op", "Program", "TaskWriter"]
