// Routing tables: distances, the ports of shortest ways, the lengths of ways, and the channels that wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace netplace::topologies {

// The links of switches: `neighbor`, (switches, ports), is the switch at the other end of each port, or -1.
struct Links {
    std::int64_t switches, ports;
    std::span<const std::int64_t> neighbor;

    std::int64_t end(std::int64_t at, std::int64_t port) const { return neighbor[at * ports + port]; }
};

// The ports, (switches, switches, width), by which packets at a switch can continue to a target, padded with -1.
struct Table {
    std::int64_t switches, width;
    std::span<const std::int16_t> ports;

    std::span<const std::int16_t> entry(std::int64_t at, std::int64_t target) const {
        return ports.subspan((at * switches + target) * width, width);
    }
};

// Writes the least sum of weights from each switch to each other to `cost`, (switches, switches); `none` if there is no
// way. Weights are at least 1; all are 1 if there are none.
template <class T>
void least_costs(const Links& links, std::span<const std::int64_t> weight, T none, std::span<T> cost);

// Returns the ports of each switch that lead closer to each other, and their largest number.
template <class T>
std::vector<std::int16_t> closer_ports(const Links& links, std::span<const std::int64_t> weight, std::span<const T> cost,
                                       std::int64_t& width);

// Writes, for each pair of switches, the most links of all ways along a table (-1 if one leads nowhere), the highest
// level on a link, and the level behind the last link.
void follow(const Links& links, const Table& table, std::span<const std::int64_t> step, std::span<std::int32_t> hops,
            std::span<std::int32_t> used, std::span<std::int32_t> arrival);

// A routing whose packets may go through an intermediate switch; see `Routes` and `Ways` in Python.
struct Routing {
    Links links;
    Table table;
    std::span<const std::int64_t> step, kind;  // of links: increase of the level, and class
    std::int64_t levels;
    bool anew;  // levels begin again in each phase and class
    std::span<const std::int64_t> ends;  // switches with nodes
};

struct Detours {
    std::int64_t width;
    std::span<const std::int32_t> via;    // intermediate switches, (1 or switches, width)
    std::span<const std::int64_t> place;  // of each switch among them, or -1
    std::span<const std::int64_t> group;  // of each switch, or empty
    bool valiant, par;
};

struct Waits {
    std::vector<std::int64_t> used;   // channels, in order
    std::vector<std::int64_t> waits;  // pairs of channels x, y as x * channels + y, in order
    bool circular = false;
    std::array<std::int64_t, 2> missing = {-1, -1};  // a switch, and one to which it has no way
};

// Follows packets directly from `sources` where `leads`, (switches, switches), is a port.
Waits follow_table(const Routing& routing, std::span<const std::int64_t> sources, std::span<const std::int16_t> leads);

Waits follow_detours(const Routing& routing, const Detours& detours);

}  // namespace netplace::topologies
