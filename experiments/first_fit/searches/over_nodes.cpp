// Searches over the flags of all nodes: NFF, naive first fit, node by node; ZFF, Zhu's, by the coverage of what is held.
#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {
namespace {

// Whether a box at the base of a row ends on the machine in all dimensions but the first.
bool fits(std::int64_t row, Sides sizes, Sides shape, bool wraps, std::vector<std::int64_t>& place) {
    bool inside = true;
    for (std::size_t d = 1; d < sizes.size(); ++d) {
        place[d] = row % sizes[d];
        row /= sizes[d];
        inside = inside && (wraps || place[d] + shape[d] <= sizes[d]);
    }
    return inside;
}

// Whether no node of the box at a place is held, and the nodes looked at.
std::pair<bool, std::int64_t> box_is_free(std::span<const bool> held, Sides sizes, Sides shape,
                                          const std::vector<std::int64_t>& place, std::vector<std::int64_t>& step) {
    const auto dims = sizes.size();
    std::int64_t visited = 0;
    step.assign(dims, 0);
    while (true) {
        std::int64_t row = 0;
        for (auto d = dims - 1; d > 0; --d) {
            const auto x = place[d] + step[d];
            row = row * sizes[d] + (x < sizes[d] ? x : x - sizes[d]);
        }
        row *= sizes[0];
        for (auto x = place[0]; x < place[0] + shape[0]; ++x) {
            ++visited;
            if (held[row + (x < sizes[0] ? x : x - sizes[0])]) return {false, visited};
        }
        std::size_t d = 1;
        while (d < dims && step[d] == shape[d] - 1) step[d++] = 0;
        if (d >= dims) return {true, visited};
        ++step[d];
    }
}

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

Found naive_first_fit(std::span<const bool> held, Sides sizes, Sides shape, bool wraps) {
    const auto width = sizes[0], bases = wraps ? width : width - shape[0] + 1;
    std::vector<std::int64_t> place(sizes.size()), step;
    std::int64_t visited = 0;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(held.size()); row += width) {
        if (!fits(row / width, sizes, shape, wraps, place)) continue;
        for (std::int64_t x = 0; x < bases; ++x) {
            if (held[row + x]) {
                ++visited;
                continue;
            }
            place[0] = x;
            const auto [free, looked] = box_is_free(held, sizes, shape, place, step);
            visited += looked;
            if (free) return {row + x, visited};
        }
    }
    return {-1, visited};
}

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
