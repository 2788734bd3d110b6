// Memory that events will soon need, asked for in advance where the network does not fit into the cache.
//
// Asking must not itself wait: the place of a packet, and the router that feeds a FIFO, are known from a router's record
// only, which is asked for some events earlier.
#pragma once

#include "fifos.hpp"

namespace netplace {

// What an event at a FIFO will soon read: the lines of its router's record.
template <class D>
void fetch_fifo(D& d, Name name) {
    const auto& r = d.router(d.router_of(name));
    fetch(&r);
    fetch(reinterpret_cast<const char*>(&r) + 64);
}

// The router that feeds a FIFO, or the node that does, the FIFO's own router being there.
template <class D>
void fetch_feeder(D& d, Name name) {
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

// The record of a router that will soon decide.
template <class D>
void fetch_router(D& d, std::uint32_t router) {
    const auto& r = d.router(router);
    for (std::size_t line = 0; line < sizeof r; line += 64) fetch(reinterpret_cast<const char*>(&r) + line);
}

}  // namespace netplace
