"""Streams of jobs: logs and models."""
