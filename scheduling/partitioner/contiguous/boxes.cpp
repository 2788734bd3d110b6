#include "scheduling/partitioner/contiguous/boxes.hpp"

namespace netplace::scheduling {

std::vector<std::int64_t> box_nodes(std::span<const std::int64_t> sizes, std::int64_t base,
                                    std::span<const std::int64_t> shape) {
    std::int64_t count = 1;
    for (const auto side : shape) count *= side;
    std::vector<std::int64_t> nodes(count);
    std::int64_t stride = 1, filled = 1;  // the box of the dimensions so far
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const auto start = base % sizes[d];
        base /= sizes[d];
        for (auto step = shape[d] - 1; step >= 0; --step) {
            const auto place = start + step < sizes[d] ? start + step : start + step - sizes[d];
            for (std::int64_t i = 0; i < filled; ++i) nodes[step * filled + i] = nodes[i] + place * stride;
        }
        stride *= sizes[d];
        filled *= shape[d];
    }
    return nodes;
}

namespace {

// Whether all nodes of a frame are free, and how many were looked at.
std::pair<bool, std::int64_t> frame_is_free(std::span<const bool> held, std::int64_t W, std::int64_t x, std::int64_t y,
                                            std::int64_t w, std::int64_t h) {
    std::int64_t looked = 0;
    for (auto row = y; row < y + h; ++row) {
        for (auto node = row * W + x; node < row * W + x + w; ++node) {
            ++looked;
            if (held[node]) return {false, looked};
        }
    }
    return {true, looked};
}

}  // namespace

std::pair<std::int64_t, std::int64_t> slide_frame(std::span<const bool> held, std::int64_t W, std::int64_t H,
                                                  std::int64_t w, std::int64_t h) {
    std::int64_t start = 0;
    while (start < W * H && held[start]) ++start;
    auto visited = start;
    for (auto y = start / W; y + h <= H; y += h) {
        for (auto x = y == start / W ? start % W : start % W % w; x + w <= W; x += w) {
            const auto [free, looked] = frame_is_free(held, W, x, y, w, h);
            visited += looked;
            if (free) return {y * W + x, visited};
        }
    }
    return {-1, visited};
}

}  // namespace netplace::scheduling
