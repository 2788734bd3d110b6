#include "experiments/local_backfilling/simulator/rules.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace netplace::experiments {
namespace {

// Takes the first `size` free processors from `low` to before `high`; there are so many.
bool take_first(const Flags& free, std::int64_t low, std::int64_t high, std::int64_t size, Flags& chosen) {
    for (auto processor = low; processor < high && size; ++processor) {
        chosen[processor] = free[processor];
        size -= free[processor];
    }
    return size == 0;
}

// Takes the low end of the first piece with room.
bool take_first_piece(const Flags& free, std::int64_t size, Flags& chosen) {
    std::int64_t length = 0;
    for (std::size_t processor = 0; processor < free.size(); ++processor) {
        length = free[processor] ? length + 1 : 0;
        if (length < size) continue;
        std::fill_n(chosen.begin() + (processor + 1 - size), size, 1);
        return true;
    }
    return false;
}

// Takes pieces from the longest on, the last one cut; if `single`, the longest or none.
bool take_pieces(const Flags& free, std::int64_t size, bool single, Flags& chosen) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pieces;  // (begin, length)
    for (std::size_t processor = 0; processor < free.size(); ++processor) {
        if (!free[processor]) continue;
        if (processor == 0 || !free[processor - 1]) pieces.emplace_back(processor, 0);
        ++pieces.back().second;
    }
    std::ranges::stable_sort(pieces, [](const auto& one, const auto& other) { return one.second > other.second; });
    for (const auto& [begin, length] : pieces) {
        const auto taken = std::min(size, length);
        if (single && taken < size) return false;
        std::fill_n(chosen.begin() + begin, taken, 1);
        size -= taken;
        if (size == 0) return true;
    }
    return false;
}

// Takes clusters, most free processors first, the last one cut; if `fewest`, no more than needed. If `tightest`, what
// one cluster can hold of the rest goes to the one with fewest free that does.
bool take_clusters(const Flags& free, std::int64_t low, std::int64_t high, std::int64_t cluster, std::int64_t size,
                   bool fewest, bool tightest, Flags& chosen) {
    std::vector<std::int64_t> held((high - low) / cluster), order(held.size());
    for (auto processor = low; processor < high; ++processor) held[(processor - low) / cluster] += free[processor];
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](auto one, auto other) { return held[one] > held[other]; });
    if (fewest) {
        const auto needed = std::min<std::int64_t>((size + cluster - 1) / cluster, order.size());
        std::int64_t room = 0;
        for (std::int64_t rank = 0; rank < needed; ++rank) room += held[order[rank]];
        if (room < size) return false;
    }
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        auto place = order[rank];
        if (tightest)
            for (auto other = rank; other < order.size(); ++other)
                if (size <= held[order[other]] && held[order[other]] < held[place]) place = order[other];
        const auto taken = std::min(size, held[place]), begin = low + place * cluster;
        take_first(free, begin, begin + cluster, taken, chosen);
        size -= taken;
        if (size == 0) return true;
    }
    return false;
}

// Takes the first block with room of the lowest level that has one; if `forced`, of the least level that could. The
// tightest family takes the block with fewest free instead of the first.
bool take_block(PlaceRule rule, const Flags& free, std::span<const std::int64_t> blocks, std::int64_t size,
                Flags& chosen) {
    const auto processors = static_cast<std::int64_t>(free.size());
    const bool tightest = rule.family == Family::block_tightest;
    for (const auto block : blocks) {
        if (block < size) continue;
        std::int64_t best = -1, fewest = processors + 1;
        for (std::int64_t low = 0; low < processors && (tightest || best < 0); low += block) {
            const std::int64_t held = std::accumulate(free.begin() + low, free.begin() + low + block, std::int64_t{0});
            if (size <= held && held < fewest) best = low, fewest = held;
        }
        if (best >= 0 && rule.family == Family::block_rank) return take_first(free, best, best + block, size, chosen);
        if (best >= 0) return take_clusters(free, best, best + block, blocks[0], size, false, tightest, chosen);
        if (rule.forced) return false;
    }
    return false;
}

}  // namespace

bool choose(PlaceRule rule, const Flags& free, std::span<const std::int64_t> blocks, std::int64_t size, Flags& chosen) {
    const auto processors = static_cast<std::int64_t>(free.size());
    switch (rule.family) {
        case Family::pieces:
            return take_pieces(free, size, rule.forced, chosen);
        case Family::clusters:
        case Family::clusters_tightest:
            return take_clusters(free, 0, processors, blocks[0], size, rule.forced,
                                 rule.family == Family::clusters_tightest, chosen);
        case Family::block:
        case Family::block_rank:
        case Family::block_tightest:
            return take_block(rule, free, blocks, size, chosen);
        case Family::first_piece:
            if (take_first_piece(free, size, chosen)) return true;
            break;
        case Family::basic:
            break;
    }
    return !rule.forced && take_first(free, 0, processors, size, chosen);
}

}  // namespace netplace::experiments
