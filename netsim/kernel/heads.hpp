// Heads (model: "A cycle"): what happens when a packet becomes the head of an input.
#pragma once

#include "room.hpp"

namespace netplace {

// Make the head of an input leave over a number of cycles, its header in `cycle`.
template <class D>
void head_leaves(D& d, std::uint32_t router, typename D::Router& r, int i, int takes, Cycle cycle) {
    if constexpr (D::Wiring::counts_phits) r.leaving.insert(i);
    if constexpr (!D::Wiring::usual) {
        if (i >= r.timed) {
            r.times[i].left = cycle;
            r.times[i].takes = takes;
        }
    }
    if constexpr (requires { r.load[0]; }) {
        if (d.net.wiring.compares_loads(d.plan) && i < r.fed) tilt_output(d, feeder(d, r, i), -1, cycle);
    }
    d.desk.tails.add(cycle + takes, d.name_of(router, i));
}

// Let the node consume the head of an input from this cycle on.
template <class D>
void leave_home(D& d, std::uint32_t router, typename D::Router& r, int i, Cycle cycle) {
    r.fifo[i].output = r.fifo[i].home;
    head_leaves(d, router, r, i, d.plan.packet_phits(), cycle);
}

// Make the packet at the head of an input known to its router; it may request in `cycle`.
template <class D>
void expose(D& d, Name name, Cycle cycle) {
    using W = typename D::Wiring;
    const std::uint32_t router = d.router_of(name);
    const int i = d.input_of(name);
    auto& r = d.router(router);
    auto& packet = head_of(d, router, r, i);
    if constexpr (!W::usual) {
        if (i >= r.timed) r.times[i].since = cycle;
    }
    if constexpr (W::is_table) {
        if (packet.route == nobody) {
            r.fifo[i].output = Fifo::nowhere;
            head_leaves(d, router, r, i, d.plan.packet_phits(), cycle);
            return;
        }
    }
    if (is_there(d.net.wiring, d, router, packet)) {
        if (!d.plan.consumes_one()) {
            leave_home(d, router, r, i, cycle);
            return;
        }
        if constexpr (!W::usual) r.homing.insert(i);
        if constexpr (D::explains) d.desk.charges.waited -= cycle;
        d.look_now(router);
        return;
    }
    if constexpr (D::explains) d.desk.charges.waited -= cycle;
    if constexpr (!W::is_table && !W::is_tree) {
        if (d.net.wiring.remembers(d.plan)) catch_up(d, router, r, cycle);
    }
    r.wait.insert(i);
    note_head(d.net.wiring, d, router, r, i, packet);
    if constexpr (W::is_table) {
        d.look_now_if(router, D::explains || (r.may[i] & r.free & r.room).any());
    } else {
        d.look_now(router);
    }
}

}  // namespace netplace
