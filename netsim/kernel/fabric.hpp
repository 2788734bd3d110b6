// Fabrics (model: "Fabrics"): order of flows, congestion control, packets lost to faults.
#pragma once

#include "fifos.hpp"
#include "table.hpp"

namespace netplace {

// --- flows that keep their order: packets of a class from one node to another -----------------------------------
//
// A word for each pair of nodes and class: the switch for which its packets head first + 1 (0: they go direct), and
// above it how many that have come to their first switch have not been consumed.

inline constexpr std::uint64_t flow_by = (1u << 16) - 1, flow_under_way = 1u << 16;

template <class D>
std::size_t flow_of(const D& d, std::uint32_t label, std::int64_t node) {
    const auto& plan = d.plan;
    return static_cast<std::size_t>((origin(d, label) * plan.nodes + node) * plan.classes + class_of(d, label));
}

// The trip of a packet at its first switch: as chosen, if none of its flow is under way.
template <int words, bool plain, class D>
std::uint32_t kept_way(Table<words, plain>& table, const D& d, std::uint32_t trip, std::uint32_t chosen, std::uint32_t label,
                       std::int64_t node) {
    auto& flow = table.flow[flow_of(d, label, node)];
    if (flow < flow_under_way) flow = chosen & to_home ? 0 : (chosen >> via_at) + 1;
    flow += flow_under_way;
    const auto by = static_cast<std::uint32_t>(flow & flow_by);
    return by == 0 ? trip | to_home : (trip & ~to_home) | (by - 1) << via_at;
}

// --- rates of sources, in whole multiples of 2^-16; see netsim/congestion.py ---------------------------------
//
// Y. Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3. A record is all
// zeros until a notification comes; timers run on when it is looked at.

inline constexpr int line_bits = 16, fast_recovery = 5;
inline constexpr std::int64_t line_rate = 1 << line_bits, least_rate = line_rate >> 10;

// Raise a rate at each expiry of the timer up to `cycle`.
template <class Pace>
void recover(Pace& pace, const Plan& plan, Cycle cycle) {
    while (pace.next_step <= cycle) {
        if (pace.rate == plan.rate && pace.goal == plan.rate && pace.alpha < plan.gain) {
            pace.next_step += ((cycle - pace.next_step) / plan.timer + 1) * plan.timer;
            return;
        }
        pace.next_step += plan.timer;
        pace.alpha -= pace.alpha / plan.gain;
        if (++pace.steps > fast_recovery) pace.goal = std::min(pace.goal + plan.increase, plan.rate);
        pace.rate = (pace.goal + pace.rate + 1) >> 1;
    }
}

// Settle when the next packet of a pair may be created, as one is in `cycle`.
template <class Pace>
void note_creation(Pace& pace, const Plan& plan, Cycle cycle) {
    std::int64_t rate = plan.rate;
    if (pace.next_step > 0) {
        recover(pace, plan, cycle);
        rate = pace.rate;
    }
    pace.due = cycle + ((plan.phits << line_bits) + rate - 1) / rate;
}

// Reduce the rate of a pair, as a notification comes in `cycle`.
template <class Pace>
[[gnu::noinline]] void slow_down(Pace& pace, const Plan& plan, Cycle cycle) {
    if (pace.next_step > 0) {
        recover(pace, plan, cycle);
    } else {
        pace.rate = plan.rate;
        pace.alpha = line_rate;
    }
    pace.goal = pace.rate;
    pace.rate = std::max(pace.rate - (pace.rate * pace.alpha >> (line_bits + 1)), std::min(least_rate, plan.rate));
    pace.alpha += line_rate / plan.gain - pace.alpha / plan.gain;
    pace.steps = 0;
    pace.next_step = cycle + plan.timer;
}

// --- what sources learn ------------------------------------------------------------------------------------

// Let a node act in this cycle if it could not create a packet.
template <class D>
void try_again(D& d, std::int32_t node) {
    if (told_owner(d, static_cast<std::uint32_t>(node), News::try_again, static_cast<std::uint32_t>(node))) return;
    if (d.nodes[node].blocked) d.act_now(node);
}

// Notify a node that its packet has reached another.
template <class D>
[[gnu::noinline]] void acknowledge(D& d, std::uint32_t pair) {
    --d.net.wiring.under_way[pair];
    try_again(d, static_cast<std::int32_t>(pair / d.plan.nodes));
}

// Notify the source of a packet whose tail was consumed at a node before `cycle`.
template <class D>
void tell_source(D& d, const TablePacket& packet, std::uint32_t node, std::size_t place, Cycle cycle) {
    const auto& plan = d.plan;
    if (!plan.fabric) return;
    auto& table = d.net.wiring;
    if (plan.ordered) {  // one packet less of its flow is under way, unless it has only one way and none is counted
        auto& flow = table.flow[flow_of(d, packet.label, node)];
        if (flow >= flow_under_way) flow -= flow_under_way;
    }
    if (plan.window == 0 && plan.marks == 0) return;
    const auto pair = static_cast<std::uint32_t>(origin(d, packet.label) * plan.nodes + node);
    if (plan.window > 0) {
        if (plan.ack == 0) {
            acknowledge(d, pair);
        } else {
            d.desk.acks.add(cycle + plan.ack, pair);
        }
    }
    if (plan.marks > 0 && table.marked[place]) {
        auto& pace = table.pace[pair];
        if (pace.notified > 0 && cycle - pace.notified < plan.every) return;
        pace.notified = cycle;
        if (plan.ack == 0) {
            slow_down(pace, plan, cycle);
        } else {
            d.desk.notices.add(cycle + plan.ack, pair);
        }
    }
}

// Whether congestion control holds a packet for another node back, or a fault has cut one of them off.
template <class D>
Creation held_back(D& d, std::int32_t node, std::int32_t target, Cycle cycle, bool& cut_off) {
    const auto& plan = d.plan;
    auto& table = d.net.wiring;
    const std::size_t pair = static_cast<std::size_t>(node) * plan.nodes + target;
    if (plan.rate > 0 && table.pace[pair].due > cycle) {  // it tries again then, or before
        const Cycle due = std::min(table.pace[pair].due, cycle + d.desk.wakes.length() - 1);
        if (table.wake[node] > cycle) return table.wake[node] > due ? Creation::next_cycle : Creation::full;
        table.wake[node] = due;
        d.desk.wakes.add(due, static_cast<std::uint32_t>(node));
        return Creation::full;
    }
    cut_off = table.home[node] < 0 || table.home[target] < 0;
    if (cut_off) return Creation::done;
    if (plan.window > 0) {
        if (table.under_way[pair] >= plan.window) return Creation::full;
        ++table.under_way[pair];
    }
    if (plan.rate > 0) note_creation(table.pace[pair], plan, cycle);
    return Creation::done;
}

// --- marks, and packets lost -----------------------------------------------------------------------------------

// Mark the head of an input that is granted a contended output of a link, or consumption, in use.
template <class D>
[[gnu::noinline]] void mark_if_congested(D& d, std::uint32_t router, const typename D::Router& r, int i,
                                         const typename D::S& requests, bool in_use) {
    if (i >= r.fed || r.fifo[i].arrived < d.plan.marks || !in_use || requests.single()) return;
    d.net.wiring.marked[static_cast<std::size_t>(&head_of(d, router, r, i) - d.packets)] = 1;
}

// Count a packet lost to a fault, unless no job owns it.
template <class D>
[[gnu::noinline]] void throw_away(D& d, const Packet& packet) {
    if (packet.label == nobody) return;
    add_shared(d, d.keys[packet.label >> 2].flying, std::int64_t{-1});
    ++d.desk.gone;
}

// The place of an input port, or of an injector, among those of a router.
template <class D>
int way_in(const D& d, const typename D::Router& r, int i) {
    return i < r.fed ? d.port_of(i) : static_cast<int>(d.plan.ports) + i - r.fed;
}

// A packet's tail has left an input for a link.
template <class D>
void leave_link(D& d, std::uint32_t router, typename D::Router& r, int i, int output, Cycle cycle) {
    const auto& plan = d.plan;
    if (plan.marks > 0) r.freed[d.port_of(output)] = cycle;
    if (plan.crossbar > 0 || plan.classes > 1) {
        --r.leaving_by[way_in(d, r, i)];
        d.look_now(router);
    }
}

}  // namespace netplace
