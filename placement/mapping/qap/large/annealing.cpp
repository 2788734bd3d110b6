// Simulated annealing in which a task moves next to a partner, and swaps with who is there.
#include "placement/mapping/qap/large/locations.hpp"

namespace netplace::placement {

double Level::cost(std::span<const std::int32_t> place) const {
    double total = 0.0;
    for (std::size_t u = 0; u < place.size(); ++u) {
        if (place[u] < 0) continue;
        for (auto e = first[u]; e < first[u + 1]; ++e) {
            if (place[other[e]] >= 0) total += flow[e] * locations->price(place[u], place[other[e]]);
        }
    }
    return total;
}

double Level::inside(std::span<const std::int32_t> place) const {
    double total = 0.0;
    for (std::size_t u = 0; u < place.size(); ++u) {
        if (place[u] < 0) continue;
        for (auto e = first[u]; e < first[u + 1]; ++e) {
            if (place[other[e]] >= 0) total += flow[e];
        }
    }
    return total;
}

// What it changes when u moves from `here` to `there`; flow to v, who comes back, does not.
double Level::moved(std::span<const std::int32_t> place, std::int64_t u, std::int64_t v, std::int64_t here,
                    std::int64_t there) const {
    double total = 0.0;
    for (auto e = first[u]; e < first[u + 1]; ++e) {
        const auto k = other[e];
        const auto at = place[k];
        if (at >= 0 && k != v) total += flow[e] * (locations->price(there, at) - locations->price(here, at));
    }
    return total;
}

std::pair<double, double> Level::propose(std::span<std::int32_t> place, std::span<std::int32_t> holder,
                                         std::span<const std::int32_t> active, double temperature, std::int64_t count,
                                         Draws draws) const {
    double change = 0.0, size = 0.0;
    for (std::int64_t proposal = 0; proposal < count; ++proposal) {
        const std::int64_t u = active[draws.below(static_cast<std::int64_t>(active.size()))];
        const auto partners = first[u + 1] - first[u];
        if (partners == 0) continue;
        const auto at = place[other[first[u] + draws.below(partners)]];
        if (at < 0) continue;
        const auto here = place[u], there = near[at * nearest + draws.below(nearest)];
        const std::int64_t v = holder[there];
        if (u == v || (fixed >= 0 && (u == fixed || v == fixed))) continue;
        auto gain = moved(place, u, v, here, there);
        if (v >= 0) gain += moved(place, v, u, there, here);
        size += std::abs(gain);
        if (gain <= 0 || (temperature > 0 && draws.uniform() < std::exp(-gain / temperature))) {
            place[u] = there;
            holder[there] = static_cast<std::int32_t>(u);
            holder[here] = static_cast<std::int32_t>(v);
            if (v >= 0) place[v] = here;
            change += gain;
        }
    }
    return {change, size};
}

}  // namespace netplace::placement
