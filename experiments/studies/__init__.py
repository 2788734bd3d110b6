"""Published studies carried out anew. A new one is a file with a `STUDY`, and a line in `STUDIES`."""

from __future__ import annotations

from experiments.studies import td_vs_classic
from experiments.studies.study import Study

__all__ = ["STUDIES"]

STUDIES: dict[str, Study] = {
    "td-vs-classic": td_vs_classic.STUDY,
}
