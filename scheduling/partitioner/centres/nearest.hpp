// The k free nodes nearest to a centre, and the centre around which they lie closest together.
//
// Ties, which the papers leave open, go to the least node number everywhere.
#pragma once

#include "scheduling/partitioner/centres/axes.hpp"

namespace netplace::scheduling {

struct Centre {
    std::int64_t node = -1, cost = kMost;
    std::vector<std::int64_t> nodes;  // those around it
};

// The first centre whose `size` nearest free nodes have the least sum of distances over pairs.
Centre best_centre(const Axes& axes, Nodes free, Nodes centres, std::int64_t size);

struct Swap {
    std::int64_t leaving, entering, change;
};

// The indices of the swap of a chosen for another node of least change, and that change; ties to the least nodes.
// `near` and `far` hold the sum of distances of each chosen and each other node to the chosen ones; no two nodes are
// more than `most` hops apart, so few pairs can be as good as the most promising one.
Swap least_swap(const Axes& axes, Nodes chosen, Nodes others, Nodes near, Nodes far, std::int64_t most);

// Swaps chosen nodes for others, both sorted and changed in place, while that lessens the sum over pairs, each time by
// the swap of least change; returns by how much it is less.
std::int64_t improve(const Axes& axes, Room chosen, Room others);

}  // namespace netplace::scheduling
