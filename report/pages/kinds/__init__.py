"""Pages of outcomes: one module a kind, each with ``recognises(path)`` and ``page(path)``."""
