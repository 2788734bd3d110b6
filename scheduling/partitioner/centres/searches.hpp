// The searches for centres, one in each file of this folder.
#pragma once

#include <utility>

#include "scheduling/partitioner/centres/axes.hpp"

namespace netplace::scheduling {

// nearest.cpp: the k free nodes nearest to a centre, and the centre around which they lie closest together. Ties, which
// the papers leave open, go to the least node number everywhere.
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

// on_tree.cpp: the first of the best centres, which are in increasing order; `size` is 2 or more. A tree is given by
// where each level begins among its subtrees, the nodes first, and how many of a level one of the next holds.
std::int64_t best_on_tree(Nodes first, std::int64_t down, Nodes free, Nodes centres, std::int64_t size);

struct Subset {
    std::vector<std::int64_t> nodes;
    std::int64_t cost, steps;
};

// optimal.cpp: the first subset of least sum over pairs in lexicographic order. `near` has row by row the sums of the
// 1, 2, .. least distances, `known` is a sum that can be had; the search gives up after `most` steps.
Subset best_subset(Nodes distance, Nodes near, std::int64_t size, std::int64_t known, std::int64_t most);

// shells.cpp: counts of free nodes below corners of a grid whose rings are unrolled, see _FreeBelow in mc.py.
struct Corners {
    std::span<const std::int32_t> counts;
    Nodes strides, shift, ends;
};

// How many free nodes lie below each corner; `here` has those at each point.
std::vector<std::int32_t> sum_below(Nodes here, Nodes sizes, Nodes shift, Nodes ends, Nodes strides);

// The first free node around which the sum of shell numbers of `size` nodes is least, and that sum. The box of shell
// 0 reaches `below` down and `above` up.
std::pair<std::int64_t, std::int64_t> best_box(const Axes& axes, const Corners& corners, Nodes free, Nodes below,
                                               Nodes above, std::int64_t size);

// reach.cpp, in numbers of 16 or 32 bits: the least radius within which each point has `size` free nodes, and how many
// it has nearer. `here` has the free nodes at every point of a lattice; only what is said of centres means something.
template <class Count>
struct Reach {
    std::vector<Count> radius, nearer;
};
template <class Count>
Reach<Count> reach_of(const Axes& lattice, std::span<const std::int32_t> here, Nodes centres, std::int64_t size);

// batched.cpp: the best point of a lattice, of at most `each` nodes at a point, for many centres side by side, in the
// order in which neighbours stay together; distances fit into 8 bits (`narrow`) or 16, numbers of nodes into 16 and
// sums over pairs in a dimension into 32 (`few`), or into twice as many.
std::int64_t best_of_batch(const Axes& lattice, std::int64_t each, Nodes order, std::span<const std::int32_t> here,
                           Nodes centres, std::int64_t size, bool narrow, bool few);

}  // namespace netplace::scheduling
