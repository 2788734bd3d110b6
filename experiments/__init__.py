"""Published studies, repeated: one folder each, with its cases, readings, report and simulator.

They use the product like any user's package: pyproject.toml names them as entry points, and no other package
imports them.
"""
