// Bytes expected on each link of a mesh or torus, flow by flow: a flow loads the links of its box alone.
#pragma once

#include <cstdint>
#include <span>

namespace netplace::placement {

struct Grid {
    std::span<const std::int64_t> sides;
    bool wraps;
    std::span<const double> factorial;  // of 0 to the diameter
};

// Adds the load of each flow from the coordinates `starts` to `ends`, both (flows, dimensions), to `load`, (nodes,
// 2 * dimensions).
void add_grid_loads(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends,
                    std::span<const double> size, const Grid& grid, std::span<double> load);

}  // namespace netplace::placement
