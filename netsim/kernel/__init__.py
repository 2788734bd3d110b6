"""The compiled, event-driven engine: arrays in, arrays out.

A packet has a fixed size and crosses a link without a gap, so every change of state falls on one of few
events: a header enters the next FIFO one cycle after it left, a tail has left ``packet_phits`` cycles after.
Each cycle has two phases. Phase 1 applies what falls due; these changes commute. Phase 2 lets routers decide
from what they know themselves; others see a grant from the next cycle on.

``state``   the arrays, and the words they are made of
``bits``    one compiler intrinsic: the lowest set bit
``events``  queues of constant delay, timers, and the lists of what must be looked at
``routes``  route records of packets
``router``  requests, arbitration, links: phase 2, and the events of phase 1 that concern a router
``node``    tasks, injection, matching, open-loop sources
``loop``    the cycle
"""
