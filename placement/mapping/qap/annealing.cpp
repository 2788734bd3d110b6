// Simulated annealing with swaps, priced from the flows of the two tasks.
#include <algorithm>
#include <cmath>

#include "placement/mapping/qap/searches.hpp"

namespace netplace::placement {
namespace {

// What the flows of u that are listed change in cost when u and v are swapped; flow from u to v itself counts `swapped`
// times.
template <class Cost>
double moved(const FlowLists& flows, std::span<const Cost> costs, std::int64_t n, Integers place, std::int64_t u,
             std::int64_t v, double swapped) {
    const auto here = place[u], there = place[v];
    const auto *from_here = costs.data() + here * n, *from_there = costs.data() + there * n;
    double total = 0.0;
    for (auto x = flows.first[u]; x < flows.first[u + 1]; ++x) {
        const auto k = flows.other[x];
        if (k != v) total += flows.size[x] * (from_there[place[k]] - from_here[place[k]]);
        else total += swapped * flows.size[x] * (from_there[here] - from_here[there]);
    }
    return total;
}

}  // namespace

// By how much the cost changes when tasks u and v are swapped.
template <class Cost>
double SparseProblem<Cost>::gain(Integers place, std::int64_t u, std::int64_t v) const {
    const auto n = locations, here = place[u], there = place[v];
    auto total = (own[u] - own[v]) * (costs[there * n + there] - costs[here * n + here]);
    total += moved(flows, costs, n, place, u, v, 1.0);
    total += moved(flows, costs, n, place, v, u, 1.0);
    if (!back.size.empty()) {
        total += moved(back, costs_back, n, place, u, v, 0.0);
        total += moved(back, costs_back, n, place, v, u, 0.0);
    }
    return total;
}

template <class Cost>
std::vector<double> SparseProblem<Cost>::samples(Integers place, Draws draws, std::int64_t count) const {
    std::vector<double> changes(count);
    for (auto& change : changes) {
        const auto u = active[draws.below(static_cast<std::int64_t>(active.size()))];
        const auto v = draws.below(locations);
        if (u != v) change = gain(place, u, v);
    }
    return changes;
}

template <class Cost>
void SparseProblem<Cost>::anneal(std::span<std::int64_t> place, std::span<std::int64_t> holder,
                                 std::span<std::int64_t> best, std::span<double> state, Draws draws, std::int64_t sweeps,
                                 double temperature, double targeted) const {
    const auto size = static_cast<std::int64_t>(active.size());
    if (nearest == 0) targeted = 0.0;
    auto cost = state[0];
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
        for (std::int64_t proposal = 0; proposal < size; ++proposal) {
            const auto u = active[draws.below(size)];
            const auto partners = flows.first[u + 1] - flows.first[u];
            std::int64_t v;
            if (partners > 0 && draws.uniform() < targeted) {
                const auto k = flows.other[flows.first[u] + draws.below(partners)];
                v = holder[near[place[k] * nearest + draws.below(nearest)]];
            } else {
                v = draws.below(locations);
            }
            if (u == v) continue;
            const auto change = gain(place, u, v);
            if (change <= 0 || draws.uniform() < std::exp(-change / temperature)) {
                std::swap(place[u], place[v]);
                holder[place[u]] = u;
                holder[place[v]] = v;
                cost += change;
            }
        }
        state[2] += cost;
        if (cost < state[1]) {
            state[1] = cost;
            std::copy(place.begin(), place.end(), best.begin());
        }
    }
    state[0] = cost;
}

template struct SparseProblem<double>;
template struct SparseProblem<float>;
template struct SparseProblem<std::int16_t>;

}  // namespace netplace::placement
