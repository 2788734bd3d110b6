"""The arrays of the general router, besides those that it shares with grids and trees.

A FIFO and the output of the same number of a router share an index, ``row[FIRST] + number``, which is the
name of both in lists of events. Sets of inputs or outputs of a router are `Setting.wide` words of 64 bits.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from netplace.netsim.kernel.state import Setting, State

__all__ = ["GraphSetting", "GraphState"]

AT_HOME = 0x7FFF  # the consumption output, in `OUT`
NOWHERE = 0x7FFE  # a packet is thrown away
LONG_AGO = -(1 << 62)  # a cycle in `left`: the head has not begun to leave
NOBODY = -1  # destination of a packet that a fault has made an end of; label of one that nobody counts

# --- `row`: three words for each router --------------------------------------------------------------
FIRST = 0  # number of its first FIFO
PLACE = 1  # number of its first slot
INPUTS = 2  # inputs fed by links; injectors come after
ROW_WORDS = 3

# --- `fifo`: one word for each FIFO, four fields of 16 bits -------------------------------------------
HEAD = 0  # place of the head packet in the ring of slots
COUNT = 16  # packets in it, from the first phit in to the last phit out
SEEN = 32  # those of them whose header can be looked at
OUT = 48  # output that the head holds
FIELD = 0xFFFF
BELOW_OUT = (1 << OUT) - 1  # the other fields

# --- `downstream`: one word for each output ----------------------------------------------------------
TAKEN = 1 << 30  # a packet holds the output; below it the packets that the FIFO downstream is known to hold

# --- `slot`: four words for each packet, the first three as in `state` --------------------------------
TRIP = 3
SLOT_WORDS = 4

# --- its trip ----------------------------------------------------------------
DECIDED = 1  # it has been to a switch
TO_HOME = 2  # it heads for its destination; else for the switch at VIA_AT
MAY_TURN = 4  # it may still turn aside (PAR)
ESCAPED = 8  # it is on the escape channel
LEVEL_AT, KIND_AT, VIA_AT = 4, 10, 16  # level; class of the link by which it came + 1, 0: none; switch
SIX_BITS = 63
NO_LEVEL = ~((SIX_BITS << LEVEL_AT) | (SIX_BITS << KIND_AT))
MOST_SWITCHES = 1 << 15
MOST_INPUTS = 1 << 10

# --- `ways`: an entry of the table in one word ---------------------------------------------------------
PORT_AT = 26  # port of the escape channel; below it VC 0 of each port that leads on
FIRST_VCS = (1 << PORT_AT) - 1

# --- `pace`: a record for each pair of nodes with rates ----------------------------------------------
DUE = 0  # first cycle in which the next packet may be created
NEXT_STEP = 1  # cycle in which the rate next goes up; 0: no notification has come
NOTIFIED = 2  # cycle after that of the last notification at the node that sends it; 0: there was none
RATE, GOAL, ALPHA = 3, 4, 5  # current and target rate, and alpha, in `line_rate.LINE_RATE`
STEPS = 6  # how often it went up since the last notification
PACE_WORDS = 8  # a cache line

# --- `flow`: a word for each pair of nodes and class ---------------------------------------------------
BY = (1 << 16) - 1  # the switch for which its packets head first + 1; 0: they go direct
UNDER_WAY = 1 << 16  # one packet that has come to its first switch and has not been consumed

# --- what falls due that is neither header nor room, from `Setting.all_fifos` on, `nodes` squared of each ---
ACK, NOTICE, WAKE = 0, 1, 2  # for pairs of nodes; and for nodes

# --- `tally` -----------------------------------------------------------------------------------------
LEAVING, COMING = 0, 1  # tails and headers under way
SPARE = 2  # entries of the pool in use
GONE = 3  # packets thrown away
TALLY_WORDS = 4

TABLE, VALIANT, UGAL_L, UGAL_G, PAR = range(5)
LEAST, DESTINATION, FLOWS = range(3)  # which of several ports a packet takes

_typed: Any = namedtuple
_OWN = [
    "fifo",  # I64, FIFOs
    "turn",  # I16, outputs: input after the one granted last
    "turn_link",  # I8, routers x ports: VC that the link serves next; with classes, routers x ports x
    #    (`Setting.classes` + 1): VC of each class, and turn of the schedule
    "left",  # I64, FIFOs: cycle in which the head began to leave (exact)
    "takes",  # I32, FIFOs: for how many cycles the head leaves (exact)
    "since",  # I64, FIFOs: cycle since which the head has stood there (arbiter fifo)
    "homing",  # I64, sets of inputs: whose head waits for consumption (`single`)
    "asked",  # I64, scratch: a set of inputs for each output
    "step",  # I64, scratch: a set of inputs
    "port_of",  # I16, by output
    "vc_of",  # I16, by output
    "owner",  # I32, FIFOs: router
    "feeder",  # I32, FIFOs: output that feeds it; -1: none
    "beyond",  # I32, outputs: FIFO downstream; -1: none
    "key_class",  # I32, keys: traffic class (fabric with classes)
    "schedule",  # I8, turns of a link that serves classes by weights
    "under_way",  # I16, pairs of nodes: packets not known to have come (fabric with a window)
    "flow",  # I64, pairs of nodes x classes: see `UNDER_WAY` (fabric with flows in order)
    "pace",  # I64, pairs of nodes x `PACE_WORDS` (fabric with a rate)
    "wake",  # I64, nodes: cycle in which it last was, or will be, woken to try again (fabric with a rate)
    "marked",  # I8, slots (fabric with marks)
    "freed",  # I64, routers x ports, then nodes: cycle after that in which a link, or consumption, was last
    #    in use (fabric with marks)
    "leaving",  # I16, routers x (ports + injectors): packets that leave an input port for links (fabric)
    "far",  # I32, FIFOs: cycles from a header's departure for it to its first request there
    "lag",  # I32, FIFOs: cycles later than at once that the router before knows of room (fabric)
    "downstream",  # I32, outputs: packets in the FIFO downstream, as its router knows; and `TAKEN`
    "ready",  # I64, sets of outputs: free, and room downstream
    "wanted",  # I64, sets of outputs: some head could ask for it
    "several",  # I64, sets of inputs: whose head may ask for more than one output
    "held",  # I64, sets of outputs: granted, and wait for their link
    "waiting",  # I64, sets of inputs: whose head waits for an output
    "want",  # I64, outputs x wide: inputs whose head could ask for it (where `counts_heads`)
    "home_free",  # I8, nodes
    "busy",  # I8, routers x ports: 1: the link is in use
    "crossed",  # I64, routers x ports: packets
    "lasts",  # I32, routers x ports: cycles for which a packet holds the link
    "tail_at",  # I32, ring of cycles: first FIFO whose head has left then; -1: none
    "tail_next",  # I32, FIFOs: the next one
    "head_at",  # I32, ring of cycles: first entry of a header that can be looked at then; -1: none
    "head_next",  # I32, pool: the next entry, or the next spare one
    "head_fifo",  # I32, pool: FIFO; complement of one: a packet that has left it becomes known; of more than
    #    `Setting.all_fifos`: see `ACK`
    "may",  # I64, FIFOs x wide: outputs that its head may ask for
    "last_resort",  # I16, FIFOs: the one of them on the escape channel; -1: none
    "table",  # I8 or I16, switches x switches x entry: ports that lead on, -1 after the last; that of escape
    "ways",  # I32, switches x switches: the same in one word (where `summed`)
    "far_hops",  # I32, switches x switches (UGAL)
    "rise",  # I8, switches x ports; -1: leads to no switch
    "kind",  # I8, switches x ports
    "end",  # I32, switches x ports: switch
    "via",  # I32
    "low",  # I32, levels: first virtual channel
    "high",  # I32, levels: the one after the last
    "home",  # I32, nodes: switch; -1: cut off
    "gate",  # I32, nodes: switch of the first plane at which ways to it are chosen
    "node_port",  # I32, nodes
    "place",  # I32, switches: place among the intermediate ones; -1: none
    "kin",  # I32, switches: group
    "stride",  # I32, switches: what the destination is divided by where its digit names the port
    "tally",  # I64
]
_OWN_SETTINGS = [
    "name_bits",  # of a FIFO's name that number its input
    "first_switch",
    "switches",
    "compute_from",  # first switch that is a compute node of several tasks
    "plane",  # switches of a plane
    "most",  # ports that lead on in an entry of the table,
    "entry",  # and words of it: that of the escape channel comes after them
    "summed",  # 1: all that a head may ask for is in one word of `ways`
    "levels",
    "base",  # levels below those of a packet that heads for its destination
    "anew",  # 1: the level is 0 in another class of links
    "escapes",  # 1: there is an escape channel
    "choice",
    "threshold",
    "spread",
    "via_row",  # words of a row of `via`; 0: one row for all
    "via_count",
    "fabric",  # 1: settings of a fabric are set
    "crossbar",  # packets that may leave an input port at a time; 0: any number (fabric)
    "classes",  # traffic classes (fabric)
    "own",  # virtual channels of a link of each
    "turns",  # of the schedule; 0: by priority
    "ordered",  # 1: packets of a flow keep their order (fabric)
    "window",  # packets that a node may have under way to another; 0: any number (fabric)
    "ack",  # cycles until it knows that one has come, or of its mark
    "rate",  # at which it creates them at most, in `line_rate.LINE_RATE`; 0: any
    "marks",  # packets in a FIFO from which on heads are marked; 0: none is
    "every",  # cycles between notifications of a pair
    "timer",  # cycles without one after which its rate goes up
    "gain",  # 1/g of alpha
    "increase",  # what the target goes up by
    "all_fifos",  # FIFOs of all routers
    "injected",  # cycles from a packet's creation to its first request (fabric)
    "tail_ring",  # cycles of a ring, powers of two
    "head_ring",
]


def _fields(shared: tuple[str, ...], own: list[str]) -> list[str]:
    return [*(name for name in shared if name not in own), *own]


GraphState = _typed("GraphState", _fields(State._fields, _OWN))
GraphSetting = _typed("GraphSetting", _fields(Setting._fields, _OWN_SETTINGS))
