"""The study ``quasi-contiguous``."""
