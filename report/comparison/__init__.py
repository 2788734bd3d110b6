"""Two outcomes of a command side by side: differences in the requests, and differences beyond chance."""

from netplace.report.comparison.compare import Comparison, Difference, compare
from netplace.report.pages import read_outcome
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample

__all__ = ["Comparison", "Difference", "Entry", "Outcome", "Result", "Sample", "compare", "read_outcome"]
