// A network with its jobs, and the private state of each thread that simulates it.
#pragma once

#include <array>
#include <vector>

#include "borders.hpp"
#include "events.hpp"
#include "chance.hpp"
#include "jobs.hpp"
#include "memory.hpp"
#include "plan.hpp"
#include "records.hpp"
#include "stints.hpp"

namespace netplace {

// Histogram of delays: exact to 255 cycles, then 128 bins an octave; see netsim/delays.py.
struct Delays {
    static constexpr int exact = 256, half = 128, octaves = 52, bins = exact + half * octaves;
    std::vector<std::int64_t> count = std::vector<std::int64_t>(bins);
    std::int64_t sum = 0;

    void add(std::int64_t delay) {
        sum += delay;
        if (delay < exact) {
            ++count[delay];
            return;
        }
        const int octave = std::bit_width(static_cast<std::uint64_t>(delay)) - std::bit_width(static_cast<unsigned>(exact)) + 1;
        ++count[exact + (octave - 1) * half + (delay >> octave) - half];
    }
    void reset() { count.assign(bins, 0), sum = 0; }
    Delays& operator+=(const Delays& other) {
        sum += other.sum;
        for (std::size_t bin = 0; bin < count.size(); ++bin) count[bin] += other.count[bin];
        return *this;
    }
};

// Entries given out one by one, of which the free ones are chained by `next`; the entries never move.
template <class Entry>
class Pool {
public:
    std::int32_t take() {
        if (free_ < 0) {
            entries_.emplace_back();
            return static_cast<std::int32_t>(entries_.size()) - 1;
        }
        const std::int32_t entry = free_;
        free_ = entries_[entry].next;
        return entry;
    }
    void give(std::int32_t entry) {
        entries_[entry].next = free_;
        free_ = entry;
    }
    Entry& operator[](std::int32_t entry) { return entries_[entry]; }

private:
    std::vector<Entry> entries_;
    std::int32_t free_ = -1;
};

// Cycles that heads have waited, by the owner of the head and the owner charged.
struct Charges {
    static constexpr std::size_t told_apart = 63;  // owners, of those that the watched job is charged to
    static constexpr std::int32_t others = -1;

    std::vector<std::vector<std::int64_t>> cycles;
    Cycle waited = 0;           // sum of the cycles in which heads ceased to wait, less those in which they began
    std::int32_t watched = -1;  // owner whose waiting is also counted by way
    std::vector<std::pair<std::int32_t, std::vector<std::int64_t>>> by_way;  // (owner charged, cycles)

    void add(std::int32_t victim, std::int32_t culprit, std::ptrdiff_t way, std::size_t ways, Cycle count) {
        if (static_cast<std::size_t>(victim) >= cycles.size()) cycles.resize(static_cast<std::size_t>(victim) + 1);
        auto& row = cycles[static_cast<std::size_t>(victim)];
        if (static_cast<std::size_t>(culprit) >= row.size()) row.resize(static_cast<std::size_t>(culprit) + 1);
        row[static_cast<std::size_t>(culprit)] += count;
        if (victim == watched) column(culprit, ways)[static_cast<std::size_t>(way)] += count;
    }
    void watch(std::int32_t owner) {
        watched = owner;
        by_way.clear();
    }
    void reset() {
        cycles.clear();
        by_way.clear();
        waited = 0;
    }

private:
    std::vector<std::int64_t>& column(std::int32_t culprit, std::size_t ways) {
        for (auto& [owner, counts] : by_way)
            if (owner == culprit || owner == others) return counts;
        by_way.emplace_back(by_way.size() < told_apart ? culprit : others, std::vector<std::int64_t>(ways));
        return by_way.back().second;
    }
};

// Outcome of an attempt to create a packet.
enum class Creation { done, next_cycle, full };

struct OpenMessage {
    Cycle start;
    std::int32_t next;  // of the key
};

struct DueMessage {
    Cycle since;
    std::uint64_t order;  // data before replies, then by key
    std::int32_t next;    // of the node's interface
};

// A message that takes turns with others of its node (model: "Non-blocking sends").
struct Turn {
    Cycle due;            // its data have become due in this cycle; -1: something else
    std::int64_t left;    // packets still to be created
    std::uint32_t label;
    std::int32_t next;    // of the node's
    bool eager, begun;
};

// Open-loop traffic (model: "Open-loop traffic").
struct Sources {
    std::vector<std::int32_t> target;  // by node; -1: drawn; the node itself: it creates none
    std::vector<std::int32_t> among;   // nodes to draw among; empty: all
    std::vector<double> log_stay;      // by node: log(1 - chance)
    std::vector<std::int64_t> first;   // with rates of pairs: place of each node's first pair, and of none at the end
    std::vector<std::int32_t> destination;  // of each pair
    std::vector<double> until;              // sum of the rates up to each pair
    double hot_share = 0;
    std::int32_t hot_node = -1;
    std::int32_t first_key = 0;
    std::int64_t keys = 0;             // 0: there is no traffic
    bool by_node = false;              // each node has a key of its own, else each domain; for each destination's domain
};

// Private state of a domain, which a thread simulates: the clock, future events, lists of what must be visited, and totals.
struct alignas(128) Desk {
    Cycle now = 0;           // next cycle to be simulated
    Cycle quiet = 0;         // first cycle of which it is not known yet that anything happens in it
    int side = 0;            // which of two lists belongs to the next cycle
    bool ended = false;      // a job ended in this cycle
    std::int64_t created = 0, delivered = 0, events = 0, gone = 0;
    Cycle last_delivery = -1;

    List entering;     // FIFOs in which a header takes room in the next cycle
    Calendar tails{1};              // FIFOs whose head has left to the tail
    Calendar headers{1};            // FIFOs in which a header can be looked at
    Calendar credits{1};            // table: FIFOs of which it becomes known that a packet has left
    Calendar acks{1}, notices{1};   // fabric: pairs of nodes that learn of a packet, or of its mark
    bool heard = false;             // fabric: in this cycle room, a packet's arrival or a mark becomes known
    Calendar wakes{1};              // fabric: nodes that wait for their rate
    Timers timers;
    Array<Name> exposed;            // packets that have become heads; as many as there are FIFOs
    std::size_t exposed_count = 0;
    List acting[2];  // nodes to act
    Agenda agenda[2];               // routers to be looked at
    Array<std::uint32_t> deciding;  // those that decide in this cycle
    List starting;     // outputs whose packet begins to cross its link in this cycle
    Pool<OpenMessage> open_messages;  // sent from its nodes
    Pool<DueMessage> due_messages;    // at interfaces of its nodes
    Pool<Turn> turns;                 // of its nodes
    Delays packet_delays, message_delays;
    Charges charges;

    // The first cycle from `cycle` on in which anything falls due, or `never`.
    Cycle next_event(Cycle cycle) const {
        return std::min({tails.next(cycle), timers.next(cycle), headers.next(cycle), credits.next(cycle), acks.next(cycle),
                         notices.next(cycle), wakes.next(cycle)});
    }
    void act_on(int which, std::int32_t node, Node& its) {
        if (its.listed >> which & 1) return;
        its.listed |= static_cast<std::uint8_t>(1 << which);
        acting[which].push_back(static_cast<std::uint32_t>(node));
    }
};

// Nodes, the jobs on them, and the domains that simulate them.
struct Hosts {
    Array<Node> nodes;
    Jobs jobs;
    std::vector<Desk> desks = std::vector<Desk>(1);  // by domain
    std::vector<std::uint8_t> owner;                 // by router: its domain; empty: there is one
    std::vector<Border> borders;                     // see borders.hpp
    Stints stints;                                   // of threads
    bool torn = false;                               // it failed in the middle of a cycle
    Sources sources;
    std::vector<std::pair<std::int32_t, std::int32_t>> old_sources;  // keys of traffic that was stopped

    Cycle now() const { return desks.front().now; }
    Desk& desk_of(std::int64_t router) { return desks[owner.empty() ? 0 : owner[static_cast<std::size_t>(router)]]; }
    // Let a node act in the next cycle that is simulated.
    void wake(std::int32_t node) {
        Desk& desk = desk_of(node);
        desk.act_on(1 - desk.side, node, nodes[static_cast<std::size_t>(node)]);
    }
};

// What heads wait for, if waiting is explained; otherwise empty.
template <class S>
struct Waits {
    Array<Parking<S>> at;  // by router
    Array<Waiter> waiter;
    Array<Way<S>> way;
    Array<std::int32_t> front;  // by FIFO: the owner of its head
};

// The arrays of a network of wiring W, and what its jobs are doing.
template <class W>
struct Network : Hosts {
    using Router = typename W::Router;
    using S = typename Router::S;

    typename W::Settings plan;
    W wiring;
    Array<Router> routers;
    Array<typename W::Packet> packets;
    std::vector<std::uint16_t> port_of, vc_of;  // by input fed by links, or output
    Array<Cycle> emptied;                // by injector: last cycle in which a tail had just left its FIFO
    std::vector<std::int32_t> carries;   // by link: how often its count of packets began anew
    Waits<S> waits;
    Array<S> asked;                // scratch of each domain: requests by output
    int ahead = 0;                       // events by which prefetching runs ahead
    int behind = 0;                      // starts by which they follow decisions; 0: they wait for all
};

// The network as a thread sees it while it simulates. This is a copy on the stack, where nothing else can reach it, so the
// compiler knows that no store changes these addresses and settings.
template <class W, bool explaining = false, bool cut = false>
struct Domain : Neighbours<cut> {
    using Wiring = W;
    static constexpr bool explains = explaining;  // waiting is charged to jobs
    static constexpr bool is_cut = cut;
    using Router = typename W::Router;
    using S = typename Router::S;

    Domain(Network<W>& network, Desk& its, Neighbours<cut> others = {})
        : Neighbours<cut>(others), net(network), desk(its), plan(network.plan), chance(static_cast<std::uint64_t>(network.plan.seed)), fields(network.wiring.fields), routers(network.routers.data()),
          packets(network.packets.data()), nodes(network.nodes.data()), keys(network.jobs.keys.data()),
          emptied(network.emptied.data()), asked(network.asked.data() + (&its - network.desks.data()) * asked_room(network.plan)), ports(network.port_of.data()),
          channels(network.vc_of.data()), exposed(its.exposed.data()), ahead(network.ahead), behind(network.behind),
          side(its.side), now(its.agenda[1 - side].bits()), next(its.agenda[side].bits()), exposed_count(its.exposed_count), quiet(its.quiet), created(its.created),
          delivered(its.delivered) {}
    // Requests by output that a domain has scratch for: in cache lines of its own.
    static std::ptrdiff_t asked_room(const Plan& plan) {
        return static_cast<std::ptrdiff_t>((static_cast<std::size_t>(plan.ports * plan.vcs + 2) + 128 / sizeof(S) + 63) / 64 * 64);
    }
    // Write back what has changed.
    void leave() {
        desk.side = side;
        desk.exposed_count = exposed_count;
        desk.quiet = quiet;
        desk.created = created;
        desk.delivered = delivered;
    }

    Network<W>& net;
    Desk& desk;
    const typename W::Settings plan;
    const Chance chance;
    const typename W::Fields fields;
    Router* const routers;
    typename W::Packet* const packets;
    Node* const nodes;
    Key* const keys;
    Cycle* const emptied;
    S* const asked;
    const std::uint16_t* const ports;
    const std::uint16_t* const channels;
    Name* const exposed;
    const int ahead, behind;
    int side;
    Agenda::Bits now, next;  // routers to be looked at in this cycle and in the next one
    std::size_t exposed_count;
    Cycle quiet;
    std::int64_t created, delivered;

    // Let the next cycle be this one.
    void turn() {
        side = 1 - side;
        std::swap(now, next);
    }

    Router& router(Name router) const { return routers[router]; }
    int port_of(int i) const { return W::usual ? i >> 1 : ports[i]; }
    int vc_of(int i) const { return W::usual ? i & 1 : channels[i]; }
    static constexpr Name name_of(std::uint32_t router, int i) {
        return router << W::name_bits | static_cast<std::uint32_t>(i);
    }
    static constexpr std::uint32_t router_of(Name name) { return name >> W::name_bits; }
    static constexpr int input_of(Name name) { return static_cast<int>(name & ((1u << W::name_bits) - 1)); }

    // Let an input request an output, unless that is -1; `requested` are the outputs with requests so far.
    void ask(S& requested, int output, int i) {
        if (output < 0) return;
        if constexpr (S::capacity == S::width) {
            asked[output] = asked[output].where(requested.has(output));
        } else if (!requested.has(output)) {
            asked[output] = {};
        }
        asked[output].insert(i);
        requested.insert(output);
    }

    // The desk of a node's domain.
    Desk& desk_of(std::int32_t node) const {
        if constexpr (cut) return net.desks[static_cast<std::size_t>(this->domain_of(node))];
        return desk;
    }

    // --- lists of what is to be done -----------------------------------------------------------------

    // Whether a packet becomes head is unpredictable: an unconditional write is cheaper than a branch.
    void becomes_head_if(Name name, bool so) {
        exposed[exposed_count] = name;
        exposed_count += so;
    }
    void look_now(std::uint32_t router) { now.add_if(router, true); }
    void look_now_if(std::uint32_t router, bool so) { now.add_if(router, so); }
    void look_next_if(std::uint32_t router, bool so) { next.add_if(router, so); }
    void act_now(std::int32_t node) { desk.act_on(1 - side, node, nodes[node]); }
    void act_next(std::int32_t node) { desk.act_on(side, node, nodes[node]); }
    void set_timer(Cycle cycle, Cycle due, std::int32_t node, int kind) {
        desk.timers.set(cycle, due, 2u * static_cast<std::uint32_t>(node) + static_cast<std::uint32_t>(kind));
    }
};

}  // namespace netplace
