// The links between every two of some switches, as a routing in tables leads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::placement {

struct Table {
    std::span<const std::int16_t> ports;  // (switches, switches, choices): ports from each towards each; -1: none
    std::span<const std::int64_t> neighbor;  // (switches, ports): where each port leads, -1: nowhere
    std::span<const double> weight;          // (switches, ports)
    std::int64_t switches, wide, choices;
};

struct Walked {
    std::vector<std::int64_t> first, link;  // where those of each pair of homes begin; links by switch and port
    std::vector<double> share;
    bool leads = true;  // whether every way leads to its end
};

// Where the table names several ports each takes the same share. With `counted` links are not listed.
Walked walk(const Table& table, std::span<const std::int64_t> homes, bool counted);

}  // namespace netplace::placement
