"""The network model phit by phit, to be read together with docs/background/model.md.

This engine is the oracle: it executes the four steps of every cycle of the model, and shares only the
configuration, the random draws and the binning of delays with the compiled kernel. Its heart simulates grids
and trees with their own routing. In reading order:

* `packets`: a packet, and a load of packets that a node is to create;
* `router`: input FIFOs, outputs and links;
* `arbiters` and `routing`: who is granted an output, and what a routing answers;
* `grids` and `trees`: which outputs a header requests there;
* `fabric`: steps 2 to 4 of a cycle, for all routers and links;
* `clock`: cycles on SimPy, in which the network moves after all processes have acted;
* `node`: step 1, in which a node creates packets and injects them.

The heart imports nothing of the rest, which adds

* `messages`, `interface` and `job`: tasks as SimPy processes, channels, rendezvous, non-blocking sends;
* `sources`: open-loop traffic, a SimPy process a node;
* `packet_life`: the way of one packet, likewise an observer;
* `stall_attribution`: which job a waiting header waits for, as an observer of the fabric;
* `graphs` and `table_fabric`: the table router, with slow links, late credits, limited crossbars, traffic
  classes and marks; `wormhole`: the same with room for phits;
* `rates`: windows, rates and classes at the nodes of the table router;
* `failing`: what a fault does to packets;
* `run`: the choice of the parts that a network needs, and the engine.
"""

from netplace.netsim.reference.run import ReferenceEngine

__all__ = ["ReferenceEngine"]
