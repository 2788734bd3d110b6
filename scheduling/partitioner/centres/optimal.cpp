// The free nodes of least sum over pairs, exactly, by branch and bound; for small machines.
#include <algorithm>

#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

// What the sum will be at least when `rest` nodes from `first` on are added. Each brings its distances to the chosen
// ones, and half of those to the other new ones, which are no less than its `rest` - 1 least distances to free nodes.
// Counted twice to stay whole.
std::int64_t bound(const std::int64_t* sums, Nodes near, std::int64_t free, std::int64_t first, std::int64_t rest,
                   Room bounds) {
    const auto count = free - first;
    for (std::int64_t i = 0; i < count; ++i) bounds[i] = 2 * sums[first + i] + near[(first + i) * free + rest - 1];
    std::nth_element(bounds.begin(), bounds.begin() + (rest - 1), bounds.begin() + count);
    std::int64_t least = 0;
    for (std::int64_t i = 0; i < rest; ++i) least += bounds[i];
    return (least + 1) / 2;
}

}  // namespace

// Nodes are taken in increasing order, so the first subset found of a sum is the first of that sum.
Subset best_subset(Nodes distance, Nodes near, std::int64_t size, std::int64_t known, std::int64_t most) {
    std::int64_t free = 0;
    while (free * free < static_cast<std::int64_t>(distance.size())) ++free;
    Subset best{std::vector<std::int64_t>(size), known + 1, 0};
    std::vector<std::int64_t> chosen(size), costs(size + 1), bounds(free);
    std::vector<std::int64_t> sums((size + 1) * free);  // to the nodes chosen so far, by depth
    std::int64_t depth = 0, node = 0;
    while (depth >= 0 && best.steps < most) {
        ++best.steps;
        const auto rest = size - depth;
        const auto* here = sums.data() + depth * free;
        if (rest == 0 || free - node < rest || costs[depth] + bound(here, near, free, node, rest, bounds) >= best.cost) {
            if (rest == 0 && costs[depth] < best.cost) {
                best.cost = costs[depth];
                best.nodes = chosen;
            }
            if (--depth >= 0) node = chosen[depth] + 1;
            continue;
        }
        chosen[depth] = node;
        costs[depth + 1] = costs[depth] + here[node];
        auto* next = sums.data() + (depth + 1) * free;
        for (std::int64_t other = 0; other < free; ++other) next[other] = here[other] + distance[node * free + other];
        ++depth;
        ++node;
    }
    return best;
}

}  // namespace netplace::scheduling
