"""Published studies executed again: a folder each, with its cases, readings, report and simulator.

They stand on the product as anyone's would: pyproject.toml names them as entry points, nothing below imports
them.
"""
