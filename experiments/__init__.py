"""Studies: replays and load sweeps by name, their tables and pictures, and the command line."""
