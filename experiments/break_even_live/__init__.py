"""The study ``break-even-live``."""
