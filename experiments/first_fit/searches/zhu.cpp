// ZFF: Zhu's first fit, by the coverage of what is held.
#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {
namespace {

// Marks along one dimension the s - 1 nodes before each marked one, and before the end of a mesh.
void spread(std::vector<std::uint8_t>& covered, std::int64_t stride, std::int64_t size, std::int64_t s, bool wraps) {
    std::vector<std::int64_t> left(stride);  // of the nodes that the last mark covers, for each line
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(covered.size()); first += stride * size) {
        left.assign(stride, wraps ? 0 : s - 1);
        for (auto i = wraps ? s - 2 : -1; i >= 0; --i) {
            for (std::int64_t line = 0; line < stride; ++line) {
                left[line] = covered[first + i * stride + line] ? s - 1 : left[line] - 1;
            }
        }
        for (auto i = size - 1; i >= 0; --i) {
            for (std::int64_t line = 0; line < stride; ++line) {
                auto& node = covered[first + i * stride + line];
                if (node) {
                    left[line] = s - 1;
                } else {
                    node = left[line] > 0;
                    --left[line];
                }
            }
        }
    }
}

}  // namespace

Found zhu_first_fit(std::span<const bool> held, Sides sizes, Sides shape, bool wraps) {
    std::vector<std::uint8_t> covered(held.begin(), held.end());
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        spread(covered, stride, sizes[d], shape[d], wraps);
        stride *= sizes[d];
    }
    auto visited = static_cast<std::int64_t>(sizes.size() * held.size());
    for (std::size_t base = 0; base < covered.size(); ++base) {
        ++visited;
        if (!covered[base]) return {static_cast<std::int64_t>(base), visited};
    }
    return {-1, visited};
}

}  // namespace netplace::experiments
