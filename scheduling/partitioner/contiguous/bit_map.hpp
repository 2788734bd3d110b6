// A bit map of the free nodes of a mesh or torus, and the first free box in it, by erosion.
//
// To erode a row by s is to keep the bits from which s set bits follow. ANDing it with itself shifted by 1, 2, 4 ..
// does it in about log2(s) steps; along the other dimensions whole rows are shifted.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace netplace::scheduling {

using Sides = std::vector<std::int64_t>;

// A plane, the nodes of one coordinate of the last dimension, takes `units_` units of 16 bits, a multiple of four; a
// row along X takes 1, 2 or 4 of them or whole words of four, and may end in bits that are never set.
class BitMap {
public:
    // All nodes are held at first; there are two sides at least.
    BitMap(Sides sizes, bool wraps);

    // Marks the nodes of a box, from the base on and round the rings, as free or held.
    void fill(std::int64_t base, const Sides& shape, bool free);
    // The first base of a box that fits the network, or -1, and how many words of 64 nodes were looked at.
    std::pair<std::int64_t, std::int64_t> find(const Sides& shape);

    const Sides& sizes() const { return sizes_; }
    bool wraps() const { return wraps_; }

private:
    enum class State : std::uint8_t { stale, empty, some };  // what is known of an eroded plane
    using Words = std::vector<std::uint64_t>;

    void fill_row(std::int64_t unit, std::int64_t begin, std::int64_t end, bool free);
    std::int64_t erode_around(const Sides& shape, std::int64_t plane);
    void erode(const Sides& shape, std::int64_t low, std::int64_t high);
    void keep(const Words& given, std::int64_t plane, std::int64_t place);
    std::int64_t first_bit(std::int64_t z, std::int64_t count, std::int64_t s);
    std::int64_t node_at(std::int64_t z, std::int64_t bit) const;
    std::int64_t planes() const { return static_cast<std::int64_t>(state_.size()); }

    Sides sizes_, asked_;  // of the network, and of the box for whose section `state_` holds
    bool wraps_;
    std::int64_t width_, units_, chunk_;  // units of a row and of a plane; planes that are eroded together
    Words free_, eroded_;                 // free nodes; bases of a box's section in each plane
    std::vector<State> state_;
    Words a_, b_;  // room for all planes, and for `chunk_` planes of rows twice as long
};

}  // namespace netplace::scheduling
