// Links (model: "Arbitration and links"): which granted packet they serve next, and how it crosses.
#pragma once

#include "heads.hpp"

namespace netplace {

// Let a link serve an output; its packet starts after all decisions.
template <class D>
void serve(D& d, std::uint32_t router, typename D::Router& r, int port, int output) {
    const int vcs = d.plan.channels();
    r.held.erase(output);
    r.idle -= D::S::range(port * vcs, vcs);
    d.desk.starting.push_back(d.name_of(router, output));
    if constexpr (D::Wiring::is_table) {
        if (d.ahead) fetch(&r.link[port]);
    } else if (d.ahead) {  // a packet will soon move between these places
        fetch(&head_of(d, router, r, r.output[output].holder()));
        fetch(&packet_beyond(d, r, output));
    }
}

// Let each idle link serve the first VC at or after its pointer that holds a grant.
template <class D>
void serve_links(D& d, std::uint32_t router, typename D::Router& r) {
    const int vcs = d.plan.channels();
    auto ready = r.held & r.idle;
    while (ready.any()) {
        const int port = d.port_of(ready.lowest()), low = port * vcs;
        const auto candidates = ready & D::S::range(low, vcs);
        ready -= candidates;
        int output = 0;
        if constexpr (D::Wiring::is_table) {  // the link's record is in another cache line: avoid reading it
            output = d.ahead && candidates.single() ? candidates.lowest() : candidates.next_from(low + r.link[port].turn);
        } else {
            output = candidates.next_from(low + r.link[port].turn);
        }
        const int after = output - low + 1;
        r.link[port].turn = static_cast<decltype(r.link[port].turn)>(after == vcs ? 0 : after);
        serve(d, router, r, port, output);
    }
}

// --- through a crossbar, or by classes (model: "Fabrics") --------------------------------------------------------

// The first VC of a class from number `begin` in it on that holds a grant and whose packet may leave its input port;
// -1: there is none.
template <class D>
int next_of_class(const D& d, const typename D::Router& r, int port, int begin, int number) {
    const auto& plan = d.plan;
    const int own = d.net.wiring.own_vcs(plan);
    for (int n = 0; n < own; ++n) {
        const int vc = number * own + (begin + n < own ? begin + n : begin + n - own);
        const int output = port * static_cast<int>(plan.vcs) + vc;
        if (!r.held.has(output)) continue;
        if (plan.crossbar == 0 || r.leaving_by[way_in(d, r, r.output[output].holder())] < plan.crossbar) return vc;
    }
    return -1;
}

// The VC that a link serves next, by priority of classes or by their schedule; -1: there is none.
template <class D>
int next_by_class(const D& d, typename D::Router& r, int port) {
    const auto& plan = d.plan;
    const auto& schedule = d.net.wiring.schedule;
    const int own = d.net.wiring.own_vcs(plan), turns = static_cast<int>(schedule.size());
    const int count = turns > 0 ? turns : static_cast<int>(plan.classes);
    const int begin = turns > 0 ? r.link[port].turn : 0;
    for (int n = 0; n < count; ++n) {
        const int turn = begin + n < count ? begin + n : begin + n - count;
        const int number = turns > 0 ? schedule[turn] : turn;
        std::uint16_t& pointer = r.class_turn[port * plan.classes + number];
        const int vc = next_of_class(d, r, port, pointer, number);
        if (vc < 0) continue;
        const int after = vc - number * own + 1;
        pointer = static_cast<std::uint16_t>(after == own ? 0 : after);
        if (turns > 0) r.link[port].turn = static_cast<std::uint16_t>(turn + 1 == count ? 0 : turn + 1);
        return vc;
    }
    return -1;
}

// Let each idle link serve the next VC whose packet may leave its input port, from a port drawn on.
template <class D>
[[gnu::noinline]] void serve_through_crossbar(D& d, std::uint32_t router, typename D::Router& r, Cycle cycle) {
    const auto& plan = d.plan;
    const int vcs = static_cast<int>(plan.vcs), ports = r.fed / vcs;
    if (r.held.none()) return;
    int port = below(d.chance.draw(Purpose::crossbar, router, 0, cycle), ports);
    for (int n = 0; n < ports; ++n, port = port + 1 == ports ? 0 : port + 1) {
        if (!r.idle.has(port * vcs)) continue;
        int vc = -1;
        if (plan.classes > 1) {
            vc = next_by_class(d, r, port);
        } else {
            vc = next_of_class(d, r, port, r.link[port].turn, 0);
            if (vc >= 0) r.link[port].turn = static_cast<std::uint16_t>(vc + 1 == vcs ? 0 : vc + 1);
        }
        if (vc < 0) continue;
        const int output = port * vcs + vc;
        ++r.leaving_by[way_in(d, r, r.output[output].holder())];
        serve(d, router, r, port, output);
    }
}

// --- the way across ----------------------------------------------------------------------------------------------

// Send a header into a FIFO in `cycle`, from a router over a link with this delay.
template <class D>
void approach(D& d, Name to, const typename D::Router& r, std::uint32_t far, Cycle cycle) {
    if (told_owner(d, d.router_of(to), News::header, to)) return;
    d.desk.entering.push_back(to);
    if constexpr (!D::Wiring::usual) {
        if (far > 1) d.desk.headers.add(cycle + far, to);
        if constexpr (D::Wiring::counts_phits) {
            if (r.timed == 0) d.router(d.router_of(to)).times[d.input_of(to)].came = cycle;
        }
    }
}

// Let the packet that holds an output begin to cross its link.
template <class D>
void start(D& d, Name name, Cycle cycle) {
    using W = typename D::Wiring;
    const std::uint32_t router = d.router_of(name);
    const int output = d.input_of(name), port = d.port_of(output);
    auto& r = d.router(router);
    auto& out = r.output[output];
    auto& link = r.link[port];
    const int i = out.holder();
    if constexpr (D::explains) {
        Cycle takes = d.plan.packet_phits();
        if constexpr (!W::usual) takes = link.lasts;
        end_wait(d, router, r, i, output, takes, cycle);
    }
    if (++link.crossed == 0) ++d.net.carries[router * static_cast<std::size_t>(d.plan.ports) + port];
    const Name to = beyond(d, r, output);
    auto& packet = head_of(d, router, r, i);
    auto& there = packet_beyond(d, r, output);
    there = packet;
    go_on(d.net.wiring, d, router, r, output, there);
    out.fill(d.plan.fifo_depth());
    if constexpr (W::usual) {
        approach(d, to, r, 1, cycle);
        head_leaves(d, router, r, i, d.plan.packet_phits(), cycle);
    } else {
        approach(d, to, r, link.far, cycle);
        if constexpr (!W::counts_phits) {
            const int known = out.known++;
            if constexpr (requires { r.emptier; }) {
                r.fill(output, known);
            } else if (known == d.plan.fifo_depth() - 1) {
                r.room.erase(output);
            }
            if (d.plan.marks > 0) {
                auto& marked = d.net.wiring.marked;
                marked[&there - d.packets] = marked[&packet - d.packets];
            }
        }
        head_leaves(d, router, r, i, static_cast<int>(link.lasts), cycle);
    }
    if constexpr (requires { r.load[0]; }) {
        if (d.net.wiring.compares_loads(d.plan)) tilt(r, output, 1, cycle);
    }
}

}  // namespace netplace
