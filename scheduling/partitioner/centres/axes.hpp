// The dimensions of a network, as algorithms see it that look at distances: see Axes in space.py.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

namespace netplace::scheduling {

using Nodes = std::span<const std::int64_t>;
using Room = std::span<std::int64_t>;

enum class Kind : std::int64_t { line, ring, groups, table };

inline constexpr std::int64_t kMost = std::int64_t{1} << 62;

struct Axes {
    std::int64_t nodes = 0;
    std::vector<Kind> kinds;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> places;  // dimension by dimension, the place of each node
    std::vector<std::int32_t> table;   // hops between nodes at two places

    std::size_t dims() const { return sizes.size(); }
    const std::int64_t* along(std::size_t d) const { return places.data() + d * nodes; }
    std::int64_t place(std::size_t d, std::int64_t node) const { return places[d * nodes + node]; }
    std::int64_t tabulated(std::int64_t a, std::int64_t b) const { return table[a * sizes[0] + b]; }

    std::int64_t most_places() const {
        std::int64_t most = 0;
        for (const auto size : sizes) most = size > most ? size : most;
        return most;
    }

    // The distance of two nodes.
    std::int64_t hops(std::int64_t a, std::int64_t b) const {
        std::int64_t total = 0;
        for (std::size_t d = 0; d < dims(); ++d) {
            const auto gap = std::abs(place(d, a) - place(d, b));
            switch (kinds[d]) {
                case Kind::line: total += gap; break;
                case Kind::groups: total += gap > 0 ? 2 : 0; break;
                case Kind::table: total += a != b ? tabulated(place(d, a), place(d, b)) : 0; break;
                case Kind::ring: total += gap < sizes[d] - gap ? gap : sizes[d] - gap; break;
            }
        }
        return total;
    }

    // A number of hops that no two nodes are more apart.
    std::int64_t farthest() const {
        std::int64_t total = 0;
        for (std::size_t d = 0; d < dims(); ++d) {
            switch (kinds[d]) {
                case Kind::line: total += sizes[d] - 1; break;
                case Kind::groups: total += 2; break;
                case Kind::table: {
                    std::int32_t most = 0;
                    for (const auto hops : table) most = hops > most ? hops : most;
                    total += most;
                    break;
                }
                case Kind::ring: total += sizes[d] / 2; break;
            }
        }
        return total;
    }
};

}  // namespace netplace::scheduling
