"""The study ``partition-metrics``."""
