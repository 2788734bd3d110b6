// FIFOs of a router (model: "Objects"): where packets stand in them, who feeds and who is fed, their phits.
#pragma once

#include "network.hpp"
#include "routers.hpp"

namespace netplace {

// Capacity of an input in packets; an injection FIFO includes the injector's buffer.
template <class D>
int depth(const D& d, const typename D::Router& r, int i) {
    const int queue = d.plan.fifo_depth();
    return queue + d.plan.buffer_depth() * (i >= r.fed);
}

// The packet at a place of an input.
template <class D>
auto& packet_at(D& d, std::uint32_t router, const typename D::Router& r, int i, int at) {
    const auto& plan = d.plan;
    std::size_t place = static_cast<std::size_t>(i) * plan.fifo_depth() + at;
    if constexpr (D::Wiring::by_arithmetic) {
        place += static_cast<std::size_t>(router) * D::Wiring::slots;
    } else {
        place += r.place;
        if (plan.injectors_of_node() > 1 && i > r.fed) place += static_cast<std::size_t>(i - r.fed) * plan.buffer_depth();
    }
    return d.packets[place];
}

template <class D>
auto& head_of(D& d, std::uint32_t router, const typename D::Router& r, int i) {
    return packet_at(d, router, r, i, r.fifo[i].head);
}

// The FIFO that an output feeds.
template <class D>
Name beyond(const D& d, const typename D::Router& r, int output) {
    return r.link[d.port_of(output)].beyond + static_cast<Name>(d.vc_of(output));
}

// The output that feeds an input. On a mesh or torus the input is named by the direction in which its packets
// travel, so its feeder has the same number and is the neighbour against that direction.
template <class D>
Name feeder(const D& d, const typename D::Router& r, int i) {
    if constexpr (D::Wiring::by_arithmetic) {
        const Name across = r.link[d.port_of(i) ^ 1].beyond;
        return across >> D::Wiring::name_bits << D::Wiring::name_bits | static_cast<Name>(i);
    } else if constexpr (D::Wiring::usual) {
        return beyond(d, r, i);
    } else {
        return r.feed[d.port_of(i)].output + static_cast<Name>(d.vc_of(i));
    }
}

// The place for the next packet into the FIFO that an output feeds: the output counts them.
template <class D>
auto& packet_beyond(D& d, const typename D::Router& r, int output) {
    const int queue = d.plan.fifo_depth();
    const int place = r.output[output].place;
    if constexpr (D::Wiring::by_arithmetic) {
        const Name to = beyond(d, r, output);
        return d.packets[static_cast<std::size_t>(d.router_of(to)) * D::Wiring::slots + d.input_of(to) * queue + place];
    } else if constexpr (D::Wiring::usual) {
        return d.packets[r.slot[d.port_of(output)] + d.vc_of(output) * queue + place];
    } else {
        return d.packets[r.link[d.port_of(output)].slot + static_cast<std::size_t>(d.vc_of(output)) * queue + place];
    }
}

// The phits in an input FIFO at the start of `cycle`, where times are kept: what has not arrived of a packet being
// received is not there, what has left of the head neither.
template <class D>
int phits_in(const D& d, const typename D::Router& r, int i, Cycle cycle) {
    const int phits = d.plan.packet_phits();
    const int count = i < r.fed ? r.fifo[i].count : std::min<int>(r.fifo[i].count, d.plan.fifo_depth());
    int present = count * phits;
    const Cycle arrived = cycle - r.times[i].came, gone = cycle - r.times[i].left;
    if (0 < arrived && arrived < phits) present -= phits - static_cast<int>(arrived);
    if (0 < gone && gone < phits) present -= static_cast<int>(gone);
    return present;
}

// --- phits in the FIFO beyond an output, kept where requests compare them ---------------------------------
//
// They grow and shrink by one a cycle between events, so a load and a slope give them at any cycle.

template <class R>
int phits_beyond(const R& r, int output, Cycle cycle) {
    using Word = std::make_unsigned_t<std::remove_cvref_t<decltype(r.load[0])>>;
    return static_cast<Word>(r.load[output] + static_cast<std::int64_t>(r.slope[output]) * cycle);
}

// Let the FIFO beyond gain so many phits a cycle more, or less, from `cycle` on.
template <class R>
void tilt(R& r, int output, int more, Cycle cycle) {
    using Word = std::remove_cvref_t<decltype(r.load[0])>;
    r.slope[output] = static_cast<std::remove_cvref_t<decltype(r.slope[0])>>(r.slope[output] + more);
    r.load[output] = static_cast<Word>(r.load[output] - more * cycle);
}

template <class D>
void tilt_output(D& d, Name name, int more, Cycle cycle) {
    if constexpr (requires(typename D::Router r) { r.load[0]; }) {
        const std::uint32_t router = d.router_of(name);
        if (told_owner(d, router, more < 0 ? News::emptying : News::emptied, name)) return;
        tilt(d.router(router), d.input_of(name), more, cycle);
    }
}

}  // namespace netplace
