// The objects of a network (model: "Objects"): packets, FIFOs, outputs, links, routers, nodes, keys.
//
// An *input* is a FIFO of a router and an *output* a pair (port, VC); both are numbered port * vcs + vc, injectors
// come after the ports' inputs. A FIFO's *name* is router << name_bits | input, and an output's likewise.
#pragma once

#include <cstdint>

#include "events.hpp"
#include "sets.hpp"

namespace netplace {

using Name = std::uint32_t;

// --- packets ------------------------------------------------------------------------------------------

enum Kind : std::uint32_t { data = 0, request = 1, reply = 2 };  // rendezvous has the last two

// The place after one in a ring of `depth` places, without a branch that would be mispredicted.
constexpr int after(int place, int depth) { return (place + 1) & -static_cast<int>(place + 1 != depth); }

inline constexpr std::uint32_t nobody = ~0u;  // destination of a packet lost, label of one that nobody counts

struct Packet {
    std::uint32_t route;  // grid: hops left, sign and magnitude by dimension; else destination
    std::uint32_t label;  // key << 2 | kind
    Cycle birth;          // cycle of creation
};

// A packet that is routed by tables; table.hpp explains `trip`.
struct TablePacket : Packet {
    std::uint32_t trip;
};

// --- FIFOs, outputs, links of the usual grids and trees: all of a router in two or three cache lines -----------

struct NarrowFifo {
    std::uint16_t head : 4;    // place of the head packet in the ring of slots
    std::uint16_t count : 4;   // packets in it, from the first phit in to the last phit out
    std::uint16_t output : 6;  // that the head holds

    static constexpr int home = 63;     // the output that leads into the node
    static constexpr int nowhere = 62;  // a packet is thrown away
    int seen() const { return count; }  // packets whose header has arrived
    void see() {}
    void drop(int depth) {
        head = static_cast<std::uint16_t>(after(head, depth)) & 15;
        --count;
    }
};

struct NarrowOutput {
    std::uint8_t turn : 5;   // input after the one granted last
    std::uint8_t place : 3;  // in the FIFO beyond, of the next packet

    int holder() const { return turn - 1; }  // the input that holds the output, while one does
    void fill(int depth) { place = static_cast<std::uint8_t>(after(place, depth)) & 7; }
};

struct NarrowLink {
    Name beyond;             // FIFO of VC 0 at the other end
    std::uint16_t crossed;   // packets, modulo 2^16; `Network::carries` counts how often that began anew
    std::uint8_t turn;       // VC that is served next
};

// --- the same for any settings ------------------------------------------------------------------------

struct Fifo {
    std::uint16_t head;
    std::uint16_t count;
    std::uint16_t arrived;  // packets whose header has arrived
    std::uint16_t output;

    static constexpr int home = 0x7FFF;
    static constexpr int nowhere = 0x7FFE;
    int seen() const { return arrived; }
    void see() { ++arrived; }
    void drop(int depth) {
        head = static_cast<std::uint16_t>(after(head, depth));
        --count;
        --arrived;
    }
};

struct Output {
    std::uint16_t turn;
    std::uint16_t place;
    std::uint16_t known;    // table: packets that the FIFO beyond is known to hold
    std::uint16_t waiting;  // table, where ways are chosen by it: heads that ask for it, or for it and VCs after it

    int holder() const { return turn - 1; }
    void fill(int depth) { place = static_cast<std::uint16_t>(after(place, depth)); }
};

struct Link {
    Name beyond;
    std::uint32_t slot;      // first place for packets of the FIFO of VC 0 at the other end
    std::uint32_t lasts;     // cycles for which a packet holds the link
    std::uint32_t far;       // cycles from a header's departure to its first request beyond
    std::int64_t crossed;
    std::uint16_t turn;      // with classes: of the schedule
    bool wired;
    std::int8_t rise;        // table: by which the level of a packet goes up; -1: the link leads to no switch
    std::int8_t kind;        // table: class of the link
};

// What feeds the FIFOs of an input port.
struct Feed {
    Name output;        // of VC 0 at the router before; with `wired`
    std::uint32_t lag;  // cycles later than at once that the router before knows of room
    std::uint32_t far;  // as of that link
    bool wired;
};

// When a FIFO was last busy: kept where phits are counted, or the oldest head comes first.
struct Times {
    Cycle came = -never;   // header of the last arrival left the router before
    Cycle left = -never;   // head began to leave
    Cycle since = -1;      // the head has stood there
    std::int32_t takes = 1;  // for how many cycles the head leaves
};

// --- waiting (model: "Waiting"), where it is explained ---------------------------------------------------------

inline constexpr int consumption = -1;       // as an output that a head waits for
inline constexpr std::int32_t no_head = -1;  // as the owner of the head of a FIFO

struct Waiter {
    Cycle charged;         // up to which the waiting of a head is charged
    std::int32_t owner;    // its job + 1; 0: open-loop traffic
    std::int32_t output;   // that it waits for
};

// A link, or the consumption of a router, as seen by the heads that wait for it.
template <class S>
struct Way {
    S waiting;                    // inputs whose head waits for it
    Cycle crossing = 0;           // from which on the last packet no longer crosses it
    std::int64_t for_own = 0;     // cycles waited, charged to the job that waited
    std::int64_t for_others = 0;  // and to others
    std::int32_t crosser = 0;     // owner of the last packet
};

// What of this a router has: its consumption comes before its links.
template <class S>
struct Parking {
    S parked;                   // inputs whose head waits, as of the end of the last decision
    std::uint32_t first = 0;    // of its waiters, by input
    std::uint32_t consumption = 0;  // of its ways
};

// --- nodes (model: "Tasks") -----------------------------------------------------------------------------

// The first of two cache lines holds what most cycles touch.
struct alignas(64) Node {
    const std::int64_t* program = nullptr;  // operations of its task
    std::int64_t left = 0;        // packets of the message under way still to be created
    Cycle busy_until = 0;         // from which on the program can act: it computes before
    Cycle next_draw = -1;         // in which open-loop traffic has its next packet; -1: there is none
    std::int32_t pc = 0;          // next operation
    std::int32_t stop = 0;        // operation behind the last
    std::int32_t job = -1;        // place of its job; -1: no task
    std::int32_t waits = -1;      // key for which the task waits
    std::int32_t first_due = -1;  // what its interface owes (rendezvous)
    std::int32_t drawn = 0;       // destination + 1 of the open-loop packet that waits for an injector
    std::uint32_t under = 0;      // label of the message under way
    std::uint8_t listed = 0;      // bit by side: it is on that list of nodes to act
    bool own = false;             // the message under way is the program's, not one that was due
    bool blocked = false;         // a packet waits for room in an injector
    bool shares = false;          // some of its messages take turns

    std::int32_t rounds = 0;      // how often the next loop of the program begins anew
    std::int32_t task = 0;        // its number in the job
    std::int32_t first_key = 0;   // from which the keys of the program count
    Cycle since = -1;             // from which on the program has had a packet that no injector takes
    Cycle lost = 0;               // cycles lost that way
    Cycle lapped = 0;             // in which its last iteration in a loop ended
    std::int32_t first_turn = -1, last_turn = -1;  // messages that take turns
    std::int64_t outstanding_packets = 0;  // of the messages outstanding
    std::int32_t outstanding = 0;          // messages posted, but not yet handed over
};
static_assert(sizeof(Node) == 128);

// A key is what receives are matched by: (source, destination, tag, packets) within a job.
struct Key {
    std::int64_t length = 0;   // packets of a message
    std::int64_t have = 0;     // packets consumed that no receive has used
    std::int64_t to_go = 0;    // packets until the next message is complete
    std::int64_t flying = 0;   // packets created and not yet consumed
    std::int32_t source = 0;   // node
    std::int32_t target = -1;  // node; -1: open-loop traffic; ~node: the job was stopped, and nobody learns of it
    std::int32_t newest = -1;  // recording: number of the next message to begin; else its last open entry
    std::int32_t oldest = -1;  // recording: number of the next message to end; else its first open entry
    std::int32_t job = -1;     // place of its job; -1: open-loop traffic
    std::int32_t owner = 0;    // number of its job + 1; 0: open-loop traffic
    std::int32_t traffic_class = 0;
    // rendezvous: requests consumed at the destination, less receives posted there; messages whose last packet was
    // created, but of iterations that are over
    std::int32_t unmet = 0, done = 0;
    std::int32_t handed = 0;   // eager messages that took turns and are handed over, but of iterations that are over
};

// --- operations: kind in 4 bits, then a key or cycles; see netsim/lower.py --------------------------------

enum Operation : int {
    op_send,
    op_recv,
    op_compute,
    op_compute_last,  // compute and end: ends the task without another cycle
    op_ask,           // isend by rendezvous: create the request packet
    op_post,          // irecv by rendezvous
    op_sent,          // wait until this many messages of a key have been sent by rendezvous
    op_sent_last,     // the same in a blocking send that ends the task
    op_loop,          // go back by this many operations, while there are rounds
    op_over,          // an iteration is over: what it sent of a key by rendezvous counts no more
    op_begin,         // isend that takes turns
    op_begin_asking,  // the same by rendezvous
    op_handed,        // wait until this many eager messages of a key that took turns are handed over
    op_handed_over,   // an iteration is over: what it sent of a key so counts no more
};
inline constexpr int kind_bits = 4;
inline constexpr int key_bits = 29;

}  // namespace netplace
