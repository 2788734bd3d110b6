"""The study ``redirection``."""
