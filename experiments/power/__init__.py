"""The study ``power``."""
