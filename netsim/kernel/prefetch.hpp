// Memory that events will soon need, asked for in advance where the network does not fit into the cache.
//
// Asking must not itself wait: the place of a packet, and the router that feeds a FIFO, are known from a router's record
// only, which is asked for some events earlier. All are always inlined: GCC takes a function that only asks for memory
// to have no effect, and leaves its calls out.
#pragma once

#include "fifos.hpp"
#include "table_requests.hpp"

namespace netplace {

// What an event at a FIFO will soon read: the lines of its router's record.
template <class D>
[[gnu::always_inline]] inline void fetch_fifo(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    fetch(&r);
    fetch(reinterpret_cast<const char*>(&r) + 64);
}

// Tables: what lies behind the router's record, once that is there.
template <class D>
[[gnu::always_inline]] inline void fetch_parts(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    const int i = d.input_of(name);
    fetch(&r.fifo[i]);
    if (i < r.fed) fetch(&r.feed[d.port_of(i)]);
}

// Tables: the injectors of a node that will soon act, once its router's record is there.
template <class D>
[[gnu::always_inline]] inline void fetch_injectors(D& d, std::uint32_t router) {
    const auto& r = d.router(router);
    fetch(&r.fifo[r.fed]);
    if (r.timed <= r.fed) fetch(&r.times[r.fed]);
}

// Tables: the packet at the head of a FIFO, once the FIFO is there.
template <class D>
[[gnu::always_inline]] inline void fetch_head(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    const auto& r = d.router(router);
    const int i = d.input_of(name);
    fetch(&head_of(d, router, r, i));
    fetch(&r.may[i]);
}

// Tables: the entry by which the packet at the head of a FIFO goes on, once the packet is there.
template <class D>
[[gnu::always_inline]] inline void fetch_entry(D& d, Name name) {
    const std::uint32_t router = d.router_of(name), first = static_cast<std::uint32_t>(d.plan.first_switch);
    const auto& packet = head_of(d, router, d.router(router), d.input_of(name));
    if (router < first || packet.route == nobody) return;
    const auto& table = d.net.wiring;
    const std::int32_t home = table.home[packet.route];
    if (home >= 0) fetch(table.entry(d.plan, router - first, home));
}

// Tables: what a packet that becomes head needs to find its way, from the router's record to the entry.
template <class D>
[[gnu::always_inline]] inline void fetch_way(D& d, const Name* names, std::size_t n, std::size_t count) {
    const auto ahead = static_cast<std::size_t>(d.ahead);
    fetch_fifo(d, names[std::min(n + 4 * ahead, count - 1)]);
    fetch_parts(d, names[std::min(n + 3 * ahead, count - 1)]);
    fetch_head(d, names[std::min(n + 2 * ahead, count - 1)]);
    fetch_entry(d, names[std::min(n + ahead, count - 1)]);
}

// Tables: what tells the router before that an input has room.
template <class D>
[[gnu::always_inline]] inline void fetch_known(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    const int i = d.input_of(name);
    if (i >= r.fed) return;
    const Name before = feeder(d, r, i);
    fetch(&d.router(d.router_of(before)).output[d.input_of(before)]);
}

// Tables: where the packet that will soon begin to cross a link stands, and where it goes.
template <class D>
[[gnu::always_inline]] inline void fetch_crossing(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    const int output = d.input_of(name);
    const auto& r = d.router(router);
    fetch(&head_of(d, router, r, r.output[output].holder()));
    fetch(&packet_beyond(d, r, output));
}

// The router that feeds a FIFO, or the node that does, the FIFO's own router being there.
template <class D>
[[gnu::always_inline]] inline void fetch_feeder(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    const int i = d.input_of(name);
    const auto& r = d.router(router);
    if (i < r.fed) {
        fetch(&d.router(d.router_of(feeder(d, r, i))));
    } else {
        fetch(&d.nodes[router]);
        fetch(&d.emptied[router]);
    }
}

// Tables: what the heads of a router that will soon decide may ask for, once its record is there.
template <class D>
[[gnu::always_inline]] inline void fetch_may(D& d, std::uint32_t router) {
    constexpr int of_a_line = 64 / static_cast<int>(sizeof(typename D::S));
    const auto& r = d.router(router);
    if constexpr (of_a_line > 1) {
        for (int i = 0; i < r.fed; i += of_a_line) fetch(&r.may[i]);
    }
}

// The record of a router that will soon decide.
template <class D>
[[gnu::always_inline]] inline void fetch_router(D& d, std::uint32_t router) {
    const auto& r = d.router(router);
    for (std::size_t line = 0; line < sizeof r; line += 64) fetch(reinterpret_cast<const char*>(&r) + line);
}

}  // namespace netplace
