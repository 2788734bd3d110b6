"""The compiled, event-driven engine: arrays in, arrays out.

A packet has a fixed size and crosses a link without a gap, so every change of state falls on one of few
events: a header enters the next FIFO one cycle after it left, a tail has left ``packet_phits`` cycles after.
Each cycle has two phases. Phase 1 applies what falls due; these changes commute. Phase 2 lets routers decide
from what they know themselves; others see a grant from the next cycle on.

``state``   the arrays, and the words they are made of
``bits``    one compiler intrinsic: the lowest set bit
``events``  queues of constant delay, timers, and the lists of what must be looked at
``routes``  route records of packets
``fifos``, ``room``       FIFOs, and the room in them (phase 1)
``heads``                 what becomes of a packet at the head of an input (phase 1)
``memory``                the memory of alternatives of policy `smart`
``requests``, ``grids``, ``trees``  what waiting heads request (phase 2)
``arbiters``, ``links``, ``decide`` which requests are granted, and who crosses a link (phase 2)
``node``    tasks, injection, matching, open-loop sources
``loop``    the cycle
"""
