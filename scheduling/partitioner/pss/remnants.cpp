#include "scheduling/partitioner/pss/remnants.hpp"

#include <algorithm>

namespace netplace::scheduling {

Remnants::Remnants(const LaminarTree& tree, std::span<const bool> free)
    : sets_(tree.sets() + 1), at_(free.size() + 1) {
    const auto nodes = static_cast<std::int64_t>(free.size()), count = tree.sets();
    for (std::int64_t i = 0; i <= count; ++i) {
        sets_[i].above = tree.parent[nodes + i] - nodes;
        sets_[i].worth = tree.worth[nodes + i];
        sets_[i].number = i < count ? tree.number[i] : 0;
    }
    for (std::int64_t node = 0; node < nodes; ++node) sets_[tree.parent[node] - nodes].own += free[node];
    std::vector<std::int64_t> inside(count + 1);  // free nodes of each set
    for (std::int64_t i = 0; i <= count; ++i) inside[i] = sets_[i].own;
    for (std::int64_t i = 0; i < count; ++i) inside[sets_[i].above] += inside[i];
    std::vector<std::int32_t> now(count + 1, -1);  // remnant of each set; of a row, of it and those behind it
    for (std::int64_t i = 0; i <= count; ++i) {
        Parts parts{static_cast<std::int64_t>(parts_.size()), 0};
        std::int64_t row = -1;
        for (auto place = tree.kin_starts[i]; place < tree.kin_starts[i + 1]; ++place) {
            const auto inner = tree.kin[place];
            bool like = false;
            if (now[inner] >= 0) {
                row = -1;
            } else if (inside[inner]) {
                like = row >= 0 && sets_[row].own == sets_[inner].own;
                sets_[inner].row = like ? sets_[row].row : inner;
                now[inner] = make_row(inner, like ? now[row] : -1);
                row = inner;
            } else {
                continue;
            }
            if (!like) parts_.push_back(0);
            parts_.back() = now[inner];
        }
        parts.end = static_cast<std::int64_t>(parts_.size());
        outermost_ = parts;
        if (i < count && parts.end > parts.begin) {
            sets_[i].row = i;
            now[i] = make(i, parts);
        }
    }
}

Parts Remnants::without(std::int64_t removed, Parts outermost) {
    path_.clear();
    for (auto outer = removed; outer < static_cast<std::int64_t>(sets_.size()) - 1; outer = sets_[outer].above) {
        path_.push_back({outer, -1, {}});
    }
    auto parts = outermost;
    for (auto around = path_.rbegin(); around != path_.rend(); ++around) {
        around->parts = parts;
        auto place = parts.begin;
        while (made_[parts_[place]].name != sets_[around->set].row) ++place;
        around->remnant = parts_[place];
        parts = {made_[around->remnant].begin, made_[around->remnant].end};
    }
    auto taking = parts.end < 0 ? parts.begin : -1;  // what takes the place of the set removed
    for (std::size_t i = 0; i < path_.size(); ++i) {
        const auto [set, remnant, between] = path_[i];
        parts.begin = static_cast<std::int64_t>(parts_.size());
        for (auto place = between.begin; place < between.end; ++place) {
            const auto part = parts_[place] == remnant ? taking : parts_[place];
            if (part >= 0) parts_.push_back(static_cast<std::int32_t>(part));
        }
        parts.end = static_cast<std::int64_t>(parts_.size());
        if (i + 1 < path_.size()) {
            const auto around = path_[i + 1].set;
            taking = parts.end > parts.begin || sets_[around].own ? make(around, parts) : -1;
        }
    }
    return parts;
}

// Makes a set that holds no other, in front of the rest of its row (-1: none).
std::int32_t Remnants::make_row(std::int64_t index, std::int64_t rest) {
    const auto& set = sets_[index];
    const auto last = static_cast<std::int64_t>(table_.size());
    table_.push_back({set.own, set.worth, set.number});
    const auto left = set.own + (rest >= 0 ? made_[rest].left : 0);
    const auto saves = set.worth + (rest >= 0 ? made_[rest].saves : 0);
    made_.push_back({set.row, left, saves, rest, -1, last, last + 1});
    return static_cast<std::int32_t>(made_.size() - 1);
}

// Makes what is left of a set that has these parts.
std::int32_t Remnants::make(std::int64_t index, Parts parts) {
    auto left = sets_[index].own, worth = sets_[index].worth, number = sets_[index].number;
    for (auto place = parts.begin; place < parts.end; ++place) {
        left += made_[parts_[place]].left;
        worth += made_[parts_[place]].saves;
    }
    const auto first = static_cast<std::int64_t>(table_.size());
    for (auto place = parts.begin; place < parts.end; ++place) {
        for (auto i = made_[parts_[place]].table; i < made_[parts_[place]].table_end; ++i) {
            const auto removal = table_[i];
            if (removal.nodes == left) {  // the whole set goes with its last part
                number = std::min(number, removal.number);
                continue;
            }
            const auto k = at_[removal.nodes];
            if (k < first || k >= static_cast<std::int64_t>(table_.size()) || table_[k].nodes != removal.nodes) {
                at_[removal.nodes] = static_cast<std::int64_t>(table_.size());
                table_.push_back(removal);
            } else if (removal.saved > table_[k].saved ||
                       (removal.saved == table_[k].saved && removal.number <= table_[k].number)) {
                table_[k] = removal;
            }
        }
    }
    table_.push_back({left, worth, number});
    made_.push_back({index, left, worth, parts.begin, parts.end, first, static_cast<std::int64_t>(table_.size())});
    return static_cast<std::int32_t>(made_.size() - 1);
}

}  // namespace netplace::scheduling
