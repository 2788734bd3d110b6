// How many free nodes lie within r hops of every node of a grid.
//
// The counts of all radii in one more dimension are sums along two cones, above and below, each of which follows from
// its neighbour's: up(x, r) = slice(x, r) + up(x + 1, r - 1). So every count costs a few additions, whatever the radius.
#include "netplace/wide.hpp"
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

using Count = std::int32_t;

// Fills in `cone`, the counts of a slice and of the cone before that begins `step` on, for places `first` to `end` - 1.
NETPLACE_WIDE void extend(const Count* slice, const Count* before, std::int64_t first, std::int64_t end,
                          std::int64_t step, Count* __restrict cone) {
    for (auto at = first; at < end; ++at) cone[at] = slice[at] + before[at + step];
}

// Takes off counts that lie `far` places on round a ring.
void take_off(const Count* slice, Count* cone, std::int64_t first, std::int64_t size, std::int64_t stride,
              std::int64_t far) {
    for (std::int64_t x = 0; x < size; ++x) {
        const auto at = first + x * stride, there = first + (x + far) % size * stride;
        for (std::int64_t i = 0; i < stride; ++i) cone[at + i] -= slice[there + i];
    }
}

}  // namespace

std::vector<std::int32_t> cones(std::span<const Count> table, std::int64_t radii, std::int64_t stride,
                                std::int64_t size, bool ring) {
    const auto nodes = static_cast<std::int64_t>(table.size()) / radii;
    const auto reach_up = ring ? size / 2 : size - 1, reach_down = ring ? (size - 1) / 2 : size - 1;
    std::vector<Count> both(table.begin(), table.end());
    std::vector<Count> up(table.begin(), table.begin() + nodes), down(up), new_up(nodes), new_down(nodes);
    for (std::int64_t r = 1; r < radii; ++r) {
        const auto* slice = table.data() + r * nodes;
        for (std::int64_t first = 0; first < nodes; first += stride * size) {
            const auto end = first + stride * size;
            extend(slice, up.data(), first, end - stride, stride, new_up.data());
            extend(slice, down.data(), first + stride, end, -stride, new_down.data());
            for (std::int64_t at = 0; at < stride; ++at) {
                const auto last = end - stride + at;
                new_up[last] = slice[last] + (ring ? up[first + at] : 0);
                new_down[first + at] = slice[first + at] + (ring ? down[last] : 0);
            }
            // On a ring a cone ends where it has gone half round.
            if (ring && r > reach_up) {
                take_off(table.data() + (r - 1 - reach_up) * nodes, new_up.data(), first, size, stride, 1 + reach_up);
            }
            if (ring && r > reach_down) {
                take_off(table.data() + (r - 1 - reach_down) * nodes, new_down.data(), first, size, stride,
                         size - 1 - reach_down);
            }
        }
        auto* sums = both.data() + r * nodes;
        for (std::int64_t at = 0; at < nodes; ++at) sums[at] = new_up[at] + new_down[at] - slice[at];
        up.swap(new_up);
        down.swap(new_down);
    }
    return both;
}

}  // namespace netplace::scheduling
