"""The study ``two-kinds``."""
