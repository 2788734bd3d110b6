"""The arrays of the kernel, and the words they are made of.

Everything is flat: a record is a few neighbouring words, its fields are the constants below. An *input* is
a FIFO of a router and an *output* a pair (port, VC); both are numbered ``port * vcs + vc``, injectors come
after the ports' inputs. A FIFO's *name* is ``router << 6 | input``, so a router has at most 62 inputs and
one machine word holds a set of them.

A router's record is whole lines of cache, the first of which holds what most events touch. Its sets of inputs
and outputs are words of 16 bits where routers have at most 15 inputs, of 32 where at most 31, else of 64; its
counts have 16 bits where that suffices, else 64; names have 32. So the same memory is seen by four arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

I8 = NDArray[np.int8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

NAME_BITS = 6
INPUT = 63  # mask of the input in a name
MOST_INPUTS = 62  # of a router
HOME = 63  # the consumption output
TAKEN = 62  # in `State.homing`: a packet holds it
WORD = 64  # bits of a word in `dirty`

# --- `clock`: the scalars of a run ---------------------------------------------------------------
NOW = 0  # next cycle to be simulated
ENDED = 1  # a job ended in this cycle
SIDE = 2  # which half of `todo`, `dirty` and `entering` belongs to the next cycle (0 or 1)
TODO = 3  # TODO + side: nodes to act
DIRTY = 5  # DIRTY + side: 1 if routers are to be looked at
TIMERS = 7  # timers in the heap, due in NEAR_CYCLES or more when they were set
CREATED = 8
DELIVERED = 9
PACKET_DELAY = 10  # sum of delays
MESSAGE_DELAY = 11
EVENTS = 12
LAST_DELIVERY = 13
ENTERING = 14  # ENTERING + side: headers on the list of those that enter a FIFO
EXPOSED = 16  # heads that became so in this cycle
STARTING = 23  # packets that begin to cross a link in this cycle
ARRIVALS = 17  # three words: next to read, next to write, number
TAILS = 20  # the same
JOBS = 24  # explaining: jobs that the matrix of waiting has room for, open-loop traffic included
WAITED = 25  # explaining: sum of the cycles in which heads ceased to wait, less those in which they began
WATCHED = 26  # explaining: job + 1 whose waiting is also counted by link and by job charged; -1: none
COLUMN = 27  # explaining: columns of that count that jobs have
NEAR = 28  # timers in the lists of `near`
QUIET = 29  # first cycle of which it is not known yet that anything happens in it
MEETINGS = 30  # domains: how often this one has met the others
SENT_ACROSS = 31  # domains: 1 if it has told another something that may let a router of that one decide
CLOCK_WORDS = 32
NEAR_CYCLES = 1024  # for which there are such lists, a power of two

# --- one record for each router: `row`, its sets -----------------------------------------------------
WAIT = 0  # inputs whose head waits for a grant
LEAVING = 1  # inputs whose head is leaving phit by phit
FREE = 2  # outputs that no packet holds
ROOM = 3  # outputs whose FIFO downstream has room for a packet
BUBBLE = 4  # outputs whose own FIFO here has the bubble
HELD = 5  # outputs granted that wait for their link
IDLE = 6  # outputs whose link no packet crosses
INPUTS = 7  # trees: how many inputs are fed by links; injectors come after
SETS = 8
# `Setting.want` + port: inputs whose head comes nearer through this port (and may have left since);
#     on adaptive trees an input that may take any port up is at port 0 alone
# `Setting.next` + k: inputs that try their alternative k + 1 next, the last one being escape
# `Setting.slope` + `FILLS` or `EMPTIES`: see the loads
FILLS = 0  # outputs whose FIFO beyond a packet is entering,
EMPTIES = 1  # and those whose FIFO beyond a packet is leaving

# --- `counts`, in the same record -----------------------------------------------------------------------
# `Setting.fifo` + input: what the FIFO holds, in three fields of `Setting.bits`, `Setting.bits` and 6 bits:
#     place of the head packet in the ring of slots; packets, from the first phit in to the last phit out;
#     output that the head holds; before, under `oblivious`, its own straight on or the first of its port
# `Setting.crossed` + port: packets that crossed the link, modulo `Setting.modulus` + 1; `State.carry` counts
#     how often that began anew
# `Setting.load` + output: phits in the FIFO that the output feeds, as they would be had they always grown
#     and shrunk as they do now: add the cycle if the output is in `FILLS`, take it away if in `EMPTIES`;
#     modulo the same
OUTPUT = 63  # mask of the output in a FIFO's word

# --- `name`, in the same record ------------------------------------------------------------------------
# `Setting.time`: cycle, modulo 2**32, up to which the memories of alternatives are accounted for
# `Setting.place`: trees: number of the router's first slot
# `Setting.link` + port: name of VC 0's FIFO at the other end of the link

# --- `byte`, in the same record ------------------------------------------------------------------------
# `Setting.turn` + output: input after the one that the output granted last
# `Setting.turn_link` + port: VC that the link serves next

# --- `slot`: three words for each packet ------------------------------------------------------------
ROUTE = 0  # grid: hops left, sign and magnitude, in a field for each dimension; tree: destination
BIRTH = 1  # cycle of creation, modulo 2**32
LABEL = 2  # key << 2 | what the packet is
SLOT_WORDS = 3
DATA = 0
REQUEST = 1
REPLY = 2

# --- `task`: one row for each node ------------------------------------------------------------------
PC = 0  # next operation
STOP = 1  # operation behind the last
ROUNDS = 2  # how often the next loop of the program begins anew
WAITS = 3  # key for which the task waits, or
NOTHING = -1
JOB = 4  # -1: none
LISTED = 5  # bit by side: the node is on that half of `todo`
TASK = 6  # number of the task over all jobs
UNDER = 7  # label of the message under way
FIRST_DUE = 8  # head of the interface's queue of due messages; -1: none
OWN = 9  # 1: the message under way is the program's, not one that was due
BLOCKED = 10  # 1: something waits for room in an injector
DRAWN = 11  # destination + 1 of the open-loop packet that waits for an injector; 0: none waits
FIRST_KEY = 12  # from which the keys of the program count
TASK_WORDS = 13

# --- `when`: six long words for each node ----------------------------------------------------------------
SINCE = 0  # from which on the program has had a packet that no injector takes; -1: none
LOST = 1  # number of cycles lost that way
BUSY_UNTIL = 2  # from which on the program can act: it computes before
NEXT_DRAW = 3  # in which open-loop traffic has its next packet; -1: there is none
LEFT = 4  # packets of the message under way still to be created
LAPPED = 5  # in which its last iteration in a loop ended
WHEN_WORDS = 6

EMITTED, NEXT_CYCLE, FULL = 1, 2, 3  # what became of a packet that was to be created

# --- operations: kind in 3 bits, then a key or cycles -------------------------------------------------
SEND = 0
RECV = 1
COMPUTE = 2
COMPUTE_LAST = 3  # compute and end: ends the task without another cycle
ASK = 4  # isend by rendezvous: create the request packet
POST = 5  # irecv by rendezvous
SENT = 6  # wait until this many messages of a key have been sent by rendezvous
SENT_LAST = 7  # the same in a blocking send that ends the task
LOOP = 8  # go back by this many operations, while there are rounds
OVER = 9  # an iteration is over: what it sent of a key by rendezvous counts no more
KIND_BITS = 4
KEY_BITS = 29

# --- `key`: eight words for each (source, destination, tag, packets) ----------------------------------
LENGTH = 0  # packets of a message
HAVE = 1  # packets consumed that no receive has used
TO_GO = 2  # packets until the next message of the key is complete
SOURCE = 3  # node
TARGET = 4  # node; -1: open-loop traffic; ~node: the job was stopped, and what is consumed is forgotten
NEWEST = 5  # recording: number of the next message to be started; else entry of the last one, or 0
OLDEST = 6  # recording: number of the next message to be completed; else entry of it, or 0
FLYING = 7  # packets created and not yet consumed
KEY_WORDS = 8

# --- `deal`: two words for each key, with rendezvous only - ---------------------------------------------
UNMET = 0  # requests consumed at the destination, less receives posted there
DONE = 1  # messages whose last packet was created, but of iterations that are over
DEAL_WORDS = 2

# --- `stand`: two sets of `Setting.wide` words for each router, explaining ----------------------------------
PARKED = 0  # inputs whose head waits, as of the end of the last decision
TIED = 1  # inputs whose head holds an output and waits for its link
STAND_SETS = 2

# --- `parking`: two words for each FIFO whose head waits, explaining ----------------------------------------
CHARGED = 0  # cycle up to which its waiting is charged
AIMED = 1  # job + 1 of the packet, and in the last bits the output that it waits for
AIMED_BITS = 16
PARKING_WORDS = 2

# --- `way`: words for each link, explaining; a router's consumption comes after its ports -------------------
CROSSING = 0  # cycle from which the last packet no longer crosses it
CROSSER = 1  # and the job + 1 of that packet
FOR_OWN = 2  # cycles waited there, charged to the job that waited,
FOR_OTHERS = 3  # and to others
BLAMED = 4  # inputs whose head waits for it: a set, the last of its words
COLUMNS = 64  # of `watched`: jobs that are told apart, the last column for all others

# --- `board`: a cache line for each domain, which it alone writes ------------------------------------------
MET = 0  # how often it has come to a meeting
DUE = 1  # DUE + parity of the meeting: first cycle in which something happens in it,
FLAGS = 3  # FLAGS + parity: and what all must know
BOARD_WORDS = 16
JOB_OVER = 1  # a job ended
SHORT = 2  # more messages may begin than there are entries for

HEADS_APART = 32  # entries between the heads of the domains' lists of free entries: no line holds two
KEYS_APART = 4  # keys between those with which two domains count open-loop traffic, for the same reason

# --- policies ------------------------------------------------------------------------------------------
SMART, SHORTEST, RANDOM, OBLIVIOUS, TREE_ADAPTIVE, TREE_FAT, TREE_THIN = range(7)
ROUND_ROBIN, FIRST_COME, LONGEST, CHANCE, AGE = range(5)


# --- values of settings for which there are some functions only, see `bits.where` -----------------------
GRID = range(1, 64)  # dimensions of a mesh or torus
SEVERAL = range(2, 1 << 62)  # injectors
LONG_HOP = range(2, 1 << 62)  # hops of more than a cycle


class Setting(NamedTuple):
    """What does not change during a run."""

    phits: int  # of a packet
    queue: int  # packets in a FIFO
    buffer: int  # packets in an injector's buffer
    injectors: int
    vcs: int
    ports: int
    dims: int  # 0 on trees
    nodes: int
    routers: int
    policy: int
    masks: int  # 1: the requests of a router are computed as masks; 0: input by input
    arbiter: int
    single: int
    bubble: int
    hop: int  # cycles from departure of a header to its first request
    seed: int
    row: int  # sets that a router's record has room for,
    row_counts: int  # counts,
    row_names: int  # names,
    row_bytes: int  # and bytes
    want: int  # first of the sets of what inputs want,
    next: int  # of the memories,
    slope: int  # and of what fills and empties, in a record
    fifo: int  # first count of the FIFOs,
    crossed: int  # of the packets that crossed links,
    load: int  # and of the phits beyond outputs, in a record
    time: int  # place of the time,
    place: int  # of the number of the first slot,
    link: int  # and of the first link among the names
    turn: int  # first byte of the outputs' pointers,
    turn_link: int  # and of the links', in a record
    bits: int  # of the fields of a FIFO's word
    field: int  # their mask
    modulus: int  # mask of counts that go round
    fifo_far: int  # 1: FIFOs' words may be in another line of cache than the first sets
    fed: int  # inputs fed by links, of a router of a mesh or torus
    slots: int  # places for packets, of a router of a mesh or torus
    ahead: int  # events by which memory is asked for in advance; 0 where the network fits into the cache
    behind: int  # starts by which they follow decisions; 0: they wait for all, since decisions would see them
    fifos: int  # most FIFOs of a router
    words: int  # words of a half of `dirty`
    tops: int  # words of a half of `dirty_top`
    links: int  # most headers that can enter FIFOs in one cycle
    tail_words: int  # of the ring of tails
    tail_cycles: int  # of its counts, a power of two
    arrival_words: int  # the same for the ring of arrivals
    arrival_cycles: int
    magnitudes: int  # bits of a route record that count hops
    x_group: int  # inputs that travel in X, injectors included
    y_group: int
    z_group: int
    loads: int  # 1: phits in the FIFOs beyond a router's outputs are kept
    exact: int  # 1: starts of arrival and departure are kept, so that phits here can be counted
    twist: int
    wide: int  # words of a set of inputs in what is kept of waiting
    explain: int  # 1: waiting is charged to jobs
    record: int  # 1: completion of messages is recorded
    split: int  # 1: the network is cut into domains, each simulated by a thread of its own
    domains: int  # how many,
    domain: int  # and the number of this one
    box: int  # words of an outbox
    spin: int  # looks at the board before a thread lets others run
    dawdle: int  # 1: threads lose time by chance, to test that nothing depends on who is first


class State(NamedTuple):
    """What changes, and the tables; shapes in words."""

    clock: I64
    row: I16  # routers x Setting.row; or 32, or 64 bits
    counts: I16  # the same memory; or 64 bits
    name: I32  # the same memory
    byte: I8  # the same memory
    slot: I32  # slots x SLOT_WORDS
    carry: I32  # routers x ports: how often each link's count began anew
    homing: I64  # routers: inputs that wait for the node, and `TAKEN` (single consumption)
    turn_home: I8  # nodes: the same for consumption
    coming: I32  # routers x fifos: packets whose header cannot be looked at yet (hops of more than a cycle)
    came: I64  # routers x fifos: cycle in which the last arrival began (exact)
    left: I64  # routers x fifos: cycle in which the head began to leave (exact)
    since: I64  # routers x fifos: cycle since which the head has stood there (arbiter fifo)
    entering: I32  # 2 x links: names of FIFOs
    exposed: I32  # names of FIFOs
    arrival: I32  # ring: names of FIFOs whose header is on its way (hops of more than a cycle)
    arrival_count: I32  # ring by cycle: how many arrive
    tail: I32  # ring: names of FIFOs whose head is leaving
    tail_count: I32  # ring by cycle: how many have left
    todo: I32  # 2 x nodes
    dirty: I64  # 2 x words: routers to be looked at
    dirty_top: I64  # 2 x tops: words of `dirty` that are not 0
    deciding: I32  # scratch: routers that decide in this cycle
    starting: I32  # scratch: names of outputs whose packet begins to cross its link in this cycle
    timer: I64  # heap: cycle; a node has at most one for its program and one for open-loop traffic
    timer_entry: I32  # heap: 2 * node + kind
    near: I32  # by cycle, modulo `NEAR_CYCLES`: first of the timers due then, 2 * node + kind; -1: none
    near_next: I32  # by timer: the next one due then
    task: I32  # nodes x TASK_WORDS
    when: I64  # nodes x WHEN_WORDS
    emptied: I64  # nodes x injectors: last cycle in which a tail had just left the injection FIFO
    op: I64
    key: I64  # keys x KEY_WORDS
    deal: I32  # keys x DEAL_WORDS
    message_start: I64  # recording
    message_end: I64  # recording
    open_start: I64  # messages that are not complete: when they began; head of a domain: how many are free
    open_next: I32  # and the next one of the key; head of a domain: the first that is free
    job: I64  # jobs x 2: tasks running, end
    task_end: I64  # tasks of all jobs
    task_lost: I64  # and the cycles that full injectors cost them
    due_order: I64  # messages due at interfaces: what and key
    due_time: I64  # and since when
    due_next: I32  # and the next one; head of a domain: the first that is free
    port_of: I8  # by output
    vc_of: I8
    group: I64  # by dimension: inputs that travel in it
    coordinate: I32  # nodes x dims
    size: I32  # by dimension; negative: no wrap-around
    shift: I64  # by dimension: place of its field in a route
    field: I64  # by dimension: mask of its field
    record_first: I32  # twisted torus: first route of each displacement
    record: I32  # and the routes
    stage: I8  # routers of a tree; -1: node
    subtree: I32  # routers of a tree: number of the subtree below
    power: I64  # powers of the down ports
    up: I64  # [down, up, stages]
    target: I32  # open loop: destinations by node, then the nodes to draw among unless those are all
    share: NDArray[np.float64]  # open loop: log(1 - chance), hot share
    hot: I64  # open loop: [hot node, first key, nodes to draw among or 0: all, keys of a node, of a domain]
    key_job: I32  # explaining: by key, the number of its job + 1; 0 for open-loop traffic
    stand: I64  # explaining: routers x STAND_SETS x wide
    parking: I64  # explaining: routers x fifos x PARKING_WORDS
    way: I64  # explaining: links x (BLAMED + wide)
    matrix: I64  # explaining: cycles waited, by job and by the job that they are charged to
    column: I32  # explaining: by job + 1, its column in the next; -1: none yet
    watched: I64  # explaining: links x COLUMNS: cycles that the watched job waited, by the job charged
    packet_delays: I64
    message_delays: I64
    asked: I64  # scratch: requests by output
    step: I64  # scratch: masks by dimension
    owner_of: I8  # routers: the domain of each
    box: I64  # outboxes, by phase, domain that tells and domain that is told: words in it, then the words
    board: I64  # what domains know of each other, domains x BOARD_WORDS, then the addresses of `NAPS`


VIEWS = {"counts": "row", "name": "row", "byte": "row"}  # arrays of the same memory
