// Families of sets of processors that are nested or disjoint, as the tree that they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::scheduling {

// Sets as vertices of a tree, leaves first, then the sets in increasing size, the whole machine last; see LaminarTree
// in laminar.py.
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

}  // namespace netplace::scheduling
