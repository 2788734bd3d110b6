"""The study ``shared-machine``."""
