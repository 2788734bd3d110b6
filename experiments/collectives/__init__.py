"""The study ``collectives``."""
