#include "scheduling/partitioner/centres/searches.hpp"

#include <algorithm>
#include <numeric>

#include "netplace/wide.hpp"

namespace netplace::scheduling {
namespace {

// Free nodes with their places, dimension by dimension, and room for the distances to a centre.
struct Around {
    Around(const Axes& axes, Nodes free)
        : places(axes.dims() * free.size()), hops(free.size()), at(axes.farthest() + 1) {
        auto place = places.begin();
        for (std::size_t d = 0; d < axes.dims(); ++d) {
            for (const auto node : free) *place++ = static_cast<std::int32_t>(axes.place(d, node));
        }
    }

    std::vector<std::int32_t> places, hops;
    std::vector<std::int64_t> at;  // free nodes at each distance; all 0 between uses
};

// Sets the distance of free nodes to a centre. One dimension after the other, so that nodes are done side by side.
NETPLACE_WIDE void add_hops(const std::int32_t* places, std::size_t count, std::int32_t here, std::int32_t size,
                            Kind kind, std::int32_t* __restrict hops) {
    if (kind == Kind::line) {
        for (std::size_t i = 0; i < count; ++i) hops[i] += std::abs(places[i] - here);
    } else if (kind == Kind::groups) {
        for (std::size_t i = 0; i < count; ++i) hops[i] += places[i] != here ? 2 : 0;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            const auto gap = std::abs(places[i] - here);
            hops[i] += std::min(gap, size - gap);
        }
    }
}

// Fills `chosen` with the free nodes nearest to `centre`.
void choose_nearest(const Axes& axes, Nodes free, Around& around, std::int64_t centre, Room chosen) {
    auto& [places, hops, at] = around;
    std::fill(hops.begin(), hops.end(), 0);
    for (std::size_t d = 0; d < axes.dims(); ++d) {
        const auto here = axes.place(d, centre);
        const auto* along_d = places.data() + d * free.size();
        if (axes.kinds[d] == Kind::table) {
            for (std::size_t i = 0; i < free.size(); ++i) {
                if (free[i] != centre) hops[i] += static_cast<std::int32_t>(axes.tabulated(here, along_d[i]));
            }
        } else {
            add_hops(along_d, free.size(), static_cast<std::int32_t>(here), static_cast<std::int32_t>(axes.sizes[d]),
                     axes.kinds[d], hops.data());
        }
    }
    const auto wanted = static_cast<std::int64_t>(chosen.size());
    for (const auto distance : hops) ++at[distance];
    std::int64_t last = 0, inside = at[0];
    while (inside < wanted) inside += at[++last];
    auto open = wanted - (inside - at[last]);  // places for nodes at the last distance
    for (std::size_t i = 0, taken = 0; i < free.size(); ++i) {
        if (hops[i] < last || (hops[i] == last && open > 0)) {
            open -= hops[i] == last;
            chosen[taken++] = free[i];
        }
    }
    for (const auto distance : hops) at[distance] = 0;
}

// The sum of distances over pairs in one dimension, from how many nodes are at each place. On a line every cut between
// two places is crossed by the pairs that it parts. On a ring the windows of half its length part two places as often as
// twice their distance.
std::int64_t along(const std::int64_t* count, Kind kind, std::int64_t size, std::int64_t nodes) {
    std::int64_t total = 0;
    if (kind == Kind::line) {
        std::int64_t below = 0;
        for (std::int64_t place = 0; place < size; ++place) {
            below += count[place];
            total += below * (nodes - below);
        }
        return total;
    }
    const auto half = size / 2;
    auto inside = std::accumulate(count, count + half, std::int64_t{0});
    for (std::int64_t place = 0, ahead = half; place < size; ++place) {
        total += inside * (nodes - inside);
        ahead = ahead == size ? 0 : ahead;
        inside += count[ahead++] - count[place];
    }
    return total / 2;
}

// The sum of distances over pairs by the table; `count` ends with the nodes at each place.
std::int64_t tabulated_pairs(const Axes& axes, const std::int64_t* places, Nodes nodes, Room count) {
    std::vector<std::int64_t> met;
    for (const auto node : nodes) {
        if (count[places[node]]++ == 0) met.push_back(places[node]);
    }
    std::int64_t total = 0;
    for (std::size_t i = 0; i < met.size(); ++i) {
        const auto here = met[i];
        total += count[here] * (count[here] - 1) / 2 * axes.tabulated(here, here);
        for (std::size_t j = 0; j < i; ++j) total += count[here] * count[met[j]] * axes.tabulated(here, met[j]);
    }
    return total;
}

// The sum of distances over pairs of `nodes`; `count` is room, all 0 and left so. What reaches `limit` in some
// dimensions is not summed over the others.
std::int64_t sum_of_pairs(const Axes& axes, Nodes nodes, Room count, std::int64_t limit) {
    const auto many = static_cast<std::int64_t>(nodes.size());
    std::int64_t total = 0;
    for (std::size_t d = 0; d < axes.dims() && total < limit; ++d) {
        const auto* places = axes.along(d);
        if (axes.kinds[d] == Kind::groups) {
            std::int64_t alike = 0;
            for (const auto node : nodes) alike += count[places[node]]++;
            total += 2 * (many * (many - 1) / 2 - alike);
        } else if (axes.kinds[d] == Kind::table) {
            total += tabulated_pairs(axes, places, nodes, count);
        } else {
            for (const auto node : nodes) ++count[places[node]];
            total += along(count.data(), axes.kinds[d], axes.sizes[d], many);
        }
        for (const auto node : nodes) count[places[node]] = 0;
    }
    return total;
}

// Puts a node and its value in the place of another, and moves it to where it belongs in the order.
void replace(Room nodes, Room values, std::int64_t index, std::int64_t node, std::int64_t value) {
    const auto last = static_cast<std::int64_t>(nodes.size()) - 1;
    for (; index > 0 && nodes[index - 1] > node; --index) {
        nodes[index] = nodes[index - 1];
        values[index] = values[index - 1];
    }
    for (; index < last && nodes[index + 1] < node; ++index) {
        nodes[index] = nodes[index + 1];
        values[index] = values[index + 1];
    }
    nodes[index] = node;
    values[index] = value;
}

}  // namespace

Centre best_centre(const Axes& axes, Nodes free, Nodes centres, std::int64_t size) {
    Around around(axes, free);
    std::vector<std::int64_t> chosen(size), count(axes.most_places());
    Centre best;
    best.nodes.resize(size);
    for (const auto centre : centres) {
        choose_nearest(axes, free, around, centre, chosen);
        const auto cost = sum_of_pairs(axes, chosen, count, best.cost);
        if (cost < best.cost) {
            best.node = centre;
            best.cost = cost;
            best.nodes.swap(chosen);
            if (cost == 0) break;
        }
    }
    return best;
}

Swap least_swap(const Axes& axes, Nodes chosen, Nodes others, Nodes near, Nodes far, std::int64_t most) {
    const auto first_most = std::max_element(near.begin(), near.end()) - near.begin();
    const auto first_least = std::min_element(far.begin(), far.end()) - far.begin();
    Swap best{first_most, first_least, 0};
    best.change = far[first_least] - near[first_most] - axes.hops(chosen[first_most], others[first_least]);
    const auto limit = best.change + most + near[first_most], enough = far[first_least] - most - best.change;
    std::vector<std::int64_t> candidates;
    for (std::size_t j = 0; j < far.size(); ++j) {
        if (far[j] <= limit) candidates.push_back(static_cast<std::int64_t>(j));
    }
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(near.size()); ++i) {
        if (near[i] < enough) continue;
        for (const auto j : candidates) {
            const auto bound = far[j] - near[i];
            if (bound - most > best.change) continue;
            const auto change = bound - axes.hops(chosen[i], others[j]);
            const bool first = i < best.leaving || (i == best.leaving && j < best.entering);
            if (change < best.change || (change == best.change && first)) best = {i, j, change};
        }
    }
    return best;
}

std::int64_t improve(const Axes& axes, Room chosen, Room others) {
    std::vector<std::int64_t> near(chosen.size()), far(others.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (const auto other : chosen) near[i] += axes.hops(chosen[i], other);
    }
    for (std::size_t j = 0; j < others.size(); ++j) {
        for (const auto other : chosen) far[j] += axes.hops(others[j], other);
    }
    const auto most = axes.farthest();
    std::int64_t gain = 0;
    while (!others.empty() && !chosen.empty()) {
        const auto [leaving, entering, change] = least_swap(axes, chosen, others, near, far, most);
        if (change >= 0) break;
        gain -= change;
        const auto out = chosen[leaving], in = others[entering], left = near[leaving], entered = far[entering];
        for (std::size_t i = 0; i < chosen.size(); ++i) near[i] += axes.hops(chosen[i], in) - axes.hops(chosen[i], out);
        for (std::size_t j = 0; j < others.size(); ++j) far[j] += axes.hops(others[j], in) - axes.hops(others[j], out);
        const auto between = axes.hops(out, in);
        replace(chosen, near, leaving, in, entered - between);
        replace(others, far, entering, out, left + between);
    }
    return gain;
}

}  // namespace netplace::scheduling
