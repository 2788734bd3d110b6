"""The study ``placement-effects``."""
