"""Batsim's protocol, version 4, in both directions: as the platform, and as the scheduler.

Messages are JSON objects over ZeroMQ: the platform sends what has happened, and the scheduler answers
with its decisions. See https://batsim.readthedocs.io/en/v4.1.0/protocol.html.
"""

from netplace.live.batsim.platform import ForeignQueue, run_with
from netplace.live.batsim.protocol import Talk, connected, serve
from netplace.live.batsim.scheduler import Decider

__all__ = ["Decider", "ForeignQueue", "Talk", "connected", "run_with", "serve"]
