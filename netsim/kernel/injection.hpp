// Injection (model: "Objects"): the queues between a node and its router, and the creation of packets in them.
#pragma once

#include "fabric.hpp"
#include "fifos.hpp"
#include "grid.hpp"
#include "table.hpp"

namespace netplace {

// The phits in an injection FIFO and the buffer behind it at the start of `cycle`.
template <class D>
std::int64_t phits_held(const D& d, const typename D::Router& r, int i, Cycle cycle) {
    const auto& times = r.times[i];
    const int phits = d.plan.packet_phits();
    const Cycle spent = cycle - times.left;
    const Cycle gone = 0 < spent && spent < times.takes ? (spent * phits + times.takes - 1) / times.takes : 0;
    return static_cast<std::int64_t>(r.fifo[i].count) * phits - gone;
}

// Of `own` injectors from `low` on, the one with the fewest phits; ties go to the first, cyclically, from a drawn one.
template <class D>
int emptiest_injector(const D& d, std::int32_t node, const typename D::Router& r, int low, int own, Cycle cycle) {
    const int begin = below(d.chance.draw(Purpose::injector, node, 0, cycle), own);
    int best = -1;
    std::int64_t least = 0;
    for (int n = 0; n < own; ++n) {
        const int j = begin + n < own ? begin + n : begin + n - own;
        const auto held = phits_held(d, r, r.fed + low + j, cycle);
        if (best < 0 || held < least) least = held, best = j;
    }
    return low + best;
}

// Create a packet and hand it to the injector that holds fewest phits.
//
// Injector buffer and injection FIFO are one queue here: the buffer is emptied into the FIFO at once. A packet is
// created before that, so a tail that has just left has made room only for the next cycle.
template <class D>
Creation emit(D& d, std::int32_t node, std::int32_t target, std::uint32_t label, Cycle cycle) {
    using W = typename D::Wiring;
    const auto& plan = d.plan;
    const auto router = static_cast<std::uint32_t>(node);
    auto& r = d.router(router);
    const int room = plan.fifo_depth() + plan.buffer_depth();
    int own = plan.injectors_of_node(), j = 0;
    if constexpr (!W::usual) {
        if constexpr (W::is_table) {
            own /= static_cast<int>(plan.classes);
            j = class_of(d, label) * own;
        }
        const int low = j;
        if (plan.ordered) {
            j += below(d.chance.draw(Purpose::injector_of_flow, node, target, 0), own);
            own = 1;
        } else if (own > 1) {
            j = emptiest_injector(d, node, r, low, own, cycle);
        }
    }
    const int i = r.fed + j;
    auto& fifo = r.fifo[i];
    const bool just_left = d.emptied[static_cast<std::size_t>(node) * plan.injectors_of_node() + j] == cycle;
    if (fifo.count + just_left >= room) {
        if (just_left) return Creation::next_cycle;
        if constexpr (W::is_table) {
            // A packet that leaves for a slow link makes room only when its last phit has gone. So an injector without room
            // may hold as few phits as one with room and win the tie; the next cycle draws again.
            if (own > 1) {
                const int low = j / own * own;
                for (int other = low; other < low + own; ++other)
                    if (r.fifo[r.fed + other].count < room) return Creation::next_cycle;
            }
        }
        return Creation::full;
    }
    if constexpr (W::is_table) {
        bool cut_off = false;
        const Creation held = held_back(d, node, target, cycle, cut_off);
        if (held != Creation::done || cut_off) return held;
    }
    const int at = fifo.head + fifo.count < room ? fifo.head + fifo.count : fifo.head + fifo.count - room;
    auto& packet = packet_at(d, router, r, i, at);
    packet = {};
    packet.route = route_of(d.net.wiring, d, node, target, cycle);
    packet.birth = cycle;
    packet.label = label;
    ++fifo.count;
    ++d.created;
    add_shared(d, d.keys[label >> 2].flying, std::int64_t{1});
    const Name name = d.name_of(router, i);
    if constexpr (W::is_table) {
        if (plan.injected > 0) {
            d.desk.headers.add(cycle + plan.injected, name);
            return Creation::done;
        }
    }
    fifo.see();
    d.becomes_head_if(name, fifo.seen() == 1);
    return Creation::done;
}

// Try to create a packet; if there is no room, let the node try again later.
template <class D>
bool handed_over(D& d, std::int32_t node, std::int32_t target, std::uint32_t label, Cycle cycle) {
    const Creation outcome = emit(d, node, target, label, cycle);
    d.nodes[node].blocked = outcome != Creation::done;
    if (outcome == Creation::done) d.quiet = cycle + 1;
    if (outcome == Creation::next_cycle) d.act_next(node);
    return outcome == Creation::done;
}

// Whether no injector has room for another packet of a message.
template <class D>
bool injectors_are_full(const D& d, std::int32_t node, std::uint32_t label) {
    const auto& r = d.router(static_cast<std::uint32_t>(node));
    int own = d.plan.injectors_of_node(), i = r.fed;
    if constexpr (D::Wiring::is_table) {
        own /= static_cast<int>(d.plan.classes);
        i += class_of(d, label) * own;
    }
    for (const int end = i + own; i < end; ++i)
        if (r.fifo[i].count < d.plan.fifo_depth() + d.plan.buffer_depth()) return false;
    return true;
}

// A tail has left an injection FIFO: let a task act next cycle that waits for it.
template <class D>
void injector_emptied(D& d, std::uint32_t router, const typename D::Router& r, int i, Cycle cycle) {
    const auto node = static_cast<std::int32_t>(router);
    d.emptied[static_cast<std::size_t>(node) * d.plan.injectors_of_node() + (i - r.fed)] = cycle;
    if (d.nodes[node].blocked) d.act_next(node);
}

}  // namespace netplace
