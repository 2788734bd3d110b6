// A placement that grows from one task: whoever says most to those placed comes next, and is put beside them.
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "placement/mapping/qap/large/locations.hpp"

namespace netplace::placement {

// A free location near `anchor`, as far as one is found from neighbour to neighbour.
std::int64_t Growing::free_near(const Level& level, std::int64_t anchor, std::int32_t mark) {
    if (holder[anchor] < 0) return anchor;
    std::vector<std::int64_t> queue{anchor};
    stamp[anchor] = mark;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const auto x : level.near_to(queue[head])) {
            if (holder[x] < 0) return x;
            if (stamp[x] == mark) continue;
            stamp[x] = mark;
            queue.push_back(x);
        }
    }
    return std::find_if(holder.begin(), holder.end(), [](auto task) { return task < 0; }) - holder.begin();
}

void Growing::grow(const Level& level, std::int64_t placed, std::int64_t target, std::int64_t task,
                   std::int64_t location) {
    using Waiting = std::tuple<double, std::int64_t, std::int64_t>;  // less flow to those placed, turn, task
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> heap;
    heap.emplace(0.0, -1, task);
    for (std::size_t k = 0; k < said.size(); ++k) {
        if (place[k] < 0 && said[k] > 0) heap.emplace(-said[k], turn[k], k);
    }
    std::int64_t unseen = 0, now = *std::max_element(turn.begin(), turn.end());
    while (placed < target) {
        std::int64_t u = -1;
        while (!heap.empty() && u < 0) {
            const auto [weight, when, k] = heap.top();
            heap.pop();
            if (place[k] < 0 && -weight == said[k]) u = k;
        }
        for (; u < 0; ++unseen) {
            if (place[unseen] < 0) u = unseen;
        }
        std::int64_t anchor = placed == 0 ? location : place[active[placed - 1]], best = -1;
        auto least = std::numeric_limits<double>::infinity();
        for (auto e = level.first[u]; e < level.first[u + 1]; ++e) {
            const auto at = place[level.other[e]];
            if (at < 0) continue;
            anchor = at;
            for (const auto x : level.near_to(at)) {
                if (holder[x] >= 0) continue;
                double total = 0.0;
                for (auto f = level.first[u]; f < level.first[u + 1]; ++f) {
                    const auto to = place[level.other[f]];
                    if (to >= 0) total += level.flow[f] * level.locations->price(x, to);
                }
                if (total < least) {
                    best = x;
                    least = total;
                }
            }
        }
        if (best < 0) best = free_near(level, anchor, static_cast<std::int32_t>(placed + 1));
        place[u] = static_cast<std::int32_t>(best);
        holder[best] = active[placed++] = static_cast<std::int32_t>(u);
        for (auto e = level.first[u]; e < level.first[u + 1]; ++e) {
            const auto k = level.other[e];
            if (place[k] >= 0) continue;
            said[k] += level.flow[e];
            turn[k] = ++now;
            heap.emplace(-said[k], now, k);
        }
    }
}

std::vector<std::int64_t> hops_from(std::span<const std::int32_t> first, std::span<const std::int32_t> other,
                                    std::int64_t start) {
    std::vector<std::int64_t> hops(first.size() - 1, -1), queue{start};
    hops[start] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const auto u = queue[head];
        for (auto e = first[u]; e < first[u + 1]; ++e) {
            const auto k = other[e];
            if (hops[k] >= 0) continue;
            hops[k] = hops[u] + 1;
            queue.push_back(k);
        }
    }
    return hops;
}

}  // namespace netplace::placement
