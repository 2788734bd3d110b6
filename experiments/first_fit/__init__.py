"""The study ``first-fit``."""
