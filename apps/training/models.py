"""Published language models by size.

Every layer is attention and a multilayer perceptron: one with a gate has three matrices, another one two.
Models with experts have several perceptrons, of which each token visits a few.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from netplace.files import read_content
from netplace.inputs import abbreviate, check_float

# Compute times of layers from a file, where they were measured.
#
# Comma-separated values with the columns ``layer,forward,backward``: the number of a layer, from 0, or
# ``head``, which is the projection to the vocabulary, and seconds that a rank computes for a micro-batch.

HEAD = -1  # the number that stands for the projection to the vocabulary
LayerTimes = Mapping[int, tuple[float, float]]
_COLUMNS = ["layer", "forward", "backward"]
_LONGEST = 1e6  # seconds


def read_layer_times(path: str | Path, layers: int) -> dict[int, tuple[float, float]]:
    """Return the seconds, forward and backward, of the layers that a file has, and of `HEAD`."""
    try:
        lines = read_content(Path(path)).decode().splitlines()
    except OSError as error:
        raise ValueError(f"times: {path} cannot be read, {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"times: {path} is not text, expected {','.join(_COLUMNS)}") from None
    if any(len(line) > csv.field_size_limit() for line in lines):
        raise ValueError(f"times: {path} has a line longer than {csv.field_size_limit():,} characters")
    rows = csv.reader(lines)
    header = [word.strip() for word in next(rows, [])]
    if header != _COLUMNS:
        raise ValueError(f"{path}, line 1: {abbreviate(','.join(header))}, expected {','.join(_COLUMNS)}")
    times: dict[int, tuple[float, float]] = {}
    for row in filter(None, rows):
        where = f"{path}, line {rows.line_num}"
        if len(row) != len(_COLUMNS):
            raise ValueError(f"{where}: {len(row)} columns, expected {len(_COLUMNS)}")
        layer = _layer(row[0].strip(), layers, where)
        if layer in times:
            raise ValueError(f"{where}: layer {row[0].strip()} appears twice")
        forward, backward = (
            check_float(word.strip(), f"{where}: {name}", 0.0, _LONGEST)
            for name, word in zip(_COLUMNS[1:], row[1:], strict=True)
        )
        times[layer] = forward, backward
    return times


def _layer(word: str, layers: int, where: str) -> int:
    if word == "head":
        return HEAD
    if not word.isdecimal() or int(word) >= layers:
        raise ValueError(f"{where}: {abbreviate(word)} is not a layer, expected 0 to {layers - 1}, or head")
    return int(word)


@dataclass(frozen=True)
class Model:
    """Sizes of a transformer."""

    source: str  # publication of the sizes
    # Layers, hidden size, attention heads, tokens of a sequence.
    layers: int
    hidden: int
    heads: int
    sequence: int
    ffn: int  # inner size of a perceptron
    vocabulary: int  # number of different tokens
    kv_heads: int = 0  # heads of keys and values; 0 means `heads`
    gated: bool = True  # whether perceptrons have a gate, and thus three matrices
    tied: bool = False  # whether the first and last stage share the embedding
    # Perceptrons of a layer, and the number of them that a token visits.
    experts: int = 1
    active: int = 1

    @property
    def attention_parameters(self) -> int:
        """Parameters of a layer's attention: queries, keys, values and the projection."""
        kv = self.hidden * (self.kv_heads or self.heads) // self.heads
        return 2 * self.hidden * (self.hidden + kv)

    @property
    def expert_parameters(self) -> int:
        """Parameters of one perceptron."""
        return (2 + self.gated) * self.hidden * self.ffn

    @property
    def norm_parameters(self) -> int:
        """Parameters of a layer's two normalizations, which every rank of a tensor group has."""
        return 2 * self.hidden

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the table of tokens."""
        return self.vocabulary * self.hidden

    @property
    def parameters(self) -> int:
        """All parameters."""
        layer = self.attention_parameters + self.experts * self.expert_parameters + self.norm_parameters
        return self.layers * layer + self.embedding_parameters * (1 if self.tied else 2)


_LLAMA = "Touvron et al., LLaMA, arXiv 2302.13971, 2023"
_LLAMA_2 = "Touvron et al., Llama 2, arXiv 2307.09288, 2023"
_LLAMA_3 = "Grattafiori et al., The Llama 3 herd of models, arXiv 2407.21783, 2024"
_MEGATRON = "Korthikanti et al., Reducing activation recomputation, arXiv 2205.05198, 2022"
MODELS: dict[str, Model] = {
    "toy": Model("artificial, for tests", 2, 8, 2, 8, 16, 16, gated=False),
    "llama-7b": Model(_LLAMA, 32, 4096, 32, 2048, 11008, 32000),
    "llama-13b": Model(_LLAMA, 40, 5120, 40, 2048, 13824, 32000),
    "llama-33b": Model(_LLAMA, 60, 6656, 52, 2048, 17920, 32000),
    "llama-65b": Model(_LLAMA, 80, 8192, 64, 2048, 22016, 32000),
    "llama2-7b": Model(_LLAMA_2, 32, 4096, 32, 4096, 11008, 32000),
    "llama2-13b": Model(_LLAMA_2, 40, 5120, 40, 4096, 13824, 32000),
    "llama2-70b": Model(_LLAMA_2, 80, 8192, 64, 4096, 28672, 32000, kv_heads=8),
    "llama3-8b": Model(_LLAMA_3, 32, 4096, 32, 8192, 14336, 128256, kv_heads=8),
    "llama3-70b": Model(_LLAMA_3, 80, 8192, 64, 8192, 28672, 128256, kv_heads=8),
    "llama3-405b": Model(_LLAMA_3, 126, 16384, 128, 8192, 53248, 128256, kv_heads=8),
    "gpt-22b": Model(_MEGATRON, 48, 6144, 64, 2048, 24576, 51200, gated=False, tied=True),
    "gpt3-175b": Model(
        "Brown et al., Language models are few-shot learners, arXiv 2005.14165, 2020",
        *(96, 12288, 96, 2048, 49152, 50257),
        gated=False,
        tied=True,
    ),
    "gpt-530b": Model(_MEGATRON, 105, 20480, 128, 2048, 81920, 51200, gated=False, tied=True),
    "mixtral-8x7b": Model(
        "Jiang et al., Mixtral of experts, arXiv 2401.04088, 2024",
        *(32, 4096, 32, 32768, 14336, 32000),
        kv_heads=8,
        experts=8,
        active=2,
    ),
}
