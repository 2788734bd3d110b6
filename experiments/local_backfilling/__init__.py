"""The study ``local-backfilling``."""
