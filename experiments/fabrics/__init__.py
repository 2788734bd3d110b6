"""The study ``fabrics``."""
