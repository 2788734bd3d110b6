"""The study ``allocators``."""
