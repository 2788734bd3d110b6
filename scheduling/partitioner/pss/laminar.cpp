#include "scheduling/partitioner/pss/sets.hpp"

#include <algorithm>

namespace netplace::scheduling {
namespace {

constexpr std::int64_t kNone = std::int64_t{1} << 62;

// Writes the least cost of 0, 1, .. nodes of two sides, and how many of the other side, the fewest.
void merge(std::span<std::int64_t> best, std::int64_t* part, std::span<const std::int64_t> some,
           std::span<const std::int64_t> others) {
    std::fill(best.begin(), best.end(), kNone);
    for (std::size_t taken = 0; taken < others.size(); ++taken) {
        const auto most = std::min(some.size(), best.size() - taken);
        for (std::size_t k = 0; k < most; ++k) {
            const auto cost = some[k] + others[taken];
            const bool less = cost < best[taken + k];
            part[taken + k] = less ? static_cast<std::int64_t>(taken) : part[taken + k];
            best[taken + k] = less ? cost : best[taken + k];
        }
    }
}

}  // namespace

// least[v] holds the least cost of 0, 1, .. nodes below v; children are merged one after the other, and how many nodes
// each brings is kept for the way back.
std::vector<bool> least_below(const LaminarTree& tree, std::span<const bool> free, std::int64_t size) {
    const auto& parent = tree.parent;
    const auto count = static_cast<std::int64_t>(parent.size()), nodes = static_cast<std::int64_t>(free.size());
    std::vector<std::int64_t> below(count), merged(count), start(count + 1), share_start(count + 1);
    for (std::int64_t v = 0; v < count; ++v) {
        if (v < nodes) below[v] = free[v];
        if (parent[v] >= 0) below[parent[v]] += below[v];
    }
    // Room of each vertex for its costs, and of each child for its shares of what is merged so far.
    for (std::int64_t v = 0; v < count; ++v) {
        start[v + 1] = start[v] + std::min(below[v], size) + 1;
        share_start[v + 1] = share_start[v];
        if (const auto up = parent[v]; up >= 0) {
            merged[up] = std::min(merged[up] + below[v], size);
            share_start[v + 1] += merged[up] + 1;
        }
    }
    std::vector<std::int64_t> least(start[count], kNone), share(share_start[count]), old(size + 1);
    std::fill(merged.begin(), merged.end(), 0);
    for (std::int64_t v = 0; v < count; ++v) least[start[v]] = 0;
    for (std::int64_t v = 0; v < count; ++v) {
        const auto mine = std::min(below[v], size);
        auto* own = least.data() + start[v];
        if (v < nodes && mine) own[1] = 0;
        for (std::int64_t k = 1; k <= mine; ++k) own[k] += tree.worth[v];
        const auto up = parent[v];
        if (up < 0 || mine == 0) continue;
        const auto before = merged[up];
        auto *above = least.data() + start[up], *shares = share.data() + share_start[v];
        if (before == 0) {  // the first child with free nodes
            merged[up] = mine;
            for (std::int64_t k = 0; k <= mine; ++k) {
                above[k] = own[k];
                shares[k] = k;
            }
            continue;
        }
        std::copy_n(above, before + 1, old.begin());
        merged[up] = std::min(before + mine, size);
        merge({above, static_cast<std::size_t>(merged[up] + 1)}, shares,
              {old.data(), static_cast<std::size_t>(before + 1)}, {own, static_cast<std::size_t>(mine + 1)});
    }
    std::vector<std::int64_t> wanted(count);
    wanted[count - 1] = size;
    std::vector<bool> chosen(nodes);
    for (auto v = count - 1; v >= 0; --v) {  // the children of a vertex, last merged first
        if (const auto up = parent[v]; up >= 0 && below[v] > 0) {
            wanted[v] = share[share_start[v] + wanted[up]];
            wanted[up] -= wanted[v];
        }
        if (v < nodes) chosen[v] = wanted[v] > 0;
    }
    return chosen;
}

}  // namespace netplace::scheduling
