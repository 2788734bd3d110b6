#include "scheduling/partitioner/free_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace netplace::scheduling {

// ---- FreeMap

FreeMap::FreeMap(std::int64_t size) : size_(size), free_(size), bytes_((size + 7) / 8 * 8) {
    std::fill_n(bytes_.begin(), size, std::uint8_t{1});
}

std::uint64_t FreeMap::word(std::int64_t at) const {
    std::uint64_t word;
    std::memcpy(&word, bytes_.data() + 8 * at, 8);
    return word;
}

std::pair<Places, std::int64_t> FreeMap::first(std::int64_t wanted) const {
    Places places;
    places.reserve(wanted);
    std::int64_t at = 0;
    for (; static_cast<std::int64_t>(places.size()) < wanted; ++at) {
        if (!word(at)) continue;
        for (auto place = 8 * at; place < 8 * at + 8 && static_cast<std::int64_t>(places.size()) < wanted; ++place) {
            if (bytes_[place]) places.push_back(place);
        }
    }
    return {std::move(places), at};
}

std::pair<Places, Places> FreeMap::intervals() const {
    constexpr std::uint64_t all = 0x0101010101010101;
    Places starts, lengths;
    std::int64_t begin = -1;  // where the run that is open starts, -1 if none is
    for (std::int64_t at = 0; at < words(); ++at) {
        if (word(at) == (begin >= 0 ? all : 0)) continue;  // the run, or the gap, goes on
        for (auto place = 8 * at; place < 8 * at + 8; ++place) {
            if (bytes_[place] && begin < 0) {
                begin = place;
            } else if (!bytes_[place] && begin >= 0) {
                starts.push_back(begin);
                lengths.push_back(place - begin);
                begin = -1;
            }
        }
    }
    if (begin >= 0) {
        starts.push_back(begin);
        lengths.push_back(static_cast<std::int64_t>(bytes_.size()) - begin);
    }
    return {std::move(starts), std::move(lengths)};
}

std::int64_t FreeMap::mark(std::span<const std::int64_t> places, bool free) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = places[i];
        if (place < 0 || place >= size_ || bytes_[place] == free) {
            for (std::size_t undone = 0; undone < i; ++undone) bytes_[places[undone]] = !free;
            return static_cast<std::int64_t>(i);
        }
        bytes_[place] = free;
    }
    const auto count = static_cast<std::int64_t>(places.size());
    free_ += free ? count : -count;
    return -1;
}

// ---- Pool

Pool::Pool(std::int64_t nodes) : pool_(nodes), place_(nodes), free_(nodes) {
    std::iota(pool_.begin(), pool_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
}

void Pool::exchange(std::int64_t i, std::int64_t j) {
    std::swap(pool_[i], pool_[j]);
    place_[pool_[i]] = i;
    place_[pool_[j]] = j;
}

Places Pool::draw(std::span<const std::int64_t> draws) {
    for (std::size_t i = 0; i < draws.size(); ++i) exchange(static_cast<std::int64_t>(i), draws[i]);
    Places drawn(pool_.begin(), pool_.begin() + static_cast<std::int64_t>(draws.size()));
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

std::int64_t Pool::move(std::span<const std::int64_t> nodes, int step) {
    auto border = free_;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto node = nodes[i];
        if (node < 0 || node >= this->nodes() || (place_[node] < border) != (step < 0)) {
            return static_cast<std::int64_t>(i);
        }
        if (step < 0) exchange(place_[node], --border);
        else exchange(place_[node], border++);
    }
    free_ = border;
    return -1;
}

// ---- SubtreeCounts

SubtreeCounts::SubtreeCounts(std::int64_t down, std::int64_t stages) : down_(down), first_{0} {
    std::int64_t nodes = 1;
    for (std::int64_t stage = 0; stage < stages; ++stage) nodes *= down;
    for (std::int64_t size = nodes, width = 1; size >= 1; size /= down, width *= down) {
        first_.push_back(first_.back() + size);
        counts_.insert(counts_.end(), size, width);
        if (size == 1) break;
    }
}

void SubtreeCounts::add(std::int64_t node, int step) {
    for (std::int64_t level = 0; level < levels(); ++level, node /= down_) counts_[first_[level] + node] += step;
}

std::int64_t SubtreeCounts::count(std::span<const std::int64_t> nodes, int step) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto node = nodes[i];
        if (node < 0 || node >= first_[1] || counts_[node] != (step < 0)) {
            for (std::size_t j = 0; j < i; ++j) add(nodes[j], -step);
            return static_cast<std::int64_t>(i);
        }
        add(node, step);
    }
    return -1;
}

// Larger subtrees that have fewer are passed over as a whole.
std::int64_t SubtreeCounts::next(std::int64_t level, std::int64_t start, std::int64_t end, std::int64_t wanted,
                                 std::int64_t& visited) const {
    for (auto subtree = start; subtree < end;) {
        ++visited;
        if (at(level, subtree) >= wanted) return subtree;
        std::int64_t step = 1, above = level + 1, around = subtree / down_;
        while (subtree % (step * down_) == 0 && above < levels() && at(above, around) < wanted) {
            step *= down_;
            ++above;
            around /= down_;
        }
        subtree += step;
    }
    return end;
}

void SubtreeCounts::gather(std::int64_t start, std::int64_t end, std::int64_t wanted, Places& nodes,
                           std::int64_t& visited) const {
    for (auto node = start; static_cast<std::int64_t>(nodes.size()) < wanted; ++node) {
        node = next(0, node, end, 1, visited);
        if (node >= end) return;
        nodes.push_back(node);
    }
}

std::pair<std::int64_t, std::int64_t> SubtreeCounts::choose(const Wish& wish) const {
    const auto [level, wanted, outside, one_up] = wish;
    const auto subtrees = first_[level + 1] - first_[level];
    std::int64_t visited = 0;
    auto subtree = next(level, 0, subtrees, wanted, visited);
    if (subtree < subtrees) return {subtree, visited};
    if (outside > 0 && !one_up) {
        const auto here = counts_.begin() + first_[level];
        const auto fullest = std::max_element(here, here + subtrees) - here;
        return {here[fullest] >= wanted - outside ? fullest : -1, visited + subtrees};
    }
    for (subtree = 0; outside > 0 && level + 1 < levels() && subtree < subtrees; ++subtree) {
        subtree = next(level, subtree, subtrees, wanted - outside, visited);
        if (subtree < subtrees && at(level + 1, subtree / down_) >= wanted) return {subtree, visited};
    }
    return {-1, visited};
}

std::pair<Places, std::int64_t> SubtreeCounts::find(const Wish& wish) const {
    auto [subtree, visited] = choose(wish);
    Places nodes;
    if (subtree < 0) return {nodes, visited};
    nodes.reserve(wish.nodes);
    std::int64_t size = 1;
    for (std::int64_t level = 0; level < wish.level; ++level) size *= down_;
    gather(subtree * size, (subtree + 1) * size, wish.nodes, nodes, visited);
    while (static_cast<std::int64_t>(nodes.size()) < wish.nodes && size < first_[1]) {
        // The next larger subtree, without the part that has been emptied; with `one_up` it has enough.
        const auto emptied = subtree * size;
        size *= down_;
        subtree /= down_;
        const auto before = subtree * size;
        gather(before, emptied, wish.nodes, nodes, visited);
        gather(emptied + size / down_, before + size, wish.nodes, nodes, visited);
    }
    return {std::move(nodes), visited};
}

std::pair<std::int64_t, std::int64_t> SubtreeCounts::release_until(const Wish& wish,
                                                                   std::span<const std::int64_t> nodes,
                                                                   std::span<const std::int64_t> ends) {
    std::int64_t visited = 0, begin = 0;
    for (std::size_t group = 0; group < ends.size(); ++group) {
        if (count(nodes.subspan(begin, ends[group] - begin), 1) >= 0) return {-2, visited};
        begin = ends[group];
        if (free() >= wish.nodes) {
            const auto [subtree, tried] = choose(wish);
            visited += tried;
            if (subtree >= 0) return {static_cast<std::int64_t>(group) + 1, visited};
        }
    }
    return {-1, visited};
}

}  // namespace netplace::scheduling
