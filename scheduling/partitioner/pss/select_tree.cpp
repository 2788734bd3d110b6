// The choice of select.cpp where every two sets are nested or disjoint: the same removals, valued on the tree.
//
// What a removal of a set empties are the sets below it and those around it that have nothing else left. A state keeps
// what is left of every set with a table of what can be removed, and a removal changes it only for the sets around. A
// state is put together from the one that it extends when its turn comes.
#include <algorithm>

#include "scheduling/partitioner/pss/sets.hpp"

namespace netplace::scheduling {
namespace {

// What is left of nested sets while some are removed, with tables of what a further removal saves.
//
// A remnant is a set without some of those inside it: its nodes that are left, what they save when all of them go, and a
// table of the removals inside it: of each number of nodes the one that saves most, of equal ones that of the set of
// least number. A remnant is never changed. A removal makes new ones of the sets around it, each from the tables of those
// right inside, and shares all others with the state before.
//
// Sets that hold no other, right inside the same set and with as many free nodes, are one remnant, a row: only the
// dearest, of equal ones that of least number, can be the best removal.

struct Removal {
    std::int64_t nodes, saved, number;  // and the number of its set
};

// Remnants right inside another, or the outermost: parts `begin` to before `end`.
struct Parts {
    std::int64_t begin = 0, end = 0;
};

struct Remnant {
    std::int64_t name;         // the set by whose place it is known: itself, or the first of its row
    std::int64_t left, saves;  // nodes, and what they save
    std::int64_t begin, end;   // its parts; of a row what it is without its best set, or -1, and -1
    std::int64_t table, table_end;
};

class Remnants {
public:
    Remnants(const LaminarTree& tree, std::span<const bool> free);

    // The outermost remnants before any removal.
    Parts outermost() const { return outermost_; }
    // Removes a set, the best of its row, where the outermost remnants are these; returns where they are then.
    Parts without(std::int64_t removed, Parts outermost);
    // Calls `visit` with every removal of the tables of these remnants.
    template <class Visit>
    void each_removal(Parts parts, Visit visit) const {
        for (auto place = parts.begin; place < parts.end; ++place) {
            const auto& remnant = made_[parts_[place]];
            for (auto i = remnant.table; i < remnant.table_end; ++i) visit(table_[i]);
        }
    }

private:
    struct Set {
        std::int64_t above, worth, number;
        std::int64_t own = 0;  // free nodes in no smaller set
        std::int64_t row = 0;  // the set by which its row is known, or itself
    };
    struct Around {
        std::int64_t set, remnant;
        Parts parts;  // between which its remnant is
    };

    std::int32_t make_row(std::int64_t index, std::int64_t rest);
    std::int32_t make(std::int64_t index, Parts parts);

    std::vector<Set> sets_;  // by size, and the machine
    std::vector<Remnant> made_;
    std::vector<Removal> table_;
    std::vector<std::int32_t> parts_;
    std::vector<std::int64_t> at_;  // where the removal of so many nodes stands in the table that is being made
    std::vector<Around> path_;
    Parts outermost_;
};

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

// The best removal of so many nodes: what it saves, the state that it extends, and by which set.
struct State {
    std::int64_t value = -1, before = -1, by = -1;
    Parts outermost;
};

std::vector<State> states_of(const LaminarTree& tree, std::span<const bool> free, std::int64_t room) {
    Remnants remnants(tree, free);
    std::vector<State> states(room + 1);
    states[0].value = 0;
    states[0].outermost = remnants.outermost();
    for (std::int64_t base = 0; base < room; ++base) {
        auto& state = states[base];
        if (state.value < 0) continue;
        if (base) state.outermost = remnants.without(tree.place[state.by], states[state.before].outermost);
        remnants.each_removal(state.outermost, [&](const Removal& removal) {
            const auto next = base + removal.nodes;
            if (next > room) return;
            auto& after = states[next];
            const auto value = state.value + removal.saved;
            if (value > after.value || (value == after.value && after.before == base && removal.number < after.by)) {
                after.value = value;
                after.before = base;
                after.by = removal.number;
            }
        });
    }
    return states;
}

}  // namespace

std::vector<bool> kept_on_tree(const LaminarTree& tree, std::span<const bool> free, std::int64_t size) {
    const auto& parent = tree.parent;
    const auto nodes = static_cast<std::int64_t>(free.size());
    const auto room = std::count(free.begin(), free.end(), true) - size;
    const auto states = states_of(tree, free, room);
    std::int64_t best = 0;
    for (std::int64_t k = 0; k <= room; ++k) best = states[k].value >= states[best].value ? k : best;
    std::vector<bool> gone(parent.size()), kept(free.begin(), free.end());
    for (; best; best = states[best].before) gone[nodes + tree.place[states[best].by]] = true;
    // Sets come before those that hold them.
    for (auto v = static_cast<std::int64_t>(parent.size()) - 2; v >= nodes; --v) gone[v] = gone[v] || gone[parent[v]];
    for (std::int64_t node = 0; node < nodes; ++node) kept[node] = kept[node] && !gone[parent[node]];
    return kept;
}

}  // namespace netplace::scheduling
