"""The study ``pareto``."""
