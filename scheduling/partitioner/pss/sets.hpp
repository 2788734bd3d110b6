// Sets of processors as the searches have them: families that are nested or disjoint, and those that may overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::scheduling {

// Sets as vertices of a tree, leaves first, then the sets in increasing size, the whole machine last; see _LaminarTree
// in select.py.
struct LaminarTree {
    std::span<const std::int64_t> parent, worth;  // of each vertex
    std::span<const std::int64_t> number, place;  // of each set: by size, its number; by number, its place
    std::span<const std::int64_t> kin, kin_starts;

    std::int64_t sets() const { return static_cast<std::int64_t>(kin.size()); }
};

// Which nodes are taken where `size` free ones of least cost are, by knapsack on the tree.
std::vector<bool> least_below(const LaminarTree& tree, std::span<const bool> free, std::int64_t size);

// Which nodes stay when the best removal of sets is made that leaves `size` free nodes or more. Of equal ones it is that
// of the most nodes; of equal ones of as many nodes the one found first, from the state of fewest nodes and by the set
// of least number.
std::vector<bool> kept_on_tree(const LaminarTree& tree, std::span<const bool> free, std::int64_t size);

// Lists side by side: the i-th is values[starts[i]:starts[i + 1]], in increasing order.
struct Lists {
    std::span<const std::int64_t> starts, values;

    std::int64_t count() const { return static_cast<std::int64_t>(starts.size()) - 1; }
    std::span<const std::int64_t> operator[](std::int64_t i) const {
        return values.subspan(starts[i], starts[i + 1] - starts[i]);
    }
};

struct Sets {
    Lists members;                       // free nodes of each set
    Lists sets_of;                       // sets that each free node is in
    std::span<const std::int64_t> worth; // of each set, `width` numbers of falling weight
    std::int64_t width;

    std::int64_t nodes() const { return sets_of.count(); }
    const std::int64_t* worth_of(std::int64_t set) const { return worth.data() + set * width; }
};

// Drops nodes one by one until `size` stay, each the one that saves most, of equal ones that of highest number.
std::vector<std::int64_t> cut(const Sets& sets, std::vector<bool> kept, std::int64_t size);

// The nodes that stay when the best removal is made and cut to size. Of equal removals the first stays; with a coin
// that is not 0, it decides.
std::vector<std::int64_t> select(const Sets& sets, std::int64_t size, std::int64_t coin);

}  // namespace netplace::scheduling
