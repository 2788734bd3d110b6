// The centre whose nearest free nodes lie closest together, from counts, among very many.
//
// From the counts of balls.cpp, the nodes within a radius around a centre are known by their number at each place of
// each dimension, and so is their sum of distances over pairs; what the outermost nodes add is bounded from below by
// the cheapest place at their distance. Only centres whose bound is no more than the best sum known are worked out.
// The choice is that of best_centre, to the node.
#include <algorithm>

#include "netplace/wide.hpp"
#include "scheduling/partitioner/centres/nearest.hpp"
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

constexpr std::int64_t kTried = 128;       // centres that are bounded in any case
constexpr std::int64_t kLeastSpared = 4;   // as the others, if one in so many was spared

// Fills in the sum of distances from each place to the nodes, and returns that over pairs of nodes.
std::int64_t sum_distances(const std::int64_t* count, Kind kind, std::int64_t size, std::int64_t nodes,
                           std::int64_t* sums) {
    std::int64_t at = 0;
    if (kind == Kind::line) {
        for (std::int64_t x = 0; x < size; ++x) at += count[x] * x;
        std::int64_t behind = 0;
        for (std::int64_t x = 0; x < size; ++x) {
            sums[x] = at;
            behind += count[x];
            at += 2 * behind - nodes;
        }
    } else {
        const auto half = size / 2;
        std::int64_t ahead = 0;
        for (std::int64_t x = 0; x < size; ++x) at += count[x] * std::min(x, size - x);
        for (std::int64_t x = 1; x <= half; ++x) ahead += count[x];
        for (std::int64_t x = 0; x < size; ++x) {
            sums[x] = at;
            const auto opposite = size % 2 ? count[(x + half + 1) % size] : 0;
            at += nodes - opposite - 2 * ahead;
            ahead += count[(x + 1 + half) % size] - count[(x + 1) % size];
        }
    }
    std::int64_t total = 0;
    for (std::int64_t x = 0; x < size; ++x) total += count[x] * sums[x];
    return total / 2;
}

// Goes further from each reach up to `last`, at a cost; what can not be reached stays so dear that it is known.
NETPLACE_WIDE void extend(const std::int64_t* from, std::int64_t last, std::int64_t cost, std::int64_t* __restrict to) {
    for (std::int64_t reach = 0; reach <= last; ++reach) {
        const auto through = from[reach] < kMost ? from[reach] + cost : kMost;
        to[reach] = through < to[reach] ? through : to[reach];
    }
}

class ByCounts {
public:
    ByCounts(const Axes& axes, const Balls& balls, const Shells& shells, Nodes free, std::int64_t size, Nodes pairs)
        : axes_(axes), balls_(balls), shells_(shells), free_(free), size_(size), pairs_(pairs),
          most_(axes.most_places()), count_(axes.dims() * most_), sums_(axes.dims() * most_),
          cheapest_(balls.radii + 2), other_(balls.radii + 2),
          outer_(std::max<std::size_t>(shells.steps.size() + 1, static_cast<std::size_t>(size))) {}

    std::int64_t best(Nodes centres, std::int64_t likely) {
        std::int64_t best = kMost, best_at = 0, spared = 0;
        const auto count = static_cast<std::int64_t>(centres.size());
        for (std::int64_t turn = -1; turn < count; ++turn) {
            const auto i = turn >= 0 ? turn : likely;
            if (turn == likely) continue;
            const auto centre = centres[i], radius = radius_of(centre);
            std::int64_t inside = 0;
            if (radius > 0) {
                fill(centre, radius - 1);
                inside = within(radius - 1, centre);
                // Bounds cost a third of what they spare: no more of them where they spare next to nothing.
                if (radius == balls_.radii || turn < kTried || kLeastSpared * spared > turn) {
                    const auto least = bound(centre, radius, inside);
                    if (least > best || (least == best && i > best_at)) {
                        ++spared;
                        continue;
                    }
                }
            } else {
                std::fill(count_.begin(), count_.end(), 0);
            }
            const auto cost =
                radius < balls_.radii ? cost_of(centre, radius, inside) : cost_around(axes_, free_, centre, size_);
            if (cost < best || (cost == best && i < best_at)) {
                best = cost;
                best_at = i;
            }
        }
        return centres[best_at];
    }

private:
    std::int64_t within(std::int64_t radius, std::int64_t node) const {
        return balls_.within[radius * axes_.nodes + node];
    }

    // The least radius within which there are enough free nodes, or one more than is known.
    std::int64_t radius_of(std::int64_t centre) const {
        std::int64_t low = 0, high = balls_.radii;
        while (low < high) {
            const auto middle = (low + high) / 2;
            if (within(middle, centre) >= size_) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    // Counts the free nodes within a radius of the centre at each place of each dimension.
    void fill(std::int64_t centre, std::int64_t radius) {
        std::int64_t stride = 1;
        for (std::size_t d = 0; d < axes_.dims(); ++d) {
            const auto size = axes_.sizes[d], place = axes_.place(d, centre);
            const bool ring = axes_.kinds[d] == Kind::ring;
            const auto low = -std::min(radius, ring ? (size - 1) / 2 : place);
            const auto high = std::min(radius, ring ? size / 2 : size - 1 - place);
            auto* count = count_.data() + d * most_;
            std::fill(count, count + size, 0);
            for (auto step = low; step <= high; ++step) {
                auto x = place + step;
                if (ring) x = x < 0 ? x + size : x >= size ? x - size : x;
                const auto row = static_cast<std::int64_t>(d) * balls_.radii + radius - std::abs(step);
                count[x] = balls_.in_slice[row * axes_.nodes + centre + (x - place) * stride];
            }
            stride *= size;
        }
    }

    // What the sum over pairs around a centre is at least. The nodes nearer than `radius` are known; the others are at
    // that distance or, if no more is known, at least at that distance: `cheapest_` ends up with the least sum of
    // distances to the known ones by distance.
    std::int64_t bound(std::int64_t centre, std::int64_t radius, std::int64_t inside) {
        const bool open_ended = radius == balls_.radii;
        std::int64_t total = 0;
        std::fill_n(cheapest_.begin(), radius + 1, kMost);
        cheapest_[0] = 0;
        for (std::size_t d = 0; d < axes_.dims(); ++d) {
            const auto size = axes_.sizes[d], place = axes_.place(d, centre);
            const bool ring = axes_.kinds[d] == Kind::ring;
            auto* sums = sums_.data() + d * most_;
            total += sum_distances(count_.data() + d * most_, axes_.kinds[d], size, inside, sums);
            std::copy_n(cheapest_.begin(), radius + 1, other_.begin());
            std::fill_n(cheapest_.begin(), radius + 1, kMost);
            const auto reaches = ring ? size / 2 : std::max(place, size - 1 - place);
            const auto last = open_ended ? reaches : std::min(radius, reaches);
            for (std::int64_t step = 0; step <= last; ++step) {
                auto up = place + step, down = place - step;
                if (ring) {
                    up = up >= size ? up - size : up;
                    down = down < 0 ? down + size : down;
                }
                auto least = up < size ? sums[up] : kMost;
                if (down >= 0) least = std::min(least, sums[down]);
                if (least >= kMost) continue;
                extend(other_.data(), radius - step, least, cheapest_.data() + step);
                if (open_ended) {
                    for (auto reach = std::max(radius - step + 1, std::int64_t{0}); reach <= radius; ++reach) {
                        if (other_[reach] < kMost) cheapest_[radius] = std::min(cheapest_[radius], other_[reach] + least);
                    }
                }
            }
        }
        const auto outside = size_ - inside;
        return total + outside * cheapest_[radius] + pairs_[outside];
    }

    // The sum over pairs of the free nodes nearest to a centre; `count_` holds those nearer than `radius`. Of the
    // others, those of least number are taken: plane by plane of the last dimension, and in the last plane that is
    // needed in order.
    std::int64_t cost_of(std::int64_t centre, std::int64_t radius, std::int64_t inside) {
        const auto last = axes_.dims() - 1;
        const auto size = axes_.sizes[last], place = axes_.place(last, centre), home = shells_.home[centre];
        const auto planes = shells_.planes, wanted = size_ - inside;
        // On a ring the planes that lie beyond its end come first.
        std::int64_t first = 0;
        if (axes_.kinds[last] == Kind::ring) {
            if (place + shells_.lowest < 0) first = -(place + shells_.lowest);
            else if (place + shells_.lowest + planes > size) first = size - place - shells_.lowest;
        }
        const auto* starts = shells_.starts.data() + radius * (planes + 1);
        std::int64_t collected = 0;
        for (std::int64_t turn = 0; turn < planes && collected < wanted; ++turn) {
            const auto plane = first + turn < planes ? first + turn : first + turn - planes;
            const auto before = collected;
            for (auto i = starts[plane]; i < starts[plane + 1]; ++i) {
                const auto node = shells_.node_at[home + shells_.steps[i]];
                outer_[collected] = node - 1;
                collected += node > 0;
            }
            if (collected > wanted) std::sort(outer_.begin() + before, outer_.begin() + collected);
        }
        std::int64_t total = 0;
        for (std::size_t d = 0; d < axes_.dims(); ++d) {
            auto* count = count_.data() + d * most_;
            for (std::int64_t i = 0; i < wanted; ++i) ++count[axes_.place(d, outer_[i])];
            total += along(count, axes_.kinds[d], axes_.sizes[d], size_);
        }
        return total;
    }

    const Axes& axes_;
    const Balls& balls_;
    const Shells& shells_;
    Nodes free_;
    std::int64_t size_;
    Nodes pairs_;
    std::int64_t most_;
    std::vector<std::int64_t> count_, sums_, cheapest_, other_, outer_;
};

}  // namespace

std::int64_t best_by_counts(const Axes& axes, const Balls& balls, const Shells& shells, Nodes free, Nodes centres,
                            std::int64_t size, std::int64_t likely, Nodes pairs) {
    return ByCounts(axes, balls, shells, free, size, pairs).best(centres, likely);
}

}  // namespace netplace::scheduling
