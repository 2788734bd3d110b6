// Networks of any wiring (model: "Networks of any wiring"): ways by tables, and what waiting heads request.
#pragma once

#include <numeric>

#include "tree.hpp"

namespace netplace {

// A packet's trip.
enum Trip : std::uint32_t {
    decided = 1,   // it has been to a switch
    to_home = 2,   // it heads for its destination; else for the switch at `via_at`
    may_turn = 4,  // it may still turn aside (PAR)
    escaped = 8,   // it is on the escape channel
};
inline constexpr int level_at = 4, kind_at = 10, via_at = 16;  // level; class of the last link + 1, 0: none; switch
inline constexpr std::size_t most_levels = 128;  // what six bits hold, and the levels before a packet heads for its destination
inline constexpr std::uint32_t six_bits = 63, no_level = ~((six_bits << level_at) | (six_bits << kind_at));

// Sets of so many words; `plain`: with the settings of `PlainPlan`.
template <int words, bool plain>
struct Table {
    static constexpr bool usual = false;
    static constexpr bool tuned = plain || words == 2;
    using Settings = netplace::Settings<usual, std::conditional_t<plain, PlainPlan, Plan>>;
    static constexpr bool by_arithmetic = false;
    static constexpr int name_bits = words == 1 ? 6 : 10;
    static constexpr bool counts_phits = false;  // room is counted in packets, by the router before the link
    static constexpr bool is_table = true, is_tree = false;
    using Router = std::conditional_t<plain, FlatRouter<Set<std::uint64_t>, RankedSets>, FlatRouter<Set<std::uint64_t, words>>>;
    using Packet = TablePacket;

    struct Fields {} fields;
    using Port = std::conditional_t<words <= 2, std::int8_t, std::int16_t>;  // 127 inputs, or more
    std::vector<Port> ports;               // switches x switches x entry: that lead on, -1 after the last; of escape
    std::vector<std::int32_t> size;        // of a grid without a table: sides, negative without rings; `ports` are all, and -1
    std::vector<std::int32_t> coordinate;  // of it: switches x sides
    struct Below {  // as in `RegularTree` in Python
        std::int32_t first, count, each, first_row;

        std::int64_t rows() const { return 1 + (std::int64_t{count} + each - 1) / each; }
        std::int64_t row(std::int64_t leaf) const {
            const std::int64_t place = leaf - first;
            return first_row + (place >= 0 && place < count ? 1 + place / each : 0);
        }
    };
    std::vector<Below> below;              // by switch, of a tree without a table
    std::vector<std::uint16_t> far_hops;   // switches x switches (UGAL)
    std::vector<std::int32_t> end;         // switches x ports: switch
    std::vector<std::int32_t> via;
    std::vector<std::int32_t> low, high;   // by level: first virtual channel, the one after the last
    bool one_level = false;                // the level of a packet has no effect
    std::vector<std::int32_t> home, gate;  // by node: switch, -1: cut off; switch of the first plane for ways to it
    std::vector<std::int32_t> node_port;   // by node
    std::vector<std::int32_t> place, kin;  // by switch: among the intermediate ones, -1: none; group
    std::vector<std::int32_t> stride;      // by switch: what the destination is divided by where its digit names the port
    // fabric
    std::vector<std::uint8_t> schedule;    // classes in turn, where they have weights
    std::vector<std::int16_t> under_way;   // pairs of nodes: packets not known to have come
    std::vector<std::uint64_t> flow;       // pairs of nodes x classes: see fabric.hpp
    std::vector<Cycle> wake;               // by node: cycle in which it last was, or will be, woken to try again
    std::vector<std::uint8_t> marked;      // by place for a packet
    struct Pace {
        Cycle due = 0;        // first cycle in which the next packet may be created
        Cycle next_step = 0;  // in which the rate next goes up; 0: no notification has come
        Cycle notified = 0;   // after that of the last notification at the node that sends it; 0: there was none
        std::int64_t rate = 0, goal = 0, alpha = 0;
        std::int64_t steps = 0;  // how often it went up since the last notification
        std::int64_t spare = 0;
    };
    std::vector<Pace> pace;                // pairs of nodes

    // Replace the routing by the one that `read` loads; state of nodes and packets stays.
    template <class Read>
    void take_routing(Read read) {
        Table other;
        read(other);
        other.schedule.swap(schedule), other.under_way.swap(under_way), other.flow.swap(flow);
        other.wake.swap(wake), other.marked.swap(marked), other.pace.swap(pace);
        *this = std::move(other);
    }

    // The switch to which the first port leads that an entry names; -1: there is none.
    std::int64_t next(const Plan& plan, std::int64_t x, std::int64_t target) const {
        const int port = entry(plan, x, target)[0];
        return port < 0 ? -1 : end[x * plan.ports + port];
    }
    // Virtual channels of a link that a class has.
    int own_vcs(const auto& plan) const { return static_cast<int>(plan.fabric ? plan.vcs / plan.classes : plan.vcs); }
    const Port* entry(const Plan& plan, std::int64_t x, std::int64_t target) const {
        if (!size.empty()) return &ports[in_order(x, target)];
        if (!below.empty()) return &ports[below[x].row(target) * plan.most];
        return &ports[(x * plan.switches + target) * (plan.most + plan.escapes)];
    }
    // The port of dimension order, as `Routes.ports_at` in Python has it; twice the dimensions: there is none.
    std::int64_t in_order(std::int64_t x, std::int64_t target) const {
        const auto dims = static_cast<std::int64_t>(size.size());
        const auto here = coordinate.begin() + x * dims, goal = coordinate.begin() + target * dims;
        for (std::int64_t d = 0; d < dims; ++d) {
            if (here[d] == goal[d]) continue;
            if (size[d] < 0) return 2 * d + (goal[d] < here[d]);
            const int forward = (goal[d] - here[d] + size[d]) % size[d], back = size[d] - forward;
            if (forward != back) return 2 * d + (forward > back);
            return 2 * d + (here[d] + std::accumulate(goal, goal + dims, 0) - goal[d]) % 2;
        }
        return 2 * dims;
    }
    bool compares_loads(const Plan&) const { return false; }
    // Whether the heads that could request an output are counted.
    bool counts_heads(const auto& plan) const { return plan.choice >= static_cast<int>(Choice::ugal_l); }
};

template <int words, bool plain, class D>
std::uint32_t route_of(const Table<words, plain>&, const D&, std::int32_t, std::int32_t target, Cycle) {
    return static_cast<std::uint32_t>(target);
}

template <int words, bool plain, class D>
bool is_there(const Table<words, plain>&, const D&, std::uint32_t router, const TablePacket& packet) {
    return packet.route == router;
}

template <class D>
int class_of(const D& d, std::uint32_t label) {
    return d.plan.classes == 1 ? 0 : d.keys[label >> 2].traffic_class;
}

// --- the way: direct, or by an intermediate switch -----------------------------------------------------------

// The packets behind the first port of switch `x` to `target`, and the heads that wait for it, on some of its VCs.
template <int words, bool plain, class D>
std::int64_t first_link(const Table<words, plain>& table, const D& d, std::int64_t x, std::int64_t target, int low, int high) {
    const auto& plan = d.plan;
    const auto& r = d.routers[plan.first_switch + x];
    const int first = std::max<int>(table.entry(plan, x, target)[0], 0) * static_cast<int>(plan.vcs);
    std::int64_t total = 0;
    for (int output = first + low; output < first + high; ++output) total += r.output[output].known + r.output[output].waiting;
    return total;
}

// The sum of that over all links of the way by first ports.
template <int words, bool plain, class D>
std::int64_t whole_way(const Table<words, plain>& table, const D& d, std::int64_t x, std::int64_t target, int shift) {
    const auto& plan = d.plan;
    std::int64_t total = 0;
    for (; x >= 0 && x != target; x = table.next(plan, x, target))
        total += first_link(table, d, x, target, shift, shift + table.own_vcs(plan));
    return total;
}

// Whether a packet at switch `x` prefers the direct way on a level to that by `via` on another.
template <int words, bool plain, class D>
bool direct_is_better(const Table<words, plain>& table, const D& d, std::int64_t x, std::int64_t via, std::int64_t home,
                      int level, int aside, int shift) {
    const auto& plan = d.plan;
    if (plan.choice == static_cast<int>(Choice::valiant)) return false;
    if (plan.choice == static_cast<int>(Choice::ugal_g)) {
        const auto detour = whole_way(table, d, x, via, shift) + whole_way(table, d, via, home, shift);
        return whole_way(table, d, x, home, shift) <= detour + plan.threshold;
    }
    const auto near = first_link(table, d, x, home, shift + table.low[level], shift + table.high[level]);
    const std::int64_t straight = table.far_hops[x * plan.switches + home];
    if (near * straight <= plan.threshold) return true;
    const auto far = first_link(table, d, x, via, shift + table.low[aside], shift + table.high[aside]);
    const std::int64_t hops = table.far_hops[x * plan.switches + via] + table.far_hops[via * plan.switches + home];
    return near * straight <= far * hops + plan.threshold;
}

// An intermediate switch, neither its own nor the destination's; -1: there is none.
template <int words, bool plain, class D>
std::int64_t drawn_via(const Table<words, plain>& table, const D& d, std::uint32_t router, int i, std::int64_t x,
                       std::int64_t home, Cycle cycle) {
    const auto& plan = d.plan;
    const int low = std::min(table.place[x], table.place[home]), high = std::max(table.place[x], table.place[home]);
    const std::int64_t count = plan.via_count - (high >= 0) - (low >= 0 && low < high);
    if (count <= 0) return -1;
    int n = below(d.chance.draw(Purpose::via, router, i, cycle), count);
    if (low >= 0 && n >= low) ++n;
    if (high > low && n >= high) ++n;
    return table.via[x * plan.via_row + n];
}

// The switch for which ways to a node are chosen, in the plane of switch `x`.
template <int words, bool plain>
std::int64_t gate_of(const Table<words, plain>& table, const Plan& plan, std::int64_t x, std::int64_t node) {
    return plan.plane == plan.compute_from ? table.gate[node] : table.gate[node] + x / plan.plane * plan.plane;
}

// The trip of a head after the choice of its way, where that is still open.
template <int words, bool plain, class D>
std::uint32_t chosen_trip(const Table<words, plain>& table, const D& d, std::uint32_t router, int i, std::uint32_t trip,
                          std::int64_t home, std::uint32_t label, Cycle cycle) {
    const auto& plan = d.plan;
    if ((trip & decided) && !(trip & may_turn)) return trip;
    const std::int64_t x = router - plan.first_switch;
    const bool turning = trip & decided;
    if (turning) {  // in the group of its source, unless that has been cut off
        const std::int32_t source = origin(d, label);
        if (table.gate[source] < 0 || table.kin[x] != table.kin[gate_of(table, plan, x, source)]) return trip & ~may_turn;
    }
    const std::int64_t via = drawn_via(table, d, router, i, x, home, cycle);
    const int level = trip >> level_at & six_bits, rise = turning && !plan.anew ? 1 : 0;
    const int shift = class_of(d, label) * table.own_vcs(plan);
    if (via < 0 || via == x || via == home ||
        direct_is_better(table, d, x, via, home, level + static_cast<int>(plan.base), level + rise, shift)) {
        trip = (trip & ~may_turn) | to_home;
        if (plan.choice == static_cast<int>(Choice::par) && table.kin[x] != table.kin[home]) trip |= may_turn;
        return trip;
    }
    return ((trip & ~(to_home | may_turn)) | static_cast<std::uint32_t>(via) << via_at) +
           (static_cast<std::uint32_t>(rise) << level_at);
}

template <int words, bool plain, class D>
std::uint32_t kept_way(Table<words, plain>& table, const D& d, std::uint32_t trip, std::uint32_t chosen, std::uint32_t label,
                       std::int64_t node);  // fabric.hpp

// The trip of a packet that has become head at a switch, where the routing chooses ways.
template <int words, bool plain, class D>
std::uint32_t arrived_trip(Table<words, plain>& table, const D& d, std::uint32_t router, int i, const TablePacket& packet,
                           std::uint32_t trip, Cycle cycle) {
    const auto& plan = d.plan;
    const std::int64_t x = router - plan.first_switch;
    if (x >= plan.compute_from) return trip | to_home;
    const std::int64_t home = gate_of(table, plan, x, packet.route);
    if (home != x) {
        std::uint32_t chosen = chosen_trip(table, d, router, i, trip, home, packet.label, cycle);
        if (plan.ordered && !(trip & decided)) chosen = kept_way(table, d, trip, chosen, packet.label, packet.route);
        trip = chosen;
    } else if (!(trip & decided)) {
        trip |= to_home;
    }
    trip |= decided;
    if (!(trip & to_home) && trip >> via_at == x) {
        trip |= to_home;
        if (plan.anew) trip &= no_level;
    }
    return trip;
}

// Choose the way of a packet that has become the head of an input. This is done for all such packets before they are
// exposed, so that none sees another of the same cycle.
template <int words, bool plain, class D>
void choose_way(Table<words, plain>& table, D& d, Name name, Cycle cycle) {
    const std::uint32_t router = d.router_of(name);
    const int i = d.input_of(name);
    auto& r = d.router(router);
    TablePacket& packet = head_of(d, router, r, i);
    std::uint32_t trip = i >= r.fed ? 0 : packet.trip;
    if (router >= d.plan.first_switch && packet.route != router && packet.route != nobody)
        trip = arrived_trip(table, d, router, i, packet, trip, cycle);
    packet.trip = trip;
}

}  // namespace netplace
