#include "placement/mapping/link_load_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace netplace::placement {

// Puts the flows of a task on the links, or takes them off; returns the change of the sum of squares.
double LinkSearch::add(const TaskFlows& flows, bool back, std::int64_t u, std::int64_t without, double sign) {
    double change = 0.0;
    for (auto x = flows.first[u]; x < flows.first[u + 1]; ++x) {
        const auto k = flows.other[x];
        if (k == without) continue;
        const auto pair = back ? home[k] * ways.switches + home[u] : home[u] * ways.switches + home[k];
        const auto flow = sign * flows.size[x];
        for (auto y = ways.first[pair]; y < ways.first[pair + 1]; ++y) {
            auto& load = loads[ways.link[y]];
            const auto moved = flow * ways.share[y];
            change += moved * (2 * load + moved);
            load += moved;
        }
    }
    return change;
}

// Swaps two tasks; returns the change of the sum of squares.
double LinkSearch::swap(std::int64_t u, std::int64_t v) {
    double change = 0.0;
    for (const auto sign : {-1.0, 1.0}) {
        change += add(out, false, u, -1, sign);
        change += add(back, true, u, -1, sign);
        change += add(out, false, v, u, sign);
        change += add(back, true, v, u, sign);
        if (sign < 0) {
            std::swap(place[u], place[v]);
            std::swap(home[u], home[v]);
        }
    }
    return change;
}

double LinkSearch::propose(Draws draws, double temperature, std::span<double> changes) {
    const auto nodes = static_cast<std::int64_t>(place.size());
    double total = 0.0;
    for (auto& proposed : changes) {
        proposed = 0.0;
        const auto u = draws.below(tasks), v = draws.below(nodes);
        if (home[u] == home[v]) continue;
        const auto change = proposed = swap(u, v);
        if (change <= 0 || (temperature > 0 && draws.uniform() < std::exp(-change / temperature))) total += change;
        else swap(u, v);
    }
    return total;
}

void LinkSearch::empty(Draws draws, double slack, std::span<double> best) {
    const auto nodes = static_cast<std::int64_t>(place.size());
    auto most = *std::max_element(loads.begin(), loads.end());
    for (std::int64_t proposal = 0; proposal < tasks; ++proposal) {
        const auto u = draws.below(tasks), v = draws.below(nodes);
        if (home[u] == home[v]) continue;
        const auto change = swap(u, v);
        const auto fullest = *std::max_element(loads.begin(), loads.end());
        if (fullest < most * (1 + slack) * (1 - 1e-9) || (fullest <= most * (1 + 1e-9) && change <= 0)) {
            most = fullest;
            if (most < best[0] * (1 - 1e-9)) {
                best[0] = most;
                std::copy(place.begin(), place.end(), best.begin() + 1);
            }
        } else {
            swap(u, v);
        }
    }
}

void add_loads(const Ways& ways, std::span<const std::int64_t> pair, std::span<const double> size,
               std::span<double> loads) {
    for (std::size_t n = 0; n < size.size(); ++n) {
        for (auto x = ways.first[pair[n]]; x < ways.first[pair[n] + 1]; ++x) loads[ways.link[x]] += size[n] * ways.share[x];
    }
}

}  // namespace netplace::placement
