"""YAML files, read with one-sentence errors."""

from __future__ import annotations

from typing import Any

import yaml


class _Loader(yaml.BaseLoader):  # type: ignore[misc]
    """Reads lists, dictionaries and strings; a key that appears twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(made) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a key appears twice", node.start_mark)
        return made


def read_yaml(text: str, where: str) -> Any:
    """Return the lists, dictionaries and strings of a YAML file."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 (makes plain data alone)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"{where} line {line}: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{where}: not YAML: {' '.join(str(error).split())}") from None
