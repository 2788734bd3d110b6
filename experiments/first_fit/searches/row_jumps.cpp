// Row jumps: runs of free nodes along X, and jumps over bases known to fail.
#include <algorithm>

#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {

Found row_jumps(std::span<const std::int32_t> run, Sides sizes, Sides shape, bool wraps) {
    const auto dims = sizes.size();
    std::vector<std::int64_t> base(dims), offset(dims), jump(sizes.begin(), sizes.end());
    const auto last = [&](std::size_t d) { return wraps ? sizes[d] - 1 : sizes[d] - shape[d]; };
    std::int64_t visited = 0;
    while (true) {
        for (std::size_t d = 1; d < dims; ++d) offset[d] = shape[d] - 1;
        std::int64_t node = 0;
        bool blocked = false;
        while (true) {  // the rows of the box, the farthest first
            node = 0;
            for (auto d = dims - 1; d > 0; --d) {
                const auto place = base[d] + offset[d];
                node = node * sizes[d] + (place >= sizes[d] ? place - sizes[d] : place);
            }
            node = node * sizes[0] + base[0];
            ++visited;
            blocked = run[node] < shape[0];
            if (blocked) break;
            std::size_t d = 1;
            for (; d < dims && offset[d] == 0; ++d) offset[d] = shape[d] - 1;
            if (d >= dims) break;
            --offset[d];
        }
        if (!blocked) {
            node = 0;
            for (auto d = dims; d-- > 0;) node = node * sizes[d] + base[d];
            return {node, visited};
        }
        base[0] += run[node] + 1;
        for (std::size_t d = 1; d < dims; ++d) jump[d] = std::min(jump[d], offset[d] + 1);
        for (std::size_t d = 0; base[d] > last(d);) {
            base[d] = 0;
            if (++d == dims) return {-1, visited};
            base[d] += jump[d];
            jump[d] = sizes[d];
        }
    }
}

void change_rows(std::span<std::int32_t> run, Sides sizes, Sides shape, std::int64_t base, bool free, bool wraps) {
    const auto dims = sizes.size();
    std::vector<std::int64_t> start(dims), step(dims);
    for (std::size_t d = 0; d < dims; ++d) {
        start[d] = base % sizes[d];
        base /= sizes[d];
    }
    while (true) {
        std::int64_t row = 0;
        for (auto d = dims - 1; d > 0; --d) row = row * sizes[d] + (start[d] + step[d]) % sizes[d];
        change_line(run.data(), row * sizes[0], 1, sizes[0], start[0], shape[0], free, wraps);
        std::size_t d = 1;
        while (d < dims && step[d] == shape[d] - 1) step[d++] = 0;
        if (d >= dims) return;
        ++step[d];
    }
}

void change_line(std::int32_t* runs, std::int64_t line, std::int64_t step, std::int64_t side, std::int64_t first,
                 std::int64_t count, bool free, bool wraps) {
    const auto end = first + count;
    std::int32_t length = 0;
    if (free && count < side && (end < side || wraps)) length = runs[line + end % side * step];
    for (std::int64_t i = 0; i < side; ++i) {
        auto place = end - 1 - i;
        if (place < 0) {
            if (!wraps) return;
            place += side;
        } else if (place >= side) {
            place -= side;
        }
        auto& run = runs[line + place * step];
        if (i >= count && run == 0) return;
        if (!free && i < count) run = 0;
        else run = ++length;
    }
    if (free && wraps) {  // the whole ring is free
        for (std::int64_t i = 0; i < side; ++i) runs[line + i * step] = static_cast<std::int32_t>(side);
    }
}

}  // namespace netplace::experiments
