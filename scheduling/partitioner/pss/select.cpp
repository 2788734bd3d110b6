// Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier" (JSSPP), Figure 3, repaired;
// see select.py.
#include "scheduling/partitioner/pss/sets.hpp"

#include <algorithm>

namespace netplace::scheduling {
namespace {

constexpr std::int64_t kKept = 1 << 23;  // numbers kept of the last states; of those further back all is found anew

// -1, 0 or 1 as vector a is less than b, equal or greater, from the first component on.
int compare(const std::int64_t* a, const std::int64_t* b, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

// Removals, the best of every size. A removal is kept as the one that it extends and the set that it takes. When its
// turn comes to be extended, what is left of the sets and what they save is that of the former, but for sets touched.
class Removals {
public:
    Removals(const Sets& sets, std::int64_t room)
        : sets_(sets), room_(room), count_(sets.members.count()), width_(sets.width), words_(sets.nodes() / 64 + 1),
          before_(room + 1, -1), by_(room + 1, -1), value_((room + 1) * width_), within_(count_ * words_),
          gone_(sets.nodes()), touched_(count_) {
        before_[0] = 0;
        for (std::int64_t i = 0; i < count_; ++i) {
            for (const auto node : sets_.members[i]) within_[i * words_ + (node >> 6)] |= std::uint64_t{1} << (node & 63);
        }
    }

    // Which nodes the best removal takes.
    const std::vector<bool>& best(std::int64_t coin) {
        extend(static_cast<std::uint64_t>(coin));
        std::int64_t best = 0;
        for (std::int64_t k = 0; k <= room_; ++k) {
            if (before_[k] >= 0 && compare(value(k), value(best), width_) >= 0) best = k;
        }
        put_together(best);
        return gone_;
    }

private:
    std::int64_t* value(std::int64_t state) { return value_.data() + state * width_; }

    void extend(std::uint64_t coin) {
        const auto per_row = std::max(std::int64_t{1}, count_ * (width_ + 1));
        const auto rows = std::min(room_, std::max(std::int64_t{1}, kKept / per_row));  // of the last states, in turn
        std::vector<std::int64_t> left(rows * count_), gain(rows * count_ * width_), candidate(width_);
        for (std::int64_t base = 0; base < room_; ++base) {
            const auto former = before_[base];
            if (former < 0) continue;
            left_ = left.data() + base % rows * count_;
            gain_ = gain.data() + base % rows * count_ * width_;
            if (0 < base - former && base - former < rows) {
                std::copy_n(left.data() + former % rows * count_, count_, left_);
                std::copy_n(gain.data() + former % rows * count_ * width_, count_ * width_, gain_);
                put_together(former);
                remove(by_[base]);
            } else {
                put_together(base);
                find_gains();
            }
            for (std::int64_t i = 0; i < count_; ++i) {
                const auto k = base + left_[i];
                if (k == base || k > room_) continue;
                for (std::int64_t d = 0; d < width_; ++d) candidate[d] = gain_[i * width_ + d] + value(base)[d];
                auto better = before_[k] >= 0 ? compare(candidate.data(), value(k), width_) : 1;
                if (coin && better == 0) {  // a linear congruential generator (Knuth, MMIX); a bit of it is the coin
                    coin = coin * 6364136223846793005u + 1442695040888963407u;
                    better = static_cast<int>(coin >> 33 & 1);
                }
                if (better > 0) {
                    before_[k] = base;
                    by_[k] = i;
                    std::copy(candidate.begin(), candidate.end(), value(k));
                }
            }
        }
    }

    // Marks the nodes that a removal takes, and no others.
    void put_together(std::int64_t state) {
        std::fill(gone_.begin(), gone_.end(), false);
        for (; by_[state] >= 0; state = before_[state]) {
            for (const auto node : sets_.members[by_[state]]) gone_[node] = true;
        }
    }

    // Finds what the removal of each set would save, and how many nodes each has left.
    void find_gains() {
        std::fill_n(gain_, count_ * width_, 0);
        for (std::int64_t i = 0; i < count_; ++i) {
            left_[i] = 0;
            for (const auto node : sets_.members[i]) left_[i] += !gone_[node];
        }
        for (std::int64_t i = 0; i < count_; ++i) charge(i, 1);
    }

    // Removes a set's nodes, and finds anew what changes.
    void remove(std::int64_t removed) {
        changed_.clear();
        for (const auto node : sets_.members[removed]) {
            if (gone_[node]) continue;
            for (const auto i : sets_.sets_of[node]) {
                if (touched_[i]) continue;
                touched_[i] = true;
                changed_.push_back(i);
            }
        }
        for (const auto i : changed_) {
            charge(i, -1);
            touched_[i] = false;
        }
        for (const auto node : sets_.members[removed]) {
            if (gone_[node]) continue;
            gone_[node] = true;
            for (const auto i : sets_.sets_of[node]) --left_[i];
        }
        for (const auto i : changed_) charge(i, 1);
    }

    // Adds what a set is worth (or takes it off) to all sets whose removal empties it. These are the sets that hold all
    // that it has left, which are among those around one of its nodes.
    void charge(std::int64_t i, std::int64_t sign) {
        if (left_[i] == 0) return;
        const auto& values = sets_.members.values;
        auto low = sets_.members.starts[i], high = sets_.members.starts[i + 1] - 1;
        while (gone_[values[low]]) ++low;
        while (gone_[values[high]]) --high;
        for (const auto around : sets_.sets_of[values[low]]) {
            if (left_[around] < left_[i]) continue;
            const auto* within = within_.data() + around * words_;
            auto at = high;  // from the last node on: the one that is least likely inside
            while (at > low && (gone_[values[at]] || within[values[at] >> 6] >> (values[at] & 63) & 1)) --at;
            if (at != low) continue;
            for (std::int64_t d = 0; d < width_; ++d) gain_[around * width_ + d] += sign * sets_.worth_of(i)[d];
        }
    }

    const Sets& sets_;
    std::int64_t room_, count_, width_, words_;
    std::vector<std::int64_t> before_, by_, value_;
    std::vector<std::uint64_t> within_;  // members of each set as bits of words
    std::vector<bool> gone_, touched_;
    std::vector<std::int64_t> changed_;
    std::int64_t *left_ = nullptr, *gain_ = nullptr;  // of the state that is extended
};

}  // namespace

std::vector<std::int64_t> cut(const Sets& sets, std::vector<bool> kept, std::int64_t size) {
    const auto count = sets.members.count(), width = sets.width, nodes = sets.nodes();
    std::vector<std::int64_t> inside(count), saved(width), most(width), stay;
    for (std::int64_t i = 0; i < count; ++i) {
        for (const auto node : sets.members[i]) inside[i] += kept[node];
    }
    for (auto left = std::count(kept.begin(), kept.end(), true); left > size; --left) {
        std::int64_t best = -1;
        for (std::int64_t node = 0; node < nodes; ++node) {
            if (!kept[node]) continue;
            std::fill(saved.begin(), saved.end(), 0);
            for (const auto set : sets.sets_of[node]) {
                if (inside[set] != 1) continue;
                for (std::int64_t d = 0; d < width; ++d) saved[d] += sets.worth_of(set)[d];
            }
            if (best < 0 || compare(saved.data(), most.data(), width) >= 0) {
                best = node;
                most = saved;
            }
        }
        kept[best] = false;
        for (const auto set : sets.sets_of[best]) --inside[set];
    }
    for (std::int64_t node = 0; node < nodes; ++node) {
        if (kept[node]) stay.push_back(node);
    }
    return stay;
}

std::vector<std::int64_t> select(const Sets& sets, std::int64_t size, std::int64_t coin) {
    auto kept = Removals(sets, sets.nodes() - size).best(coin);
    kept.flip();
    return cut(sets, std::move(kept), size);
}

}  // namespace netplace::scheduling
