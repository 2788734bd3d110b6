// Prefetching of memory that events will soon need, for networks that do not fit into the cache.
//
// A prefetch must not itself miss the cache: the place of a packet and the router that feeds a FIFO are known only from
// a router's record, which is prefetched some events earlier. All functions are always inlined, because GCC considers a
// function that only prefetches to have no effect and removes its calls.
#pragma once

#include "fifos.hpp"
#include "table_requests.hpp"

namespace netplace {

// For an event at a FIFO: the first lines of its router's record.
template <class D>
[[gnu::always_inline]] inline void fetch_fifo(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    fetch(&r);
    fetch(reinterpret_cast<const char*>(&r) + 64);
}

// Tables: the parts behind the router's record, which is in the cache by now.
template <class D>
[[gnu::always_inline]] inline void fetch_parts(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    const int i = d.input_of(name);
    fetch(&r.fifo[i]);
    if (i < r.fed) fetch(&r.feed[d.port_of(i)]);
}

// Tables: the injectors of a node that will soon act; its router's record is in the cache by now.
template <class D>
[[gnu::always_inline]] inline void fetch_injectors(D& d, std::uint32_t router) {
    const auto& r = d.router(router);
    fetch(&r.fifo[r.fed]);
    if (r.timed <= r.fed) fetch(&r.times[r.fed]);
}

// Tables: the packet at the head of a FIFO, which is in the cache by now.
template <class D>
[[gnu::always_inline]] inline void fetch_head(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    const auto& r = d.router(router);
    const int i = d.input_of(name);
    fetch(&head_of(d, router, r, i));
    fetch(&r.may[i]);
}

// Tables: the entry for the packet at the head of a FIFO; the packet is in the cache by now.
template <class D>
[[gnu::always_inline]] inline void fetch_entry(D& d, Name name) {
    const std::uint32_t router = d.router_of(name), first = static_cast<std::uint32_t>(d.plan.first_switch);
    const auto& packet = head_of(d, router, d.router(router), d.input_of(name));
    if (router < first || packet.route == nobody) return;
    const auto& table = d.net.wiring;
    const std::int32_t home = table.home[packet.route];
    if (home >= 0) fetch(table.entry(d.plan, router - first, home));
}

// Tables: everything from the router's record to the table entry of a packet that becomes head.
template <class D>
[[gnu::always_inline]] inline void fetch_way(D& d, const Name* names, std::size_t n, std::size_t count) {
    const auto ahead = static_cast<std::size_t>(d.ahead);
    fetch_fifo(d, names[std::min(n + 4 * ahead, count - 1)]);
    fetch_parts(d, names[std::min(n + 3 * ahead, count - 1)]);
    fetch_head(d, names[std::min(n + 2 * ahead, count - 1)]);
    fetch_entry(d, names[std::min(n + ahead, count - 1)]);
}

// Tables: the record upstream in which the room of an input is counted.
template <class D>
[[gnu::always_inline]] inline void fetch_known(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    const int i = d.input_of(name);
    if (i >= r.fed) return;
    const Name before = feeder(d, r, i);
    fetch(&d.router(d.router_of(before)).output[d.input_of(before)]);
}

// Tables: source and destination of a packet that will soon begin to cross a link.
template <class D>
[[gnu::always_inline]] inline void fetch_crossing(D& d, Name name) {
    const std::uint32_t router = d.router_of(name);
    const int output = d.input_of(name);
    const auto& r = d.router(router);
    fetch(&head_of(d, router, r, r.output[output].holder()));
    fetch(&packet_beyond(d, r, output));
}

// The router or node that feeds a FIFO; the FIFO's own router is in the cache by now.
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

// Tables: possible requests at a router that will soon decide; its record is in the cache by now.
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
