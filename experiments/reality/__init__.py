"""Simulated times beside those measured on real machines."""
