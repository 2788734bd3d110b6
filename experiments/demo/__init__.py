"""The study behind ``netplace demo``."""
