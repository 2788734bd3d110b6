// AS and RBS: searches by a list of the boxes that are held.
#include <algorithm>

#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {
namespace {

// How far the next base along X is whose box does not meet a held one, 0 if that at `base` does not.
std::int64_t covered(const std::int64_t* box, Sides sizes, Sides shape, const std::vector<std::int64_t>& base) {
    const auto dims = sizes.size();
    std::int64_t jump = 0;
    for (auto d = dims; d-- > 0;) {
        // Where the base lies in the bases that the box forbids.
        auto gap = (base[d] - box[d] + shape[d] - 1) % sizes[d];
        gap = gap < 0 ? gap + sizes[d] : gap;
        const auto forbidden = std::min(box[dims + d] + shape[d] - 1, sizes[d]);
        if (gap >= forbidden) return 0;
        jump = forbidden - gap;
    }
    return jump;
}

}  // namespace

Found adaptive_scan(std::span<const std::int64_t> list, std::int64_t boxes, Sides sizes, Sides shape, bool wraps) {
    const auto dims = sizes.size();
    std::vector<std::int64_t> base(dims);
    std::int64_t visited = 0;
    const auto last = [&](std::size_t d) { return wraps ? sizes[d] - 1 : sizes[d] - shape[d]; };
    while (true) {
        std::int64_t jump = 0;
        for (std::int64_t i = 0; i < boxes && !jump; ++i) {
            ++visited;
            jump = covered(list.data() + i * 2 * static_cast<std::int64_t>(dims), sizes, shape, base);
        }
        if (!jump) {
            std::int64_t node = 0;
            for (auto d = dims; d-- > 0;) node = node * sizes[d] + base[d];
            return {node, visited};
        }
        base[0] += jump;
        for (std::size_t d = 0; base[d] > last(d);) {
            base[d] = 0;
            if (++d == dims) return {-1, visited};
            ++base[d];
        }
    }
}

Found right_border_segments(std::span<const std::int64_t> list, std::int64_t boxes, Sides sizes, Sides shape) {
    const auto W = sizes[0], H = sizes[1], w = shape[0], h = shape[1];
    const auto box = [&](std::int64_t i) { return list.data() + 4 * i; };
    auto best_x = W, best_y = H;
    std::int64_t visited = 0;
    for (std::int64_t segment = -1; segment < boxes; ++segment) {
        std::int64_t x = 0, low = 0, high = H - h;
        if (segment >= 0) {
            const auto* beside = box(segment);
            x = beside[0] + beside[2];
            low = std::max(low, beside[1] - h + 1);
            high = std::min(high, beside[1] + beside[3] - 1);
        }
        if (x + w > W) continue;
        for (std::int64_t i = 0; i < boxes; ++i) {
            ++visited;
            const auto* other = box(i);
            if (other[1] - h + 1 > low || low > high || low > best_y) break;
            if (other[0] - w < x && x < other[0] + other[2]) low = std::max(low, other[1] + other[3]);
        }
        if (low <= high && (low < best_y || (low == best_y && x < best_x))) {
            best_x = x;
            best_y = low;
        }
    }
    return {best_y == H ? -1 : best_y * W + best_x, visited};
}

}  // namespace netplace::experiments
