// Due events (model: "Objects", "The bubble"): packets that enter and leave FIFOs, and the room there.
//
// On grids and trees, room is counted in phits and known at once: the FIFO notifies its feeder. On networks of any
// wiring, the router upstream counts it in packets and learns of departures with a delay.
#pragma once

#include "fabric.hpp"
#include "grid.hpp"
#include "injection.hpp"
#include "messages.hpp"
#include "table_requests.hpp"
#include "waiting.hpp"

namespace netplace {

// --- room counted in phits ------------------------------------------------------------------------------

// Note that the FIFO beyond an output cannot take another packet.
template <class D>
void lose_room(D& d, Name name, Cycle cycle) {
    const std::uint32_t router = d.router_of(name);
    if (told_owner(d, router, News::no_room, name)) return;
    const int output = d.input_of(name);
    auto& r = d.router(router);
    if constexpr (!D::Wiring::is_tree) {
        if (d.net.wiring.remembers(d.plan) && d.vc_of(output) > 0 && waiting_for(d.net.wiring, d, r, output).any())
            catch_up(d, router, r, cycle);
    }
    r.room.erase(output);
}

// Note that the FIFO beyond an output can take a packet.
template <class D>
void gain_room(D& d, Name name, Cycle cycle) {
    const std::uint32_t router = d.router_of(name);
    if (told_owner(d, router, News::room, name)) return;
    const int output = d.input_of(name);
    auto& r = d.router(router);
    if (r.room.has(output)) return;
    if (waiting_for(d.net.wiring, d, r, output).any()) {
        if constexpr (!D::Wiring::is_tree) {
            if (d.net.wiring.remembers(d.plan) && d.vc_of(output) > 0) catch_up(d, router, r, cycle);
        }
        if (r.free.has(output)) d.look_now(router);
    }
    r.room.insert(output);
}

// A packet has begun to enter a FIFO, which holds so many now.
template <class D>
void take_room(D& d, typename D::Router& r, int i, int count, Cycle cycle) {
    const int queue = d.plan.fifo_depth();
    const int spare = D::Wiring::is_tree ? queue : queue - d.plan.ring_bubble();
    if (count <= spare && count < queue) return;
    // A head that began to leave no later than the packet began to arrive frees room as fast as it is taken.
    const bool leaving = r.leaving.has(i);
    if constexpr (!D::Wiring::is_tree) {
        if (count > spare && (!leaving || count > spare + 1)) r.bubble.erase(i);
    }
    if (count == queue && !leaving) lose_room(d, feeder(d, r, i), cycle);
}

// A packet has left a FIFO, in which a number of packets remain: notify its feeder, and its ring.
template <class D>
void give_room(D& d, std::uint32_t router, typename D::Router& r, int i, int count, Cycle cycle) {
    const int queue = d.plan.fifo_depth();
    if constexpr (!D::Wiring::is_tree) {
        if (count == queue - d.plan.ring_bubble()) {
            r.bubble.insert(i);
            if (r.free.has(i) && r.room.has(i) && waiting_for(d.net.wiring, d, r, i).any()) d.look_now(router);
        }
    }
    if (count == queue - 1) gain_room(d, feeder(d, r, i), cycle);
}

// --- room counted in packets ----------------------------------------------------------------------------

// Let an output know that a packet has left the FIFO downstream.
template <class D>
void room_is_known(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    if (told_owner(d, router, News::room, name)) return;
    const int output = d.input_of(name);
    auto& r = d.router(router);
    const int known = --r.output[output].known;
    if constexpr (requires { r.emptier; }) {
        r.drain(output, known);
    } else {
        r.room.insert(output);
    }
    d.look_now_if(router, (known == d.plan.fifo_depth() - 1) & r.free.has(output) & r.wanted.has(output));
}

// Note either, in the unit in which the network counts.
template <class D>
void room_again(D& d, Name name, Cycle cycle) {
    if constexpr (D::Wiring::counts_phits) {
        gain_room(d, name, cycle);
    } else {
        room_is_known(d, name);
    }
}

// --- headers and tails ------------------------------------------------------------------------------------

// Expose a header that has arrived in a FIFO.
template <class D>
void header_arrives(D& d, Name name) {
    auto& fifo = d.router(d.router_of(name)).fifo[d.input_of(name)];
    fifo.see();
    d.becomes_head_if(name, fifo.seen() == 1);
}

// Take room in a FIFO for which a header left in the cycle before.
template <class D>
[[gnu::always_inline]] inline void enter(D& d, Name name, Cycle cycle) {
    auto& r = d.router(d.router_of(name));
    const int i = d.input_of(name);
    auto& fifo = r.fifo[i];
    ++fifo.count;
    if constexpr (D::Wiring::usual) {
        d.becomes_head_if(name, fifo.count == 1);
    } else {
        if (r.feed[d.port_of(i)].far == 1) {
            fifo.see();
            d.becomes_head_if(name, fifo.seen() == 1);
        }
    }
    if constexpr (D::explains) {
        if (fifo.count == 1) note_front(d, d.router_of(name), r, i);
    }
    if constexpr (D::Wiring::counts_phits) take_room(d, r, i, fifo.count, cycle);
}

// Free an output and its link, which a tail has crossed, and wake the router if a head could use them.
template <class D>
[[gnu::always_inline]] inline void release(D& d, std::uint32_t router, typename D::Router& r, int output, Cycle cycle) {
    const int vcs = d.plan.channels(), port = d.port_of(output);
    const auto link = D::S::range(port * vcs, vcs);
    r.free.insert(output);
    r.idle |= link;
    if constexpr (requires { r.load[0]; }) {
        if (d.net.wiring.compares_loads(d.plan)) tilt(r, output, -1, cycle);
    }
    const bool wanted = r.room.has(output) & waiting_for(d.net.wiring, d, r, output).any();
    d.look_now_if(router, (r.held & link).any() | wanted);
}

// Free everything that the head of an input held, whose tail left in the cycle before; the next packet becomes head.
template <class D>
void tail_leaves(D& d, Name name, Cycle cycle) {
    using W = typename D::Wiring;
    const std::uint32_t router = d.router_of(name);
    const int i = d.input_of(name);
    auto& r = d.router(router);
    auto& fifo = r.fifo[i];
    if (fifo.output < fifo.nowhere) {
        if constexpr (W::is_table) leave_link(d, router, r, i, fifo.output, cycle);
        release(d, router, r, fifo.output, cycle);
    } else {
        auto& packet = head_of(d, router, r, i);
        if constexpr (W::is_table) {
            if (packet.route == nobody) {
                throw_away(d, packet);
            } else {
                tell_source(d, packet, router, static_cast<std::size_t>(&packet - d.packets), cycle);
                deliver(d, packet, cycle);
            }
        } else {
            deliver(d, packet, cycle);
        }
        if constexpr (!W::usual) {
            if (fifo.output == fifo.home && d.plan.consumes_one()) {
                r.consuming = false;
                if (d.plan.marks) r.freed[d.plan.ports] = cycle;
                d.look_now(router);
            }
        }
    }
    const bool transit = i < r.fed;
    if constexpr (requires { r.load[0]; }) {
        if (d.net.wiring.compares_loads(d.plan) && transit) tilt_output(d, feeder(d, r, i), 1, cycle);
    }
    if constexpr (W::counts_phits) r.leaving.erase(i);
    if constexpr (!W::usual) {
        if (i >= r.timed) r.times[i].left = -never;
    }
    fifo.drop(depth(d, r, i));
    if constexpr (D::explains) change_front(d, router, r, i, cycle);
    if (!transit) {
        injector_emptied(d, router, r, i, cycle);
    } else if constexpr (W::counts_phits) {
        give_room(d, router, r, i, fifo.count, cycle);
    } else if (const auto& feed = r.feed[d.port_of(i)]; feed.lag > 0) {
        d.desk.credits.add(cycle + feed.lag, name);
    } else {
        room_is_known(d, feeder(d, r, i));
    }
    d.becomes_head_if(name, fifo.seen() > 0);
}

}  // namespace netplace
