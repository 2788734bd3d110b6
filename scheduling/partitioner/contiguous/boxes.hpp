// Boxes of nodes, and frame sliding.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace netplace::scheduling {

// The nodes of a box, with X fastest, from the base on and round the rings.
std::vector<std::int64_t> box_nodes(std::span<const std::int64_t> sizes, std::int64_t base,
                                    std::span<const std::int64_t> shape);

// The base of the first free frame on a 2-D mesh, or -1, and the nodes looked at. The first frame has its base at the
// first free node; from there the frame slides by its width along a row, then by its height to the next row of frames.
std::pair<std::int64_t, std::int64_t> slide_frame(std::span<const bool> held, std::int64_t W, std::int64_t H,
                                                  std::int64_t w, std::int64_t h);

}  // namespace netplace::scheduling
