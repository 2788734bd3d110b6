"""The study ``partition-selection``."""
