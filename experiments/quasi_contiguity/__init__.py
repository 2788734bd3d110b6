"""The study ``quasi-contiguity``."""
