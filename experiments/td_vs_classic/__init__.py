"""The study ``td-vs-classic``."""
