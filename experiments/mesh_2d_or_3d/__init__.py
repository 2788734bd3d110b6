"""The study ``mesh-2d-or-3d``."""
