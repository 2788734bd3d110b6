"""Files that commands write whole or not at all, and those of traffic and messages."""
