// How far the nearest free nodes of every point of a grid reach.
//
// The free nodes within r hops of a point are counted for r = 0, 1, .. at all points together, dimension after dimension:
// they are those in two cones, above and below, each of which follows from its neighbour's, up(x, r) = slice(x, r) +
// up(x + 1, r - 1). It ends with the radius within which every centre has enough.
#include <algorithm>
#include <array>
#include <limits>

#include "netplace/wide.hpp"
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

// Sums over the places from each on, up or down, the counts at x places on within x hops less.
template <class Count>
NETPLACE_INSIDE void extend(const Count* now, const Count* before, Count* __restrict sums, std::int64_t points,
                          std::int64_t stride, std::int64_t side, bool ring, bool up) {
    auto at = up ? 0 : stride, there = up ? stride : 0;
    for (std::int64_t i = 0; i < points - stride; ++i) sums[at + i] = static_cast<Count>(now[at + i] + before[there + i]);
    const auto last = stride * (side - 1);
    at = up ? last : 0;
    there = up ? 0 : last;
    for (std::int64_t first = 0; first < points; first += stride * side) {
        for (auto i = first; i < first + stride; ++i) {  // beyond the end of a line is nothing, or its beginning
            sums[at + i] = static_cast<Count>(now[at + i] + (ring ? before[there + i] : 0));
        }
    }
}

template <class Count>
NETPLACE_INSIDE void take_off(Count* __restrict sums, const Count* others, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sums[i] = static_cast<Count>(sums[i] - others[i]);
}

// Takes off what lies `far` places on: there a cone has gone half round the ring.
template <class Count>
NETPLACE_INSIDE void close(Count* cone, const Count* gone, std::int64_t points, std::int64_t stride, std::int64_t side,
           std::int64_t far) {
    const auto block = stride * side, ahead = stride * far;
    for (std::int64_t first = 0; first < points; first += block) {
        take_off(cone + first, gone + first + ahead, block - ahead);
        take_off(cone + first + block - ahead, gone + first, ahead);
    }
}

// Fills in the counts of both cones, which have the places themselves in common.
template <class Count>
NETPLACE_INSIDE void join(const Count* here, const Count* up, const Count* down, Count* __restrict both,
                        std::int64_t points) {
    for (std::int64_t at = 0; at < points; ++at) both[at] = static_cast<Count>(up[at] + down[at] - here[at]);
}

// Where there are not enough yet, the radius is larger; returns the least count of a centre.
template <class Count>
NETPLACE_INSIDE Count note(const Count* count, const Count* other, Count few, Count* __restrict radius,
                         Count* __restrict nearer, std::int64_t points) {
    auto least = std::numeric_limits<Count>::max();  // more than any count
    for (std::int64_t at = 0; at < points; ++at) {
        const auto now = count[at];
        const bool more = now < few;
        radius[at] = static_cast<Count>(radius[at] + more);
        nearer[at] = more ? now : nearer[at];
        least = std::min(least, std::max(now, other[at]));
    }
    return least;
}

template <class Count>
NETPLACE_INSIDE Reach<Count> reach_in(const Axes& lattice, std::span<const std::int32_t> nodes_at, Nodes centres,
                                      std::int64_t size) {
    using Counts = std::vector<Count>;
    const Counts here(nodes_at.begin(), nodes_at.end());
    const auto dims = lattice.dims();
    const auto points = static_cast<std::int64_t>(here.size());
    std::int64_t most = 0;
    for (const auto side : lattice.sizes) most += side;
    // Counts in the first dimensions, by radius: earlier ones are needed where a cone has gone half round.
    std::vector<std::vector<Counts>> known(dims);
    std::vector<std::array<Counts, 2>> up(dims, {Counts(points), Counts(points)}), down(up);
    Counts other(points, std::numeric_limits<Count>::max()), whole(points);
    for (const auto point : centres) other[point] = 0;
    Reach<Count> reach{Counts(points), Counts(points)};
    for (std::int64_t r = 0; r < most; ++r) {
        const auto* within = here.data();
        std::int64_t stride = 1;
        const auto old = r % 2, now = 1 - r % 2;
        for (std::size_t d = 0; d < dims; ++d) {
            const auto side = lattice.sizes[d];
            const bool ring = lattice.kinds[d] == Kind::ring;
            const auto rise = side / 2, fall = (side - 1) / 2;  // farthest places of a ring, up and down
            auto *above = up[d][now].data(), *below = down[d][now].data();
            extend(within, up[d][old].data(), above, points, stride, side, ring, true);
            extend(within, down[d][old].data(), below, points, stride, side, ring, false);
            const auto gone = [&](std::int64_t radius) { return d == 0 ? here.data() : known[d][radius].data(); };
            if (ring && r > rise) close(above, gone(r - 1 - rise), points, stride, side, rise + 1);
            if (ring && r > fall) close(below, gone(r - 1 - fall), points, stride, side, side - 1 - fall);
            if (d + 1 < dims) known[d + 1].emplace_back(points);
            auto* both = d + 1 < dims ? known[d + 1].back().data() : whole.data();
            join(within, above, below, both, points);
            within = both;
            stride *= side;
        }
        if (note(within, other.data(), static_cast<Count>(size), reach.radius.data(), reach.nearer.data(), points) >=
            size) {
            break;
        }
    }
    return reach;
}

}  // namespace

template <>
NETPLACE_WIDE Reach<std::int16_t> reach_of(const Axes& lattice, std::span<const std::int32_t> here, Nodes centres,
                                           std::int64_t size) {
    return reach_in<std::int16_t>(lattice, here, centres, size);
}

template <>
NETPLACE_WIDE Reach<std::int32_t> reach_of(const Axes& lattice, std::span<const std::int32_t> here, Nodes centres,
                                           std::int64_t size) {
    return reach_in<std::int32_t>(lattice, here, centres, size);
}

}  // namespace netplace::scheduling
