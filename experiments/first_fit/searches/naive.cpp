// NFF, naive first fit, node by node; and what it finds and visits, worked out for all bases together.
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

// Writes for each node how many are looked at in a row of s from it; 0: all, and none is held.
void look_along_rows(std::vector<std::int32_t>& looked, std::span<const bool> held, std::int64_t width, std::int64_t s,
                     bool wraps) {
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(held.size()); row += width) {
        std::int64_t free = 0;  // from the next node on
        while (wraps && free < s && !held[row + free]) ++free;
        for (auto node = row + width - 1; node >= row; --node) {
            free = held[node] ? 0 : free + 1;
            looked[node] = static_cast<std::int32_t>(free >= s ? 0 : free + 1);
        }
    }
}

// Makes numbers for s sections along a dimension of those for one, which has `whole` nodes.
void look_along(std::vector<std::int32_t>& looked, std::int64_t stride, std::int64_t size, std::int64_t s,
                std::int32_t whole, bool wraps) {
    std::vector<std::int32_t> free(stride), last(stride);  // sections that are free from the next node on, for each
                                                           // line; nodes looked at in the one behind them
    const auto go_on = [&](const std::int32_t* section) {
        for (std::int64_t i = 0; i < stride; ++i) {
            last[i] = section[i] ? section[i] : last[i];
            free[i] = section[i] ? 0 : free[i] + 1;
        }
    };
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(looked.size()); first += stride * size) {
        free.assign(stride, 0);
        last.assign(stride, 0);
        for (auto place = wraps ? s - 2 : -1; place >= 0; --place) go_on(looked.data() + first + place * stride);
        for (auto place = size - 1; place >= 0; --place) {
            auto* here = looked.data() + first + place * stride;
            go_on(here);
            for (std::int64_t i = 0; i < stride; ++i) here[i] = free[i] >= s ? 0 : free[i] * whole + last[i];
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

Found counted_first_fit(std::span<const bool> held, Sides sizes, Sides shape, bool wraps) {
    std::vector<std::int32_t> looked(held.size());
    look_along_rows(looked, held, sizes[0], shape[0], wraps);
    auto whole = shape[0], stride = sizes[0];
    for (std::size_t d = 1; d < sizes.size(); ++d) {
        if (shape[d] > 1) look_along(looked, stride, sizes[d], shape[d], static_cast<std::int32_t>(whole), wraps);
        whole *= shape[d];
        stride *= sizes[d];
    }
    const auto width = sizes[0], bases = wraps ? width : width - shape[0] + 1;
    std::vector<std::int64_t> place(sizes.size());
    std::int64_t visited = 0;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(held.size()); row += width) {
        if (!fits(row / width, sizes, shape, wraps, place)) continue;
        for (auto base = row; base < row + bases; ++base) {
            if (looked[base] == 0) return {base, visited + whole};
            visited += looked[base];
        }
    }
    return {-1, visited};
}

}  // namespace netplace::experiments
