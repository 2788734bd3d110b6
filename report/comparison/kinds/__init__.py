"""Kinds of outcomes, each read into entries and results in a module of its own."""
