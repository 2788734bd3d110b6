"""The study ``non-contiguous-break-even``."""
