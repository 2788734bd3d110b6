"""Synthetic applications: communication patterns by themselves."""
