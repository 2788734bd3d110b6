// A pool of nodes to draw from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace netplace::scheduling {

// The free nodes first, in any order, and where each node stands.
class Pool {
public:
    explicit Pool(std::int64_t nodes) : pool_(nodes), place_(nodes), free_(nodes) {
        std::iota(pool_.begin(), pool_.end(), 0);
        std::iota(place_.begin(), place_.end(), 0);
    }

    // Exchanges entry i with entry draws[i] for every i: Fisher and Yates' shuffle, as far as needed; returns the first
    // entries, sorted.
    std::vector<std::int64_t> draw(std::span<const std::int64_t> draws) {
        for (std::size_t i = 0; i < draws.size(); ++i) exchange(static_cast<std::int64_t>(i), draws[i]);
        std::vector<std::int64_t> drawn(pool_.begin(), pool_.begin() + static_cast<std::int64_t>(draws.size()));
        std::sort(drawn.begin(), drawn.end());
        return drawn;
    }

    // Moves nodes that are held to the free ones, or the other way round.
    void move(std::span<const std::int64_t> nodes, bool free) {
        for (const auto node : nodes) {
            if ((place_[node] < free_) != free) exchange(place_[node], free ? free_++ : --free_);
        }
    }

    std::int64_t free() const { return free_; }
    std::int64_t nodes() const { return static_cast<std::int64_t>(pool_.size()); }

private:
    void exchange(std::int64_t i, std::int64_t j) {
        std::swap(pool_[i], pool_[j]);
        place_[pool_[i]] = i;
        place_[pool_[j]] = j;
    }

    std::vector<std::int64_t> pool_, place_;
    std::int64_t free_;
};

}  // namespace netplace::scheduling
