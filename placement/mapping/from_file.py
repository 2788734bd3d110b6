"""A mapping from a user's file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from netplace.checks import check_int
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes, read_lines


def from_file(problem: MappingProblem) -> Nodes:
    """Return the nodes of the file named in the option.

    Lines are ``task,node`` in any order, or the nodes of task 0, 1, and so on, one per line. A first line of
    ``task,node`` or ``node``, blank lines, and text after a ``#`` are ignored.
    """
    if not problem.option:
        raise ValueError("mapping file: no path given, expected a form such as file:nodes.csv")
    path = Path(problem.option)
    usable = set(problem.nodes.tolist())
    node_of: dict[int, int] = {}
    task_on: dict[int, int] = {}
    for where, words in _rows(path):
        task = check_int(words[0], f"{where}: task", 0) if len(words) == 2 else len(node_of)
        node = check_int(words[-1], f"{where}: node", 0)
        if task >= problem.tasks:
            raise ValueError(f"{where}: task {task} is not in 0..{problem.tasks - 1}")
        if task in node_of:
            raise ValueError(f"{where}: task {task} appears twice")
        if node not in usable:
            raise ValueError(f"{where}: node {node} is not one of the {len(usable)} available nodes")
        if node in task_on:
            raise ValueError(f"{where}: node {node} is assigned to both task {task_on[node]} and task {task}")
        node_of[task], task_on[node] = node, task
    missing = [task for task in range(problem.tasks) if task not in node_of]
    if missing:
        raise ValueError(f"{path}: task {missing[0]} has no node ({len(missing)} of {problem.tasks} missing)")
    return np.array([node_of[task] for task in range(problem.tasks)], np.int64)


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    """Return where each row of the file stands, and its one or two words; all rows have as many."""
    rows = [(where, [word.strip() for word in line.split(",")]) for where, line in read_lines(path)]
    if rows and rows[0][1] in (["task", "node"], ["node"]):
        del rows[0]
    for where, words in rows:
        if len(words) > 2 or len(words) != len(rows[0][1]):
            raise ValueError(
                f"{where}: {len(words)} columns, expected {min(2, len(rows[0][1]))}: task,node or node"
            )
    return rows
