// Whether the nodes of a job lie side by side; what that means on each kind of machine, scheduling/contiguity.py says.
#pragma once

#include <cstdint>
#include <span>

namespace netplace::scheduling {

using Nodes = std::span<const std::int64_t>;  // of one job, each once

// On a grid: whether they fill a box. `rings` tells which dimensions close.
bool fill_box(Nodes nodes, std::span<const std::int64_t> sizes, std::span<const bool> rings);

// On a tree: `subtree` and `part` have a row of `machine` nodes for each level, from the lowest on: the subtree of a
// node, and how many nodes the largest part of it has.
bool fit_subtree(Nodes nodes, std::int64_t machine, std::span<const std::int64_t> subtree,
                 std::span<const std::int64_t> part);

// On any network: whether links connect the routers `home` of the nodes, among themselves or by way of a neighbor from
// `first` on: nodes that are routers. `neighbor` has a row of `ports` for each router, -1: no link.
bool are_connected(Nodes nodes, std::span<const std::int64_t> home, std::span<const std::int32_t> neighbor,
                   std::int64_t ports, std::int64_t first);

}  // namespace netplace::scheduling
