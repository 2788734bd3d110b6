// What partitioners keep of the free nodes of a machine: a map of a line of places, a pool to draw from, and counts for
// every subtree of a tree. All are changed for many nodes at a time, wholly or, if one of them cannot be, not at all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace netplace::scheduling {

using Places = std::vector<std::int64_t>;

// A byte a place, looked at eight at a time.
class FreeMap {
public:
    explicit FreeMap(std::int64_t size);

    // The first free places, and how many words of eight were read; no more than are free may be asked for.
    std::pair<Places, std::int64_t> first(std::int64_t wanted) const;
    // Where each longest run of free places starts, and its length.
    std::pair<Places, Places> intervals() const;
    // Makes places free, or held; returns the index of the first that cannot be, with nothing changed, or -1.
    std::int64_t mark(std::span<const std::int64_t> places, bool free);

    std::int64_t free() const { return free_; }
    std::int64_t words() const { return static_cast<std::int64_t>(bytes_.size()) / 8; }

private:
    std::uint64_t word(std::int64_t at) const;

    std::int64_t size_, free_;
    std::vector<std::uint8_t> bytes_;
};

// The free nodes first, in any order, and where each node stands.
class Pool {
public:
    explicit Pool(std::int64_t nodes);

    // Exchanges entry i with entry draws[i] for every i: Fisher and Yates' shuffle, as far as needed; returns the first
    // entries, sorted.
    Places draw(std::span<const std::int64_t> draws);
    // Moves nodes out of the free ones (step -1) or back to them (step 1); returns the index of the first that cannot
    // be, or -1.
    std::int64_t move(std::span<const std::int64_t> nodes, int step);

    std::int64_t free() const { return free_; }
    std::int64_t nodes() const { return static_cast<std::int64_t>(pool_.size()); }

private:
    void exchange(std::int64_t i, std::int64_t j);

    Places pool_, place_;
    std::int64_t free_;
};

// What a job asks of the subtrees of a level.
struct Wish {
    std::int64_t level, nodes;
    std::int64_t outside;  // nodes that may lie outside its subtree,
    bool one_up;           // and no further than one level up
};

// Free nodes of every subtree of a tree, level by level from the nodes up.
class SubtreeCounts {
public:
    SubtreeCounts(std::int64_t down, std::int64_t stages);

    // Counts nodes as held (step -1) or free (step 1); returns the index of the first that cannot be, or -1.
    std::int64_t count(std::span<const std::int64_t> nodes, int step);
    // The subtree that a job gets, or -1, and how many were tried: the first with room for the whole job. If there is
    // none, some nodes may be elsewhere: with `one_up` the first in which no more are missing, if the subtree one level
    // above has room for the job; without, the one with the most free nodes.
    std::pair<std::int64_t, std::int64_t> choose(const Wish& wish) const;
    // Nodes, those in one subtree first (none if they cannot be had), and visits.
    std::pair<Places, std::int64_t> find(const Wish& wish) const;
    // Counts nodes as free, nodes[ends[i - 1]:ends[i]] together, until a subtree is chosen. Returns how many of these
    // groups are free then, -1 if it never is, -2 if a node was free already; and how many subtrees were tried.
    std::pair<std::int64_t, std::int64_t> release_until(const Wish& wish, std::span<const std::int64_t> nodes,
                                                        std::span<const std::int64_t> ends);

    std::int64_t free() const { return counts_.back(); }
    std::int64_t levels() const { return static_cast<std::int64_t>(first_.size()) - 1; }

private:
    void add(std::int64_t node, int step);
    std::int64_t at(std::int64_t level, std::int64_t subtree) const { return counts_[first_[level] + subtree]; }
    // The first subtree of a level, from `start` to before `end`, with so many free nodes, or `end`; counts visits.
    std::int64_t next(std::int64_t level, std::int64_t start, std::int64_t end, std::int64_t wanted,
                      std::int64_t& visited) const;
    // Appends free nodes of `start` to before `end` until there are so many.
    void gather(std::int64_t start, std::int64_t end, std::int64_t wanted, Places& nodes, std::int64_t& visited) const;

    std::int64_t down_;
    Places first_, counts_;
};

}  // namespace netplace::scheduling
