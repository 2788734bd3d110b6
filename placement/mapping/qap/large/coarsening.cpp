// Heavy-edge matching (G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Scientific Computing 20 (1998)); tasks whose partners are all taken are paired with a partner's
// partner, the rest with each other.
#include "placement/mapping/qap/large/locations.hpp"

namespace netplace::placement {

std::vector<std::int64_t> match(std::span<const std::int32_t> first, std::span<const std::int32_t> other,
                                std::span<const float> flow, std::span<const std::int64_t> order, std::int64_t last) {
    const auto count = static_cast<std::int64_t>(first.size()) - 1;
    const auto barred = count % 2 ? last : -1;
    std::vector<std::int64_t> mate(count, -1);
    const auto is_open = [&](std::int64_t v) { return mate[v] < 0 && v != barred; };
    const auto pair = [&](std::int64_t u, std::int64_t v) {
        mate[u] = v;
        mate[v] = u;
    };
    for (const auto u : order) {
        std::int64_t best = -1;
        float most = 0;
        if (!is_open(u)) continue;
        for (auto e = first[u]; e < first[u + 1]; ++e) {
            const auto v = other[e];
            if (is_open(v) && v != u && flow[e] > most) {
                best = v;
                most = flow[e];
            }
        }
        if (best >= 0) pair(u, best);
    }
    for (const auto u : order) {
        std::int64_t best = -1;
        float most = 0;
        if (!is_open(u)) continue;
        for (auto e = first[u]; e < first[u + 1]; ++e) {
            const auto k = other[e];
            // A partner with very many partners tells nothing about who belongs together.
            for (auto f = first[k]; f < std::min(first[k + 1], first[k] + 64); ++f) {
                const auto v = other[f];
                const auto least = std::min(flow[e], flow[f]);
                if (is_open(v) && v != u && least > most) {
                    best = v;
                    most = least;
                }
            }
        }
        if (best >= 0) pair(u, best);
    }
    std::int64_t waiting = -1;
    for (const auto u : order) {
        if (!is_open(u)) continue;
        if (waiting < 0) {
            waiting = u;
        } else {
            pair(u, waiting);
            waiting = -1;
        }
    }
    return mate;
}

}  // namespace netplace::placement
