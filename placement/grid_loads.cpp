#include "placement/grid_loads.hpp"

#include <cstdlib>
#include <vector>

namespace netplace::placement {
namespace {

// A flow's box: its signed hops in each dimension, and how far from its start a place in it lies.
struct Box {
    std::vector<std::int64_t> hops, sign, at;
    std::int64_t total = 0;
};

// Adds `share` for each minimal route in the box; `at` is zero before and after.
void add_box(const std::int64_t* start, Box& box, double share, const Grid& grid, std::span<double> load) {
    const auto dims = grid.sides.size();
    const auto& factorial = grid.factorial;
    std::int64_t gone = 0;
    while (true) {
        std::int64_t node = 0, stride = 1;
        double routes = factorial[gone], onward = 1.0;
        for (std::size_t d = 0; d < dims; ++d) {
            const auto side = grid.sides[d];
            const auto place = (start[d] + box.sign[d] * box.at[d]) % side;
            node += (place < 0 ? place + side : place) * stride;
            stride *= side;
            routes /= factorial[box.at[d]];
            onward /= factorial[box.hops[d] - box.at[d]];
        }
        for (std::size_t d = 0; d < dims; ++d) {
            const auto left = box.hops[d] - box.at[d];
            if (left > 0) {
                const auto on = onward * static_cast<double>(left) * factorial[box.total - gone - 1];
                load[node * 2 * dims + 2 * d + (box.sign[d] > 0 ? 0 : 1)] += share * routes * on;
            }
        }
        std::size_t d = 0;
        while (d < dims && box.at[d] == box.hops[d]) {
            gone -= box.at[d];
            box.at[d] = 0;
            ++d;
        }
        if (d == dims) return;
        ++box.at[d];
        ++gone;
    }
}

}  // namespace

void add_grid_loads(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends,
                    std::span<const double> size, const Grid& grid, std::span<double> load) {
    const auto dims = grid.sides.size();
    Box box{std::vector<std::int64_t>(dims), std::vector<std::int64_t>(dims), std::vector<std::int64_t>(dims)};
    std::vector<std::size_t> ties(dims);
    for (std::size_t flow = 0; flow < size.size(); ++flow) {
        std::size_t count = 0;
        double ways = 1.0;
        box.total = 0;
        for (std::size_t d = 0; d < dims; ++d) {
            const auto gap = ends[flow * dims + d] - starts[flow * dims + d];
            box.sign[d] = gap >= 0 ? 1 : -1;
            box.hops[d] = std::abs(gap);
            if (grid.wraps && 2 * box.hops[d] > grid.sides[d]) {
                box.hops[d] = grid.sides[d] - box.hops[d];
                box.sign[d] = -box.sign[d];
            } else if (grid.wraps && 2 * box.hops[d] == grid.sides[d]) {
                ties[count++] = d;
            }
            box.total += box.hops[d];
            ways *= grid.factorial[box.hops[d]];
        }
        ways = grid.factorial[box.total] / ways;
        const auto turns = std::int64_t{1} << count;
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            for (std::size_t tie = 0; tie < count; ++tie) box.sign[ties[tie]] = turn >> tie & 1 ? 1 : -1;
            add_box(&starts[flow * dims], box, size[flow] / ways / static_cast<double>(turns), grid, load);
        }
    }
}

}  // namespace netplace::placement
