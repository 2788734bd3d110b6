// Searches for the first free box on meshes and tori. Each returns its base, or -1,
// and what it looked at.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace netplace::experiments {

using Sides = std::span<const std::int64_t>;
using Found = std::pair<std::int64_t, std::int64_t>;

// over_nodes.cpp: node by node, and by the coverage of what is held.
Found naive_first_fit(std::span<const bool> held, Sides sizes, Sides shape, bool wraps);
Found zhu_first_fit(std::span<const bool> held, Sides sizes, Sides shape, bool wraps);

// box_list.cpp: by a list of the boxes that are held, each its place and its sides, `boxes` of them.
Found adaptive_scan(std::span<const std::int64_t> list, std::int64_t boxes, Sides sizes, Sides shape, bool wraps);
Found right_border_segments(std::span<const std::int64_t> list, std::int64_t boxes, Sides sizes, Sides shape);

// iff.cpp: what the search keeps of each node.
struct IffNodes {
    std::span<std::int32_t> runs;   // (dims, nodes): free nodes from it on in each dimension; 0: it is held
    std::span<std::int32_t> left;   // of a held node: nodes of its partition from it on along X, itself included
    std::span<std::int32_t> whose;  // of a held node: base of its partition
    std::span<std::int32_t> jumps;  // all 0, and left so
    std::span<std::uint8_t> seen;   // all 0, and left so: bases of partitions that were met
};

// Also returns the visits as published: each partition that is met counts once a search, and so does each node of the
// candidate that is accepted (report EHU-KAT-IK-06-12, 4.1.1, 7.1.2).
std::tuple<std::int64_t, std::int64_t, std::int64_t> iff(const IffNodes& nodes, Sides sizes, Sides shape, bool wraps);
// Returns how many nodes are updated as published: the rim of a partition that is taken, all nodes of one that is released,
// and the free nodes whose runs end at it (report EHU-KAT-IK-06-12, 4.1.2, 4.2, 7.2).
std::int64_t change_iff(const IffNodes& nodes, Sides sizes, Sides shape, std::int64_t base, bool free, bool wraps);

}  // namespace netplace::experiments
