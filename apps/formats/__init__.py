"""Trace files: one module per format."""
